import type { Value } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import type { Edit, EditResult, InsertEdit, InsertPlace, Path, RemoveEdit, SetEdit } from "../format.ts";
import { LineChanges } from "../lined/edit.ts";
import { entryAt, type LineSource, lineSource } from "../lined/read.ts";
import { type DotenvEntry, type DotenvQuote, scanDotenvLine } from "./read.ts";

type Changes = LineChanges<DotenvEntry>;

export function editDotenv(source: LineSource<DotenvEntry>, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => {
    const changes: Changes = new LineChanges(source);
    const added = new Set<string>();
    for (const edit of edits) {
      if (edit.kind === "insert") insertEntry(changes, edit, added);
      else if (edit.kind === "set") setEntry(changes, edit);
      else if (edit.kind === "remove") removeEntry(changes, edit);
    }
    // Nothing but the root holds anything, and all of it goes.
    const cleared = edits.find((edit) => edit.kind === "clear");
    const result = changes.write();
    return cleared && result.kind === "edited" ? { ...result, text: cleared.inner } : result;
  });
}

function setEntry(changes: Changes, { at, value, written, text }: SetEdit): void {
  const { source } = changes;
  const line = placesOf(source, at).at(-1)!;
  const entry = entryAt(source, line);
  const wanted = textOf(entry.name, value, entry.range.start);
  const { quote, valueRange } = entry;
  const hasVariable = source.text.slice(valueRange.start, valueRange.end).includes("$");
  const current = { quote, expands: (quote === "" || quote === '"') && hasVariable };
  const template = templateOf(written, entry.name, wanted);
  changes.setValue(line, text ?? spell(entry, current, wanted, template, source.eol));
}

/** All lines of the name go, or another would count. One with a different value is left for a person to remove. */
function removeEntry(changes: Changes, { at }: RemoveEdit): void {
  const { source } = changes;
  const places = placesOf(source, at);
  const all = places.map((line) => entryAt(source, line));
  const { name, value } = all.at(-1)!;
  const different = all.find((entry) => entry.value !== value);
  if (different !== undefined) {
    const message = `${name} is set here too, to another value, which would count once the last one is gone; remove one of them by hand`;
    throw new Fault(message, different.range.start);
  }
  for (const line of places) changes.removeEntry(line);
}

function insertEntry(changes: Changes, { into, name, value, place, written }: InsertEdit, added: Set<string>): void {
  const { source } = changes;
  if (into.length > 0 || name === undefined)
    throw new Fault(`there is no map ${describe(into)}; dotenv has only names and texts`);
  if (!/^[\w.-]+$/.test(name)) throw new Fault(`${JSON.stringify(name)} can't be a name in a dotenv file`);
  if (source.sections[0].entries.has(name) || added.has(name)) throw new Fault(`${name} is already there`);
  const wanted = textOf(name, value, 0);
  const template = templateOf(written, name, wanted);
  const spelling = spell({ name, valueRange: { start: 0 } }, undefined, wanted, template, source.eol);
  const { at, rank, sibling } = placeOf(changes, name, place);
  added.add(name);
  const like = sibling === undefined ? undefined : source.lines[sibling]?.content;
  const exported = template?.exported || (like?.kind === "entry" && like.exported);
  changes.add(at, { rank, lines: [`${exported ? "export " : ""}${name}=${spelling}`] });
}

/** Beside the sibling; at the end, behind the last line with something on it, or behind all lines of a file without. */
function placeOf(
  changes: Changes,
  name: string,
  place: InsertPlace,
): { at: number; rank: "behind" | "before"; sibling: number | undefined } {
  const { sections, lines } = changes.source;
  if (place === "end") {
    const end = changes.textEnd();
    return { at: end === 0 ? lines.length : end, rank: "behind", sibling: end === 0 ? undefined : end - 1 };
  }
  const beside = changes.beside(sections[0], place);
  if (beside === undefined) throw new Fault(`there is no entry to put ${name} beside`);
  const sibling = sections[0].entries.get(String("after" in place ? place.after : place.before))!.at(-1)!;
  return { ...beside, sibling };
}

