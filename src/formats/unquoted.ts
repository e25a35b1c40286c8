/** A quotation, a tag, or what follows a colon or a word that announces it. */
const quotations = [
  /(?<=^|\s)["'](?!quote\b).*$/s,
  /!.*$/s,
  /(?<=\w: ).*$/s,
  /(?<=(?:YAML version|Unknown directive|escape sequence) ).*$/s,
];

/**
 * What a library says is wrong with a text, without the parts of the text that it repeats: a password may stand there.
 */
export function unquoted(message: string): string {
  const [first = ""] = message.split("\n", 1);
  return quotations.reduce((text, quotation) => text.replace(quotation, "…"), first);
}
