import { diffNumbers } from "./diff-lines.ts";
import { LineNumbers, TextLines } from "./lines.ts";
import {
  closedLines,
  type LineSpan,
  type MergePart,
  type MergeSides,
  mergeSides,
  partText,
  usesCrlf,
} from "./merge-text.ts";

/** What git calls the ways to show a conflict: with the latter two, the base stands between both sides. */
export const conflictStyles = ["merge", "diff3", "zdiff3"] as const;
export type ConflictStyle = (typeof conflictStyles)[number];

/** What stands behind the markers, how many signs they have, and what is between them. */
export interface Markers {
  readonly mine: string;
  readonly base?: string | undefined;
  readonly theirs: string;
  readonly size?: number | undefined;
  readonly style?: ConflictStyle | undefined;
}

export interface MergedFile {
  readonly text: string;
  readonly conflicts: number;
}

/** Three texts merged line by line, conflicts between markers: the bytes that `git merge-file` prints for them. */
export function mergeFile(base: string, mine: string, theirs: string, markers: Markers): MergedFile {
  const sides = sidesOf(base, mine, theirs);
  return marked(mergeSides(sides), sides, markers);
}

/** Two texts that differ only where somebody has to choose: the first, with markers around every difference. */
export function withMarkers(base: string, mine: string, theirs: string, markers: Markers): MergedFile {
  const sides = sidesOf(base, mine, theirs);
  const whole: MergePart = {
    kind: "conflict",
    base: { start: 0, end: sides.base.count },
    ours: { start: 0, end: sides.ours.count },
    theirs: { start: 0, end: sides.theirs.count },
  };
  return marked(showsBase(markers) ? mergeSides(sides, "differences") : [whole], sides, markers);
}

function sidesOf(base: string, mine: string, theirs: string): MergeSides {
  return { base: new TextLines(base), ours: new TextLines(mine), theirs: new TextLines(theirs) };
}

function showsBase({ style = "merge" }: Markers): boolean {
  return style !== "merge";
}

function marked(merged: readonly MergePart[], sides: MergeSides, markers: Markers): MergedFile {
  const parts = showsBase(markers)
    ? merged.flatMap((part) => withBase(part, sides, markers))
    : joinedParts(refined(merged, sides));
  const text = parts.map((part) => (part.kind === "settled" ? part.text : between(part, markers))).join("");
  return { text, conflicts: parts.filter((part) => part.kind === "conflict").length };
}

/** Conflicts as texts: all that markers need. `merged`: what one side changed, and the other did not. */
type Part =
  | { readonly kind: "settled"; readonly text: string; readonly merged: boolean }
  | {
      readonly kind: "conflict";
      readonly ours: string;
      /** Undefined where it is not shown. */
      readonly base: string | undefined;
      readonly theirs: string;
      readonly crlf: boolean;
    };

/** A conflict with its base is whole: only zdiff3 leaves out lines that both sides begin or end with. */
function withBase(part: MergePart, sides: MergeSides, { style }: Markers): Part[] {
  if (part.kind === "settled") return [{ ...part, merged: true }];
  const { ours, theirs } = part;
  const common = style === "zdiff3" ? commonLines(sides, ours, theirs) : { before: 0, behind: 0 };
  const inner = ({ start, end }: LineSpan) => ({ start: start + common.before, end: end - common.behind });
  const settled = (text: string): Part => ({ kind: "settled", text, merged: true });
  return [
    settled(sides.ours.slice(ours.start, inner(ours).start)),
    {
      kind: "conflict",
      ours: partText(sides.ours, inner(ours)),
      base: partText(sides.base, part.base),
      theirs: partText(sides.theirs, inner(theirs)),
      crlf: usesCrlf(sides, inner(ours), inner(theirs)),
    },
    settled(sides.ours.slice(inner(ours).end, ours.end)),
  ];
}

function commonLines(sides: MergeSides, ours: LineSpan, theirs: LineSpan): { before: number; behind: number } {
  const most = Math.min(ours.end - ours.start, theirs.end - theirs.start);
  const isCommon = (a: number, b: number) => sides.ours.slice(a, a + 1) === sides.theirs.slice(b, b + 1);
  let [before, behind] = [0, 0];
  while (before < most && isCommon(ours.start + before, theirs.start + before)) before++;
  while (before + behind < most && isCommon(ours.end - behind - 1, theirs.end - behind - 1)) behind++;
  return { before, behind };
}

/** Lines that both sides of a conflict share are no part of it. Every second part was changed by somebody. */
function refined(parts: readonly MergePart[], sides: MergeSides): Part[] {
  return parts.flatMap((part, i) =>
    part.kind === "settled" ? [{ ...part, merged: i % 2 === 1 }] : split(part.ours, part.theirs, sides),
  );
}

function split(ours: LineSpan, theirs: LineSpan, sides: MergeSides): Part[] {
  const crlf = usesCrlf(sides, ours, theirs);
  const numbers = new LineNumbers();
  const [left, right] = [new TextLines(partText(sides.ours, ours)), new TextLines(partText(sides.theirs, theirs))];
  const parts: Part[] = [];
  let at = 0;
  const whole = { beforeStart: 0, beforeEnd: left.count, afterStart: 0, afterEnd: right.count };
  const changes = left.count === 0 || right.count === 0 ? [whole] : diffNumbers(numbers.of(left), numbers.of(right));
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of changes) {
    if (beforeStart > at) parts.push({ kind: "settled", text: left.slice(at, beforeStart), merged: false });
    parts.push({
      kind: "conflict",
      ours: left.slice(beforeStart, beforeEnd),
      base: undefined,
      theirs: right.slice(afterStart, afterEnd),
      crlf,
    });
    at = beforeEnd;
  }
  if (at < left.count) parts.push({ kind: "settled", text: left.slice(at, left.count), merged: false });
  return parts;
}

/** Conflicts with next to nothing between them are one: three lines, or lines without a letter or digit. */
function joinedParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const [before, last] = [joined.at(-2), joined.at(-1)];
    const gap = last?.kind === "settled" && !last.merged ? last.text : last?.kind === "conflict" ? "" : undefined;
    const conflict = last?.kind === "conflict" ? last : before;
    if (part.kind === "settled" && last?.kind === "settled" && !part.merged && !last.merged)
      joined.splice(-1, 1, { ...last, text: last.text + part.text });
    else if (part.kind === "conflict" && conflict?.kind === "conflict" && gap !== undefined && isSlight(gap)) {
      const both = { ...conflict, ours: conflict.ours + gap + part.ours, theirs: conflict.theirs + gap + part.theirs };
      joined.splice(last === conflict ? -1 : -2, 2, both);
    } else if (part.kind === "conflict" || part.merged || part.text !== "") joined.push(part);
  }
  return joined;
}

function isSlight(text: string): boolean {
  return new TextLines(text).count <= 3 || !/[A-Za-z0-9]/.test(text);
}

function between({ ours, base, theirs, crlf }: Part & { kind: "conflict" }, markers: Markers): string {
  const end = crlf ? "\r\n" : "\n";
  const sign = (mark: string, label = "") =>
    `${mark.repeat(markers.size ?? 7)}${label === "" ? "" : ` ${label}`}${end}`;
  const lines = (text: string) => closedLines(text, end);
  const middle = base === undefined ? "" : `${sign("|", markers.base)}${lines(base)}`;
  return `${sign("<", markers.mine)}${lines(ours)}${middle}${sign("=")}${lines(theirs)}${sign(">", markers.theirs)}`;
}
