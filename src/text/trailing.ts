/**
 * A text without the signs of one kind that it ends with. A pattern for this tries anew at each of them, and takes the
 * square of their number.
 */
export function withoutTrailing(text: string, sign: string): string {
  return text.slice(0, text.length - trailing(text, sign));
}

/** How many signs of one kind a text ends with. */
export function trailing(text: string, sign: string): number {
  let count = 0;
  while (count < text.length && text[text.length - 1 - count] === sign) count++;
  return count;
}
