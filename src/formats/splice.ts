import type { Range } from "./format.ts";

/** Replace what stands from `start` to `end` (nothing where they are equal) by `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Spliced =
  | { readonly kind: "spliced"; readonly text: string }
  | { readonly kind: "overlap"; readonly offset: number };

/** All splices in one pass. Those that start at one place stay in the order given; two that share a character are refused. */
export function splice(text: string, splices: readonly Splice[]): Spliced {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  const all = new Splices();
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < at) return { kind: "overlap", offset: start };
    all.delete(start, end);
    if (replacement !== "") all.insert(start, replacement);
    at = end;
  }
  return { kind: "spliced", text: all.applyTo(text) };
}

/**
 * What changes in a text. Parts that go may overlap, and a part may come inside one that goes. Parts that come at one
 * offset stand in the order of their ranks (compared number by number), then as they were added.
 */
export class Splices {
  readonly #gone: Range[] = [];
  readonly #coming: Coming[] = [];

  delete(start: number, end: number): void {
    if (start < end) this.#gone.push({ start, end });
  }

  insert(at: number, text: string, rank: Rank = usualRank): void {
    this.#coming.push({ at, text, rank });
  }

  replace(range: Range, text: string, rank: Rank = usualRank): void {
    this.delete(range.start, range.end);
    this.insert(range.start, text, rank);
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
const usualRank: Rank = [1];

export function compareRanks(a: Rank, b: Rank): number {
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs === -1 ? 0 : a[differs]! - (b[differs] ?? 0);
}
