/**
 * Parts of names under which secrets stand. In doubt a name counts: a masked value can be shown, a shown one can't be
 * taken back.
 */
const secretParts =
  "tokens?(?!i[sz])|secret|passw(?:or)?d|passphrase|credential|authorization|bearer|cookie|jwt|apikey|" +
  "(?:api|private|access|secret|signing|encryption|session|master|account|client|auth|ssh|license)[-_. ]?key|" +
  "(?<![a-z])(?:pass|pwd|creds)(?![a-z])";
const secretName = new RegExp(secretParts, "i");

/** Names that count tokens: `max_tokens`, `MAX_THINKING_TOKENS`, `tokenLimit`. */
const measure = /max|min|limit|budget|count|num|total|context|usage|window|output|input|thinking|rate|size|length|per/i;

/** Whether a value under this name is to be masked; a number of tokens is no secret. */
export function looksSecret(name: string, value?: unknown): boolean {
  if (!secretName.test(name)) return false;
  const isNumber = typeof value === "number" || (typeof value === "string" && /^["']?\d{1,12}["']?$/.test(value));
  return !(isNumber && /token/i.test(name) && measure.test(name));
}

/** Finds every place in a text where such a part stands. A new one each time: it carries its position. */
export function secretNameFinder(): RegExp {
  return new RegExp(secretParts, "gi");
}
