import { getOrMake } from "../../core/lists.ts";
import { isMap, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { InsertPlace } from "../format.ts";
import { indentAt, nextLine } from "../lines.ts";
import { attachedStart, endOfSection, piecesOf, siblingAt } from "./pieces.ts";
import { isTableList, type TomlQuote } from "./render.ts";
import {
  ArrayNode,
  type Pair,
  ScalarNode,
  type Source,
  TableArrayNode,
  TableNode,
  type TomlNode,
  type TomlSection,
} from "./tree.ts";

/** How lines are written where something new comes: like those beside it. */
export interface LineStyle {
  readonly eol: "\n" | "\r\n";
  readonly indent: string;
  /** The line up to the value: `key = `, `key=`, or padded to the column of its neighbours. */
  readonly assign: (key: string) => string;
  readonly quote: TomlQuote;
}

export interface SectionStyle extends LineStyle {
  readonly headerIndent: string;
  /** No blank lines between sections. */
  readonly tight: boolean;
  /** A neighbour of the same kind: what is inline there is inline here. */
  readonly like: TomlNode | undefined;
}

/** Like a given pair, or plain where there is none. */
export function lineStyle(source: Source, like: Pair | undefined): LineStyle {
  const eol = lineBreakAt(source.text);
  if (like === undefined) return { eol, indent: "", assign: (key) => `${key} = `, quote: '"' };
  const quote: TomlQuote = like.value instanceof ScalarNode && like.value.text.startsWith("'") ? "'" : '"';
  const indent = like.host.kind === "section" ? indentAt(source.text, like.start) : "";
  return { eol, indent, assign: assignLike(source.text, like), quote };
}

function assignLike(text: string, like: Pair): (key: string) => string {
  const keyEnd = like.keys.at(-1)!.end;
  const equals = text.indexOf("=", keyEnd);
  const before = text.slice(keyEnd, equals);
  const after = text.slice(equals + 1, like.value.ranges[0]!.start);
  if (before.length <= 1) return (key) => `${key}${before}=${after}`;
  // More than one blank lines the equals signs up.
  const column = equals - like.start;
  return (key) => `${key.padEnd(column - 1)} =${after}`;
}

/** Like a sibling in sections, or like the section the new one comes to stand behind or before. */
export function sectionStyle(
  source: Source,
  like: TomlNode | undefined,
  beside: TomlSection | undefined,
): SectionStyle {
  const model =
    (like === undefined ? undefined : piecesOf(like).sections[0]) ??
    (beside?.header === undefined ? undefined : beside);
  const pair = model?.pairs[0] ?? source.sections.find((section) => section.pairs.length > 0)?.pairs[0];
  const line = lineStyle(source, pair);
  const headerIndent = model?.header === undefined ? "" : indentAt(source.text, model.header.start);
  const indent = model === undefined ? "" : model.pairs.length > 0 ? line.indent : headerIndent;
  return { ...line, indent, headerIndent, tight: isTight(source, beside), like };
}

/** Whether the sections around a place follow each other without a blank line. */
function isTight(source: Source, beside: TomlSection | undefined): boolean {
  if (beside === undefined) return false;
  const next = source.sections[beside.index + 1] ?? beside;
  if (next.header === undefined) return false;
  const before = source.sections[next.index - 1]!;
  const isEmpty = before.header === undefined && before.pairs.length === 0;
  return (
    !isEmpty && nextLine(source.text, endOfSection(source, before)) === attachedStart(source.text, next.header.start)
  );
}

/** The first line style that a table's own pairs suggest. */
export function styleOfTable(table: TableNode, near: Pair | undefined): LineStyle {
  const pairs = table.section?.pairs ?? piecesOf(table).pairs;
  return lineStyle(table.source, near ?? pairs.at(-1));
}

/** How a new entry of a table is written: `key = value`, dotted keys, or sections with headers. */
export type Form = "pair" | "dotted" | "sections";

/** Like its siblings, else like the table itself. What holds maps gets sections where that is possible. */
export function formOf(table: TableNode, value: Value, place: InsertPlace): Form {
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
export function similarSibling(table: TableNode, value: Value, place: InsertPlace): TomlNode | undefined {
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
  return getOrMake(lastKnown, table, () => {
    const children = [...table.children.values()];
    return { table: children.findLast(isTable), list: children.findLast(isListOfTables) };
  });
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
