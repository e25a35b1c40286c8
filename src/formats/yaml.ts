import type { Format, ReadResult } from "./format.ts";
import { editYaml } from "./yaml/edit.ts";
import { readIndependently } from "./yaml/independent.ts";
import { YamlNode } from "./yaml/node.ts";
import { readTree } from "./yaml/tree.ts";

/**
 * YAML with the types of version 1.2, one document to a file. `<<` is a name like any other: what it merges in is not the map's own.
 * An empty file is an empty map; a value that is left out (`key:`) is null, and becomes a map or list when something is inserted there.
 */
export const yaml: Format = { name: "yaml", empty: "", read, readIndependently };

function read(text: string): ReadResult {
  const result = readTree(text);
  if (result.kind === "malformed") return result;
  const root = new YamlNode(result.tree, result.tree.syntax.content);
  return { kind: "read", document: { text, root, edit: (edits) => editYaml(root, edits) } };
}
