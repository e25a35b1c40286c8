import { orFault } from "../fault.ts";
import { documentOf, type Format, type ReadResult } from "../format.ts";
import { editYaml } from "./edit.ts";
import { readYamlText } from "./node.ts";
import { readOutlined } from "./outlined.ts";
import { readIndependently } from "./second-reader.ts";

/**
 * YAML 1.2, one document to a file. `<<` is a name like any other: what it merges in is not the map's own. An empty
 * file is an empty map. A value that is left out (`key:`) is null, and becomes a map or list when something is
 * inserted.
 */
export const yaml: Format = {
  name: "yaml",
  empty: "",
  read,
  readIndependently,
  // Such a text does not read.
  repeats: () => false,
  abridging: undefined,
};

function read(text: string): ReadResult {
  const outlined = readOutlined(text);
  if (outlined !== undefined) return { kind: "read", document: outlined };
  const result = readYamlText(text);
  if (result.kind === "malformed") return result;
  const { root } = result;
  return documentOf(text, root, (edits) => editYaml(root, edits), {
    meaning: () => orFault("malformed", () => ({ kind: "value", value: root.mergedValue() })),
  });
}
