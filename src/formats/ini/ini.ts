import { mapOf, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { Format, Node, Path, Range, ReadResult } from "../format.ts";
import { tooLong, tooMany } from "../limits.ts";
import { type Dialect, dialects } from "./dialect.ts";
import { editIni, type IniSection, type IniSource } from "./edit.ts";
import { type IniEntry, type IniLine, scanIni } from "./scan.ts";
import { readIniIndependently } from "./second-reader.ts";

/** INI files: names and texts, most of them in sections. `dialect.ts` says what programs make of them. */
export function iniFormat(dialect: Dialect): Format {
  return {
    name: "ini",
    empty: "",
    read: (text) => readIni(text, dialect),
    readIndependently: (text) => readIniIndependently(text, dialect),
    abridging: undefined,
  };
}

export const ini: Format = iniFormat(dialects.plain);

function readIni(text: string, dialect: Dialect): ReadResult {
  const scan = tooLong(text, "settings") ?? tooMany(text, "ini") ?? scanIni(text, dialect);
  if (scan.kind === "malformed") return scan;
  const sections = sectionsOf(scan.lines);
  const clash = [...sections[0]!.entries.keys()].find((name) =>
    sections.slice(1).some((section) => section.name === name),
  );
  if (clash !== undefined) return { kind: "malformed", message: `${clash} is both a name and a section`, offset: 0 };
  const source: IniSource = {
    text,
    dialect,
    eol: lineBreakAt(text),
    lines: scan.lines,
    sections,
  };
  const root = rootNode(source);
  return {
    kind: "read",
    document: {
      text,
      root,
      edit: (edits) => editIni(source, edits),
      untouched: () => [],
      written: () => undefined,
      meaning: () => ({ kind: "value", value: root.value() }),
    },
  };
}

/** The part before the first header, then one for each name: a section may be written in several pieces. */
function sectionsOf(lines: readonly IniLine[]): IniSection[] {
  const sections = new Map<string | undefined, IniSection>([[undefined, newSection(undefined)]]);
  let at = sections.get(undefined)!;
  lines.forEach(({ content }, i) => {
    if (content.kind === "section") {
      // Comments right above a header are about it, and in no section.
      for (let above = i - 1; above >= 0 && lines[above]!.content.kind === "comment"; above--) {
        if (at.commented.at(-1) === above) sections.get(undefined)!.commented.push(at.commented.pop()!);
      }
      at = sections.get(content.name) ?? newSection(content.name);
      sections.set(content.name, at);
      at.headers.push(i);
    } else if (content.kind === "entry") at.entries.set(content.name, [...(at.entries.get(content.name) ?? []), i]);
    if (content.kind === "comment" || (content.kind === "entry" && content.commentStart !== undefined))
      at.commented.push(i);
  });
  return [...sections.values()];
}

function newSection(name: string | undefined): IniSection {
  return { name, headers: [], entries: new Map(), commented: [] };
}

function rootNode(source: IniSource): Node {
  const [preamble, ...sections] = source.sections;
  const whole = { start: source.text.startsWith("\ufeff") ? 1 : 0, end: source.text.length };
  const get = (name: string): Node | undefined => {
    const section = sections.find((each) => each.name === name);
    return section ? sectionNode(source, section) : entryNode(source, preamble!, name);
  };
  const names = () => [...preamble!.entries.keys(), ...sections.map((section) => section.name!)];
  return {
    ...container([whole], [whole], names, get),
    comments: () =>
      source.sections.flatMap(({ commented, name }) => commented.map((): Path => (name === undefined ? [] : [name]))),
  };
}

function sectionNode(source: IniSource, section: IniSection): Node {
  const pieces = section.headers.map((header) => pieceRange(source, header));
  return {
    ...container(
      pieces,
      pieces,
      () => [...section.entries.keys()],
      (name) => entryNode(source, section, name),
    ),
    comments: () => section.commented.map(() => []),
  };
}

/** From a header to the last entry below it. */
function pieceRange({ lines }: IniSource, header: number): Range {
  let last = header;
  for (let i = header + 1; i < lines.length && lines[i]!.content.kind !== "section"; i++)
    if (lines[i]!.content.kind === "entry") last = i;
  return { start: lines[header]!.start, end: lines[last]!.end };
}

function container(
  ranges: Range[],
  entryRanges: Range[],
  names: () => string[],
  get: (name: string) => Node | undefined,
): Node {
  return {
    kind: "map",
    ranges,
    entryRanges,
    value: () => mapOf(names().map((name): [string, Value] => [name, get(name)!.value()])),
    get,
    names,
    items: () => [],
    comments: () => [],
    locked: () => undefined,
    fixed: () => undefined,
  };
}

/** The last of a name's lines counts. */
function entryNode({ lines }: IniSource, { entries }: IniSection, name: string): Node | undefined {
  const places = entries.get(name);
  if (places === undefined) return undefined;
  const all = places.map((place) => lines[place]!.content as IniEntry);
  const { value, range, valueRange } = all.at(-1)!;
  const several = all.some((each) => each.value !== value);
  return {
    kind: "scalar",
    ranges: [valueRange],
    entryRanges: [range],
    value: () => value,
    get: () => undefined,
    names: () => [],
    items: () => [],
    comments: () => [],
    locked: () => (several ? `${name} has several values here, which count as a list; change them by hand` : undefined),
    fixed: () => undefined,
  };
}
