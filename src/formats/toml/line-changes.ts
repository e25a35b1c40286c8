import { pushAll } from "../../core/lists.ts";
import { firstReached } from "../../core/search.ts";
import type { Range, Trace } from "../format.ts";
import { firstLine, isBlankLine, isLineEnd, lineStart, nextLine } from "../lines.ts";
import { compareRanks, type Rank, type Splices } from "../splice.ts";
import type { TableNode } from "./tree.ts";

/** Whole lines that go. */
export interface LineRemoval extends Range {
  /** How many blank lines came with them and go with them; undefined where that is not known. */
  readonly blanks: number | undefined;
}

/** What `LineChunks` remembers: the number of blank lines that came with the lines. */
export function blanksOf(trace: Trace | undefined): number | undefined {
  return trace === undefined ? undefined : Number(trace.blanks ?? 0);
}

/**
 * The parts of the text that go: the lines, and as many blank lines around them as they brought. It does not matter
 * which of these go, nor in which order neighbours leave: between two lines that stay is left what stood there first.
 * Sorted, none overlapping.
 */
export function widenRemovals(text: string, removals: readonly LineRemoval[]): Range[] {
  const widening = new Widening(text);
  for (const removal of [...removals].sort((a, b) => a.start - b.start)) widening.add(removal);
  return widening.finish();
}

