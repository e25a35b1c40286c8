import { splitLines, type TextLines } from "./lines.ts";
import { type LineSpan, type MergePart, type MergeSides, textOf } from "./merge-parts.ts";

/** What the markers call the three sides. */
export interface MarkerLabels {
  readonly ours: string;
  readonly base: string;
  readonly theirs: string;
}

const marks = { ours: "<<<<<<<", base: "|||||||", middle: "=======", theirs: ">>>>>>>" } as const;

/** The merge as `git merge-file --diff3` writes it: ours, base and theirs of every conflict between markers. */
export function renderWithMarkers(parts: readonly MergePart[], sides: MergeSides, labels: MarkerLabels): string {
  return parts.map((part) => (part.kind === "settled" ? part.text : renderConflict(part, sides, labels))).join("");
}

function renderConflict(part: MergePart & { kind: "conflict" }, sides: MergeSides, labels: MarkerLabels): string {
  const eol = markerEnding(part, sides);
  return [
    `${marks.ours} ${labels.ours}${eol}`,
    renderSide(sides.ours, part.ours, eol),
    `${marks.base} ${labels.base}${eol}`,
    renderSide(sides.base, part.base, eol),
    `${marks.middle}${eol}`,
    renderSide(sides.theirs, part.theirs, eol),
    `${marks.theirs} ${labels.theirs}${eol}`,
  ].join("");
}

/** A side's lines; a last line without an ending gets one, as the marker behind it must stand on a line of its own. */
function renderSide(lines: TextLines, span: LineSpan, eol: string): string {
  const text = textOf(lines, span);
  return text === "" || text.endsWith("\n") ? text : text + eol;
}

/** CRLF where all three texts use it around here. */
function markerEnding(part: MergePart & { kind: "conflict" }, sides: MergeSides): "\r\n" | "\n" {
  const ours = endsInCrlf(sides.ours, Math.max(0, part.ours.start - 1));
  const theirs = endsInCrlf(sides.theirs, Math.max(0, part.theirs.start - 1));
  return ours !== false && theirs !== false && endsInCrlf(sides.base, 0) === true ? "\r\n" : "\n";
}

/** Undefined where the text has no line ending to tell by. */
function endsInCrlf(lines: TextLines, at: number): boolean | undefined {
  if (at >= lines.count) return undefined;
  const line = lines.slice(at, at + 1);
  if (line.endsWith("\n")) return line.endsWith("\r\n");
  return at === 0 ? undefined : lines.slice(at - 1, at).endsWith("\r\n");
}

/**
 * The line (from 1) of the first marker that still stands in an edited copy. `=======` also underlines headings, so it only counts as a
 * marker where there are more such lines than in any of the texts that were merged.
 */
export function findRemainingMarker(edited: string, sides: MergeSides): number | undefined {
  const lines = splitLines(edited);
  const left = lines.findIndex((line) => [marks.ours, marks.base, marks.theirs].some((mark) => line.startsWith(`${mark} `)));
  if (left !== -1) return left + 1;
  const known = Math.max(...[sides.base, sides.ours, sides.theirs].map((side) => splitLines(side.text).filter(isMiddle).length));
  return lines.filter(isMiddle).length > known ? lines.findIndex(isMiddle) + 1 : undefined;
}

function isMiddle(line: string): boolean {
  return line.trimEnd() === marks.middle;
}
