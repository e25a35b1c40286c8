import type { Range, Trace } from "../format.ts";
import { firstLine, isBlankLine, lineStart, nextLine } from "./lines.ts";

/** Whole lines that go. With a trace, they were ours, and the trace says which blank lines came with them. */
export interface LineRemoval extends Range {
  readonly trace: Trace | undefined;
}

/**
 * The parts of the text that go with the lines: the blank lines we brought, else those that would stand double or at an end of the file.
 * Removals that touch are seen as one gap. Sorted, none overlapping.
 */
export function widenRemovals(text: string, removals: readonly LineRemoval[]): Range[] {
  const widening = new Widening(text);
  for (const removal of [...removals].sort((a, b) => a.start - b.start)) widening.add(removal);
  return widening.gone;
}

class Widening {
  readonly gone: Range[] = [];
  readonly #text: string;
  /** Whether the removal before took a blank line below it that it had brought. */
  #lastTookBelow = false;

  constructor(text: string) {
    this.#text = text;
  }

  add({ start, end, trace }: LineRemoval): void {
    if (!this.#follows(start)) this.#lastTookBelow = false;
    const range = trace === undefined ? this.#othersLines(start, end) : this.#ourLines(start, end, trace);
    // A file whose last line had no line break keeps having none.
    const unterminated = range.end === this.#text.length && !this.#text.endsWith("\n") && range.start > firstLine(this.#text);
    this.gone.push(unterminated ? { ...range, start: breakBefore(this.#text, range.start) } : range);
  }

  /** With the blank lines that we brought, as far as they are still there. */
  #ourLines(top: number, bottom: number, trace: Trace): Range {
    const takesAbove = trace.before === 1 && !this.#follows(top) && blankAbove(this.#text, top);
    let start = this.#reachUp(takesAbove ? lineStart(this.#text, top - 1) : top);
    const gapAbove = start === firstLine(this.#text) || blankAbove(this.#text, start);
    const takesBelow = isBlankLine(this.#text, bottom) && (trace.after === 1 || gapAbove);
    // What was put between ours and its blank line has the one, and ours by now the other: the one above, if nothing is left below.
    const owed = (trace.before === 1 && !takesAbove && this.#lastTookBelow) || (trace.after === 1 && bottom === this.#text.length);
    if (owed && blankAbove(this.#text, start)) start = this.#reachUp(lineStart(this.#text, start - 1));
    this.#lastTookBelow = takesBelow && trace.after === 1;
    return { start, end: takesBelow ? nextLine(this.#text, bottom) : bottom };
  }

  /** Whether the part that goes before reaches down to here: with it, the blank line above may be gone already. */
  #follows(top: number): boolean {
    return (this.gone.at(-1)?.end ?? -1) >= top;
  }

  /** With blank lines that would open or end the file; of two gaps that meet, the upper one goes. */
  #othersLines(top: number, bottom: number): Range {
    let start = this.#reachUp(top);
    let end = bottom;
    if (start === firstLine(this.#text)) while (isBlankLine(this.#text, end)) end = nextLine(this.#text, end);
    else if (end === this.#text.length || isBlankLine(this.#text, end)) {
      while (blankAbove(this.#text, start)) start = this.#reachUp(lineStart(this.#text, start - 1));
    }
    return { start, end };
  }

  /** Where the text that stays above an offset ends, taking in the part that goes before it. */
  #reachUp(start: number): number {
    return (this.gone.at(-1)?.end ?? -1) >= start ? this.gone.pop()!.start : start;
  }
}

function blankAbove(text: string, start: number): boolean {
  return start > firstLine(text) && isBlankLine(text, lineStart(text, start - 1));
}

function breakBefore(text: string, start: number): number {
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

/** Where an offset comes to stand once the parts that go are gone: the start of the part it is in or directly behind. */
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
