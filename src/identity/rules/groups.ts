import { mapOf, type ValueMap } from "../../core/value.ts";
import type { Node } from "../../formats/format.ts";
import type { PathContext } from "../paths/path-context.ts";
import type { Identified, IdentitySource, Keys } from "./identify.ts";
import { keyText } from "./keys.ts";
import { normaliserNamed } from "./normalisers.ts";
import { keyTexts, textOfNode, unreadable } from "./parts.ts";
import type { CompiledRule, CompiledRules, RuleStep } from "./rule.ts";

/**
 * What a group item (of the rule's list number `depth`) contributes to the keys of the entries in it, as canonical
 * text. Undefined where the rule has no such list of groups, or the item is no map.
 */
export function groupIdentity(rule: CompiledRule, depth: number, group: Node, ctx: PathContext): string | undefined {
  if (group.kind !== "map" || depth >= groupLists(rule)) return undefined;
  const captured = new Set(rule.at.flatMap((step) => (step.kind === "capture" ? [step.name] : [])));
  const texts = new Map<string, string>();
  for (const { fields, normaliser: name } of rule.key.flatMap(({ alternatives }) => alternatives)) {
    const normaliser = normaliserNamed(name);
    for (const field of fields) {
      if (captured.has(field)) continue;
      const text = textOfNode(group.get(field), name) ?? normaliser.missing;
      if (text === unreadable) return undefined;
      if (text !== undefined) texts.set(field, normaliser.canonical(text, ctx));
    }
  }
  return keyText("group", [...texts].flat());
}

/** A list is one of groups where the rule goes on below its items. */
function groupLists(rule: CompiledRule): number {
  return rule.at.slice(0, -1).filter((step) => step.kind === "items").length;
}

/**
 * What makes a group this group: what it contributes to the keys of its entries, and the fields that no key is made of.
 */
export interface GroupShape {
  readonly identity: string;
  readonly extras: ValueMap;
}

export function groupShape(
  rule: CompiledRule,
  depth: number,
  group: Node,
  { rules, ctx }: { readonly rules: CompiledRules; readonly ctx: PathContext },
): GroupShape | undefined {
  const identity = groupIdentity(rule, depth, group, ctx);
  if (identity === undefined) return undefined;
  const names = extraNames(rule, depth, group.names(), rules);
  return { identity, extras: mapOf(names.map((name) => [name, group.get(name)!.value()])) };
}

/** The fields of a group that are no part of a key and lead to no entries: each is an entry of its own. */
export function extraNames(
  rule: CompiledRule,
  depth: number,
  names: readonly string[],
  rules: CompiledRules,
): readonly string[] {
  const end = groupEnd(rule, depth);
  const onwards = rules.rules.filter(({ at }) => isSameWay(at, rule.at, end)).map(({ at }) => at[end]);
  if (onwards.some((step) => step?.kind === "capture")) return [];
  const led = new Set(onwards.map((step) => (step?.kind === "name" ? step.name : undefined)));
  const captured = captureNames(rule.at);
  return names.filter((name) => !led.has(name) && !(rule.readings.has(name) && !captured.has(name)));
}

/** How much of a rule's way leads to its group number `depth`, the step to its items included. */
function groupEnd(rule: CompiledRule, depth: number): number {
  let lists = 0;
  return rule.at.findIndex((step) => step.kind === "items" && lists++ === depth) + 1;
}

function isSameWay(a: readonly RuleStep[], b: readonly RuleStep[], end: number): boolean {
  return b.slice(0, end).every((step, i) => {
    const other = a[i];
    return other?.kind === step.kind && (step.kind !== "name" || (other.kind === "name" && other.name === step.name));
  });
}

function captureNames(at: readonly RuleStep[]): ReadonlySet<string> {
  return new Set(at.flatMap((step) => (step.kind === "capture" ? [step.name] : [])));
}

/** The fields of the groups of hooks are entries of type `hook-group`. */
export function groupFieldType(type: string): string {
  return `${type}${suffix}`;
}

/** The rule of an entry's type, also where the entry is the field of a group that this rule walks. */
export function ruleOfType(type: string, { byType }: CompiledRules): CompiledRule | undefined {
  return byType.get(type) ?? (type.endsWith(suffix) ? byType.get(type.slice(0, -suffix.length)) : undefined);
}

const suffix = "-group";

/** Names in a source that no field of an entry has: the field of a group, and which of several alike groups it is. */
export const fieldInSource = "{field}";
export const numberInSource = "{number}";

/** What the group number `depth` of an entry supplies to its source, with the name of one of the group's fields. */
export function groupFieldSource({ rule, source, node }: Identified, depth: number, field: string): IdentitySource {
  const at = rule?.at ?? [];
  const later = captureNames(at.slice(rule ? groupEnd(rule, depth) : 0));
  const own = Object.entries(source).filter(
    ([name]) => !later.has(name) && (node.kind !== "map" || node.get(name) === undefined),
  );
  return { ...Object.fromEntries(own), [fieldInSource]: field };
}

export function groupFieldKeys(rule: CompiledRule, source: IdentitySource, ctx: PathContext): Keys {
  const number = source[numberInSource];
  const tail = [source[fieldInSource] ?? "", ...(number === undefined ? [] : [number])];
  const { shown, compared } = keyTexts(rule, source, ctx);
  const type = groupFieldType(rule.type);
  return { key: keyText(type, [...shown, ...tail]), match: keyText(type, [...compared, ...tail]), pair: undefined };
}
