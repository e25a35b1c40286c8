import { canonicalText, equalValues, field, isMap, type Value } from "../core/value.ts";
import { diffNumbers, type LineChange } from "../text/diff-lines.ts";
import {
  type At,
  conflictOf,
  interleaved,
  type MergedValue,
  type Merging,
  mergeValues,
  settled,
  type Three,
} from "./merge-values.ts";

type List = readonly Value[];

interface ThreeLists {
  readonly base: List;
  readonly mine: List;
  readonly theirs: List;
}

const sides = ["base", "mine", "theirs"] as const;

/** Lists whose items can be told apart are merged item by item, others by what changed between neighbours. */
export function mergeLists(lists: ThreeLists, at: At, merging: Merging): MergedValue {
  const names = namesOf(lists, at, merging);
  return names === undefined ? mergeSequences(lists, at, merging) : mergeNamed(lists, names, at, merging);
}

type Names = Readonly<Record<keyof Three, readonly string[]>>;

/** Fields by which people tell the items of a list apart; tried in order. */
const namingFields = ["name", "id", "key", "path"];

/** What each item is called: by a rule, or by a field that all of them have and no two share. */
function namesOf(lists: ThreeLists, at: At, { identityAt }: Merging): Names | undefined {
  const byRule = namesBy(lists, (side, _, i) => identityAt(side, [...at[side], i]));
  if (byRule) return byRule;
  for (const name of namingFields) {
    const found = namesBy(lists, (_, item) => {
      const value = isMap(item) ? field(item, name) : undefined;
      return typeof value === "string" || typeof value === "number" ? `${name}=${value}` : undefined;
    });
    if (found) return found;
  }
  return undefined;
}

function namesBy(
  lists: ThreeLists,
  nameOf: (side: keyof Three, item: Value, index: number) => string | undefined,
): Names | undefined {
  const found: Partial<Record<keyof Three, string[]>> = {};
  for (const side of sides) {
    const names = lists[side].map((item, i) => nameOf(side, item, i));
    if (names.some((name) => name === undefined) || new Set(names).size < names.length) return undefined;
    found[side] = names as string[];
  }
  return found.base!.length + found.mine!.length + found.theirs!.length === 0 ? undefined : (found as Names);
}

function mergeNamed(lists: ThreeLists, names: Names, at: At, merging: Merging): MergedValue {
  const order = orderOf(names);
  if (order === undefined) return conflictOf(lists, at);
  const positions = (side: keyof Three) => new Map(names[side].map((name, i) => [name, i]));
  const where = { base: positions("base"), mine: positions("mine"), theirs: positions("theirs") };
  const merged = new Map<string, MergedValue>();
  for (const name of new Set([...order, ...names.base])) {
    const index = { base: where.base.get(name), mine: where.mine.get(name), theirs: where.theirs.get(name) };
    const item = (side: keyof Three) => (index[side] === undefined ? undefined : lists[side][index[side]!]);
    const step = (side: keyof Three) => [...at[side], index[side] ?? 0];
    const below = { path: [...at.path, `[${name}]`], base: step("base"), mine: step("mine"), theirs: step("theirs") };
    merged.set(name, mergeValues({ base: item("base"), mine: item("mine"), theirs: item("theirs") }, below, merging));
  }
  const side = (which: keyof Three) => order.flatMap((name) => merged.get(name)?.[which] ?? []);
  return {
    base: side("base"),
    mine: side("mine"),
    theirs: side("theirs"),
    conflicts: [...merged.values()].flatMap(({ conflicts }) => conflicts),
  };
}

/** The order of all items: a side that moved some has its way; undefined where both did, differently. */
export function orderOf(names: Names): string[] | undefined {
  const [inMine, inTheirs] = [new Set(names.mine), new Set(names.theirs)];
  const common = new Set(names.base.filter((name) => inMine.has(name) && inTheirs.has(name)));
  const [base, mine, theirs] = sides.map((side) => names[side].filter((name) => common.has(name)).join("\0"));
  if (mine === base && theirs !== base) return interleaved(names.theirs, names.mine);
  return mine === theirs || theirs === base ? interleaved(names.mine, names.theirs) : undefined;
}

/** A stretch of the base that one side or both changed, and what each has there. */
interface Stretch {
  readonly base: List;
  readonly mine: List;
  readonly theirs: List;
  readonly changedBy: "mine" | "theirs" | "both";
}

function mergeSequences(lists: ThreeLists, at: At, merging: Merging): MergedValue {
  const results: Record<keyof Three, Value[]> = { base: [], mine: [], theirs: [] };
  let conflicts = 0;
  for (const part of stretches(lists)) {
    const merged = mergeStretch(part, lists, at, merging);
    if (merged === undefined) conflicts++;
    for (const side of sides) for (const item of merged ?? part[side]) results[side].push(item);
  }
  if (conflicts === 0) return settled(results.mine);
  return { ...results, conflicts: conflictOf(lists, at).conflicts };
}

