import { pushAll } from "../../core/push-all.ts";
import type { Range, Trace } from "../format.ts";
import { firstLine, isBlankLine, isLineEnd, lineStart, nextLine } from "./lines.ts";

/** Whole lines that go. */
export interface LineRemoval extends Range {
  /**
   * How many blank lines came with them to set them off, and go with them; undefined for lines of which that is not
   * known.
   */
  readonly blanks: number | undefined;
}

/** What `LineChunks` remembers: the number of blank lines that came with the lines. */
export function blanksOf(trace: Trace | undefined): number | undefined {
  return trace === undefined ? undefined : Number(trace.blanks ?? 0);
}

/**
 * The parts of the text that go: the lines, and with them as many blank lines around them as they brought. It does not
 * matter which of these go, and so not in which order neighbours leave: what is left between two lines that stay is
 * what stood there at the beginning. Sorted, none overlapping.
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
  /**
   * Blank lines that have to go, and were not found beside the removal that brought them: those of its neighbours are
   * as good.
   */
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
    let at = start;
    for (; blankAbove(this.#text, at); at = lineStart(this.#text, at - 1))
      lines.push({ start: lineStart(this.#text, at - 1), end: at });
    this.#above = lines.reverse();
    this.#surplus = 0;
    this.#opensFile = at === firstLine(this.#text);
  }

  #blankLinesBelow(from: number): Range[] {
    const lines: Range[] = [];
    for (let at = from; isBlankLine(this.#text, at); at = nextLine(this.#text, at))
      lines.push({ start: at, end: nextLine(this.#text, at) });
    return lines;
  }

  /**
   * Of lines that nobody remembers the coming of, it is taken that one gap came with them: two that meet become one,
   * and none ends the file.
   */
  #wouldStandDouble(below: readonly Range[]): boolean {
    const [above, atEnd] = [this.#above.length > 0, this.#end === this.#text.length];
    return (above && (below.length > 0 || atEnd)) || (this.#opensFile && below.length > 0);
  }

  /** A file whose last line had no line break keeps having none. */
  #withoutLastBreak(ranges: Range[]): Range[] {
    const last = ranges.at(-1);
    if (last?.end !== this.#text.length || this.#text.endsWith("\n") || last.start <= firstLine(this.#text))
      return ranges;
    return [...ranges.slice(0, -1), { start: breakBefore(this.#text, last.start), end: last.end }];
  }
}

function blankAbove(text: string, start: number): boolean {
  return start > firstLine(text) && isBlankLine(text, lineStart(text, start - 1));
}

function breakBefore(text: string, start: number): number {
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

/**
 * Where an offset comes to stand once the parts that go are gone: the start of the part it is in or directly behind.
 */
export function offsetAbove(gone: readonly Range[], at: number): number {
  const range = gone[lastStartingBefore(gone, at)];
  return range !== undefined && at <= range.end ? range.start : at;
}

export function offsetBelow(gone: readonly Range[], at: number): number {
  const range = gone[lastStartingBefore(gone, at + 1)];
  return range !== undefined && at < range.end ? range.end : at;
}

function lastStartingBefore(gone: readonly Range[], at: number): number {
  let low = -1;
  let high = gone.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (gone[middle]!.start < at) low = middle;
    else high = middle - 1;
  }
  return low;
}
