/** What is wrong with a text or an edit, and where. Thrown within a format; to everybody else it is a result. */
export class Fault extends Error {
  readonly offset: number;
  constructor(message: string, offset = 0) {
    super(message);
    this.name = "Fault";
    this.offset = offset;
  }
}

/** Does some work, and turns a fault in it into a result of this kind. */
export function orFault<Result, Kind extends "malformed" | "refused">(
  kind: Kind,
  work: () => Result,
): Result | { readonly kind: Kind; readonly message: string; readonly offset: number } {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) return { kind, message: error.message, offset: error.offset };
    throw error;
  }
}

/** A quotation, a tag, or what follows a colon or a word that announces it. */
const quotations = [
  /(?<=^|\s)["'](?!quote\b).*$/s,
  /!.*$/s,
  /(?<=\w: ).*$/s,
  /(?<=(?:YAML version|Unknown directive|escape sequence) ).*$/s,
];

/** What a library says is wrong with a text, without the parts that it quotes: one may be a password. */
export function unquoted(message: string): string {
  const [first = ""] = message.split("\n", 1);
  return quotations.reduce((text, quotation) => text.replace(quotation, "…"), first);
}
