import type { Trace } from "../format.ts";
import type { TomlDraft } from "./draft.ts";
import { insertNamed, newHeader } from "./insert.ts";
import { depthOf, piecesOf } from "./pieces.ts";
import { ArrayNode, type ContainerNode, type TableNode, type TomlNode } from "./tree.ts";

export function removeNode(draft: TomlDraft, node: TomlNode, trace: Trace | undefined): void {
  draft.removedNodes.add(node);
  if (node.parent instanceof ArrayNode) {
    const { flow } = node.parent;
    draft.flow(flow).remove(flow.slots[node.key as number]!, trace);
    return;
  }
  const { sections, pairs } = piecesOf(node);
  for (const pair of pairs) draft.removePair(pair, trace);
  if (sections.length > 0) draft.removeSections(sections, trace);
}

/**
 * A table that stands only in its entries' names, or a list only in its elements, would vanish with the last of them.
 * It was not asked to, so it is written down, empty. Called when all other edits are gathered.
 */
export function keepEmptiedContainers(draft: TomlDraft): void {
  const parents = new Set<ContainerNode>();
  for (const { parent } of draft.removedNodes) if (parent !== undefined) parents.add(parent);
  // Inner ones first: writing one down keeps the one around it.
  for (const container of [...parents].sort((a, b) => depthOf(b) - depthOf(a)))
    if (vanishes(draft, container)) writeEmpty(draft, container);
}

function vanishes(draft: TomlDraft, container: ContainerNode): boolean {
  if (draft.removedNodes.has(container) || draft.grown.has(container) || container instanceof ArrayNode) return false;
  if (container.kind === "map" && (container.section !== undefined || container.flow !== undefined)) return false;
  const children = container.kind === "map" ? [...container.children.values()] : container.elements;
  return children.every((child) => draft.removedNodes.has(child));
}

function writeEmpty(draft: TomlDraft, container: ContainerNode): void {
  const holder = container.parent as TableNode;
  const place = { after: String(container.key) };
  draft.grown.add(container);
  if (container.kind === "list")
    insertNamed(draft, holder, String(container.key), { value: [], place, edit: undefined, beside: [] });
  else if (container.style === "implicit") newHeader(draft, container);
  else insertNamed(draft, holder, String(container.key), { value: {}, place, edit: undefined, beside: [] });
}
