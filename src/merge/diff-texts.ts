import { equalValues, isMap, type Value } from "../core/value.ts";
import { type Format, type Malformed, nodeOf } from "../formats/format.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { identify } from "../identity/rules/identify.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";

/** An entry that two texts do not have alike; undefined where one of them does not have it. */
export interface EntryDifference {
  readonly key: string;
  readonly type: string;
  readonly a: Value | undefined;
  readonly b: Value | undefined;
}

export type TextsDiff =
  | { readonly kind: "compared"; readonly differences: readonly EntryDifference[] }
  | { readonly kind: "malformed"; readonly side: "a" | "b"; readonly fault: Malformed };

/** The entries in which two texts differ, by key: order, comments and spelling do not count. */
export function diffTexts(a: string, b: string, format: Format, rules: CompiledRules, context: PathContext): TextsDiff {
  const [one, other] = [format.read(a), format.read(b)];
  if (one.kind === "malformed") return { kind: "malformed", side: "a", fault: one };
  if (other.kind === "malformed") return { kind: "malformed", side: "b", fault: other };
  const [left, right] = [
    entriesOf(one.document.root.value(), rules, context),
    entriesOf(other.document.root.value(), rules, context),
  ];
  const keys = [...new Set([...left.keys(), ...right.keys()])].sort();
  const differences = keys.flatMap((key) => {
    const [x, y] = [left.get(key), right.get(key)];
    return equalValues(x?.value, y?.value) ? [] : [{ key, type: (x ?? y)!.type, a: x?.value, b: y?.value }];
  });
  return { kind: "compared", differences };
}

function entriesOf(
  root: Value,
  rules: CompiledRules,
  context: PathContext,
): Map<string, { readonly type: string; readonly value: Value }> {
  if (!isMap(root)) return new Map([["setting:", { type: "setting", value: root }]]);
  const found = new Map<string, { type: string; value: Value }>();
  for (const { key, type, node } of identify(nodeOf(root), rules, context).entries)
    found.set(key, { type, value: node.value() });
  return found;
}
