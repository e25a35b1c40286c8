import { parse } from "smol-toml";
import { orFault } from "../fault.ts";
import { type Abridging, documentOf, type Edit, type Format, type Range, type ReadResult } from "../format.ts";
import { tooLong, tooMany } from "../limits.ts";
import { editToml } from "./edit.ts";
import { scan } from "./read.ts";
import type { TableNode, TomlSection } from "./tree.ts";

/**
 * Sections whose names begin differently know nothing of each other, so some can be read without the others. A section
 * of one pair stands in for a run of them. It must be read with this pair and no other: then a header followed, or
 * nothing.
 */
const abridging: Abridging = {
  standIn,

  sees(data, marks) {
    return isTable(data) && marks.every((mark) => isStandIn(data, mark));
  },

  readApart(parts, marks, texts, read) {
    // Each behind a stand-in: a part without a header would be read as more of that.
    const all = read(parts.map((part, i) => `${standIn(marks[i]!)}\n${part}\n`).join(""));
    if (!isTable(all) || !abridging.sees(all, marks)) return false;
    const isElsewhere = (text: unknown) =>
      isTable(text) && Object.keys(text).some((name) => Object.hasOwn(all, name) && !marks.includes(name));
    return !texts.some(isElsewhere);
  },
};

function standIn(mark: string): string {
  return `[${mark}]\nmark = "${mark}"`;
}

function isStandIn(data: object, mark: string): boolean {
  const table: unknown = Object.hasOwn(data, mark) ? (data as Record<string, unknown>)[mark] : undefined;
  return isTable(table) && Object.keys(table).length === 1 && "mark" in table && table.mark === mark;
}

function isTable(data: unknown): data is object {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

/** TOML. Reads 1.0 and 1.1, writes 1.0. An empty text is an empty table. */
export const toml: Format = {
  name: "toml",
  empty: "",
  read,
  readIndependently,
  // Such a text does not read.
  repeats: () => false,
  abridging,
};

function read(text: string): ReadResult {
  const refused = tooLong(text, "TOML") ?? tooMany(text, "toml");
  if (refused !== undefined) return refused;
  return orFault("malformed", () => {
    const root = scan(text);
    return documentOf(text, root, (edits) => editToml(root, edits), {
      untouched: (edits) => untouchedSections(root, edits),
    });
  });
}

/** Line breaks inside strings count as `\n` whatever the file uses, as in `read`. */
function readIndependently(text: string): unknown {
  return parse(text.replaceAll("\r\n", "\n"), { integersAsBigInt: "asNeeded" });
}

/** Runs of sections whose first names no edit mentions. */
function untouchedSections(root: TableNode, edits: readonly Edit[]): Range[] {
  const touched = new Set<string | number>();
  for (const edit of edits) {
    const first = edit.kind === "insert" ? [...edit.into, edit.name][0] : edit.at[0];
    if (first === undefined) return [];
    touched.add(first);
  }
  const beside = new Set(edits.map(neighbourOf));
  const runs: { readonly first: TomlSection; last: TomlSection }[] = [];
  let apart = true;
  for (const section of root.source.sections) {
    const name = section.header?.keys[0]?.name;
    const isBeside = beside.has(name);
    if (name === undefined || touched.has(name)) apart = true;
    else {
      // Something may come between this section and the one before it.
      if (apart || isBeside) runs.push({ first: section, last: section });
      else runs.at(-1)!.last = section;
      apart = isBeside;
    }
  }
  // Blank lines and comments below belong to nobody in particular: they may go with a neighbour.
  const endOf = (section: TomlSection) => section.pairs.at(-1)?.end ?? section.header!.end;
  return runs.map(({ first, last }) => ({ start: first.header!.start, end: endOf(last) }));
}

/** The top-level name that something new is to stand beside. */
function neighbourOf(edit: Edit): string | number | undefined {
  if (edit.kind !== "insert" || edit.into.length > 0 || edit.place === "end") return undefined;
  return "after" in edit.place ? edit.place.after : edit.place.before;
}
