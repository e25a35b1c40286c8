import type { Place } from "../format.ts";
import type { Draft } from "./draft.ts";
import { editsOf, type Insertion, isBefore } from "./insertion.ts";
import { attachedStart, nextLine } from "./lines.ts";
import { endOfSection, piecesOf } from "./pieces.ts";
import { depthOf, headerPath, hostSection, keyPrefix, siblingAt } from "./position.ts";
import { renderKey } from "./render.ts";
import { renderDotted, renderPair } from "./render-lines.ts";
import { ranks } from "./splices.ts";
import { sectionStyle, styleOfTable } from "./style.ts";
import type { Pair, TableNode } from "./tree.ts";

/** `key = value` among the lines of a table's own section. */
export function insertLines(draft: Draft, table: TableNode, name: string, insertion: Insertion & { form: "pair" | "dotted" }): void {
  const style = styleOfTable(table, pairsAt(table, insertion.place).at(-1));
  const key = keyPrefix(table) + renderKey(name);
  const lines = insertion.form === "dotted" ? renderDotted(key, insertion.value, style) : renderPair(key, insertion.value, style);
  if (table.style === "implicit") {
    const header = newHeader(draft, table);
    header.lines.push(...lines);
    header.edits.push(...editsOf(insertion));
    return;
  }
  // Lines that come where ours go inherit the header that was made for those.
  const ownHeader = draft.hasOwnHeader(hostSection(table));
  const where = lineOffset(table, insertion.place);
  draft.chunks.add({ ...where, rank: ranks.line, lines, kind: "pairs", ownHeader, edits: editsOf(insertion) });
}

/** A header for a table that only exists by its sub-tables, in front of the first of these. */
export function newHeader(draft: Draft, table: TableNode) {
  return draft.chunks.header(table, () => {
    const { source } = table;
    const first = piecesOf(table).sections[0]!;
    const style = sectionStyle(source, undefined, source.sections[first.index - 1]);
    return {
      at: attachedStart(source.text, first.header!.start),
      rank: ranks.sectionBefore(depthOf(table)),
      lines: [`${style.headerIndent}[${headerPath(table)}]`],
      kind: "sections",
      spaced: !style.tight,
      ownHeader: true,
      edits: [],
    };
  });
}

function lineOffset(table: TableNode, place: Place): { at: number; spaced: boolean } {
  const { source } = table;
  const { text, sections } = source;
  const near = pairsAt(table, place);
  if (near.length > 0 && isBefore(place)) return { at: attachedStart(text, near[0]!.start), spaced: false };
  const section = hostSection(table);
  const last = near.at(-1) ?? (table.style === "dotted" ? piecesOf(table).pairs.at(-1) : section.pairs.at(-1));
  if (last !== undefined) return { at: nextLine(text, last.end), spaced: false };
  if (section.header !== undefined) return { at: nextLine(text, endOfSection(source, section)), spaced: false };
  // The first pair of the root stands alone: away from comments above it and headers below.
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
