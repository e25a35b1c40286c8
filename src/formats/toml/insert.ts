import { isMap, type Value } from "../../core/value.ts";
import type { Place } from "../format.ts";
import type { Draft } from "./draft.ts";
import { attachedStart, nextLine } from "./lines.ts";
import { endOfSection, piecesOf } from "./pieces.ts";
import { depthOf, headerPath, isInFlow, keyPrefix, siblingAt } from "./position.ts";
import { Refusal } from "./refusal.ts";
import { renderInline, renderKey } from "./render.ts";
import { renderBelow, renderDotted, renderPair, renderSection } from "./render-lines.ts";
import { formOf, similarSibling } from "./similar.ts";
import { ranks } from "./splices.ts";
import { lineStyle, sectionStyle, styleOfTable } from "./style.ts";
import { ArrayNode, type Flow, type Pair, ScalarNode, type Section, type TableArrayNode, type TableNode, type TomlNode } from "./tree.ts";

/** Something new for a container. `edit`: the position of the edit it is for, undefined for what only keeps a container alive. */
export interface Insertion {
  readonly value: Value;
  readonly place: Place;
  readonly edit: number | undefined;
}

export function insertNamed(draft: Draft, table: TableNode, name: string, insertion: Insertion): void {
  draft.grown.add(table);
  if (isInFlow(table)) return insertSlotPair(draft, table, name, insertion);
  const form = formOf(table, insertion.value, insertion.place);
  if (form === "sections") return insertSections(draft, table, name, insertion);
  const style = styleOfTable(table, pairsAt(table, insertion.place).at(-1));
  const key = keyPrefix(table) + renderKey(name);
  const lines = form === "dotted" ? renderDotted(key, insertion.value, style) : renderPair(key, insertion.value, style);
  if (table.style === "implicit") return insertBelowNewHeader(draft, table, lines, insertion.edit);
  const { at, spaced } = lineOffset(table, insertion.place);
  const { edit } = insertion;
  const ownHeader = [...draft.removedPairsOf(hostSection(table)).values()].some((trace) => trace?.header === 1);
  draft.chunks.add({ at, rank: ranks.line, lines, kind: "pairs", spaced, ownHeader, edits: edit === undefined ? [] : [edit] });
}

export function insertItem(draft: Draft, list: ArrayNode | TableArrayNode, insertion: Insertion): void {
  draft.grown.add(list);
  if (list instanceof ArrayNode) insertSlotItem(draft, list, insertion);
  else insertElement(draft, list, insertion);
}

/** A header for a table that only exists by its sub-tables, in front of the first of these. */
export function insertBelowNewHeader(draft: Draft, table: TableNode, lines: readonly string[], edit: number | undefined): void {
  const { source } = table;
  const chunk = draft.chunks.header(table, () => {
    const first = piecesOf(table).sections[0]!;
    const style = sectionStyle(source, undefined, source.sections[first.index - 1]);
    const at = attachedStart(source.text, first.header!.start);
    const lines = [`[${headerPath(table)}]`];
    return { at, rank: ranks.sectionBefore(depthOf(table)), lines, kind: "sections", spaced: !style.tight, ownHeader: true, edits: [] };
  });
  chunk.lines.push(...lines);
  if (edit !== undefined) chunk.edits.push(edit);
}

function insertSections(draft: Draft, table: TableNode, name: string, { value, place, edit }: Insertion): void {
  const { source } = table;
  const where = sectionOffset(table, siblingAt(table, place), place);
  const style = sectionStyle(source, similarSibling(table, value, place), where.beside);
  const prefix = headerPath(table);
  const lines = renderBelow(prefix === "" ? renderKey(name) : `${prefix}.${renderKey(name)}`, value, style);
  const { at, rank } = where;
  draft.chunks.add({ at, rank, lines, kind: "sections", spaced: !style.tight, ownHeader: false, edits: edit === undefined ? [] : [edit] });
}

function insertElement(draft: Draft, list: TableArrayNode, { value, place, edit }: Insertion): void {
  const first = list.elements[0]!;
  if (!isMap(value)) throw new Refusal(`a list written as [[${headerPath(first)}]] can only hold tables`, first.section!.header!.start);
  const sibling = siblingAt(list, place);
  const { at, rank, beside } = sectionOffset(list, sibling, place);
  const style = sectionStyle(list.source, sibling ?? list.elements.at(-1), beside);
  const lines = renderSection(headerPath(first), value, "element", style);
  draft.chunks.add({ at, rank, lines, kind: "sections", spaced: !style.tight, ownHeader: false, edits: edit === undefined ? [] : [edit] });
}

