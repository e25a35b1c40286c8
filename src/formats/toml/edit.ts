import { Fault, orFault } from "../fault.ts";
import type { ClearEdit, Edit, EditResult, InsertEdit, Path, SetEdit } from "../format.ts";
import { describePath } from "../verify/apply.ts";
import { Draft } from "./draft.ts";
import { insertItem, insertNamed } from "./insert.ts";
import { firstLine } from "./lines.ts";
import { keepEmptiedContainers, removeNode } from "./remove.ts";
import { setNode } from "./set.ts";
import { TableArrayNode, type TableNode, type TomlNode } from "./tree.ts";

export function editToml(root: TableNode, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => {
    const draft = new Draft(root);
    // What goes is known before what comes: an insertion may take the place of a removal.
    for (const edit of edits) if (edit.kind === "remove") remove(draft, root, edit.at, edit.trace);
    for (const edit of edits) if (edit.kind === "clear") clear(draft, root, edit);
    for (const [i, edit] of edits.entries()) if (edit.kind === "set") set(draft, root, edit, i);
    for (const [i, edit] of edits.entries()) if (edit.kind === "insert") insert(draft, root, edit, i);
    keepEmptiedContainers(draft);
    return { kind: "edited", text: draft.write(), traces: draft.traces, inners: draft.inners };
  });
}

function nodeAt(root: TableNode, path: Path): TomlNode {
  let node: TomlNode | undefined = root;
  for (const step of path) node = typeof step === "number" ? node?.items()[step] : node?.get(step);
  if (node === undefined) throw new Fault(`there is nothing at ${describePath(path)}`, 0);
  return node;
}

function remove(draft: Draft, root: TableNode, at: Path, trace: Parameters<typeof removeNode>[2]): void {
  const node = nodeAt(root, at);
  if (node === root) throw new Fault("the whole document can't be removed, only what it holds", 0);
  removeNode(draft, node, trace);
}

function set(draft: Draft, root: TableNode, { at, value, trace, text, beside = [] }: SetEdit, position: number): void {
  setNode(draft, nodeAt(root, at), value, { edit: position, trace, beside, text });
}

function insert(draft: Draft, root: TableNode, edit: InsertEdit, position: number): void {
  const node = nodeAt(root, edit.into);
  const insertion = { value: edit.value, place: edit.place, edit: position, beside: edit.beside ?? [] };
  const offset = node.ranges[0]?.start ?? 0;
  if (node.kind === "list" && edit.name === undefined) {
    insertItem(draft, node, insertion);
    return;
  }
  if (node.kind !== "map" || edit.name === undefined) {
    throw new Fault(
      `${describePath(edit.into)} is a ${node.kind}: ${edit.name === undefined ? "an item" : "a name"} can't be added to it`,
      offset,
    );
  }
  const there = node.children.get(edit.name);
  if (there !== undefined && !draft.removedNodes.has(there))
    throw new Fault(`${describePath([...edit.into, edit.name])} is already there`, offset);
  insertNamed(draft, node, edit.name, insertion);
  // A file of nothing but blank lines has no lines to set something off from: once all is gone again, it is written as
  // it was.
  if (node === root && root.children.size === 0 && draft.source.comments.length === 0)
    draft.inners.set(position, draft.source.text.slice(firstLine(draft.source.text)));
}

function clear(draft: Draft, root: TableNode, { at, inner }: ClearEdit): void {
  const node = nodeAt(root, at);
  if (node.kind === "scalar")
    throw new Fault(`${describePath(at)} holds a plain value, there is nothing to take out of it`, node.start);
  const { text } = draft.source;
  const flow = node instanceof TableArrayNode ? undefined : node.flow;
  if (node === root) draft.splices.replace({ start: firstLine(text), end: text.length }, inner);
  else if (flow !== undefined) draft.splices.replace({ start: flow.start + 1, end: flow.end - 1 }, inner);
  else
    for (const child of node.kind === "map" ? [...node.children.values()] : node.elements)
      removeNode(draft, child, undefined);
}