class Widening {
  readonly #text: string;
  readonly #gone: Range[] = [];
  /** The blank lines that stay right above `#end`, in order: of the gap that the removals before have left there. */
  #above: Range[] = [];
  /** Where the last removal and the blank lines below it end. */
  #end = -1;
  #opensFile = false;
  /** Blank lines that have to go and were not found beside their own lines: those of neighbours will do. */
  #surplus = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add({ start, end, blanks }: LineRemoval): void {
    if (start > this.#end) this.#startAt(start);
    this.#gone.push({ start, end });
    const below = start < this.#end ? [] : this.#blankLinesBelow(end);
    this.#end = Math.max(this.#end, below.at(-1)?.end ?? end);
    this.#surplus += blanks ?? (this.#wouldStandDouble(below) ? 1 : 0);
    // The nearest above go first, then those below.
    if (this.#surplus > 0) this.#above = this.#takeSurplus(this.#above.reverse()).reverse();
    pushAll(this.#above, this.#takeSurplus(below));
  }

  /** Only lines that are really empty can be ours: one with blanks in it was typed by somebody. */
  #takeSurplus(lines: readonly Range[]): Range[] {
    return lines.filter((line) => {
      if (this.#surplus === 0 || !isLineEnd(this.#text, line.start)) return true;
      this.#surplus--;
      this.#gone.push(line);
      return false;
    });
  }

  finish(): Range[] {
    const ranges: Range[] = [];
    for (const { start, end } of this.#gone.sort((a, b) => a.start - b.start)) {
      const last = ranges.at(-1);
      if (last !== undefined && last.end >= start)
        ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else ranges.push({ start, end });
    }
    return this.#withoutLastBreak(ranges);
  }

  #startAt(start: number): void {
    const lines: Range[] = [];
    const first = firstLine(this.#text);
    let at = start;
    while (at > first && isBlankLine(this.#text, lineStart(this.#text, at - 1))) {
      lines.push({ start: lineStart(this.#text, at - 1), end: at });
      at = lines.at(-1)!.start;
    }
    this.#above = lines.reverse();
    this.#surplus = 0;
    this.#opensFile = at === first;
  }

  #blankLinesBelow(from: number): Range[] {
    const lines: Range[] = [];
    for (let at = from; isBlankLine(this.#text, at); at = nextLine(this.#text, at))
      lines.push({ start: at, end: nextLine(this.#text, at) });
    return lines;
  }

  /** Lines without a record are taken to have brought a gap: two gaps that meet become one, and none ends the file. */
  #wouldStandDouble(below: readonly Range[]): boolean {
    const [above, atEnd] = [this.#above.length > 0, this.#end === this.#text.length];
    return (above && (below.length > 0 || atEnd)) || (this.#opensFile && below.length > 0);
  }

  /** A file whose last line had no line break keeps having none. */
  #withoutLastBreak(ranges: Range[]): Range[] {
    const last = ranges.at(-1);
    if (last?.end !== this.#text.length || this.#text.endsWith("\n") || last.start <= firstLine(this.#text))
      return ranges;
    const start = last.start - (this.#text[last.start - 2] === "\r" ? 2 : 1);
    return [...ranges.slice(0, -1), { start, end: last.end }];
  }
}

/** Where an offset stands once these parts are gone: at the start of the part it is in or directly behind. */
export function offsetAbove(gone: readonly Range[], at: number): number {
  const range = gone[lastStartingBefore(gone, at)];
  return range !== undefined && at <= range.end ? range.start : at;
}

export function offsetBelow(gone: readonly Range[], at: number): number {
  const range = gone[lastStartingBefore(gone, at + 1)];
  return range !== undefined && at < range.end ? range.end : at;
}

function lastStartingBefore(gone: readonly Range[], at: number): number {
  return firstReached(gone.length, (i) => gone[i]!.start >= at) - 1;
}

/** Whole lines that come at one place: pairs of a section, or sections. */
export interface Chunk {
  readonly at: number;
  readonly rank: Rank;
  readonly lines: string[];
  /** A blank line to either side, where something else stands there. */
  readonly spaced: boolean;
  /** A header (at the top, a gap) made only for these pairs, or its trace, where pairs come below it later. */
  readonly ownHeader: boolean | Trace;
  /** The positions of the edits it is for. */
  readonly edits: number[];
}

export class LineChunks {
  readonly #text: string;
  readonly #eol: string;
  readonly #chunks: Chunk[] = [];
  readonly #headers = new Map<TableNode, Chunk>();

  constructor(text: string, eol: string) {
    this.#text = text;
    this.#eol = eol;
  }

  add(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  /** The new place for pairs of a table that had none, made when first asked for. */
  header(table: TableNode, make: () => Chunk): Chunk {
    let chunk = this.#headers.get(table);
    if (chunk === undefined) {
      chunk = make();
      this.#headers.set(table, chunk);
      this.add(chunk);
    }
    return chunk;
  }

  /**
   * Writes all chunks, given the parts that go, and returns the trace of each edit. A chunk that is set off brings one
   * blank line where something stands above it or, behind a gap, below it.
   */
  write(gone: readonly Range[], splices: Splices): Map<number, Trace> {
    const traces = new Map<number, Trace>();
    const ordered = this.#belowRoot().sort((a, b) => a.at - b.at || compareRanks(a.rank, b.rank));
    let gapsAbove = false;
    for (const [i, chunk] of ordered.entries()) {
      const previous = touching(ordered[i - 1], chunk, gone) ? ordered[i - 1] : undefined;
      const next = touching(chunk, ordered[i + 1], gone) ? ordered[i + 1] : undefined;
      if (previous?.spaced !== true) gapsAbove = previous !== undefined || this.#contentAbove(chunk.at, gone);
      const before = chunk.spaced && gapsAbove ? 1 : 0;
      const after =
        chunk.spaced && (next === undefined ? this.#contentBelow(chunk.at, gone) : next.spaced && !gapsAbove) ? 1 : 0;
      splices.insert(chunk.at, this.#render(chunk, previous, { before, after }, gone), chunk.rank);
      for (const edit of chunk.edits) traces.set(edit, traceOf(chunk, before + after));
    }
    return traces;
  }

  /** Sections that would come above the root's new pairs come below them. */
  #belowRoot(): Chunk[] {
    const root = [...this.#headers].find(([table]) => table.style === "root")?.[1];
    if (root === undefined) return this.#chunks;
    return this.#chunks.map((chunk) => (chunk.at < root.at ? { ...chunk, at: root.at } : chunk));
  }

  #render(
    chunk: Chunk,
    previous: Chunk | undefined,
    blank: { before: 0 | 1; after: 0 | 1 },
    gone: readonly Range[],
  ): string {
    const lines = [...Array<string>(blank.before).fill(""), ...chunk.lines, ...Array<string>(blank.after).fill("")];
    const text = lines.join(this.#eol);
    if (!this.#unterminated(chunk.at, gone)) return text + this.#eol;
    // The last line has no line break: it gets one, and the new last line none.
    const first = previous === undefined && offsetAbove(gone, chunk.at) === firstLine(this.#text);
    return first ? text : this.#eol + text;
  }

  #unterminated(at: number, gone: readonly Range[]): boolean {
    return (
      offsetBelow(gone, at) === this.#text.length &&
      this.#text.length > firstLine(this.#text) &&
      !this.#text.endsWith("\n")
    );
  }

  #contentAbove(offset: number, gone: readonly Range[]): boolean {
    const at = offsetAbove(gone, offset);
    if (at === firstLine(this.#text)) return false;
    // At the start of a line the one above counts, else (behind an unterminated line) this one.
    return !isBlankLine(this.#text, lineStart(this.#text, at === lineStart(this.#text, at) ? at - 1 : at));
  }

  #contentBelow(offset: number, gone: readonly Range[]): boolean {
    const at = offsetBelow(gone, offset);
    return at < this.#text.length && !isBlankLine(this.#text, at);
  }
}

function traceOf({ ownHeader }: Chunk, blanks: number): Trace {
  if (typeof ownHeader === "object") return ownHeader;
  return ownHeader ? { blanks, header: 1 } : { blanks };
}

/** Whether nothing that stays is between two chunks. */
function touching(a: Chunk | undefined, b: Chunk | undefined, gone: readonly Range[]): boolean {
  return a !== undefined && b !== undefined && offsetBelow(gone, a.at) >= b.at;
}

/**
 * The order at one offset: slots between brackets, replaced values (1), lines of the section before, then sections.
 * Sections behind their place come innermost first, and those for a container's end after those for a place in it.
 * Sections before their place come last, outermost first.
 */
export const ranks = {
  slot: [0],
  line: [2],
  sectionBehind: (depth: number, atEnd: boolean): Rank => [3, -depth, atEnd ? 1 : 0],
  sectionBefore: (depth: number): Rank => [4, depth],
} as const satisfies Record<string, Rank | ((depth: number, atEnd: boolean) => Rank)>;
