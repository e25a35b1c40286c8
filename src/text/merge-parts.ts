import { diffNumbers, type LineChange } from "./diff-lines.ts";
import { LineNumbers, type TextLines } from "./lines.ts";

/** A part of the merge: common to both sides or settled, or still to be settled. */
export type MergePart =
  | { readonly kind: "settled"; readonly text: string }
  | { readonly kind: "conflict"; readonly base: LineSpan; readonly ours: LineSpan; readonly theirs: LineSpan };

/** Lines of one of the texts: from 0, the end exclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface MergeSides {
  readonly base: TextLines;
  readonly ours: TextLines;
  readonly theirs: TextLines;
}

export function partText(lines: TextLines, span: LineSpan): string {
  return lines.slice(span.start, span.end);
}

/**
 * How one side changed the base, and how far its lines are shifted against the base's at the place the merge has come
 * to.
 */
interface SideWalk {
  readonly changes: readonly LineChange[];
  next: number;
  shift: number;
}

/** The parts of the merge in the order of the text. Joined, with one side of every conflict, they are a whole text. */
export function mergeSides(sides: MergeSides): MergePart[] {
  const numbers = new LineNumbers();
  const base = numbers.of(sides.base);
  const ours: SideWalk = { changes: diffNumbers(base, numbers.of(sides.ours)), next: 0, shift: 0 };
  const theirs: SideWalk = { changes: diffNumbers(base, numbers.of(sides.theirs)), next: 0, shift: 0 };
  const parts: MergePart[] = [];
  let done = 0;
  for (let start = nextStart(ours, theirs); start !== undefined; start = nextStart(ours, theirs)) {
    parts.push({ kind: "settled", text: sides.base.slice(done, start) });
    const region = takeRegion(start, ours, theirs);
    parts.push(settleRegion(region, sides));
    done = region.base.end;
  }
  parts.push({ kind: "settled", text: sides.base.slice(done, sides.base.count) });
  return parts;
}

function nextStart(ours: SideWalk, theirs: SideWalk): number | undefined {
  const [a, b] = [ours.changes[ours.next]?.beforeStart, theirs.changes[theirs.next]?.beforeStart];
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

interface Region {
  readonly base: LineSpan;
  readonly ours: LineSpan;
  readonly theirs: LineSpan;
  readonly changedBy: "ours" | "theirs" | "both";
}

/**
 * The changes from `start` on that touch or overlap each other, whoever made them, as one region of all three texts.
 */
function takeRegion(start: number, ours: SideWalk, theirs: SideWalk): Region {
  const before = { ours: ours.shift, theirs: theirs.shift };
  const first = { ours: ours.next, theirs: theirs.next };
  let end = start;
  for (let grown = true; grown; ) {
    const ourEnd = takeTouching(ours, end);
    const theirEnd = takeTouching(theirs, ourEnd);
    grown = theirEnd > end;
    end = theirEnd;
  }
  const [byOurs, byTheirs] = [ours.next > first.ours, theirs.next > first.theirs];
  return {
    base: { start, end },
    ours: { start: start + before.ours, end: end + ours.shift },
    theirs: { start: start + before.theirs, end: end + theirs.shift },
    changedBy: byOurs && byTheirs ? "both" : byOurs ? "ours" : "theirs",
  };
}

/** Moves past the side's changes that begin no later than `end`; answers how far the region reaches with them. */
function takeTouching(side: SideWalk, end: number): number {
  let reached = end;
  for (
    let change = side.changes[side.next];
    change !== undefined && change.beforeStart <= reached;
    change = side.changes[side.next]
  ) {
    reached = Math.max(reached, change.beforeEnd);
    side.shift = change.afterEnd - change.beforeEnd;
    side.next++;
  }
  return reached;
}

function settleRegion(region: Region, sides: MergeSides): MergePart {
  const ours = partText(sides.ours, region.ours);
  const theirs = partText(sides.theirs, region.theirs);
  if (region.changedBy === "ours") return { kind: "settled", text: ours };
  if (region.changedBy === "theirs" || ours === theirs) return { kind: "settled", text: theirs };
  return { kind: "conflict", base: region.base, ours: region.ours, theirs: region.theirs };
}

/** Whether markers of a conflict end in CRLF, as git decides it: by the line before it on each side, and the base's first. */
export function usesCrlf({ base, ours, theirs }: MergeSides, mine: LineSpan, others: LineSpan): boolean {
  const mineCrlf = endsInCrlf(ours, Math.max(0, mine.start - 1));
  const theirsCrlf = endsInCrlf(theirs, Math.max(0, others.start - 1));
  return mineCrlf !== false && theirsCrlf !== false && endsInCrlf(base, 0) === true;
}

/** Undefined where the text has no line ending to tell by. */
function endsInCrlf(lines: TextLines, at: number): boolean | undefined {
  if (at >= lines.count) return undefined;
  const line = lines.slice(at, at + 1);
  if (line.endsWith("\n")) return line.endsWith("\r\n");
  return at === 0 ? undefined : lines.slice(at - 1, at).endsWith("\r\n");
}
