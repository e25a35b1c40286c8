import type { Range } from "../format.ts";
import { type Spliced, splice } from "../splice.ts";
import { endsInOpenScalar } from "./lines.ts";

interface Insertion {
  readonly offset: number;
  text: string;
}

interface Removal {
  start: number;
  end: number;
  /** Whether whole lines go. */
  lines: boolean;
}

/**
 * What is to go and what is to come, gathered from all edits. Removals may touch and overlap: together they are one.
 */
export class Patch {
  private readonly text: string;
  private readonly removals: Removal[] = [];
  private readonly insertions: Insertion[] = [];

  constructor(text: string) {
    this.text = text;
  }

  remove(start: number, end: number): void {
    if (start < end) this.removals.push({ start, end, lines: false });
  }

  removeLines(start: number, end: number): void {
    if (start < end) this.removals.push({ start, end, lines: true });
  }

  /** Insertions at one offset stay in the order they were given. */
  insert(offset: number, text: string): void {
    this.insertions.push({ offset, text });
  }

  replace(start: number, end: number, text: string): void {
    this.insert(start, text);
    this.remove(start, end);
  }

  apply(): Spliced {
    const removals = united(this.removals);
    this.endWithoutBreak(removals.at(-1));
    const pieces = this.insertions.map(({ offset, text }) => ({ start: offset, end: offset, text }));
    // Insertions come first where one starts with a removal: `splice` orders by start, then end.
    return splice(this.text, [...pieces, ...apart(removals, pieces)]);
  }

  /** A file that ends without a line break still does so when its last lines go: the break before them goes along. */
  private endWithoutBreak(last: Removal | undefined): void {
    const { text } = this;
    if (last === undefined || !last.lines || last.end !== text.length || text.endsWith("\n")) return;
    const instead = this.insertions.findLast(({ offset }) => offset >= last.start && offset < last.end);
    if (instead !== undefined) instead.text = instead.text.replace(/\r?\n$/, "");
    else {
      const start = breakBefore(text, last.start);
      // A literal text that would then end the file keeps its last line break: some programs take it for a part of it.
      if (!endsInOpenScalar(text.slice(0, start))) last.start = start;
    }
  }
}

/** Where the line break before a line begins. That of an empty line stays: it may be part of a literal block. */
function breakBefore(text: string, start: number): number {
  const match = /[^\r\n](\r?\n)$/.exec(text.slice(Math.max(0, start - 3), start));
  return match === null ? start : start - match[1]!.length;
}

function united(removals: readonly Removal[]): Removal[] {
  const united: Removal[] = [];
  for (const { start, end, lines } of removals.toSorted((a, b) => a.start - b.start)) {
    const last = united.at(-1);
    if (last === undefined || start > last.end) {
      united.push({ start, end, lines });
    } else {
      last.lines ||= lines;
      last.end = Math.max(last.end, end);
    }
  }
  return united;
}

/** Removals cut where something is inserted inside them. */
function apart(
  removals: readonly Range[],
  insertions: readonly Range[],
): { start: number; end: number; text: string }[] {
  const offsets = insertions.map(({ start }) => start).sort((a, b) => a - b);
  const pieces: { start: number; end: number; text: string }[] = [];
  let next = 0;
  for (const { start, end } of removals) {
    let at = start;
    while (next < offsets.length && offsets[next]! <= start) next++;
    for (; next < offsets.length && offsets[next]! < end; next++) {
      if (offsets[next]! > at) pieces.push({ start: at, end: offsets[next]!, text: "" });
      at = offsets[next]!;
    }
    pieces.push({ start: at, end, text: "" });
  }
  return pieces;
}
