import { Fault } from "../fault.ts";
import {
  type Header,
  type KeyPart,
  type Pair,
  TableArrayNode,
  type TableHost,
  TableNode,
  type TomlNode,
} from "./tree.ts";

/** The rules of what may define what: a table once, a value once, and nothing through an inline table. */

/** Deeper than anybody's configuration, and shallow enough for code that walks values by recursion. */
export const maxTableDepth = 400;

/** Put a pair into the table whose lines (or braces) it stands in; the names before the last make dotted tables. */
export function definePair(table: TableNode, pair: Pair): void {
  let holder = table;
  const last = pair.keys.length - 1;
  for (let i = 0; i < last; i++) holder = dottedTable(holder, pair.keys[i]!, pair.host);
  const key = pair.keys[last]!;
  if (holder.children.has(key.name)) throw alreadyThere(key);
  attach(holder, key.name, pair.value);
  pair.value.pair = pair;
}

function dottedTable(holder: TableNode, key: KeyPart, host: TableHost): TableNode {
  const found = holder.children.get(key.name);
  if (found instanceof TableNode && found.style === "dotted" && found.host === host) return found;
  if (found !== undefined) throw alreadyThere(key);
  const table = new TableNode(holder.source, "dotted");
  table.host = host;
  attach(holder, key.name, table);
  return table;
}

/** The table that a `[header]` opens. */
export function openTable(root: TableNode, header: Header): TableNode {
  const { holder, key } = walkHeader(root, header);
  const found = holder.children.get(key.name);
  if (found === undefined) return attach(holder, key.name, new TableNode(root.source, "header"));
  if (!(found instanceof TableNode) || found.style !== "implicit") throw alreadyThere(key);
  found.style = "header";
  return found;
}

/** The table that a `[[header]]` opens: one more element of its list. */
export function openElement(root: TableNode, header: Header): TableNode {
  const { holder, key } = walkHeader(root, header);
  const found = holder.children.get(key.name) ?? attach(holder, key.name, new TableArrayNode(root.source));
  if (!(found instanceof TableArrayNode)) throw alreadyThere(key);
  const element = new TableNode(root.source, "element");
  element.adopt(found, found.elements.length);
  found.elements.push(element);
  return element;
}

function walkHeader(root: TableNode, header: Header): { holder: TableNode; key: KeyPart } {
  let holder = root;
  const last = header.keys.length - 1;
  for (let i = 0; i < last; i++) holder = stepInto(holder, header.keys[i]!);
  return { holder, key: header.keys[last]! };
}

function stepInto(holder: TableNode, key: KeyPart): TableNode {
  const found = holder.children.get(key.name);
  if (found === undefined) return attach(holder, key.name, new TableNode(holder.source, "implicit"));
  const table = found instanceof TableArrayNode ? found.elements.at(-1) : found;
  if (table instanceof TableNode && table.style !== "inline") return table;
  throw alreadyThere(key);
}

function attach<N extends TomlNode>(holder: TableNode, name: string, node: N): N {
  node.adopt(holder, name);
  holder.children.set(name, node);
  return node;
}

function alreadyThere(key: KeyPart): Fault {
  return new Fault(`"${key.name}" is already defined, and TOML lets a name be defined only once`, key.start);
}
