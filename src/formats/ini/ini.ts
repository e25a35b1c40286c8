import type { Format } from "../format.ts";
import { type LinedFormat, readLined } from "../lined/read.ts";
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
    edit: (source, edits) => editIni(source, dialect, edits),
    locked: severalValues,
  };
  return {
    name: "ini",
    empty: "",
    read: (text) => readLined(text, lined),
    readIndependently: (text) => readIniIndependently(text, dialect),
    abridging: undefined,
  };
}

export const ini: Format = iniFormat(dialects.plain);

function severalValues(all: readonly IniEntry[]): string | undefined {
  const { name, value } = all.at(-1)!;
  if (all.every((entry) => entry.value === value)) return undefined;
  return `${name} has several values here, which count as a list; change them by hand`;
}
