import type { DotenvQuote } from "./read.ts";

export type DotenvSpelling =
  | { readonly kind: "spelled"; readonly text: string }
  | { readonly kind: "impossible"; readonly message: string };

/** Read by everyone as it stands: no blank, no quote, and nothing a shell would expand. */
const safeBare = /^[\w./:,@%+=-]*$/;

/**
 * The quotes that stand there now, and whether shells expand variables between them: whoever wrote that may do so
 * again.
 */
export interface CurrentSpelling {
  readonly quote: DotenvQuote;
  readonly expands: boolean;
}

export const noSpelling: CurrentSpelling = { quote: "", expands: false };

export function currentSpelling(written: string, quote: DotenvQuote): CurrentSpelling {
  return { quote, expands: (quote === "" || quote === '"') && written.includes("$") };
}

/**
 * A spelling of the value that shells and dotenv read the same, bare where it can be. The quotes that stand there now
 * are kept if they can hold the new value. There is no such spelling for every value: shells and dotenv escape in
 * different ways, so no escape may be used.
 */
export function spellValue(value: string, current: CurrentSpelling, eol: string): DotenvSpelling {
  const unwritable = whyUnwritable(value);
  if (unwritable !== undefined) return { kind: "impossible", message: unwritable };
  const usable = canKeep(current, value)
    ? current.quote
    : (["", "'", '"'] as const).find((quote) => canHold(quote, value));
  if (usable === undefined)
    return {
      kind: "impossible",
      message: "shells and dotenv read no spelling of it the same: it holds ' together with one of \" $ ` \\",
    };
  return { kind: "spelled", text: usable + value.replaceAll("\n", eol) + usable };
}

function whyUnwritable(value: string): string | undefined {
  if (value.endsWith("\\"))
    return "it ends in a backslash, which shells and dotenv read differently before a quote and at the end of a line";
  if (/[\0\r\u2028\u2029]/.test(value)) return "it holds a NUL, a carriage return or a Unicode line separator";
  return undefined;
}

/** No command is ever put where a shell would run it. */
export function canKeep({ quote, expands }: CurrentSpelling, value: string): boolean {
  return canHold(quote, expands ? value.replaceAll(/\$(?![({[])|\$(?=\{\w+\})/g, "") : value);
}

function canHold(quote: DotenvQuote, value: string): boolean {
  if (quote === "") return safeBare.test(value);
  if (quote === "'") return !value.includes("'");
  // A shell runs what stands between backticks: never written, also where the old value has them.
  return quote === '"' && !/["$`\\]/.test(value);
}
