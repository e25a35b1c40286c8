import type { Malformed } from "../format.ts";
import { YamlNode } from "./node.ts";
import { readTree } from "./tree.ts";

/** A YAML text as nodes. Apart from the format itself, so that who only reads loads no second reader. */
export function readYamlText(text: string): { readonly kind: "read"; readonly root: YamlNode } | Malformed {
  const result = readTree(text);
  if (result.kind === "malformed") return result;
  return { kind: "read", root: new YamlNode(result.tree, result.tree.syntax.content) };
}
