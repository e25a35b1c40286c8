import { canonicalText, equalValues, field, isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import type { Path } from "../formats/format.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import {
  extraNames,
  groupFieldKeys,
  groupFieldSource,
  groupFieldType,
  numberInSource,
} from "../identity/rules/groups.ts";
import type { Identified, IdentitySource, Keys } from "../identity/rules/identify.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";

/** A field of a group that is an entry of its own. */
export interface GroupField {
  readonly type: string;
  readonly keys: Keys;
  readonly source: IdentitySource;
  /** Which list of the rule the group stands in, from 0. */
  readonly depth: number;
  readonly name: string;
  readonly value: Value;
}

export interface TemplateGroups {
  /** By the first entry of a group: the group's fields. */
  readonly fields: ReadonlyMap<Identified, readonly GroupField[]>;
  /** By entry: which of several alike groups of its template it stands in, from 2. */
  readonly numbers: ReadonlyMap<Identified, number>;
}

/** What is on record of an entry's group: its list and identity, and its number among those alike. */
export interface RecordedGroup {
  readonly match: string;
  readonly pair: string | undefined;
  /** Without the number. */
  readonly name: string;
  readonly number: number;
  readonly extras: ValueMap;
}

/** One group of a template, with its entries. */
interface TemplateGroup {
  readonly name: string;
  readonly depth: number;
  readonly members: Identified[];
  readonly extras: ValueMap;
}

/**
 * The groups of a template that say more than the keys of their entries. Alike groups are numbered: a group keeps the
 * number that its entries have on record, and a new one gets a number that is free.
 */
export function templateGroups(
  entries: readonly Identified[],
  root: Value,
  recorded: readonly RecordedGroup[],
  { rules, ctx, nameOf }: { rules: CompiledRules; ctx: PathContext; nameOf(entry: Identified, depth: number): string },
): TemplateGroups {
  const groups = groupsIn(entries, root, rules, nameOf);
  const numberOf = numbersOf(groups, recorded);
  const fields = new Map<Identified, GroupField[]>();
  const numbers = new Map<Identified, number>();
  for (const group of groups) {
    const [first] = group.members;
    const number = numberOf.get(group) ?? 1;
    if (number > 1)
      for (const each of group.members) if (group.depth === each.steps.length - 1) numbers.set(each, number);
    if (!first?.rule) continue;
    const found = Object.entries(group.extras).map(([name, value]) =>
      groupField(first, { depth: group.depth, number, name, value }, ctx),
    );
    if (found.length > 0) fields.set(first, [...(fields.get(first) ?? []), ...found]);
  }
  return { fields, numbers };
}

function groupsIn(
  entries: readonly Identified[],
  root: Value,
  rules: CompiledRules,
  nameOf: (entry: Identified, depth: number) => string,
): readonly TemplateGroup[] {
  const groups = new Map<string, TemplateGroup>();
  for (const entry of entries) {
    for (const { depth, pathIndex } of entry.steps) {
      const extras = extrasOf(entry, depth, valueAt(root, entry.path.slice(0, pathIndex + 1)), rules);
      const name = nameOf(entry, depth);
      // Two that say the same are one.
      const id = `${name} ${canonicalText(extras)}`;
      const known = groups.get(id);
      if (known) known.members.push(entry);
      else groups.set(id, { name, depth, members: [entry], extras });
    }
  }
  return [...groups.values()];
}

/** First by entries on record, then by what the group says, then by entries whose key changed; what is left is new. */
function numbersOf(
  groups: readonly TemplateGroup[],
  recorded: readonly RecordedGroup[],
): ReadonlyMap<TemplateGroup, number> {
  const numbers = new Map<TemplateGroup, number>();
  const given = new Set<string>();
  const give = (group: TemplateGroup, number: number | undefined) => {
    if (number === undefined || numbers.has(group) || given.has(`${group.name} ${number}`)) return;
    given.add(`${group.name} ${number}`);
    numbers.set(group, number);
  };
  const alike = new Map<string, RecordedGroup[]>();
  for (const each of recorded) alike.set(each.name, [...(alike.get(each.name) ?? []), each]);
  const known = (group: TemplateGroup) => alike.get(group.name) ?? [];
  for (const group of groups) {
    const own = new Set(group.members.map(({ match }) => match));
    give(group, known(group).find(({ match }) => own.has(match))?.number);
  }
  for (const group of groups) give(group, known(group).find(({ extras }) => equalValues(extras, group.extras))?.number);
  for (const group of groups) {
    const own = new Set(group.members.map(({ pair }) => pair));
    give(group, known(group).find(({ pair }) => pair !== undefined && own.has(pair))?.number);
  }
  const taken = new Set(recorded.map(({ name, number }) => `${name} ${number}`));
  for (const group of groups) {
    let number = 1;
    while (!numbers.has(group) && (taken.has(`${group.name} ${number}`) || given.has(`${group.name} ${number}`)))
      number++;
    give(group, number);
  }
  return numbers;
}

function extrasOf({ rule }: Identified, depth: number, group: Value | undefined, rules: CompiledRules): ValueMap {
  const names = rule && isMap(group) ? extraNames(rule, depth, Object.keys(group), rules) : [];
  return mapOf(names.map((name) => [name, field(group, name)!]));
}

interface Found {
  readonly depth: number;
  readonly number: number;
  readonly name: string;
  readonly value: Value;
}

function groupField(entry: Identified, { depth, number, name, value }: Found, ctx: PathContext): GroupField {
  const rule = entry.rule!;
  const own = groupFieldSource(entry, depth, name);
  const source = number > 1 ? { ...own, [numberInSource]: String(number) } : own;
  return { type: groupFieldType(rule.type), keys: groupFieldKeys(rule, source, ctx), source, depth, name, value };
}

function valueAt(root: Value, path: Path): Value | undefined {
  let at: Value | undefined = root;
  for (const step of path)
    at = typeof step === "string" ? field(at, step) : (at as readonly Value[] | undefined)?.[step];
  return at;
}
