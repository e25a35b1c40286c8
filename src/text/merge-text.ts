import { findRemainingMarker, type MarkerLabels, renderWithMarkers } from "./conflict-markers.ts";
import { TextLines } from "./lines.ts";
import { type MergePart, type MergeSides, mergeSides, textOf } from "./merge-parts.ts";

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
  /** Theirs, but the base in every conflicting region: recorded as the next base, it keeps just those regions pending. */
  readonly nextBase: string;
  /** All three sides of every conflicting region between markers, for an editor. Only ever for a copy: a live file gets no markers. */
  withMarkers(labels: MarkerLabels): string;
  /** The line (from 1) of the first marker still standing in a copy somebody has edited; undefined when all are settled. */
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
 * Merges, line by line, what two sides made of one base. Changes that touch or overlap in the base conflict unless both sides made the
 * same of that part; `git merge-file` calls the same cases conflicts and gives the same bytes for all others. A line counts with its
 * ending: `a` without a final line feed is another line than `a` with one, and so is one with CRLF.
 */
export function mergeText(base: string, ours: string, theirs: string): TextMerge {
  const sides: MergeSides = { base: new TextLines(base), ours: new TextLines(ours), theirs: new TextLines(theirs) };
  const parts = mergeSides(sides);
  const regions = parts.flatMap((part) => (part.kind === "conflict" ? [describeConflict(part, sides)] : []));
  const standing = (side: "ours" | "theirs") =>
    parts.map((part) => (part.kind === "settled" ? part.text : textOf(sides[side], part[side]))).join("");
  const text = standing("ours");
  if (regions.length === 0) return { kind: "merged", text };
  return {
    kind: "conflict",
    regions,
    text,
    textWithTheirs: standing("theirs"),
    nextBase: pendingBase(parts, sides),
    withMarkers: (labels) => renderWithMarkers(parts, sides, labels),
    remainingMarker: (edited) => findRemainingMarker(edited, sides),
  };
}

function pendingBase(parts: readonly MergePart[], sides: MergeSides): string {
  let text = "";
  let at = 0;
  for (const part of parts) {
    if (part.kind !== "conflict") continue;
    text += sides.theirs.slice(at, part.theirs.start) + textOf(sides.base, part.base);
    at = part.theirs.end;
  }
  return text + sides.theirs.slice(at, sides.theirs.count);
}

function describeConflict(part: MergePart & { kind: "conflict" }, sides: MergeSides): ConflictRegion {
  return {
    base: textOf(sides.base, part.base),
    ours: textOf(sides.ours, part.ours),
    theirs: textOf(sides.theirs, part.theirs),
    line: part.ours.start + 1,
  };
}
