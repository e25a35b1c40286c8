import type { Quote } from "./dotenv-scan.ts";

/** What a value says, from the way it is written (quotes included). */
export function readValue(written: string, quote: Quote): string {
  if (quote === "") return written;
  const inside = written.slice(1, -1).replaceAll("\r\n", "\n");
  return quote === '"' ? inside.replaceAll("\\n", "\n").replaceAll("\\r", "\r") : inside;
}

export type Spelling = { readonly kind: "spelled"; readonly text: string } | { readonly kind: "impossible"; readonly message: string };

/** Read by everyone as it stands: no blank, no quote, and nothing a shell would expand. */
const safeBare = /^[\w./:,@%+=-]*$/;

/**
 * A spelling of the value that shells and dotenv read the same, bare where it can be. The quotes that stand there now are kept if they can
 * hold the new value. There is no such spelling for every value: shells and dotenv escape in different ways, so no escape may be used.
 */
export function spellValue(value: string, current: Quote, eol: string): Spelling {
  const unwritable = whyUnwritable(value);
  if (unwritable !== undefined) return { kind: "impossible", message: unwritable };
  const usable = ([current, "", "'", '"'] as const).find((quote) => canHold(quote, value));
  if (usable === undefined)
    return { kind: "impossible", message: "shells and dotenv read no spelling of it the same: it holds ' together with one of \" $ ` \\" };
  return { kind: "spelled", text: usable + value.replaceAll("\n", eol) + usable };
}

function whyUnwritable(value: string): string | undefined {
  if (value.endsWith("\\"))
    return "it ends in a backslash, which shells and dotenv read differently before a quote and at the end of a line";
  if (/[\0\r\u2028\u2029]/.test(value)) return "it holds a NUL, a carriage return or a Unicode line separator";
  return undefined;
}

function canHold(quote: Quote, value: string): boolean {
  if (quote === "") return safeBare.test(value);
  if (quote === "'") return !value.includes("'");
  // A shell runs what stands between backticks: never written, also where the old value has them.
  return quote === '"' && !/["$`\\]/.test(value);
}
