import { equalValues, field, isList, isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import type { Path } from "../formats/format.ts";
import { mergeText } from "../text/merge-text.ts";
import { mergeLists } from "./merge-lists.ts";

/** One place as the three documents have it; undefined: nothing is there. */
export interface Three {
  readonly base: Value | undefined;
  readonly mine: Value | undefined;
  readonly theirs: Value | undefined;
}

/**
 * What both sides made of one thing, and what of it nobody but a person can settle: the result with the base, with mine
 * and with theirs in every conflict.
 */
export interface MergedValue extends Three {
  readonly conflicts: readonly MergeConflict[];
}

/** A value that both sides changed, each to something else. */
export interface MergeConflict {
  /** From the root, for people: names, positions, or what tells an item from its neighbours. */
  readonly path: readonly string[];
  readonly base: Value | undefined;
  readonly mine: Value | undefined;
  readonly theirs: Value | undefined;
}

/** Where that place is, in each of them and for people. */
export interface At {
  readonly path: readonly string[];
  readonly base: Path;
  readonly mine: Path;
  readonly theirs: Path;
}

/** What tells the items of a list apart on one side, where a rule does; undefined where none does. */
export type IdentityAt = (side: keyof Three, item: Path) => string | undefined;

export interface Merging {
  readonly identityAt: IdentityAt;
  /** Whether the lines merge without a conflict: then nothing is asked that is no conflict of values either. */
  readonly linesMerge: boolean;
  /** Whether the format has nothing but texts: then some of them are what other formats tell from a text. */
  readonly hasOnlyTexts: boolean;
}

/** Joins two changes of one value by the three-way rule: what only one side changed, or both alike, is settled. */
export function mergeValues(three: Three, at: At, merging: Merging): MergedValue {
  const { base, mine, theirs } = three;
  if (equalValues(mine, theirs)) return settled(mine);
  if (equalValues(base, mine)) return settled(theirs);
  if (equalValues(base, theirs)) return settled(mine);
  if (isMap(mine) && isMap(theirs)) return mergeMaps(isMap(base) ? base : {}, mine, theirs, at, merging);
  if (isList(mine) && isList(theirs) && isList(base)) return mergeLists({ base, mine, theirs }, at, merging);
  return mergeLines(three) ?? conflictOf(three, at);
}

export function settled(value: Value | undefined): MergedValue {
  return { base: value, mine: value, theirs: value, conflicts: [] };
}

export function conflictOf({ base, mine, theirs }: Three, { path }: At): MergedValue {
  return { base, mine, theirs, conflicts: [{ path, base, mine, theirs }] };
}

function mergeMaps(base: ValueMap, mine: ValueMap, theirs: ValueMap, at: At, merging: Merging): MergedValue {
  const outdated = merging.linesMerge ? undefined : outdatedNames(base, mine, theirs, at, merging);
  const merged = new Map<string, MergedValue>();
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])) {
    const below = {
      path: [...at.path, name],
      base: [...at.base, name],
      mine: [...at.mine, name],
      theirs: [...at.theirs, name],
    };
    const three = { base: field(base, name), mine: field(mine, name), theirs: field(theirs, name) };
    merged.set(name, outdated?.get(name) ?? mergeValues(three, below, merging));
  }
  const order = interleaved(Object.keys(mine), Object.keys(theirs));
  const side = (which: keyof Three) =>
    mapOf(
      order.flatMap((name) => {
        const value = merged.get(name)?.[which];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  return {
    base: side("base"),
    mine: side("mine"),
    theirs: side("theirs"),
    conflicts: [...merged.values()].flatMap(({ conflicts }) => conflicts),
  };
}

/**
 * Names that one side added with a text that the other side has replaced beside them: one adds a package, the other
 * raises the version that all share. Only a person knows whether the new one follows.
 */
function outdatedNames(
  base: ValueMap,
  mine: ValueMap,
  theirs: ValueMap,
  at: At,
  { hasOnlyTexts }: Merging,
): Map<string, MergedValue> {
  const found = new Map<string, MergedValue>();
  const look = (side: "mine" | "theirs", own: ValueMap, other: ValueMap) => {
    const added = Object.keys(own).filter((name) => !Object.hasOwn(base, name) && !Object.hasOwn(other, name));
    const replacements = added.length === 0 ? new Map() : replacementsIn(base, other);
    for (const name of added) {
      const written = own[name]!;
      const outdated = outdatedIn(written, replacements).filter(
        (each) => !hasOnlyTexts || !numberOrSwitch.test(each.written),
      );
      if (outdated.length === 0) continue;
      const current = outdated.reduce<Value>(
        (value, { path, replacement }) => withText(value, path, replacement),
        written,
      );
      const [mine, theirs] = ordered(side, written, current);
      const conflicts = outdated.map(({ path, written, replacement }) => {
        const [mine, theirs] = ordered(side, written, replacement);
        return { path: [...at.path, name, ...path], base: undefined, mine, theirs };
      });
      found.set(name, { base: undefined, mine, theirs, conflicts });
    }
  };
  look("mine", mine, theirs);
  look("theirs", theirs, mine);
  return found;
}

function ordered<T>(side: "mine" | "theirs", own: T, other: T): [mine: T, theirs: T] {
  return side === "mine" ? [own, other] : [other, own];
}

/** All names: the first ones in their order, each other one behind the neighbour that it follows. */
export function interleaved(first: readonly string[], others: readonly string[]): string[] {
  const [known, shared] = [new Set(first), new Set(others)];
  const behind = new Map<string | undefined, string[]>();
  let previous: string | undefined;
  for (const name of others) {
    if (known.has(name)) previous = name;
    else behind.set(previous, [...(behind.get(previous) ?? []), name]);
  }
  const order: string[] = [];
  let waiting = behind.get(undefined) ?? [];
  for (const name of first) {
    if (shared.has(name)) {
      for (const each of waiting) order.push(each);
      waiting = behind.get(name) ?? [];
    }
    order.push(name);
  }
  return [...order, ...waiting];
}

/** Texts of several lines, line by line. */
function mergeLines({ base, mine, theirs }: Three): MergedValue | undefined {
  if (typeof base !== "string" || typeof mine !== "string" || typeof theirs !== "string" || !base.includes("\n"))
    return undefined;
  const merged = mergeText(base, mine, theirs);
  return merged.kind === "merged" ? settled(merged.text) : undefined;
}

/** What two entries often have in common by chance. */
const numberOrSwitch = /^(?:[+-]?\d+(?:\.\d+)?|true|false|yes|no|on|off)$/i;

/** A text in an entry that one side added, and what the other side made of that text in the entries beside it. */
interface Outdated {
  /** From the added entry. */
  readonly path: readonly string[];
  readonly written: string;
  readonly replacement: string;
}

/** By field and text: the one text that stands in its place wherever an entry had it; undefined where there is none. */
type Replacements = ReadonlyMap<string, string | undefined>;

/** The texts that one side replaced wherever entries had them in one field, such as a version that packages share. */
function replacementsIn(base: ValueMap, changed: ValueMap): Replacements {
  const found = new Map<string, string | undefined>();
  for (const name of Object.keys(base)) {
    const now = field(changed, name);
    if (now === undefined) continue;
    for (const { path, text } of textsIn(base[name]!)) {
      const [key, other] = [
        keyOf(path, text),
        path.reduce((inner: Value | undefined, name) => (isMap(inner) ? field(inner, name) : undefined), now),
      ];
      const isReplaced = typeof other === "string" && other !== text && (!found.has(key) || found.get(key) === other);
      found.set(key, isReplaced ? other : undefined);
    }
  }
  return found;
}

/** What of an added entry the other side has left behind. */
function outdatedIn(added: Value, replacements: Replacements): Outdated[] {
  return textsIn(added).flatMap(({ path, text }) => {
    const replacement = replacements.get(keyOf(path, text));
    return replacement === undefined ? [] : [{ path, written: text, replacement }];
  });
}

function keyOf(path: readonly string[], text: string): string {
  return JSON.stringify([path, text]);
}

function textsIn(value: Value, path: readonly string[] = []): { path: readonly string[]; text: string }[] {
  if (typeof value === "string") return value === "" ? [] : [{ path, text: value }];
  return isMap(value) ? Object.keys(value).flatMap((name) => textsIn(value[name]!, [...path, name])) : [];
}

function withText(value: Value, [name, ...rest]: readonly string[], text: string): Value {
  return name === undefined || !isMap(value) ? text : { ...value, [name]: withText(value[name]!, rest, text) };
}
