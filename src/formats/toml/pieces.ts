import type { InsertPlace, Range } from "../format.ts";
import { firstLine, lineEnd, lineStart, nextLine, skipBlanks } from "../lines.ts";
import { renderKey } from "./render.ts";
import type { ContainerNode, Pair, Source, TableArrayNode, TableNode, TomlNode, TomlSection } from "./tree.ts";

/** What a table in pieces consists of: whole sections, and pairs that stand in somebody else's (dotted keys). */
export interface Pieces {
  /** In the order of the text. */
  readonly sections: readonly TomlSection[];
  readonly pairs: readonly Pair[];
}

const known = new WeakMap<TomlNode, Pieces>();

export function piecesOf(node: TomlNode): Pieces {
  let pieces = known.get(node);
  if (pieces === undefined) {
    pieces = gather(node);
    known.set(node, pieces);
  }
  return pieces;
}

function gather(node: TomlNode): Pieces {
  const sections: TomlSection[] = [];
  const pairs: Pair[] = [];
  collect(node, sections, pairs);
  sections.sort((a, b) => a.index - b.index);
  pairs.sort((a, b) => a.start - b.start);
  return { sections, pairs };
}

function collect(node: TomlNode, sections: TomlSection[], pairs: Pair[]): void {
  if (node.pair !== undefined) pairs.push(node.pair);
  else if (node.kind === "list") for (const element of node.elements) collect(element, sections, pairs);
  else if (node.kind === "map") {
    if (node.section !== undefined) sections.push(node.section);
    for (const child of node.children.values()) {
      // A pair in the table's own lines goes with its section.
      if (child.pair === undefined || child.pair.host !== node.section) collectChild(node, child, sections, pairs);
    }
  }
}

/** Dotted tables inside a section are part of it, but sections may still hang below them. */
function collectChild(node: TableNode, child: TomlNode, sections: TomlSection[], pairs: Pair[]): void {
  const inOwnLines: Pair[] = [];
  collect(child, sections, inOwnLines);
  for (const pair of inOwnLines) if (pair.host !== node.section) pairs.push(pair);
}

/** Sections that follow each other count as one range, with what stands between them. */
export function rangesOfPieces(node: TableNode | TableArrayNode): readonly Range[] {
  const { source } = node;
  if (node.kind === "map" && node.style === "root") return [{ start: firstLine(source.text), end: source.text.length }];
  const { sections, pairs } = piecesOf(node);
  const ranges = [...sectionRuns(source, sections), ...pairs.map(({ start, end }) => ({ start, end }))];
  return ranges.sort((a, b) => a.start - b.start);
}

export function sectionRuns(source: Source, sections: readonly TomlSection[]): Range[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const section of sections) {
    const end = endOfSection(source, section);
    const run = runs.at(-1);
    if (run !== undefined && run.last === section.index - 1) Object.assign(run, { end, last: section.index });
    else runs.push({ start: section.header?.start ?? firstLine(source.text), end, last: section.index });
  }
  return runs.map(({ start, end }) => ({ start, end }));
}

export function endOfSection(source: Source, section: TomlSection): number {
  return sectionEnd(source.text, section, source.sections[section.index + 1]);
}

/** Where a node stands among the others. */

/** The sibling that a place names, if it exists. */
export function siblingAt(container: ContainerNode, place: InsertPlace): TomlNode | undefined {
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

/** The section of a table's own pairs. Implicit tables have none, nor has what stands between braces. */
export function hostSection(table: TableNode): TomlSection {
  const host = table.section ?? table.host;
  if (host?.kind !== "section") throw new Error("this table has no lines of its own");
  return host;
}

export function isCommentLine(text: string, start: number): boolean {
  return text[skipBlanks(text, start)] === "#";
}

/** The first of the comment lines right above a line, which belong to it, or the line itself. */
export function attachedStart(text: string, at: number): number {
  let start = lineStart(text, at);
  while (start > firstLine(text)) {
    const above = lineStart(text, start - 1);
    if (!isCommentLine(text, above)) break;
    start = above;
  }
  return start;
}

/**
 * Where a section ends: behind its last line and the comments that follow it, unless these touch the next header from
 * above and belong to that.
 */
export function sectionEnd(text: string, section: TomlSection, next: TomlSection | undefined): number {
  const last = section.pairs.at(-1)?.end ?? section.header?.end ?? firstLine(text);
  if (last === firstLine(text) && section.header === undefined) return last;
  let end = lineEnd(text, last);
  let line = nextLine(text, last);
  while (line < text.length && isCommentLine(text, line)) {
    end = lineEnd(text, line);
    line = nextLine(text, line);
  }
  const header = next?.header;
  return header !== undefined && lineStart(text, header.start) === line ? lineEnd(text, last) : end;
}
