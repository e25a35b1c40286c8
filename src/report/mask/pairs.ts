import { looksSecret } from "./names.ts";

/**
 * A variable or header that is written as two fields: `{ "name": "API_KEY", "value": "…" }`. The name says whether the
 * value is secret.
 */
const named = `["']?\\b(?:name|key|header)["']? {0,8}: {0,8}["']?([\\w.-]{1,64})["']?`;
const valued = `["']?\\bvalue["']? {0,8}: {0,8}`;
const value = `"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^']*'|[^\\s,}\\]"']+`;
const nameFirst = new RegExp(`(${named} {0,8}, {0,8}${valued})(${value})`, "gi");
const valueFirst = new RegExp(`(${valued})(${value})( {0,8}, {0,8}${named})`, "gi");

/** Both fields on one line. */
export function maskPairs(text: string, mask: string): string {
  if (!/\bvalue\b/i.test(text)) return text;
  return text
    .replace(nameFirst, (whole, before: string, name: string, secret: string) =>
      looksSecret(name) ? before + quotedAs(secret, mask) : whole,
    )
    .replace(valueFirst, (whole, before: string, secret: string, after: string, name: string) =>
      looksSecret(name) ? before + quotedAs(secret, mask) + after : whole,
    );
}

const nameAlone = new RegExp(`^[ +-]?\\s*(?:- +)?${named},?\\s*$`, "i");
const valueAlone = new RegExp(`^(?:- +)?${valued}(?=\\S)`, "i");

/**
 * Each field on a line of its own: what stands before the value; undefined where the line is none, or no line beside it
 * names a secret.
 */
export function valueBeside(body: string, neighbours: readonly (string | undefined)[]): string | undefined {
  const before = valueAlone.exec(body)?.[0];
  if (before === undefined) return undefined;
  const isSecret = neighbours.some((line) => looksSecret(nameAlone.exec(line ?? "")?.[1] ?? ""));
  return isSecret ? before : undefined;
}

function quotedAs(secret: string, mask: string): string {
  const quote = /^["']/.exec(secret)?.[0] ?? "";
  return quote + mask + quote;
}
