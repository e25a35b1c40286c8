import { parse } from "dotenv";
import { mapOf } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { Format, Node, ReadResult } from "../format.ts";
import { tooLong, tooMany } from "../limits.ts";
import { type DotenvSource, dotenvValueAt, editDotenv, entryAt } from "./edit.ts";
import { type DotenvLine, scanDotenv } from "./scan.ts";

/** `.env` files: a map of names to texts. `dotenv-scan.ts` says what counts as what. */
export const dotenv: Format = {
  name: "dotenv",
  empty: "",
  read: readDotenv,
  // The package's default parser takes quadratic time for blank lines; its scanner reads the same in linear time.
  readIndependently: (text) => parse(text, { fast: true }),
  abridging: undefined,
};

function readDotenv(text: string): ReadResult {
  const scan = tooLong(text, "variables") ?? tooMany(text, "dotenv") ?? scanDotenv(text);
  if (scan.kind === "malformed") return scan;
  const source: DotenvSource = { text, eol: lineBreakAt(text), lines: scan.lines, entries: entriesByName(scan.lines) };
  const root = rootNode(source);
  return {
    kind: "read",
    document: {
      text,
      root,
      edit: (edits) => editDotenv(source, edits),
      untouched: () => [],
      written: (name) => writtenAs(source, name),
      meaning: () => ({ kind: "value", value: root.value() }),
    },
  };
}

/** Not with a colon: shells know no such assignment. */
function writtenAs(source: DotenvSource, name: string): string | undefined {
  const line = source.entries.get(name)?.at(-1);
  if (line === undefined) return undefined;
  const { range, valueRange } = entryAt(source, line);
  const isAssigned = source.text.slice(range.start, valueRange.start).trimEnd().endsWith("=");
  return isAssigned ? source.text.slice(range.start, range.end) : undefined;
}

function entriesByName(lines: readonly DotenvLine[]): Map<string, number[]> {
  const entries = new Map<string, number[]>();
  for (const [at, { content }] of lines.entries()) {
    if (content.kind !== "entry") continue;
    const places = entries.get(content.name);
    if (places === undefined) entries.set(content.name, [at]);
    else places.push(at);
  }
  return entries;
}

function rootNode(source: DotenvSource): Node {
  const { text, entries } = source;
  const whole = { start: text.startsWith("\ufeff") ? 1 : 0, end: text.length };
  return {
    kind: "map",
    ranges: [whole],
    entryRanges: [whole],
    value: () => mapOf([...entries].map(([name, places]) => [name, dotenvValueAt(source, places.at(-1)!)])),
    get: (name) => {
      const places = entries.get(name);
      return places && entryNode(source, places);
    },
    names: () => [...entries.keys()],
    items: () => [],
    comments: () => source.lines.filter(hasComment).map(() => []),
    locked: () => undefined,
    fixed: () => undefined,
  };
}

function hasComment({ content }: DotenvLine): boolean {
  return content.kind === "comment" || (content.kind === "entry" && content.commentStart !== undefined);
}

/** The last of a name's lines counts. */
function entryNode(source: DotenvSource, places: readonly number[]): Node {
  const line = places.at(-1)!;
  const entry = entryAt(source, line);
  return {
    kind: "scalar",
    ranges: [entry.valueRange],
    entryRanges: [entry.range],
    value: () => dotenvValueAt(source, line),
    get: () => undefined,
    names: () => [],
    items: () => [],
    comments: () => [],
    locked: () => whyLocked(entry.name, entry.valueRange.end, entry.commentStart),
    fixed: () => {
      const differs = places.some((place) => dotenvValueAt(source, place) !== dotenvValueAt(source, line));
      return differs ? `${entry.name} is set more than once, to different values; keep one of the lines` : undefined;
    },
  };
}

function whyLocked(name: string, valueEnd: number, commentStart: number | undefined): string | undefined {
  if (commentStart !== valueEnd) return undefined;
  return `dotenv ends the value of ${name} at the #, shells do not; quote the value, or put a space before the comment`;
}
