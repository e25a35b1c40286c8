import { pushAll } from "../../core/lists.ts";
import { isMap, type Value } from "../../core/value.ts";
import { behindBlock, findMarkers } from "../block/markers.ts";
import { Fault } from "../fault.ts";
import type { InsertPlace, Trace } from "../format.ts";
import { firstLine, lineStart, nextLine } from "../lines.ts";
import type { Rank } from "../splice.ts";
import type { TomlDraft } from "./draft.ts";
import { ranks } from "./line-changes.ts";
import {
  attachedStart,
  depthOf,
  endOfSection,
  headerPath,
  hostSection,
  isInFlow,
  keyPrefix,
  piecesOf,
  siblingAt,
} from "./pieces.ts";
import { renderBelow, renderDotted, renderInline, renderKey, renderPair, renderSection } from "./render.ts";
import { formOf, lineStyle, type SectionStyle, sectionStyle, similarSibling, styleOfTable } from "./style.ts";
import {
  ArrayNode,
  type Flow,
  type Pair,
  ScalarNode,
  type TableArrayNode,
  type TableNode,
  type TomlNode,
  type TomlSection,
} from "./tree.ts";

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

/** Something new for a container. `edit`: the position of its edit, undefined for a part of another change. */
interface Insertion {
  readonly value: Value;
  readonly place: InsertPlace;
  readonly edit: number | undefined;
  /** Of what stands in the container already and was inserted, too. */
  readonly beside: readonly Trace[];
}

function editsOf({ edit }: Insertion): number[] {
  return edit === undefined ? [] : [edit];
}

function isBefore(place: InsertPlace): boolean {
  return place !== "end" && "before" in place;
}

/** `key = value` among the lines of a table's own section. */
function insertTomlLines(
  draft: TomlDraft,
  table: TableNode,
  name: string,
  insertion: Insertion & { form: "pair" | "dotted" },
): void {
  const style = styleOfTable(table, pairsAt(table, insertion.place).at(-1));
  const key = keyPrefix(table) + renderKey(name);
  const lines =
    insertion.form === "dotted" ? renderDotted(key, insertion.value, style) : renderPair(key, insertion.value, style);
  if (table.style === "implicit" || isBareRoot(table)) {
    const place = table.style === "implicit" ? newHeader(draft, table) : newParagraph(draft, table);
    pushAll(place.lines, lines);
    pushAll(place.edits, editsOf(insertion));
    return;
  }
  // The header or gap that was made for other pairs of ours is for these too: the last to go takes it along.
  const section = hostSection(table);
  draft.extended.add(section);
  const ownHeader = draft.ownHeader(section, insertion.beside) ?? false;
  const at = lineOffset(table, insertion.place);
  draft.chunks.add({ at, rank: ranks.line, lines, spaced: false, ownHeader, edits: editsOf(insertion) });
}

/** A header for a table that has only sub-tables, in front of the first of them. */
export function newHeader(draft: TomlDraft, table: TableNode) {
  return draft.chunks.header(table, () => {
    const { source } = table;
    const first = piecesOf(table).sections[0]!;
    const style = sectionStyle(source, undefined, source.sections[first.index - 1]);
    return {
      at: attachedStart(source.text, first.header!.start),
      rank: ranks.sectionBefore(depthOf(table)),
      lines: [`${style.headerIndent}[${headerPath(table)}]`],
      spaced: !style.tight,
      ownHeader: true,
      edits: [],
    };
  });
}

function isBareRoot(table: TableNode): boolean {
  return table.style === "root" && hostSection(table).pairs.length === 0;
}

/** The first pairs of the root stand alone: away from comments above them and headers below. */
function newParagraph(draft: TomlDraft, root: TableNode) {
  return draft.chunks.header(root, () => {
    const { text, sections } = root.source;
    const next = sections[1]?.header;
    const above = next === undefined ? text.length : attachedStart(text, next.start);
    // A comment that opens the file is about the file, also above the first header; a block marker is not.
    const head = next === undefined ? "" : text.slice(firstLine(text), lineStart(text, next.start));
    const at = above === firstLine(text) && findMarkers(head).length === 0 ? above + head.length : above;
    return { at, rank: ranks.line, lines: [], spaced: true, ownHeader: true, edits: [] };
  });
}