/** What becomes of a stretch; undefined where only a person can say. */
function mergeStretch(
  { base, mine, theirs, changedBy }: Stretch,
  lists: ThreeLists,
  at: At,
  merging: Merging,
): List | undefined {
  if (changedBy !== "both") return changedBy === "mine" ? mine : theirs;
  if (equalValues(mine, theirs)) return mine;
  const alike = addedAlike(base, mine, theirs);
  if (alike > 0) {
    const [less, own, other] = [base, mine.slice(0, -alike), theirs.slice(0, -alike)];
    const before = mergeStretch({ base: less, mine: own, theirs: other, changedBy }, lists, at, merging);
    return before && [...before, ...mine.slice(-alike)];
  }
  if (base.length === mine.length && base.length === theirs.length) {
    const items = base.map((item, i) => mergeValues({ base: item, mine: mine[i], theirs: theirs[i] }, at, merging));
    return items.every(({ conflicts }) => conflicts.length === 0) ? items.map((item) => item.mine!) : undefined;
  }
  return base.length === 0 && isSorted(lists) ? inOrder([...mine, ...theirs]) : undefined;
}

/** How many equal items both sides put at the end of a stretch. */
function addedAlike(base: List, mine: List, theirs: List): number {
  const most = Math.min(mine.length, theirs.length) - base.length;
  let count = 0;
  while (count < most && equalValues(mine.at(-count - 1)!, theirs.at(-count - 1)!)) count++;
  return count;
}

/** Lists of words that everybody keeps in order are sets: what both add has one place each. */
function isSorted({ base, mine, theirs }: ThreeLists): boolean {
  return [base, mine, theirs].every((list) => {
    const texts = list.map((item) => (typeof item === "string" ? item : undefined));
    return texts.length > 1 && texts.every((text, i) => text !== undefined && (i === 0 || texts[i - 1]! < text));
  });
}

function inOrder(items: List): List {
  return [...new Set(items)].sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** The list in parts: what nobody changed, and what one side or both did. Changes that only touch are apart. */
function stretches({ base, mine, theirs }: ThreeLists): Stretch[] {
  const numbers = new Map<string, number>();
  const numbered = (list: List) =>
    Int32Array.from(list, (item) => {
      const text = canonicalText(item);
      return numbers.get(text) ?? numbers.set(text, numbers.size).size - 1;
    });
  const [start, own, other] = [numbered(base), numbered(mine), numbered(theirs)];
  const ours = diffNumbers(start, own);
  const others = diffNumbers(start, other);
  const parts: Stretch[] = [];
  let [at, shiftMine, shiftTheirs] = [0, 0, 0];
  const unchanged = (until: number) => {
    const same = base.slice(at, until);
    if (same.length > 0)
      parts.push({ base: same, mine: mine.slice(at + shiftMine, until + shiftMine), theirs: same, changedBy: "mine" });
    at = until;
  };
  for (const { start: from, end, byMine, byTheirs } of regions(ours, others, { own, other })) {
    unchanged(from);
    const grown = (changes: readonly LineChange[]) =>
      changes.reduce((sum, c) => sum + (c.afterEnd - c.afterStart) - (c.beforeEnd - c.beforeStart), 0);
    const [growMine, growTheirs] = [grown(byMine), grown(byTheirs)];
    parts.push({
      base: base.slice(from, end),
      mine: mine.slice(from + shiftMine, end + shiftMine + growMine),
      theirs: theirs.slice(from + shiftTheirs, end + shiftTheirs + growTheirs),
      changedBy: byTheirs.length === 0 ? "mine" : byMine.length === 0 ? "theirs" : "both",
    });
    shiftMine += growMine;
    shiftTheirs += growTheirs;
    at = end;
  }
  unchanged(base.length);
  return parts;
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly byMine: readonly LineChange[];
  readonly byTheirs: readonly LineChange[];
}

/**
 * Changes of both sides belong together if they overlap in the base or insert at one point. So do those that only touch
 * and put the same item in, which would stand there twice.
 */
function regions(
  mine: readonly LineChange[],
  theirs: readonly LineChange[],
  after: { readonly own: Int32Array; readonly other: Int32Array },
): Region[] {
  const all = [
    ...mine.map((change) => ({ change, byMine: true })),
    ...theirs.map((change) => ({ change, byMine: false })),
  ];
  all.sort((a, b) => a.change.beforeStart - b.change.beforeStart || a.change.beforeEnd - b.change.beforeEnd);
  const put = (side: Int32Array, { afterStart, afterEnd }: LineChange) => side.subarray(afterStart, afterEnd);
  const found: { start: number; end: number; byMine: LineChange[]; byTheirs: LineChange[] }[] = [];
  for (const { change, byMine } of all) {
    const { beforeStart: start, beforeEnd: end } = change;
    const last = found.at(-1);
    const alike = () => {
      const items = new Set(put(byMine ? after.own : after.other, change));
      const others = byMine ? last!.byTheirs : last!.byMine;
      return others.some((each) => put(byMine ? after.other : after.own, each).some((item) => items.has(item)));
    };
    const together =
      last !== undefined &&
      (start < last.end ||
        (start === last.start && end === last.end && start === end) ||
        (start === last.end && alike()));
    const region = together ? last : { start, end, byMine: [], byTheirs: [] };
    if (!together) found.push(region);
    region.end = Math.max(region.end, end);
    (byMine ? region.byMine : region.byTheirs).push(change);
  }
  return found;
}
