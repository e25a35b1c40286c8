import { isMap } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import type { Place } from "../format.ts";
import type { Draft } from "./draft.ts";
import { editsOf, type Insertion, isBefore } from "./insertion.ts";
import { attachedStart, nextLine } from "./lines.ts";
import { endOfSection, piecesOf } from "./pieces.ts";
import { depthOf, headerPath, hostSection, siblingAt } from "./position.ts";
import { renderKey } from "./render.ts";
import { renderBelow, renderSection } from "./render-lines.ts";
import { similarSibling } from "./similar.ts";
import { type Rank, ranks } from "./splices.ts";
import { sectionStyle } from "./style.ts";
import type { Section, TableArrayNode, TableNode, TomlNode } from "./tree.ts";

/** A map as `[table]`, or a list of maps as `[[elements]]`, below a table. */
export function insertSections(draft: Draft, table: TableNode, name: string, insertion: Insertion): void {
  const { value, place } = insertion;
  const { at, rank, beside } = sectionOffset(table, siblingAt(table, place), place);
  const style = sectionStyle(table.source, similarSibling(table, value, place), beside);
  const prefix = headerPath(table);
  const lines = renderBelow(prefix === "" ? renderKey(name) : `${prefix}.${renderKey(name)}`, value, style);
  draft.chunks.add({
    at,
    rank,
    lines,
    kind: "sections",
    spaced: !style.tight,
    ownHeader: false,
    edits: editsOf(insertion),
  });
}

/** One more `[[element]]` of a list. */
export function insertElement(draft: Draft, list: TableArrayNode, insertion: Insertion): void {
  const { value, place } = insertion;
  const first = list.elements[0]!;
  const path = headerPath(first);
  if (!isMap(value))
    throw new Fault(`a list written as [[${path}]] can only hold tables`, first.section!.header!.start);
  const sibling = siblingAt(list, place);
  const { at, rank, beside } = sectionOffset(list, sibling, place);
  const style = sectionStyle(list.source, sibling ?? list.elements.at(-1), beside);
  const lines = renderSection(path, value, "element", style);
  draft.chunks.add({
    at,
    rank,
    lines,
    kind: "sections",
    spaced: !style.tight,
    ownHeader: false,
    edits: editsOf(insertion),
  });
}

interface SectionOffset {
  readonly at: number;
  readonly rank: Rank;
  /** The section above the place. */
  readonly beside: Section | undefined;
}

/** Beside the sections of a sibling, or behind all that the container has. */
function sectionOffset(
  container: TableNode | TableArrayNode,
  sibling: TomlNode | undefined,
  place: Place,
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
