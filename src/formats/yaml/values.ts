import { isScalar, type Node as LibraryNode } from "yaml";
import { isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import type { Entry } from "./collection.ts";
import { scalarValue } from "./scalar.ts";
import type { Tree } from "./tree.ts";

/**
 * What to make of `<<`. To somebody who edits a file it is a name like any other: what it brings in is not the map's
 * own. To somebody who only wants to know what the file says, the map has it all.
 */
export type MergeKeys = "kept" | "followed";

/** The value of a node, with its aliases followed. */
export function valueIn(tree: Tree, written: LibraryNode | undefined, mergeKeys: MergeKeys): Value {
  if (written === undefined) return null;
  const node = tree.resolve(written);
  if (isScalar(node))
    return scalarValue({ text: String(node.value ?? ""), plain: node.type === "PLAIN", tag: node.tag });
  const { kind, entries } = tree.collection(node)!;
  if (kind === "list") return entries.map((entry) => valueIn(tree, entry.node, mergeKeys));
  const pairs = new Map<string, Value>();
  for (const entry of entries) {
    const value = valueIn(tree, entry.node, mergeKeys);
    if (mergeKeys === "kept" || !isMergeKey(entry)) pairs.set(String(entry.name), value);
    else for (const source of sourcesIn(value, entry)) mergeInto(pairs, source);
  }
  return mapOf(pairs);
}

/** In quotes it is a name that happens to look like one. */
export function isMergeKey({ key, name }: Entry): boolean {
  return key?.type === "PLAIN" && name === "<<";
}

function sourcesIn(value: Value, entry: Entry): readonly ValueMap[] {
  const sources = isList(value) ? value : [value];
  if (!sources.every((source) => isMap(source))) {
    const message = "`<<` can only bring in a map, or each of a list of maps; correct it, or put the name in quotes";
    throw new Fault(message, entry.start);
  }
  return sources;
}

/** What a map says itself counts, wherever it stands in it, and before it what an earlier source says. */
function mergeInto(pairs: Map<string, Value>, source: ValueMap): void {
  for (const name of Object.keys(source)) if (!pairs.has(name)) pairs.set(name, source[name]!);
}
