import type { Value } from "../../core/value.ts";
import type { InsertPlace, Trace } from "../format.ts";
import type { TomlDraft } from "./draft.ts";
import { insertElement, insertSections, insertTomlLines } from "./insert-lines.ts";
import { isInFlow, keyPrefix, piecesOf, siblingAt } from "./pieces.ts";
import { renderInline, renderKey } from "./render.ts";
import { formOf, lineStyle } from "./style.ts";
import { ArrayNode, type Flow, type Pair, ScalarNode, type TableArrayNode, type TableNode } from "./tree.ts";

/** A new name in a table, in the form its siblings have. */
export function insertNamed(draft: TomlDraft, table: TableNode, name: string, insertion: Insertion): void {
  draft.grown.add(table);
  if (isInFlow(table)) insertSlotPair(draft, table, name, insertion);
  else {
    const form = formOf(table, insertion.value, insertion.place);
    if (form === "sections") insertSections(draft, table, name, insertion);
    else insertTomlLines(draft, table, name, { ...insertion, form });
  }
}

/** A new item in a list. */
export function insertItem(draft: TomlDraft, list: ArrayNode | TableArrayNode, insertion: Insertion): void {
  draft.grown.add(list);
  if (list instanceof ArrayNode) insertSlotItem(draft, list, insertion);
  else insertElement(draft, list, insertion);
}

/** A new name in an inline table, or in a dotted one inside it. */
function insertSlotPair(draft: TomlDraft, table: TableNode, name: string, { value, place, edit }: Insertion): void {
  const flow = (table.flow ?? table.host) as Flow;
  const sibling = siblingAt(table, place);
  const near = sibling !== undefined ? piecesOf(sibling).pairs : table.flow !== undefined ? [] : piecesOf(table).pairs;
  const style = lineStyle(table.source, near.at(-1) ?? (flow.slots.at(-1) as Pair | undefined));
  const text = style.assign(keyPrefix(table) + renderKey(name)) + renderInline(value, style.quote);
  const before = sibling !== undefined && isBefore(place);
  const anchor = before ? near[0] : near.at(-1);
  const position = anchor === undefined ? flow.slots.length : flow.slots.indexOf(anchor) + (before ? 0 : 1);
  draft.flow(flow).insert(position, text, sibling === undefined || before ? "before" : "behind");
  rememberInner(draft, flow, edit);
}

/** A new item in an array. */
function insertSlotItem(draft: TomlDraft, list: ArrayNode, { value, place, edit }: Insertion): void {
  const sibling = siblingAt(list, place);
  const like = sibling ?? list.elements.at(-1);
  const quote = like instanceof ScalarNode && like.text.startsWith("'") ? "'" : '"';
  const position = sibling === undefined ? list.elements.length : (sibling.key as number);
  const behind = sibling !== undefined && !isBefore(place);
  draft.flow(list.flow).insert(position + (behind ? 1 : 0), renderInline(value, quote), behind ? "behind" : "before");
  rememberInner(draft, list.flow, edit);
}

/** An empty pair of brackets may have held blanks or comments: they are needed again when the last entry goes. */
function rememberInner(draft: TomlDraft, flow: Flow, edit: number | undefined): void {
  if (flow.slots.length > 0 || edit === undefined) return;
  const inner = draft.source.text.slice(flow.start + 1, flow.end - 1);
  draft.inners.set(edit, inner);
  draft.traces.set(edit, { inner });
}

/**
 * Something new for a container. `edit`: the position of the edit it is for, undefined for what is part of another
 * change.
 */
export interface Insertion {
  readonly value: Value;
  readonly place: InsertPlace;
  readonly edit: number | undefined;
  /** Of what stands in the container already and was inserted, too. */
  readonly beside: readonly Trace[];
}

export function editsOf({ edit }: Insertion): number[] {
  return edit === undefined ? [] : [edit];
}

export function isBefore(place: InsertPlace): boolean {
  return place !== "end" && "before" in place;
}
