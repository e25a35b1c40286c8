import { isList, isMap, type Value } from "../core/value.ts";
import type { Node } from "./format.ts";

/** A value that stands in no text (a template after substitution, data given by a program), seen as nodes. */
export function nodeOf(value: Value): Node {
  const kind = isMap(value) ? "map" : isList(value) ? "list" : "scalar";
  return {
    kind,
    ranges: [],
    entryRanges: [],
    value: () => value,
    get: (name) => (isMap(value) && Object.hasOwn(value, name) ? nodeOf(value[name]!) : undefined),
    names: () => (isMap(value) ? Object.keys(value) : []),
    items: () => (isList(value) ? value.map(nodeOf) : []),
    comments: () => [],
    locked: () => undefined,
    fixed: () => undefined,
  };
}
