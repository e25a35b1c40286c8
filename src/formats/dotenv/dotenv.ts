import { parse } from "dotenv";
import type { Format } from "../format.ts";
import { entryAt, type LinedFormat, type LineSource, readLined, repeatsNames } from "../lined/read.ts";
import { editDotenv } from "./edit.ts";
import { type DotenvEntry, scanDotenvLine } from "./read.ts";

/** `.env` files: a map of names to texts. `read.ts` says what counts as what. */
export const dotenv: Format = {
  name: "dotenv",
  empty: "",
  read: (text) => readLined(text, lined),
  // The package's default parser takes quadratic time for blank lines; its scanner reads the same in linear time.
  readIndependently: (text) => parse(text, { fast: true }),
  repeats: (text) => repeatsNames(text, lined),
  abridging: undefined,
};

const lined: LinedFormat<DotenvEntry> = {
  name: "dotenv",
  holds: "variables",
  scan: scanDotenvLine,
  edit: editDotenv,
  written: writtenAs,
  locked(all) {
    const { name, valueRange, commentStart } = all.at(-1)!;
    if (commentStart !== valueRange.end) return undefined;
    return `dotenv ends the value of ${name} at the #, but shells do not; quote the value, or put a space before the comment`;
  },
  fixed(all) {
    const { name, value } = all.at(-1)!;
    if (all.every((entry) => entry.value === value)) return undefined;
    return `${name} is set more than once, to different values; keep one of the lines`;
  },
};

/** Not with a colon: shells know no such assignment. */
function writtenAs(source: LineSource<DotenvEntry>, name: string): string | undefined {
  const line = source.sections[0].entries.get(name)?.at(-1);
  if (line === undefined) return undefined;
  const { range, valueRange } = entryAt(source, line);
  const isAssigned = source.text.slice(range.start, valueRange.start).trimEnd().endsWith("=");
  return isAssigned ? source.text.slice(range.start, range.end) : undefined;
}