interface Template {
  readonly exported: boolean;
  readonly quote: DotenvQuote;
  /** With the quotes. */
  readonly text: string;
}

/** What a template's line says, if it has this name and this value. Any other value is spelt anew. */
function templateOf(written: string | undefined, name: string, value: string): Template | undefined {
  if (written === undefined) return undefined;
  const source = lineSource(written, scanDotenvLine);
  const [line, ...others] = "message" in source ? [] : source.lines;
  if (line?.content.kind !== "entry" || others.length > 0) return undefined;
  const { exported, quote, valueRange, name: ownName, value: own } = line.content;
  const text = written.slice(valueRange.start, valueRange.end);
  return ownName === name && own === value ? { exported, quote, text } : undefined;
}

/**
 * A spelling of the value that shells and dotenv read the same: the template's, in the quotes that stand there now,
 * bare, or in others. They escape in different ways, so nothing is escaped, and some values have no such spelling.
 */
function spell(
  { name, valueRange }: { readonly name: string; readonly valueRange: { readonly start: number } },
  current: CurrentSpelling | undefined,
  value: string,
  template: Template | undefined,
  eol: string,
): string {
  const isKept = current !== undefined && current.quote !== template?.quote && canKeep(current, value);
  if (template !== undefined && !isKept) return template.text.replaceAll(/\r?\n/g, eol);
  const quote =
    current !== undefined && canKeep(current, value)
      ? current.quote
      : (["", "'", '"'] as const).find((each) => canHold(each, value));
  const unwritable = whyUnwritable(value, quote);
  if (unwritable !== undefined) throw new Fault(`can't write ${name}: ${unwritable}`, valueRange.start);
  return quote + value.replaceAll("\n", eol) + quote;
}

function whyUnwritable(value: string, quote: DotenvQuote | undefined): string | undefined {
  if (value.endsWith("\\"))
    return "it ends with a backslash, which shells and dotenv read differently before a quote and at the end of a line";
  if (/[\0\r\u2028\u2029]/.test(value)) return "it contains a NUL, a carriage return or a Unicode line separator";
  if (quote !== undefined) return undefined;
  return "no way of quoting it reads the same in shells and dotenv: it contains ' together with one of \" $ ` \\";
}

function placesOf({ sections }: LineSource<DotenvEntry>, at: Path): readonly number[] {
  const places = at.length === 1 ? sections[0].entries.get(String(at[0])) : undefined;
  if (places === undefined) throw new Fault(`there is no entry ${describe(at)}`);
  return places;
}

function textOf(name: string, value: Value, offset: number): string {
  if (typeof value !== "string")
    throw new Fault(`the value of ${name} is not a text, and dotenv has no other kind`, offset);
  return value;
}

function describe(path: Path): string {
  return path.length === 0 ? "at the top" : path.join(".");
}

/** Read by everyone as it stands: no blank, no quote, and nothing a shell would expand. */
const safeBare = /^[\w./:,@%+=-]*$/;

/** The quotes there now, and whether shells expand variables between them: their author may do so again. */
interface CurrentSpelling {
  readonly quote: DotenvQuote;
  readonly expands: boolean;
}

/** No command is ever put where a shell would run it. */
function canKeep({ quote, expands }: CurrentSpelling, value: string): boolean {
  return canHold(quote, expands ? value.replaceAll(/\$(?![({[])|\$(?=\{\w+\})/g, "") : value);
}

function canHold(quote: DotenvQuote, value: string): boolean {
  if (quote === "") return safeBare.test(value);
  if (quote === "'") return !value.includes("'");
  // A shell runs what stands between backticks: never written, also where the old value has them.
  return quote === '"' && !/["$`\\]/.test(value);
}
