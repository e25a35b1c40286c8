import type { Edit, Range } from "../format.ts";
import type { Section, TableNode } from "./tree.ts";

/** Runs of sections whose names begin with none that an edit has to do with. */
export function untouchedSections(root: TableNode, edits: readonly Edit[]): Range[] {
  const touched = new Set<string | number>();
  for (const edit of edits) {
    const first = edit.kind === "insert" ? [...edit.into, edit.name][0] : edit.at[0];
    if (first === undefined) return [];
    touched.add(first);
  }
  const beside = new Set(edits.map(neighbourOf));
  const runs: { start: number; end: number }[] = [];
  let apart = true;
  for (const section of root.source.sections) {
    const name = section.header?.keys[0]?.name;
    const isBeside = beside.has(name);
    if (name === undefined || touched.has(name)) apart = true;
    else {
      // Something may come between this section and the one before it.
      if (apart || isBeside) runs.push({ start: section.header!.start, end: contentEnd(section) });
      else runs.at(-1)!.end = contentEnd(section);
      apart = isBeside;
    }
  }
  return runs;
}

/** The top-level name that something new is to stand beside. */
function neighbourOf(edit: Edit): string | number | undefined {
  if (edit.kind !== "insert" || edit.into.length > 0 || edit.place === "end") return undefined;
  return "after" in edit.place ? edit.place.after : edit.place.before;
}

/** Blank lines and comments below belong to nobody in particular: they may go with a neighbour. */
function contentEnd(section: Section): number {
  return section.pairs.at(-1)?.end ?? section.header!.end;
}