function lineOffset(table: TableNode, place: InsertPlace): number {
  const { source } = table;
  const near = pairsAt(table, place);
  if (near.length > 0 && isBefore(place)) return attachedStart(source.text, near[0]!.start);
  const section = hostSection(table);
  const last = near.at(-1) ?? (table.style === "dotted" ? piecesOf(table).pairs.at(-1) : section.pairs.at(-1));
  return behindBlock(source.text, nextLine(source.text, last?.end ?? endOfSection(source, section)));
}

/** The pairs of the sibling that a place names, as far as they stand in the table's own lines. */
function pairsAt(table: TableNode, place: InsertPlace): readonly Pair[] {
  const sibling = siblingAt(table, place);
  if (sibling === undefined || table.style === "implicit") return [];
  const section = hostSection(table);
  return piecesOf(sibling).pairs.filter((pair) => pair.host === section);
}

/** A map as `[table]`, or a list of maps as `[[elements]]`, below a table. */
function insertSections(draft: TomlDraft, table: TableNode, name: string, insertion: Insertion): void {
  const { value, place } = insertion;
  const prefix = headerPath(table);
  const path = prefix === "" ? renderKey(name) : `${prefix}.${renderKey(name)}`;
  const like = similarSibling(table, value, place);
  addSections(draft, table, insertion, like, (style) => renderBelow(path, value, style));
}

/** One more `[[element]]` of a list. */
function insertElement(draft: TomlDraft, list: TableArrayNode, insertion: Insertion): void {
  const { value, place } = insertion;
  const first = list.elements[0]!;
  const path = headerPath(first);
  if (!isMap(value))
    throw new Fault(`a list written as [[${path}]] can only hold tables`, first.section!.header!.start);
  const like = siblingAt(list, place) ?? list.elements.at(-1);
  addSections(draft, list, insertion, like, (style) => renderSection(path, value, "element", style));
}

function addSections(
  draft: TomlDraft,
  container: TableNode | TableArrayNode,
  insertion: Insertion,
  like: TomlNode | undefined,
  render: (style: SectionStyle) => string[],
): void {
  const { at, rank, beside } = sectionOffset(container, siblingAt(container, insertion.place), insertion.place);
  const style = sectionStyle(container.source, like, beside);
  const edits = editsOf(insertion);
  draft.chunks.add({ at, rank, lines: render(style), spaced: !style.tight, ownHeader: false, edits });
}

interface SectionOffset {
  readonly at: number;
  readonly rank: Rank;
  /** The section above the place. */
  readonly beside: TomlSection | undefined;
}

/** Beside the sections of a sibling, or behind all that the container has. */
function sectionOffset(
  container: TableNode | TableArrayNode,
  sibling: TomlNode | undefined,
  place: InsertPlace,
): SectionOffset {
  const { source } = container;
  const near = sibling === undefined ? [] : piecesOf(sibling).sections;
  const first = near[0];
  if (first !== undefined && isBefore(place)) {
    const at = attachedStart(source.text, first.header!.start);
    return { at, rank: ranks.sectionBefore(depthOf(container)), beside: source.sections[first.index - 1] };
  }
  const rank = ranks.sectionBehind(depthOf(container), first === undefined);
  const last = near.at(-1);
  if (last === undefined && container.kind === "map" && container.style === "root") {
    return { at: source.text.length, rank, beside: source.sections.at(-1) };
  }
  const beside = last ?? piecesOf(container).sections.at(-1) ?? hostSection(container as TableNode);
  return { at: nextLine(source.text, endOfSection(source, beside)), rank, beside };
}
