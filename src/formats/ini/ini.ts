import type { Format, Malformed } from "../format.ts";
import { entryAt, type LinedFormat, type LineSource, readLined, repeatsNames } from "../lined/read.ts";
import { type Dialect, dialects } from "./dialect.ts";
import { editIni } from "./edit.ts";
import { type IniEntry, iniScanner } from "./read.ts";
import { readIniIndependently } from "./second-reader.ts";

/** INI files: names and texts, most of them in sections. `dialect.ts` says what programs make of them. */
export function iniFormat(dialect: Dialect): Format {
  const lined: LinedFormat<IniEntry> = {
    name: "ini",
    holds: "settings",
    scan: iniScanner(dialect),
    folding: dialect.folding,
    edit: (source, edits) => editIni(source, dialect, edits),
    unsaid,
    locked: (all) => severalValues(all) ?? innerComment(all),
  };
  return {
    name: "ini",
    empty: "",
    read: (text) => readLined(text, lined),
    readIndependently: (text) => readIniIndependently(text, dialect),
    repeats: (text) => repeatsNames(text, lined),
    abridging: undefined,
  };
}

export const ini: Format = iniFormat(dialects.plain);

/** A list is nothing that can be shipped entry by entry. */
function unsaid(source: LineSource<IniEntry>): Malformed | undefined {
  for (const { entries } of source.sections)
    for (const places of entries.values()) {
      const all = places.map((line) => entryAt(source, line));
      const { name, range } = all.at(-1)!;
      const message = `${name} has several values; ship such a list in a marked section (strategy: block)`;
      if (severalValues(all)) return { kind: "malformed", message, offset: range.start };
    }
  return undefined;
}

function severalValues(all: readonly IniEntry[]): string | undefined {
  const { name, value } = all.at(-1)!;
  if (all.every((entry) => entry.value === value)) return undefined;
  return `${name} has several values here, which count as a list; change them by hand`;
}

function innerComment(all: readonly IniEntry[]): string | undefined {
  const found = all.find(({ hasInnerComment }) => hasInnerComment);
  return found && `${found.name} has a comment between the lines of its value; change it by hand`;
}
