import { addTo, getOrMake } from "../../core/lists.ts";
import { mapOf, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import { Fault, orFault } from "../fault.ts";
import {
  type Document,
  documentOf,
  type EditResult,
  emptyNode,
  type Malformed,
  type Node,
  type Path,
  type Range,
  type ReadResult,
} from "../format.ts";
import { tooLong, tooMany } from "../limits.ts";
import { firstLine, lineEnd, nextLine } from "../lines.ts";

/** Formats whose entries are lines, `.env` and INI: a name and a text in each, maybe below the header of a section. */

/** A line, or the several lines of an entry whose value goes on. */
export interface Line<Entry extends LineEntry> {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
  /** With it; where more stands in the same line, there is none. */
  readonly next: number;
  readonly content: LineContent<Entry>;
}

export type LineContent<Entry extends LineEntry> =
  | { readonly kind: "blank" }
  | { readonly kind: "comment" }
  /** Nothing of ours: left alone. */
  | { readonly kind: "foreign" }
  | { readonly kind: "section"; readonly name: string }
  | ({ readonly kind: "entry" } & Entry);

export interface LineEntry {
  readonly name: string;
  readonly value: string;
  /** Name and value. */
  readonly range: Range;
  /** With its quotes. */
  readonly valueRange: Range;
  /** Where a comment behind the value begins; undefined if there is none. */
  readonly commentStart: number | undefined;
}

export interface Section {
  /** Undefined for what stands before the first header. */
  readonly name: string | undefined;
  /** The lines of its headers, in order. */
  readonly headers: number[];
  /** By name, as `Folding` has it, the lines it stands in, in order: the last one counts. */
  readonly entries: Map<string, number[]>;
  /** Lines with a comment. */
  readonly commented: number[];
}

/** One spelling for all that a program takes for the same name. */
export interface Folding {
  section(name: string): string;
  entry(name: string): string;
}

const exactly: Folding = { section: (name) => name, entry: (name) => name };

export interface LineSource<Entry extends LineEntry> {
  readonly text: string;
  readonly folding: Folding;
  /** The line break of the first line, for everything written new. */
  readonly eol: "\r\n" | "\n";
  readonly lines: readonly Line<Entry>[];
  /** The part before the first header, then one for each name: a section may be written in several pieces. */
  readonly sections: readonly [Section, ...Section[]];
}

export type LineScanner<Entry extends LineEntry> = (text: string, start: number) => Scanned<Entry>;

interface Scanned<Entry extends LineEntry> {
  readonly content: LineContent<Entry>;
  /** Where that ends: in this line, or in a later one. */
  readonly end: number;
  /** Where more stands in the same line; that counts as a line of its own. */
  readonly rest?: number | undefined;
}

export interface LinedFormat<Entry extends LineEntry> {
  readonly name: "dotenv" | "ini";
  /** What such a file holds, in words. */
  readonly holds: string;
  readonly scan: LineScanner<Entry>;
  /** As written, unless said otherwise. */
  readonly folding?: Folding;
  edit(source: LineSource<Entry>, edits: Parameters<Document["edit"]>[0]): EditResult;
  written?(source: LineSource<Entry>, name: string): string | undefined;
  /** Why the whole says something that can't be told as names and texts. */
  unsaid?(source: LineSource<Entry>): Malformed | undefined;
  /** Why a name must not be changed, or not be taken out; all its entries are given, the one that counts last. */
  locked(all: readonly Entry[]): string | undefined;
  fixed?(all: readonly Entry[]): string | undefined;
}

export function readLined<Entry extends LineEntry>(text: string, format: LinedFormat<Entry>): ReadResult {
  const refused = tooLong(text, format.holds) ?? tooMany(text, format.name);
  if (refused !== undefined) return refused;
  const source = lineSource(text, format.scan, format.folding);
  if ("message" in source) return source;
  const root = rootNode(source, format);
  return documentOf(text, root, (edits) => format.edit(source, edits), {
    written: (name) => format.written?.(source, name),
    meaning: () => format.unsaid?.(source) ?? { kind: "value", value: root.value() },
  });
}

/** Whether a section is written in several pieces, or has a name more than once. */
export function repeatsNames<Entry extends LineEntry>(text: string, format: LinedFormat<Entry>): boolean {
  const source = lineSource(text, format.scan, format.folding);
  if ("message" in source) return false;
  return source.sections.some(
    ({ headers, entries }) => headers.length > 1 || [...entries.values()].some((lines) => lines.length > 1),
  );
}

export function lineSource<Entry extends LineEntry>(
  text: string,
  scan: LineScanner<Entry>,
  folding: Folding = exactly,
): LineSource<Entry> | Malformed {
  return orFault("malformed", () => {
    const lines = linesOf(text, scan);
    return { text, folding, eol: lineBreakAt(text), lines, sections: sectionsOf(lines, folding) };
  });
}

function linesOf<Entry extends LineEntry>(text: string, scan: LineScanner<Entry>): Line<Entry>[] {
  const odd = /\r(?!\n)|[\u2028\u2029\0]/.exec(text);
  if (odd) throw new Fault("a character that only some programs take for a line break; remove it", odd.index);
  const lines: Line<Entry>[] = [];
  for (let start = firstLine(text); start < text.length; ) {
    const { content, end, rest } = scan(text, start);
    const next = rest ?? nextLine(text, end);
    lines.push({ start, end: rest ?? lineEnd(text, end), next, content });
    start = next;
  }
  return lines;
}

function sectionsOf(lines: readonly Line<LineEntry>[], folding: Folding): [Section, ...Section[]] {
  const preamble = newSection(undefined);
  const sections = new Map<string, Section>();
  let at = preamble;
  lines.forEach(({ content }, i) => {
    if (content.kind === "section") {
      // Comments right above a header are about it, and in no section.
      for (let above = i - 1; above >= 0 && lines[above]!.content.kind === "comment"; above--) {
        if (at.commented.at(-1) === above) preamble.commented.push(at.commented.pop()!);
      }
      const name = folding.section(content.name);
      at = sections.get(name) ?? newSection(content.name);
      sections.set(name, at);
      at.headers.push(i);
    } else if (content.kind === "entry") addTo(at.entries, folding.entry(content.name), i);
    if (content.kind === "comment" || (content.kind === "entry" && content.commentStart !== undefined))
      at.commented.push(i);
  });
  for (const name of preamble.entries.keys())
    if (sections.has(name)) throw new Fault(`${name} is both a name and a section`);
  return [preamble, ...sections.values()];
}

function newSection(name: string | undefined): Section {
  return { name, headers: [], entries: new Map(), commented: [] };
}

export function entryAt<Entry extends LineEntry>({ lines }: LineSource<Entry>, line: number): Entry {
  const { content } = lines[line]!;
  if (content.kind !== "entry") throw new Error(`line ${line} holds no entry`);
  return content;
}

function rootNode<Entry extends LineEntry>(source: LineSource<Entry>, format: LinedFormat<Entry>): Node {
  const [preamble, ...sections] = source.sections;
  const whole = { start: firstLine(source.text), end: source.text.length };
  const { folding } = source;
  const byName = new Map(sections.map((section) => [folding.section(section.name!), section]));
  // Where a section ends is looked for once, however many of its entries are asked for.
  const nodes = new Map<Section, Node>();
  return mapNode(
    [whole],
    () => [...namesIn(source, preamble), ...sections.map((section) => section.name!)],
    (name) => {
      const section = byName.get(folding.section(name));
      if (section === undefined) return entryNode(source, preamble, name, format);
      return getOrMake(nodes, section, () => sectionNode(source, section, format));
    },
    (name) => byName.get(folding.section(name))?.name ?? spellingIn(source, preamble, name),
    () => source.sections.flatMap(({ commented, name }) => commented.map(() => (name === undefined ? [] : [name]))),
  );
}

function sectionNode<Entry extends LineEntry>(
  source: LineSource<Entry>,
  section: Section,
  format: LinedFormat<Entry>,
): Node {
  return mapNode(
    section.headers.map((header) => pieceRange(source, header)),
    () => namesIn(source, section),
    (name) => entryNode(source, section, name, format),
    (name) => spellingIn(source, section, name),
    () => section.commented.map(() => []),
  );
}

/** As they are spelt where they stand first. */
export function namesIn<Entry extends LineEntry>(source: LineSource<Entry>, { entries }: Section): string[] {
  return [...entries.values()].map(([first]) => entryAt(source, first!).name);
}

function spellingIn<Entry extends LineEntry>(source: LineSource<Entry>, { entries }: Section, name: string): string {
  const first = entries.get(source.folding.entry(name))?.[0];
  return first === undefined ? name : entryAt(source, first).name;
}

/** From a header to the last entry below it. */
function pieceRange({ lines }: LineSource<LineEntry>, header: number): Range {
  let last = header;
  for (let i = header + 1; i < lines.length && lines[i]!.content.kind !== "section"; i++)
    if (lines[i]!.content.kind === "entry") last = i;
  return { start: lines[header]!.start, end: lines[last]!.end };
}

function mapNode(
  ranges: Range[],
  names: () => string[],
  get: (name: string) => Node | undefined,
  spelling: (name: string) => string,
  comments: () => Path[],
): Node {
  const value = () => mapOf(names().map((name): [string, Value] => [name, get(name)!.value()]));
  return { ...emptyNode, kind: "map", ranges, entryRanges: ranges, value, get, names, spelling, comments };
}

/** The last of a name's lines counts. */
function entryNode<Entry extends LineEntry>(
  source: LineSource<Entry>,
  { entries }: Section,
  name: string,
  format: LinedFormat<Entry>,
): Node | undefined {
  const all = entries.get(source.folding.entry(name))?.map((line) => entryAt(source, line));
  if (all === undefined) return undefined;
  const { value, range, valueRange } = all.at(-1)!;
  return {
    ...emptyNode,
    kind: "scalar",
    ranges: [valueRange],
    entryRanges: [range],
    value: () => value,
    locked: () => format.locked(all),
    fixed: () => format.fixed?.(all),
  };
}
