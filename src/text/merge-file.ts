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

/** What stands behind the markers, and how many signs they have. */
export interface Markers {
  readonly mine: string;
  readonly theirs: string;
  readonly size?: number | undefined;
}

export interface MergedFile {
  readonly text: string;
  readonly conflicts: number;
}

/** Three texts merged line by line, conflicts between markers: the bytes that `git merge-file` prints for them. */
export function mergeFile(base: string, mine: string, theirs: string, markers: Markers): MergedFile {
  const sides: MergeSides = { base: new TextLines(base), ours: new TextLines(mine), theirs: new TextLines(theirs) };
  return marked(mergeSides(sides), sides, markers);
}

/** Two texts that differ only where somebody has to choose: the first, with markers around every difference. */
export function withMarkers(mine: string, theirs: string, markers: Markers): MergedFile {
  const sides: MergeSides = { base: new TextLines(""), ours: new TextLines(mine), theirs: new TextLines(theirs) };
  const whole: MergePart = {
    kind: "conflict",
    base: { start: 0, end: 0 },
    ours: { start: 0, end: sides.ours.count },
    theirs: { start: 0, end: sides.theirs.count },
  };
  return marked([whole], sides, markers);
}

function marked(merged: readonly MergePart[], sides: MergeSides, markers: Markers): MergedFile {
  const parts = joinedParts(refined(merged, sides));
  const text = parts.map((part) => (part.kind === "settled" ? part.text : between(part, markers))).join("");
  return { text, conflicts: parts.filter((part) => part.kind === "conflict").length };
}

/** Conflicts as texts: all that markers need. `merged`: what one side changed, and the other did not. */
type Part =
  | { readonly kind: "settled"; readonly text: string; readonly merged: boolean }
  | { readonly kind: "conflict"; readonly ours: string; readonly theirs: string; readonly crlf: boolean };

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

function between(
  { ours, theirs, crlf }: Part & { kind: "conflict" },
  { mine, theirs: others, size = 7 }: Markers,
): string {
  const end = crlf ? "\r\n" : "\n";
  const sign = (mark: string, label: string) => `${mark.repeat(size)}${label === "" ? "" : ` ${label}`}${end}`;
  return `${sign("<", mine)}${closedLines(ours, end)}${sign("=", "")}${closedLines(theirs, end)}${sign(">", others)}`;
}
