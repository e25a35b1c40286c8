import type { Place } from "../format.ts";
import { piecesOf } from "./pieces.ts";
import { renderKey } from "./render.ts";
import type { ContainerNode, Section, TableNode, TomlNode } from "./tree.ts";

/** Where a node stands among the others. */

/** The sibling that a place names, if it exists. */
export function siblingAt(container: ContainerNode, place: Place): TomlNode | undefined {
  if (place === "end") return undefined;
  const step = "after" in place ? place.after : place.before;
  return container.kind === "map" ? container.children.get(String(step)) : container.elements[Number(step)];
}

export function depthOf(node: TomlNode): number {
  let depth = 0;
  for (let at = node.parent; at !== undefined; at = at.parent) depth++;
  return depth;
}

/** Whether a table's pairs stand between braces. */
export function isInFlow(table: TableNode): boolean {
  return table.flow !== undefined || table.host?.kind === "flow";
}

/** How a table is called in headers, spelt as in the first header that goes through it. Empty for the root. */
export function headerPath(table: TableNode): string {
  const names: string[] = [];
  for (let node: TomlNode | undefined = table; node !== undefined; node = node.parent) {
    if (typeof node.key === "string" && node.parent !== undefined) names.unshift(node.key);
  }
  const keys = piecesOf(table).sections.find((section) => section.header !== undefined)?.header?.keys;
  if (names.length === 0 || keys === undefined) return names.map(renderKey).join(".");
  return table.source.text.slice(keys[0]!.start, keys[names.length - 1]!.end);
}

/** What a dotted table's names begin with in the lines they stand in, spelt as in its first pair; empty for others. */
export function keyPrefix(table: TableNode): string {
  let depth = 0;
  for (let node: TomlNode | undefined = table; node?.kind === "map" && node.style === "dotted"; node = node.parent)
    depth++;
  const keys = depth === 0 ? undefined : piecesOf(table).pairs[0]?.keys;
  return keys === undefined ? "" : `${table.source.text.slice(keys[0]!.start, keys[depth - 1]!.end)}.`;
}

/**
 * The section that a table's own pairs stand in. Implicit tables have none, and neither has what stands between braces.
 */
export function hostSection(table: TableNode): Section {
  const host = table.section ?? table.host;
  if (host?.kind !== "section") throw new Error("this table has no lines of its own");
  return host;
}
