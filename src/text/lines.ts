/** The lines of a text, each with its line feed; the last may have none. Joined they are the text again. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
    lines.push(text.slice(start, at + 1));
    start = at + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** A text by lines, without a string for each. A line counts with its line feed. */
export class TextLines {
  readonly text: string;
  /** Where each line begins; one more at the end of the text. */
  readonly starts: readonly number[];

  constructor(text: string) {
    const starts: number[] = [];
    let start = 0;
    while (start < text.length) {
      starts.push(start);
      const at = text.indexOf("\n", start);
      start = at === -1 ? text.length : at + 1;
    }
    starts.push(text.length);
    this.text = text;
    this.starts = starts;
  }

  get count(): number {
    return this.starts.length - 1;
  }

  /** The text of the lines from one to another (exclusive), counted from 0. */
  slice(from: number, to: number): string {
    return this.text.slice(this.starts[from], this.starts[to]);
  }
}

/** Gives equal lines equal numbers, from 0, so that comparing lines costs the same however long they are. */
export class LineNumbers {
  readonly #numbers = new Map<string, number>();

  of(lines: TextLines): Int32Array {
    // A loop, as `Int32Array.from` with a function takes several times as long.
    const numbers = new Int32Array(lines.count);
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.#numberOf(lines.slice(at, at + 1));
    return numbers;
  }

  #numberOf(line: string): number {
    const known = this.#numbers.get(line);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(line, number);
    return number;
  }
}

/** The line break in use at an offset: that of its line, else the first of the text. */
export function lineBreakAt(text: string, offset = 0): "\n" | "\r\n" {
  const here = text.indexOf("\n", offset);
  const at = here === -1 ? text.indexOf("\n") : here;
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** A text without the signs of one kind at its end. A pattern would take the square of their number. */
export function withoutTrailing(text: string, sign: string): string {
  return text.slice(0, text.length - trailing(text, sign));
}

/** How many signs of one kind a text ends with. */
export function trailing(text: string, sign: string): number {
  let count = 0;
  while (count < text.length && text[text.length - 1 - count] === sign) count++;
  return count;
}
