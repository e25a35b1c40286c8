import { equalValues, field, isMap, type Value } from "../../core/value.ts";
import type { FileDecision } from "../../entries/file-entry.ts";
import type { Node, Range } from "../../formats/format.ts";
import { diffLines } from "../../text/diff-lines.ts";

/** Whose a part of a text is, seen from one owner: its own, the user's, or the user's in place of what the owner wrote. */
export type Side = "owner" | "you" | "you-over";

export interface Mark {
  readonly range: Range;
  readonly side: Side;
}

/** Which parts of an entry are whose. An entry that nobody recorded, or that was handed over, is the user's. */
export function markEntry(decision: FileDecision, text: string): Mark[] {
  const { actual, recorded } = decision;
  if (actual === undefined) return [];
  const ranges = actual.node.entryRanges.length > 0 ? actual.node.entryRanges : [{ start: 0, end: text.length }];
  if (recorded === undefined || recorded.state !== "managed") return ranges.map((range) => ({ range, side: "you" }));
  if (actual.joining === "lines") return markLines(recorded.normal, actual.normal, actual.node, text);
  if (actual.joining === "file" || actual.joining === "whole-file")
    return markLines(field(recorded.normal, "text"), field(actual.normal, "text"), actual.node, text);
  if (actual.comments.length === 0 && equalValues(actual.normal, recorded.normal)) return ranges.map((range) => ({ range, side: "owner" }));
  return [...markNode(actual.node, actual.normal, recorded.normal), ...markComments(actual.node, ranges, text)];
}

/** Field by field, so that an edit of one leaves the others to their owner. */
function markNode(node: Node, actual: Value | undefined, recorded: Value | undefined): Mark[] {
  const mark = (side: Side): Mark[] => node.entryRanges.map((range) => ({ range, side }));
  if (recorded === undefined) return mark("you");
  if (equalValues(actual, recorded)) return node.comments().length === 0 ? mark("owner") : frame(node);
  if (!isMap(actual) || !isMap(recorded) || node.kind !== "map") return mark("you-over");
  const fields = node.names().flatMap((name) => {
    const child = node.get(name);
    return child ? markNode(child, actual[name], Object.hasOwn(recorded, name) ? recorded[name] : undefined) : [];
  });
  return [...frame(node), ...fields];
}

/** Where a container begins and ends: what is between belongs to its fields. */
function frame(node: Node): Mark[] {
  return node.entryRanges.flatMap(({ start, end }) => [
    { range: { start, end: start + 1 }, side: "owner" },
    { range: { start: Math.max(start, end - 1), end }, side: "owner" },
  ]);
}

/** Comments inside an entry are a person's; their lines are those that hold nothing else. */
function markComments(node: Node, ranges: readonly Range[], text: string): Mark[] {
  if (node.comments().length === 0) return [];
  return ranges.flatMap((range) =>
    linesWithin(range, text)
      .filter(({ start, end }) => /^\s*(#|\/\/|\/\*|\*)/.test(text.slice(start, end)))
      .map((line) => ({ range: line, side: "you" as const })),
  );
}

function linesWithin(range: Range, text: string): Range[] {
  const lines: Range[] = [];
  for (let start = range.start; start < range.end; ) {
    const at = text.indexOf("\n", start);
    const end = at === -1 || at >= range.end ? range.end : at + 1;
    lines.push({ start, end });
    start = end;
  }
  return lines;
}

/** A text that is one entry: lines as they were recorded are the owner's. The lines around a block mark it, and are the owner's too. */
function markLines(recorded: Value | undefined, actual: Value | undefined, node: Node, text: string): Mark[] {
  const inner = node.ranges[0] ?? { start: 0, end: text.length };
  const around = node.entryRanges.flatMap(({ start, end }): Mark[] => [
    { range: { start, end: inner.start }, side: "owner" },
    { range: { start: inner.end, end }, side: "owner" },
  ]);
  const lines = linesWithin(inner, text);
  const sides: Side[] = lines.map(() => "owner");
  for (const change of diffLines(String(recorded ?? ""), String(actual ?? ""))) {
    // Line for line as far as there was one before; what is more is new.
    const over = Math.min(change.afterEnd, change.afterStart + change.beforeEnd - change.beforeStart);
    sides.fill("you-over", change.afterStart, over);
    sides.fill("you", over, change.afterEnd);
  }
  return [...around, ...lines.map((range, i): Mark => ({ range, side: sides[i]! }))].filter(({ range }) => range.end > range.start);
}
