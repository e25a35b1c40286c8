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
  const gone: Range[] = [];
  /** Where the text that stays above an offset ends, taking in the part that goes before it. */
  const reachUp = (start: number) => ((gone.at(-1)?.end ?? -1) >= start ? gone.pop()!.start : start);
  for (const { start: top, end: bottom, trace } of [...removals].sort((a, b) => a.start - b.start)) {
    const blankIsOurs = trace?.before === 1 && (gone.at(-1)?.end ?? -1) < top && blankAbove(text, top);
    let start = reachUp(blankIsOurs ? lineStart(text, top - 1) : top);
    let end = bottom;
    const isTop = start === firstLine(text);
    if (trace === undefined) {
      // Of two gaps that meet, the upper one goes.
      if (isTop) while (isBlankLine(text, end)) end = nextLine(text, end);
      else if (end === text.length || isBlankLine(text, end)) while (blankAbove(text, start)) start = reachUp(lineStart(text, start - 1));
    } else if (isBlankLine(text, end) && (trace.after === 1 || isTop || blankAbove(text, start))) end = nextLine(text, end);
    // A file whose last line had no line break keeps having none.
    if (end === text.length && !text.endsWith("\n") && start > firstLine(text)) start = breakBefore(text, start);
    gone.push({ start, end });
  }
  return gone;
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
