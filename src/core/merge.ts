import { mergeText } from "../text/merge-text.ts";
import type { Conflict, Joining } from "./entry.ts";
import { pushAll } from "./lists.ts";
import { equalValues, field, isMap, mapOf, type Value, type ValueMap } from "./value.ts";

/** A value as written and as compared; undefined where there is none. */
export interface Sided {
  readonly value: Value;
  /** Undefined where the value says no more than nothing would. */
  readonly normal: Value | undefined;
}

export interface Sides {
  readonly base: Sided | undefined;
  readonly actual: Sided | undefined;
  readonly desired: Sided | undefined;
}

export interface MergedEntry {
  /** What will stand: the user's spelling wherever the normalised value does not change. */
  readonly result: Value | undefined;
  /** What would stand if every conflict went to the owner. */
  readonly theirs: Value | undefined;
  /** What to record: the desired value, but the old base where a conflict is pending. */
  readonly recorded: Value | undefined;
  readonly conflicts: readonly Conflict[];
}

/** Of most entries: one list for all of them. */
export const noConflicts: readonly Conflict[] = [];

/** Where a person's comments stand inside the actual value: replacing a range with one in it would lose the comment. */
export type CommentPaths = readonly (readonly (string | number)[])[];

/**
 * Join what both sides did since the base, by the same rule for every field (and line): only one side changed it, or
 * both alike.
 */
export function mergeEntry(sides: Sides, joining: Joining, comments: CommentPaths): MergedEntry {
  if (joining === "fields") return mergeFields(sides, comments, []);
  if (joining === "lines") return mergeLines(sides);
  if (joining === "file" || joining === "whole-file") return mergeFile(sides, joining === "file");
  return mergeLeaf(sides, comments, []);
}

function mergeFields(sides: Sides, comments: CommentPaths, path: readonly string[]): MergedEntry {
  const { actual, desired } = sides;
  const bothMaps = actual && desired && isMap(actual.value) && isMap(desired.value);
  return bothMaps && !same(actual, desired) ? mergeMaps(sides, comments, path) : mergeLeaf(sides, comments, path);
}

function mergeMaps(sides: Sides, comments: CommentPaths, path: readonly string[]): MergedEntry {
  const [base, actual, desired] = [fieldsOf(sides.base), fieldsOf(sides.actual), fieldsOf(sides.desired)];
  const results: [string, Value][] = [];
  const theirs: [string, Value][] = [];
  const records: [string, Value][] = [];
  const conflicts: Conflict[] = [];
  for (const name of new Set([...actual.keys(), ...desired.keys(), ...base.keys()])) {
    const below = comments.filter((place) => place[0] === name).map((place) => place.slice(1));
    const merged = mergeFields({ base: base.get(name), actual: actual.get(name), desired: desired.get(name) }, below, [
      ...path,
      name,
    ]);
    if (merged.result !== undefined) results.push([name, merged.result]);
    if (merged.theirs !== undefined) theirs.push([name, merged.theirs]);
    if (merged.recorded !== undefined) records.push([name, merged.recorded]);
    pushAll(conflicts, merged.conflicts);
  }
  return { result: mapOf(results), theirs: mapOf(theirs), recorded: mapOf(records), conflicts };
}

function fieldsOf(side: Sided | undefined): Map<string, Sided> {
  const fields = new Map<string, Sided>();
  if (side === undefined || !isMap(side.value) || !isMap(side.normal)) return fields;
  for (const name of Object.keys(side.value))
    fields.set(name, { value: side.value[name]!, normal: field(side.normal, name) });
  return fields;
}

/** The three-way rule where nothing smaller can be looked at. */
function mergeLeaf({ base, actual, desired }: Sides, comments: CommentPaths, path: readonly string[]): MergedEntry {
  if (same(actual, desired)) return settled(actual, desired);
  if (same(actual, base) && comments.length === 0) return settled(desired, desired);
  if (same(desired, base)) return settled(actual, desired);
  const conflict = { path, base: base?.value, actual: actual?.value, desired: desired?.value };
  return { result: actual?.value, theirs: desired?.value, recorded: base?.value, conflicts: [conflict] };
}

function settled(result: Sided | undefined, desired: Sided | undefined): MergedEntry {
  return { result: result?.value, theirs: result?.value, recorded: desired?.value, conflicts: noConflicts };
}

function mergeLines(sides: Sides): MergedEntry {
  const [base, actual, desired] = [sides.base?.normal, sides.actual?.normal, sides.desired?.normal];
  if (typeof base !== "string" || typeof actual !== "string" || typeof desired !== "string")
    return mergeLeaf(sides, [], []);
  const merged = mergeText(base, actual, desired);
  if (merged.kind === "merged")
    return { result: merged.text, theirs: merged.text, recorded: sides.desired!.value, conflicts: noConflicts };
  const conflicts = merged.regions.map((region) => ({
    path: [String(region.line)],
    base: region.base,
    actual: region.ours,
    desired: region.theirs,
  }));
  return { result: merged.text, theirs: merged.textWithTheirs, recorded: merged.nextBase, conflicts };
}

/** A file's content and its mode, each on its own: what we change keeps a mode that the user gave. */
function mergeFile(sides: Sides, byLine: boolean): MergedEntry {
  const texts = eachSide(sides, (value) => field(value, "text"));
  const content =
    byLine && texts.base && texts.actual && texts.desired
      ? asText(mergeLines(texts))
      : mergeLeaf(
          eachSide(sides, (value) => (isMap(value) ? without(value, "mode") : value)),
          [],
          [],
        );
  const mode = mergeLeaf(
    eachSide(sides, (value) => field(value, "mode")),
    [],
    ["mode"],
  );
  return {
    result: withMode(content.result, mode.result),
    theirs: withMode(content.theirs, mode.theirs),
    recorded: withMode(content.recorded, mode.recorded),
    conflicts: [...content.conflicts, ...mode.conflicts],
  };
}

function eachSide({ base, actual, desired }: Sides, pick: (value: Value) => Value | undefined): Sides {
  const side = (each: Sided | undefined): Sided | undefined => {
    const value = each && pick(each.value);
    return value === undefined
      ? undefined
      : { value, normal: each!.normal === undefined ? undefined : pick(each!.normal) };
  };
  return { base: side(base), actual: side(actual), desired: side(desired) };
}

function asText(merged: MergedEntry): MergedEntry {
  const wrap = (text: Value | undefined): Value | undefined => (text === undefined ? undefined : { text });
  return { ...merged, result: wrap(merged.result), theirs: wrap(merged.theirs), recorded: wrap(merged.recorded) };
}

function without(map: ValueMap, name: string): Value {
  return mapOf(Object.entries(map).filter(([each]) => each !== name));
}

function withMode(content: Value | undefined, mode: Value | undefined): Value | undefined {
  return !isMap(content) || mode === undefined ? content : { ...content, mode };
}

function same(a: Sided | undefined, b: Sided | undefined): boolean {
  return equalValues(a?.normal, b?.normal);
}
