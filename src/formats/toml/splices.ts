import type { Range } from "../format.ts";

/**
 * What changes in a text: parts that go and parts that come. Parts that go may overlap; where several come at one
 * offset they stand in the order of their ranks (compared number by number), then in the order they were added. A part
 * may come inside one that goes.
 */
export class Splices {
  readonly #gone: Range[] = [];
  readonly #coming: Coming[] = [];

  delete(start: number, end: number): void {
    if (start < end) this.#gone.push({ start, end });
  }

  insert(at: number, text: string, rank: Rank): void {
    this.#coming.push({ at, text, rank });
  }

  replace(range: Range, text: string): void {
    this.delete(range.start, range.end);
    this.insert(range.start, text, ranks.replacement);
  }

  applyTo(text: string): string {
    this.#gone.sort((a, b) => a.start - b.start || a.end - b.end);
    this.#coming.sort((a, b) => a.at - b.at || compareRanks(a.rank, b.rank));
    const parts: string[] = [];
    let next = 0;
    let at = 0;
    const copyUpTo = (end: number) => {
      for (; next < this.#gone.length && this.#gone[next]!.start < end; next++) {
        const gone = this.#gone[next]!;
        if (gone.start > at) parts.push(text.slice(at, gone.start));
        at = Math.max(at, gone.end);
      }
      if (end > at) parts.push(text.slice(at, end));
      at = Math.max(at, end);
    };
    for (const coming of this.#coming) {
      copyUpTo(coming.at);
      parts.push(coming.text);
    }
    copyUpTo(text.length);
    return parts.join("");
  }
}

interface Coming {
  readonly at: number;
  readonly text: string;
  readonly rank: Rank;
}

export type Rank = readonly number[];

/**
 * At one offset: first what comes between brackets, then what replaces a value, then lines of the section before, then
 * whole sections. Sections that follow their place come innermost first (an element's sub-table before the next
 * element), and those for the end of a container after those for a place in it; sections that precede their place come
 * outermost first, after all of these.
 */
export const ranks = {
  slot: [0],
  replacement: [1],
  line: [2],
  sectionBehind: (depth: number, atEnd: boolean): Rank => [3, -depth, atEnd ? 1 : 0],
  sectionBefore: (depth: number): Rank => [4, depth],
} as const satisfies Record<string, Rank | ((depth: number, atEnd: boolean) => Rank)>;

export function compareRanks(a: Rank, b: Rank): number {
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs === -1 ? 0 : a[differs]! - (b[differs] ?? 0);
}
