import { equalValues, isList, isMap, type Value } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import type { ClearEdit, Edit, EditResult, InsertEdit, InsertPlace, Path, RemoveEdit, Trace } from "../format.ts";
import { firstLine } from "../lines.ts";
import { describePath } from "../verify/compare.ts";
import { TomlDraft } from "./draft.ts";
import { insertItem, insertNamed, newHeader } from "./insert.ts";
import { depthOf, piecesOf } from "./pieces.ts";
import { isTableList, renderInline, renderValue } from "./render.ts";
import { lineStyle } from "./style.ts";
import { ArrayNode, type ContainerNode, ScalarNode, TableArrayNode, TableNode, type TomlNode } from "./tree.ts";

export function editToml(root: TableNode, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => {
    const draft = new TomlDraft(root);
    // What goes is known before what comes: an insertion may take the place of a removal.
    for (const edit of edits) if (edit.kind === "remove") remove(draft, root, edit);
    for (const edit of edits) if (edit.kind === "clear") clear(draft, root, edit);
    for (const [i, edit] of edits.entries()) {
      if (edit.kind !== "set") continue;
      const { at, value, trace, text, beside = [] } = edit;
      setNode(draft, nodeAt(root, at), value, { edit: i, trace, beside, text });
    }
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

function remove(draft: TomlDraft, root: TableNode, { at, trace }: RemoveEdit): void {
  const node = nodeAt(root, at);
  if (node === root) throw new Fault("the whole document can't be removed, only what it holds", 0);
  removeNode(draft, node, trace);
}

function insert(draft: TomlDraft, root: TableNode, edit: InsertEdit, position: number): void {
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
  if (node === root && root.children.size === 0 && draft.source.sections[0]!.comments.length === 0)
    draft.inners.set(position, draft.source.text.slice(firstLine(draft.source.text)));
}

function clear(draft: TomlDraft, root: TableNode, { at, inner }: ClearEdit): void {
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

/** The edit that a change belongs to, and what was remembered of its entry. */
interface WholeEdit {
  readonly edit: number | undefined;
  readonly trace: Trace | undefined;
  readonly beside: readonly Trace[];
  readonly text?: string | undefined;
}

const partOfAnother: WholeEdit = { edit: undefined, trace: undefined, beside: [] };

/** Makes a node hold another value. Where both are maps or lists, only what differs is touched. */
function setNode(draft: TomlDraft, node: TomlNode, value: Value, whole: WholeEdit = partOfAnother): void {
  if (equalValues(node.value(), value)) return;
  const inPlace = node.pair !== undefined || node.parent instanceof ArrayNode;
  if (whole.text !== undefined && inPlace && node.ranges.length === 1) {
    draft.splices.replace(node.ranges[0]!, whole.text);
    return;
  }
  if (node.kind === "map" && isMap(value)) setFields(draft, node, value);
  else if (node.kind === "list" && isList(value) && (node instanceof ArrayNode || isTableList(value)))
    setItems(draft, node, value);
  else if (inPlace) replaceLeaf(draft, node, value);
  else replacePieces(draft, node, value, whole);
}

function setFields(draft: TomlDraft, table: TableNode, value: Value & object): void {
  const next = value as Record<string, Value>;
  for (const [name, child] of table.children) {
    if (Object.hasOwn(next, name)) setNode(draft, child, next[name]!);
    else removeNode(draft, child, undefined);
  }
  for (const name of Object.keys(next)) {
    if (!table.children.has(name))
      insertNamed(draft, table, name, { value: next[name]!, place: "end", edit: undefined, beside: [] });
  }
}

/** Equal items at both ends stay. Those between are changed one by one; the rest comes or goes behind them. */
function setItems(draft: TomlDraft, list: ArrayNode | TableArrayNode, value: readonly Value[]): void {
  const items = list.elements;
  const shorter = Math.min(items.length, value.length);
  let head = 0;
  while (head < shorter && equalValues(items[head]!.value(), value[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equalValues(items[items.length - 1 - tail]!.value(), value[value.length - 1 - tail]))
    tail++;
  const common = shorter - tail;
  for (let i = head; i < common; i++) setNode(draft, items[i]!, value[i]!);
  for (let i = common; i < items.length - tail; i++) removeNode(draft, items[i]!, undefined);
  const place: InsertPlace = common > 0 ? { after: common - 1 } : tail > 0 ? { before: 0 } : "end";
  for (let i = common; i < value.length - tail; i++)
    insertItem(draft, list, { value: value[i]!, place, edit: undefined, beside: [] });
}

function replaceLeaf(draft: TomlDraft, node: TomlNode, value: Value): void {
  const style = lineStyle(draft.source, node.pair);
  const quote = node instanceof ScalarNode && node.text.startsWith("'") ? "'" : '"';
  const onLine = node.pair?.host.kind === "section";
  const text = onLine
    ? renderValue(value, { ...style, quote }).replaceAll("\n", style.eol)
    : renderInline(value, quote);
  draft.splices.replace(node.ranges[0]!, text);
}

/** A table in pieces can't become something else where it stands: it goes, and the new value comes as a new entry. */
function replacePieces(draft: TomlDraft, node: TomlNode, value: Value, { edit, trace, beside }: WholeEdit): void {
  const holder = node.parent;
  if (!(holder instanceof TableNode)) {
    const message =
      holder === undefined
        ? "the whole document can only be a table"
        : "an element with a [[header]] can only be a table";
    throw new Fault(message, node.ranges[0]?.start ?? 0);
  }
  removeNode(draft, node, trace);
  insertNamed(draft, holder, String(node.key), { value, place: { after: String(node.key) }, edit, beside });
}

function removeNode(draft: TomlDraft, node: TomlNode, trace: Trace | undefined): void {
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
function keepEmptiedContainers(draft: TomlDraft): void {
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