/** Where sections come in a container: beside those of a sibling, or behind all it has. */
function sectionOffset(container: TableNode | TableArrayNode, sibling: TomlNode | undefined, place: Place) {
  const { source } = container;
  const depth = depthOf(container);
  const near = sibling === undefined ? [] : piecesOf(sibling).sections;
  if (near.length > 0 && place !== "end" && "before" in place) {
    const first = near[0]!;
    return { at: attachedStart(source.text, first.header!.start), rank: ranks.sectionBefore(depth), beside: source.sections[first.index - 1] };
  }
  const atEnd = near.length === 0;
  const isRoot = container.kind === "map" && container.style === "root";
  const beside = near.at(-1) ?? (isRoot ? source.sections.at(-1) : piecesOf(container).sections.at(-1)) ?? hostSection(container as TableNode);
  const at = atEnd && isRoot ? source.text.length : nextLine(source.text, endOfSection(source, beside));
  return { at, rank: ranks.sectionBehind(depth, atEnd), beside };
}

function lineOffset(table: TableNode, place: Place): { at: number; spaced: boolean } {
  const { source } = table;
  const { text, sections } = source;
  const near = pairsAt(table, place);
  if (near.length > 0 && place !== "end" && "before" in place) return { at: attachedStart(text, near[0]!.start), spaced: false };
  const section = hostSection(table);
  const last = near.at(-1) ?? (table.style === "dotted" ? piecesOf(table).pairs.at(-1) : section.pairs.at(-1));
  if (last !== undefined) return { at: nextLine(text, last.end), spaced: false };
  if (section.header !== undefined) return { at: nextLine(text, endOfSection(source, section)), spaced: false };
  const next = sections[1]?.header;
  return { at: next === undefined ? text.length : attachedStart(text, next.start), spaced: true };
}

/** The pairs of the sibling that a place names, as far as they stand in the table's own lines. */
function pairsAt(table: TableNode, place: Place): readonly Pair[] {
  const sibling = siblingAt(table, place);
  if (sibling === undefined || table.style === "implicit") return [];
  const section = hostSection(table);
  return piecesOf(sibling).pairs.filter((pair) => pair.host === section);
}

function hostSection(table: TableNode): Section {
  const host = table.section ?? table.host;
  if (host?.kind !== "section") throw new Error("this table has no lines of its own");
  return host;
}

function insertSlotPair(draft: Draft, table: TableNode, name: string, { value, place, edit }: Insertion): void {
  const flow = (table.flow ?? table.host) as Flow;
  const sibling = siblingAt(table, place);
  const near = sibling === undefined ? piecesOf(table).pairs : piecesOf(sibling).pairs;
  const style = lineStyle(table.source, near.at(-1) ?? (flow.slots.at(-1) as Pair | undefined));
  const text = style.assign(keyPrefix(table) + renderKey(name)) + renderInline(value, style.quote);
  const before = sibling !== undefined && place !== "end" && "before" in place;
  const anchor = before ? near[0] : near.at(-1);
  const position = anchor === undefined ? flow.slots.length : flow.slots.indexOf(anchor) + (before ? 0 : 1);
  draft.flow(flow).insert(position, text, sibling === undefined || before ? "before" : "behind");
  rememberInner(draft, flow, edit);
}

function insertSlotItem(draft: Draft, list: ArrayNode, { value, place, edit }: Insertion): void {
  const sibling = siblingAt(list, place);
  const like = sibling ?? list.elements.at(-1);
  const quote = like instanceof ScalarNode && like.text.startsWith("'") ? "'" : '"';
  const position = sibling === undefined ? list.elements.length : (sibling.key as number);
  const behind = sibling !== undefined && place !== "end" && "after" in place;
  draft.flow(list.flow).insert(position + (behind ? 1 : 0), renderInline(value, quote), behind ? "behind" : "before");
  rememberInner(draft, list.flow, edit);
}

/** An empty pair of brackets may have held blanks or comments: they are needed again when the last entry goes. */
function rememberInner(draft: Draft, flow: Flow, edit: number | undefined): void {
  if (flow.slots.length > 0 || edit === undefined) return;
  const inner = draft.source.text.slice(flow.start + 1, flow.end - 1);
  draft.inners.set(edit, inner);
  draft.traces.set(edit, { inner });
}
