import { getOrMake } from "../../core/lists.ts";
import { firstReached } from "../../core/search.ts";
import type { InsertPlace, Path, Range } from "../format.ts";
import { firstLine, lineEnd, lineStart, nextLine, skipBlanks } from "../lines.ts";
import { renderKey } from "./render.ts";
import type { Comment, ContainerNode, Pair, Source, TableArrayNode, TableNode, TomlNode, TomlSection } from "./tree.ts";

/** What a table in pieces consists of: whole sections, and pairs that stand in somebody else's (dotted keys). */
export interface Pieces {
  /** In the order of the text. */
  readonly sections: readonly TomlSection[];
  readonly pairs: readonly Pair[];
}

const known = new WeakMap<TomlNode, Pieces>();

export function piecesOf(node: TomlNode): Pieces {
  return getOrMake(known, node, () => {
    const [sections, pairs]: [TomlSection[], Pair[]] = [[], []];
    collect(node, sections, pairs);
    sections.sort((a, b) => a.index - b.index);
    pairs.sort((a, b) => a.start - b.start);
    return { sections, pairs };
  });
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

/**
 * Where a section ends: behind its last line and the comments that follow it, unless these touch the next header from
 * above and belong to that.
 */
export function endOfSection({ text, sections }: Source, section: TomlSection): number {
  const last = section.pairs.at(-1)?.end ?? section.header?.end ?? firstLine(text);
  if (last === firstLine(text) && section.header === undefined) return last;
  let end = lineEnd(text, last);
  let line = nextLine(text, last);
  while (line < text.length && isCommentLine(text, line)) {
    end = lineEnd(text, line);
    line = nextLine(text, line);
  }
  const header = sections[section.index + 1]?.header;
  return header !== undefined && lineStart(text, header.start) === line ? lineEnd(text, last) : end;
}

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

/** The name of a table in headers, spelt as in the first one that goes through it. Empty for the root. */
export function headerPath(table: TableNode): string {
  const names: string[] = [];
  for (let node: TomlNode | undefined = table; node !== undefined; node = node.parent) {
    if (typeof node.key === "string" && node.parent !== undefined) names.unshift(node.key);
  }
  const keys = piecesOf(table).sections.find((section) => section.header !== undefined)?.header?.keys;
  if (names.length === 0 || keys === undefined) return names.map(renderKey).join(".");
  return table.source.text.slice(keys[0]!.start, keys[names.length - 1]!.end);
}

/** The beginning of a dotted table's keys in their lines, spelt as in its first pair; empty for other tables. */
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

/** For each comment in a node, the path below it of the innermost container around the comment. */
export function commentsIn(node: Pick<TomlNode, "source" | "ranges">): readonly Path[] {
  const { sections } = node.source;
  const places: Path[] = [];
  for (const { start, end } of node.ranges) {
    for (let i = sectionAt(sections, start); i < sections.length && startOf(sections[i]!) < end; i++) {
      const { comments } = sections[i]!;
      let at = firstReached(comments.length, (each) => comments[each]!.start >= start);
      for (; at < comments.length && comments[at]!.start < end; at++) {
        const place = pathBelow(node, ownerOf(sections[i]!, comments[at]!));
        if (place !== undefined) places.push(place);
      }
    }
  }
  return places;
}

function pathBelow(top: unknown, inner: TomlNode | undefined): Path | undefined {
  const path: (string | number)[] = [];
  let node = inner;
  while (node !== undefined && node !== top) {
    path.unshift(node.key);
    node = node.parent;
  }
  return node === undefined ? undefined : path;
}

function ownerOf(section: TomlSection, comment: Comment): TomlNode | undefined {
  if (comment.within !== undefined) return comment.within;
  const { source } = section.table;
  if (comment.start < endOfSection(source, section)) return section.table;
  // Between two sections: whatever holds both.
  let node: TomlNode | undefined = source.sections[section.index + 1]?.table;
  while (node !== undefined && !node.ranges.some(({ start, end }) => start <= comment.start && comment.start < end))
    node = node.parent;
  return node ?? source.sections[0]!.table;
}

/** The section whose header stands last before an offset; the root's where there is none. */
function sectionAt(sections: readonly TomlSection[], at: number): number {
  return Math.max(0, firstReached(sections.length, (i) => startOf(sections[i]!) > at) - 1);
}

function startOf({ header }: TomlSection): number {
  return header?.start ?? 0;
}
