import { isMap, type Value } from "../../core/value.ts";
import type { Place } from "../format.ts";
import { piecesOf } from "./pieces.ts";
import { siblingAt } from "./position.ts";
import { isTableList } from "./render-lines.ts";
import { ArrayNode, TableArrayNode, TableNode, type TomlNode } from "./tree.ts";

/** How a new entry of a table is written: `key = value`, dotted keys, or sections with headers. */
export type Form = "pair" | "dotted" | "sections";

/**
 * Like its siblings; without any, like the table itself. What holds maps of its own gets sections where that is
 * possible.
 */
export function formOf(table: TableNode, value: Value, place: Place): Form {
  if (!isMap(value) && !isTableList(value)) return "pair";
  const like = similarSibling(table, value, place);
  if (like !== undefined && piecesOf(like).sections.length > 0) return "sections";
  if (table.style === "dotted") return isMap(value) && like?.pair === undefined ? "dotted" : "pair";
  if (like === undefined || (isMap(value) && !isFlat(value))) return "sections";
  return like.pair === undefined ? "dotted" : "pair";
}

function isFlat(value: Value): boolean {
  return isMap(value) && Object.values(value).every((child) => !isMap(child) && !isTableList(child));
}

/** The sibling to take after: the one the place names if it is of the same kind, else the last of that kind. */
export function similarSibling(table: TableNode, value: Value, place: Place): TomlNode | undefined {
  const isSimilar = isMap(value) ? isTable : isListOfTables;
  const named = siblingAt(table, place);
  if (named !== undefined && isSimilar(named)) return named;
  return isMap(value) ? lastOf(table).table : lastOf(table).list;
}

interface LastOfKind {
  readonly table: TomlNode | undefined;
  readonly list: TomlNode | undefined;
}

const lastKnown = new WeakMap<TableNode, LastOfKind>();

function lastOf(table: TableNode): LastOfKind {
  let last = lastKnown.get(table);
  if (last === undefined) {
    const children = [...table.children.values()];
    last = { table: children.findLast(isTable), list: children.findLast(isListOfTables) };
    lastKnown.set(table, last);
  }
  return last;
}

function isTable(node: TomlNode): boolean {
  return node instanceof TableNode;
}

function isListOfTables(node: TomlNode): boolean {
  return (
    node instanceof TableArrayNode ||
    (node instanceof ArrayNode && node.elements.length > 0 && node.elements.every(isTable))
  );
}
