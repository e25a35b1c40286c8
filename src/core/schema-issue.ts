/** What a schema library says is wrong with a value: the parts of it that we use. */
interface SchemaIssue {
  readonly message: string;
  /** How the library shows what it found: a text in quotes, or the name of a kind. */
  readonly received: string;
}

/** What is wrong, without repeating the value: where a list was expected a password may stand. */
export function issueMessage({ message, received }: SchemaIssue): string {
  const kind = receivedKind(received);
  return kind === received ? message : message.split(received).join(kind);
}

/** What was found, by its kind. */
export function receivedKind(received: string): string {
  if (received.startsWith('"')) return "a text";
  return /^-?\d/.test(received) ? "a number" : received;
}
