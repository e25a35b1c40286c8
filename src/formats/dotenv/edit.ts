import type { Edit, EditResult, InsertEdit, InsertPlace, Path } from "../format.ts";
import { type DotenvEntry, type DotenvLine, type DotenvQuote, scanDotenv } from "./scan.ts";
import {
  type CurrentSpelling,
  canKeep,
  currentSpelling,
  type DotenvSpelling,
  noSpelling,
  readValue,
  spellValue,
} from "./value.ts";

export interface DotenvSource {
  readonly text: string;
  /** The line break of the first line, for everything written new. */
  readonly eol: "\r\n" | "\n";
  readonly lines: readonly DotenvLine[];
  /** By name, the lines it stands in, in order: the last one counts. */
  readonly entries: ReadonlyMap<string, readonly number[]>;
}

type Refused = Extract<EditResult, { kind: "refused" }>;

/** What becomes of the lines; those not mentioned stay as they are. */
interface Changes {
  /** By line: its new text, without the line break; undefined where the line goes. */
  readonly rewritten: Map<number, string | undefined>;
  /**
   * New lines by the line they go in front of (the number of lines for the end): first those put behind the line above.
   */
  readonly behind: Map<number, string[]>;
  readonly before: Map<number, string[]>;
}

export function editDotenv(source: DotenvSource, edits: readonly Edit[]): EditResult {
  const changes: Changes = { rewritten: new Map(), behind: new Map(), before: new Map() };
  const added = new Set<string>();
  for (const edit of edits) {
    const refused =
      edit.kind === "insert" ? insertEntry(source, edit, changes, added) : changeEntry(source, edit, changes);
    if (refused) return refused;
  }
  const cleared = edits.find((edit) => edit.kind === "clear");
  const text = cleared ? cleared.inner : assemble(source, changes);
  return { kind: "edited", text, traces: new Map(), inners: new Map() };
}

function changeEntry(source: DotenvSource, edit: Exclude<Edit, InsertEdit>, changes: Changes): Refused | undefined {
  // Nothing but the root holds anything, and all of it goes.
  if (edit.kind === "clear") return undefined;
  const name = String(edit.at[0]);
  const places = source.entries.get(name);
  if (edit.at.length !== 1 || places === undefined) return refuse(`there is no entry ${describe(edit.at)}`, 0);
  return edit.kind === "set"
    ? setEntry(source, edit, places.at(-1)!, changes)
    : removeEntry(source, name, places, changes);
}

function setEntry(
  source: DotenvSource,
  edit: Edit & { kind: "set" },
  line: number,
  changes: Changes,
): Refused | undefined {
  const entry = entryAt(source, line);
  const { start, end } = source.lines[line]!;
  if (typeof edit.value !== "string")
    return refuse(`the value of ${entry.name} is not a text; dotenv knows nothing else`, entry.range.start);
  const current = currentSpelling(source.text.slice(entry.valueRange.start, entry.valueRange.end), entry.quote);
  const written = template(edit.written, entry.name, edit.value);
  const spelling: DotenvSpelling =
    edit.text === undefined ? spellAs(current, edit.value, written, source.eol) : { kind: "spelled", text: edit.text };
  if (spelling.kind === "impossible")
    return refuse(`can't write ${entry.name}: ${spelling.message}`, entry.valueRange.start);
  const { valueRange } = entry;
  changes.rewritten.set(
    line,
    source.text.slice(start, valueRange.start) + spelling.text + source.text.slice(valueRange.end, end),
  );
  return undefined;
}

/**
 * All lines of the name go: one left behind would come to life again. But a different value is somebody's, and theirs
 * to remove.
 */
function removeEntry(
  source: DotenvSource,
  name: string,
  places: readonly number[],
  changes: Changes,
): Refused | undefined {
  const values = places.map((line) => dotenvValueAt(source, line));
  const different = values.findIndex((value) => value !== values.at(-1));
  if (different !== -1) {
    const message = `${name} stands here too, with another value that would count once the last one is gone; remove one of them by hand`;
    return refuse(message, entryAt(source, places[different]!).range.start);
  }
  for (const line of places) changes.rewritten.set(line, withoutEntry(source, line));
  return undefined;
}

/** A comment behind the value is not ours to take: it stays, on a line of its own. */
function withoutEntry(source: DotenvSource, line: number): string | undefined {
  const { range, commentStart } = entryAt(source, line);
  const { start, end } = source.lines[line]!;
  return commentStart === undefined
    ? undefined
    : source.text.slice(start, range.start) + source.text.slice(commentStart, end);
}

