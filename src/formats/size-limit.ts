import type { Malformed } from "./format.ts";

/** The longest text of a format whose readers need dozens of times its size in memory. Nobody writes configuration this long. */
export const maxTextLength = 32 * 1024 * 1024;

/** Why a text is too long to be read; undefined where it is not. Checked first: running out of memory can't be refused. */
export function tooLong(text: string, format: string): Malformed | undefined {
  if (text.length <= maxTextLength) return undefined;
  const message = `this is more than ${maxTextLength / 1024 ** 2} MiB of ${format}, which is refused; split the file, or name another`;
  return { kind: "malformed", message, offset: 0 };
}
