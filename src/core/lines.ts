/** The lines of a text, each with the line feed that ends it; the last may have none. Joined they are the text again. */
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

/** Gives equal lines equal numbers, counted from 0, so that comparing two lines costs the same however long they are. */
export class LineNumbers {
  readonly #numbers = new Map<string, number>();

  of(lines: readonly string[]): Int32Array {
    // A loop, as `Int32Array.from` with a function takes several times as long.
    const numbers = new Int32Array(lines.length);
    for (let at = 0; at < lines.length; at++) numbers[at] = this.#numberOf(lines[at]!);
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