function insertEntry(
  source: DotenvSource,
  edit: InsertEdit,
  changes: Changes,
  added: Set<string>,
): Refused | undefined {
  const { name, value, place } = edit;
  if (edit.into.length > 0 || name === undefined)
    return refuse(`there is no map ${describe(edit.into)}; dotenv has only names and texts`, 0);
  if (!/^[\w.-]+$/.test(name)) return refuse(`${JSON.stringify(name)} can't be a name in a dotenv file`, 0);
  if (source.entries.has(name) || added.has(name)) return refuse(`${name} is already there`, 0);
  if (typeof value !== "string") return refuse(`the value of ${name} is not a text; dotenv knows nothing else`, 0);
  const written = template(edit.written, name, value);
  const spelling = spellAs(undefined, value, written, source.eol);
  if (spelling.kind === "impossible") return refuse(`can't write ${name}: ${spelling.message}`, 0);
  const sibling = siblingLine(source, place);
  if (sibling === undefined) return refuse(`there is no entry to put ${name} beside`, 0);
  added.add(name);
  const exported =
    written?.exported || (source.lines[sibling]?.content.kind === "entry" && entryAt(source, sibling).exported);
  addLine(source, place, sibling, `${exported ? "export " : ""}${name}=${spelling.text}`, changes);
  return undefined;
}

interface Written {
  readonly exported: boolean;
  readonly quote: DotenvQuote;
  /** With the quotes. */
  readonly text: string;
}

/**
 * What a template's line says, if it is this name with this value: a user's value, or one with variables in it, is
 * spelt anew.
 */
function template(written: string | undefined, name: string, value: string): Written | undefined {
  const scan = written === undefined ? undefined : scanDotenv(written);
  const [line, ...others] = scan?.kind === "scanned" ? scan.lines : [];
  if (written === undefined || line?.content.kind !== "entry" || others.length > 0) return undefined;
  const { exported, quote, valueRange, name: ownName } = line.content;
  const text = written.slice(valueRange.start, valueRange.end);
  return ownName === name && readValue(text, quote) === value ? { exported, quote, text } : undefined;
}

/** As the template spells it, unless other quotes stand there now that can hold the value. */
function spellAs(
  current: CurrentSpelling | undefined,
  value: string,
  written: Written | undefined,
  eol: string,
): DotenvSpelling {
  const isKept = current !== undefined && current.quote !== written?.quote && canKeep(current, value);
  if (written === undefined || isKept) return spellValue(value, current ?? noSpelling, eol);
  return { kind: "spelled", text: written.text.replaceAll(/\r?\n/g, eol) };
}

/** The line of the sibling; for the end, the last one with something on it, or -1 in a file without. */
function siblingLine(source: DotenvSource, place: InsertPlace): number | undefined {
  if (place === "end") return source.lines.findLastIndex(({ content }) => content.kind !== "blank");
  return source.entries.get(String("after" in place ? place.after : place.before))?.at(-1);
}

function addLine(
  source: DotenvSource,
  place: InsertPlace,
  sibling: number,
  line: string,
  { behind, before }: Changes,
): void {
  if (place !== "end" && "before" in place) append(before, aboveComments(source, sibling), line);
  // In a file of blank lines only, the end is behind them.
  else append(behind, sibling === -1 ? source.lines.length : sibling + 1, line);
}

/**
 * Comments right above an entry are about it, also where they open the file. Only a `#!` has to stay in the first line.
 */
function aboveComments({ text, lines }: DotenvSource, line: number): number {
  let above = line;
  while (above > 0 && lines[above - 1]!.content.kind === "comment") above--;
  return above === 0 && line > 0 && text.startsWith("#!") ? 1 : above;
}

function append(groups: Map<number, string[]>, at: number, line: string): void {
  const group = groups.get(at);
  if (group === undefined) groups.set(at, [line]);
  else group.push(line);
}

/**
 * Lines with their breaks: kept ones have their own, new ones the file's. Whether the text ends in one stays as it was.
 */
function assemble(source: DotenvSource, { rewritten, behind, before }: Changes): string {
  const { text, lines, eol } = source;
  const parts: { readonly text: string; readonly eol: string }[] = [];
  for (let at = 0; at <= lines.length; at++) {
    for (const line of [...(behind.get(at) ?? []), ...(before.get(at) ?? [])]) parts.push({ text: line, eol });
    const line = lines[at];
    if (line === undefined) break;
    const content = rewritten.has(at) ? rewritten.get(at) : text.slice(line.start, line.end);
    if (content !== undefined) parts.push({ text: content, eol: text.slice(line.end, line.next) || eol });
  }
  const endsInBreak = lines.length === 0 || text.endsWith("\n");
  const body = parts
    .map((part, i) => (i === parts.length - 1 && !endsInBreak ? part.text : part.text + part.eol))
    .join("");
  return (text.startsWith("\ufeff") ? "\ufeff" : "") + body;
}

export function entryAt({ lines }: DotenvSource, line: number): DotenvEntry {
  const content = lines[line]!.content;
  if (content.kind !== "entry") throw new Error(`line ${line} holds no entry`);
  return content;
}

export function dotenvValueAt(source: DotenvSource, line: number): string {
  const { valueRange, quote } = entryAt(source, line);
  return readValue(source.text.slice(valueRange.start, valueRange.end), quote);
}

function describe(path: Path): string {
  return path.length === 0 ? "at the top" : path.join(".");
}

function refuse(message: string, offset: number): Refused {
  return { kind: "refused", message, offset };
}
