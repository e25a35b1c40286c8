import { diffNumbers, type LineChange } from "./diff-lines.ts";
import { LineNumbers, splitLines, TextLines } from "./lines.ts";

export type TextMerge = MergedText | TextConflict;

interface MergedText {
  readonly kind: "merged";
  readonly text: string;
}

export interface TextConflict {
  readonly kind: "conflict";
  /** In the order of the text, at least one. */
  readonly regions: readonly ConflictRegion[];
  /** Ours stands in every conflicting region; everything else is merged. */
  readonly text: string;
  /** Theirs stands in every conflicting region; everything else is merged. */
  readonly textWithTheirs: string;
  /** Ours and then theirs in every conflicting region where both only added lines, ours in every other. */
  readonly textWithBoth: string;
  /** Theirs, but the base in every conflicting region: as the next base, it keeps just those regions pending. */
  readonly nextBase: string;
  /** The line (from 1) of the first marker left in an edited copy; undefined when all are settled. */
  remainingMarker(edited: string): number | undefined;
}

/** A part that both sides changed, differently: what stands there in each of the three texts. */
interface ConflictRegion {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** Where it begins in ours, from 1. */
  readonly line: number;
}

/**
 * Merges, line by line, what two sides made of one base. Changes that touch or overlap in the base conflict unless both
 * sides made the same of that part. `git merge-file` finds the same conflicts and writes the same bytes otherwise. A
 * line counts with its ending: `a` at the end of the text is another line than `a` with a line feed.
 */
export function mergeText(base: string, ours: string, theirs: string): TextMerge {
  const sides: MergeSides = { base: new TextLines(base), ours: new TextLines(ours), theirs: new TextLines(theirs) };
  const parts = mergeSides(sides);
  const regions = parts.flatMap((part) => (part.kind === "conflict" ? [describeConflict(part, sides)] : []));
  const standing = (side: "ours" | "theirs") =>
    parts.map((part) => (part.kind === "settled" ? part.text : partText(sides[side], part[side]))).join("");
  const text = standing("ours");
  if (regions.length === 0) return { kind: "merged", text };
  return {
    kind: "conflict",
    regions,
    text,
    textWithTheirs: standing("theirs"),
    textWithBoth: parts.map((part) => (part.kind === "settled" ? part.text : bothOf(part, sides))).join(""),
    nextBase: pendingBase(parts, sides),
    remainingMarker: (edited) => findRemainingMarker(edited, sides),
  };
}

function bothOf(part: MergePart & { kind: "conflict" }, sides: MergeSides): string {
  const ours = partText(sides.ours, part.ours);
  return part.base.start === part.base.end ? ours + partText(sides.theirs, part.theirs) : ours;
}

function pendingBase(parts: readonly MergePart[], sides: MergeSides): string {
  let text = "";
  let at = 0;
  for (const part of parts) {
    if (part.kind !== "conflict") continue;
    text += sides.theirs.slice(at, part.theirs.start) + partText(sides.base, part.base);
    at = part.theirs.end;
  }
  return text + sides.theirs.slice(at, sides.theirs.count);
}

function describeConflict(part: MergePart & { kind: "conflict" }, sides: MergeSides): ConflictRegion {
  return {
    base: partText(sides.base, part.base),
    ours: partText(sides.ours, part.ours),
    theirs: partText(sides.theirs, part.theirs),
    line: part.ours.start + 1,
  };
}

const marks = { ours: "<<<<<<<", base: "|||||||", middle: "=======", theirs: ">>>>>>>" } as const;

/** A last line without an ending gets one, as the marker behind it must stand on a line of its own. */
export function closedLines(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : text + eol;
}

/**
 * The line (from 1) of the first marker left in an edited copy. `=======` also underlines headings, so it counts only
 * where there are more such lines than in any of the merged texts.
 */
function findRemainingMarker(edited: string, sides: MergeSides): number | undefined {
  const lines = splitLines(edited);
  const left = lines.findIndex((line) =>
    [marks.ours, marks.base, marks.theirs].some((mark) => line.startsWith(`${mark} `)),
  );
  if (left !== -1) return left + 1;
  const known = Math.max(
    ...[sides.base, sides.ours, sides.theirs].map((side) => splitLines(side.text).filter(isMiddle).length),
  );
  return lines.filter(isMiddle).length > known ? lines.findIndex(isMiddle) + 1 : undefined;
}

function isMiddle(line: string): boolean {
  return line.trimEnd() === marks.middle;
}

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

/** How one side changed the base, and how far its lines are shifted at the place the merge has come to. */
interface SideWalk {
  readonly changes: readonly LineChange[];
  next: number;
  shift: number;
}

/**
 * The parts of the merge in the order of the text. Joined, with one side of every conflict, they are a whole text.
 * `differences`: every difference of the sides is a conflict, also where one of them is as the base.
 */
export function mergeSides(sides: MergeSides, conflicts: "changes" | "differences" = "changes"): MergePart[] {
  const numbers = new LineNumbers();
  const base = numbers.of(sides.base);
  const ours: SideWalk = { changes: diffNumbers(base, numbers.of(sides.ours)), next: 0, shift: 0 };
  const theirs: SideWalk = { changes: diffNumbers(base, numbers.of(sides.theirs)), next: 0, shift: 0 };
  const parts: MergePart[] = [];
  let done = 0;
  for (let start = nextStart(ours, theirs); start !== undefined; start = nextStart(ours, theirs)) {
    parts.push({ kind: "settled", text: sides.base.slice(done, start) });
    const region = takeRegion(start, ours, theirs);
    parts.push(settleRegion(region, sides, conflicts));
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

/** The changes from `start` on that touch or overlap, whoever made them, as one region of all three texts. */
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

function settleRegion(region: Region, sides: MergeSides, conflicts: "changes" | "differences"): MergePart {
  const ours = partText(sides.ours, region.ours);
  const theirs = partText(sides.theirs, region.theirs);
  if (ours === theirs) return { kind: "settled", text: ours };
  if (conflicts === "changes" && region.changedBy !== "both")
    return { kind: "settled", text: region.changedBy === "ours" ? ours : theirs };
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
