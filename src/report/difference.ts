import { canonicalText, equalValues, field, isMap, type Value } from "../core/value.ts";
import { diffLines } from "../text/diff-lines.ts";
import { printableLine } from "./colour.ts";

/** What differs between two values, by the path of the smallest fields that do; an empty path is the value itself. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

export function fieldChanges(
  before: Value | undefined,
  after: Value | undefined,
  path: readonly string[] = [],
): FieldChange[] {
  if (equalValues(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    fieldChanges(field(before, name), field(after, name), [...path, name]),
  );
}

/** A field that both sides changed, differently. */
export interface Clash {
  readonly path: readonly string[];
  readonly base: Value | undefined;
  readonly yours: Value | undefined;
  readonly theirs: Value | undefined;
}

export function clashes(base: Value | undefined, yours: Value | undefined, theirs: Value | undefined): Clash[] {
  const paths = new Map(
    [...fieldChanges(base, yours), ...fieldChanges(base, theirs)].map(
      ({ path }) => [JSON.stringify(path), path] as const,
    ),
  );
  return [...paths.values()]
    .map((path) => ({ path, base: valueAt(base, path), yours: valueAt(yours, path), theirs: valueAt(theirs, path) }))
    .filter(
      (each) =>
        !equalValues(each.yours, each.theirs) &&
        !equalValues(each.base, each.yours) &&
        !equalValues(each.base, each.theirs),
    );
}

export function valueAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  return path.reduce<Value | undefined>((at, name) => field(at, name), value);
}

/** A value on one line, whole. */
export function inOneLine(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  return printableLine(typeof value === "string" ? JSON.stringify(value) : canonicalText(value));
}

/** A text in three parts, of which only the middle differs from the texts it is shown with. */
export interface Cut {
  readonly left: string;
  readonly middle: string;
  readonly right: string;
}

/**
 * Texts that are too long for a line, each cut down to `width` around where they differ. The differing part begins and
 * ends at the edge of a word that is not far; where even that is too long, its end is left out.
 */
export function cutAround(texts: readonly string[], width: number): Cut[] {
  const [first = ""] = texts;
  let [start, end] = [first.length, first.length];
  for (const text of texts.slice(1)) {
    start = Math.min(start, commonStart(first, text));
    end = Math.min(end, commonEnd(first, text));
  }
  // Equal texts have no difference to be cut around.
  if (texts.length < 2 || texts.every((text) => text === first)) [start, end] = [0, 0];
  // Of a word that is longer than the line, only the beginning would be seen, and that is the same in all of them.
  const near = width / 4;
  let before = start;
  while (before > 0 && start - before <= near && isWordSign(first[before - 1]!)) before--;
  if (start - before <= near) start = before;
  const shortest = Math.min(...texts.map((text) => text.length));
  end = Math.min(end, shortest - start);
  let after = end;
  while (after > 0 && end - after <= near && isWordSign(first[first.length - after]!)) after--;
  if (end - after <= near) end = after;
  return texts.map((text) => cutOne(text, start, text.length - end, width));
}

function cutOne(text: string, start: number, end: number, width: number): Cut {
  const middle = text.slice(start, end);
  if (text.length <= width) return { left: text.slice(0, start), middle, right: text.slice(end) };
  if (middle.length >= width - 2) {
    const [before, after] = [start > 1 ? "…" : text.slice(0, start), "…"];
    return { left: before, middle: middle.slice(0, Math.max(1, width - before.length - after.length)), right: after };
  }
  const room = width - middle.length;
  const right = shortened(text.slice(end), Math.max(1, Math.ceil(room / 2)), "start");
  return { left: shortened(text.slice(0, start), Math.max(1, room - right.length), "end"), middle, right };
}

function shortened(text: string, width: number, keep: "start" | "end"): string {
  if (text.length <= width) return text;
  return keep === "start" ? `${text.slice(0, width - 1)}…` : `…${text.slice(text.length - width + 1)}`;
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[a.length - 1 - at] === b[b.length - 1 - at]) at++;
  return at;
}

function isWordSign(sign: string): boolean {
  return /[\p{L}\p{N}_.-]/u.test(sign);
}

/** How many lines of a longer text change; the lines themselves are the diff's business. */
export function lineCounts(before: string, after: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(before, after)) {
    removed += beforeEnd - beforeStart;
    added += afterEnd - afterStart;
  }
  return { added, removed };
}
