import { equalValues, isList, isMap, type Value } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import type { Place, Trace } from "../format.ts";
import type { Draft } from "./draft.ts";
import { insertItem, insertNamed } from "./insert.ts";
import { removeNode } from "./remove.ts";
import { renderInline } from "./render.ts";
import { isTableList, renderValue } from "./render-lines.ts";
import { lineStyle } from "./style.ts";
import { ArrayNode, ScalarNode, type TableArrayNode, TableNode, type TomlNode } from "./tree.ts";

/** The edit of which a change is the whole, and what was remembered of the entry. */
interface WholeEdit {
  readonly edit: number | undefined;
  readonly trace: Trace | undefined;
  readonly beside: readonly Trace[];
  readonly text?: string | undefined;
}

const partOfAnother: WholeEdit = { edit: undefined, trace: undefined, beside: [] };

/** Makes a node hold another value. Where both are maps or lists, only what differs is touched. */
export function setNode(draft: Draft, node: TomlNode, value: Value, whole: WholeEdit = partOfAnother): void {
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

function setFields(draft: Draft, table: TableNode, value: Value & object): void {
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

/**
 * Items that are equal at both ends stay; those between are changed one by one, and the rest comes or goes behind them.
 */
function setItems(draft: Draft, list: ArrayNode | TableArrayNode, value: readonly Value[]): void {
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
  const place: Place = common > 0 ? { after: common - 1 } : tail > 0 ? { before: 0 } : "end";
  for (let i = common; i < value.length - tail; i++)
    insertItem(draft, list, { value: value[i]!, place, edit: undefined, beside: [] });
}

function replaceLeaf(draft: Draft, node: TomlNode, value: Value): void {
  const style = lineStyle(draft.source, node.pair);
  const quote = node instanceof ScalarNode && node.text.startsWith("'") ? "'" : '"';
  const onLine = node.pair?.host.kind === "section";
  const text = onLine
    ? renderValue(value, { ...style, quote }).replaceAll("\n", style.eol)
    : renderInline(value, quote);
  draft.splices.replace(node.ranges[0]!, text);
}

/**
 * A table in pieces can't turn into something else where it stands: it goes, and the new value comes as a new entry
 * would.
 */
function replacePieces(draft: Draft, node: TomlNode, value: Value, { edit, trace, beside }: WholeEdit): void {
  const holder = node.parent;
  if (!(holder instanceof TableNode)) {
    const message =
      holder === undefined
        ? "the whole document can only be a table"
        : "an element written with a [[header]] can only be a table";
    throw new Fault(message, node.ranges[0]?.start ?? 0);
  }
  removeNode(draft, node, trace);
  insertNamed(draft, holder, String(node.key), { value, place: { after: String(node.key) }, edit, beside });
}
