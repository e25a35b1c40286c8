import { trailing } from "../../text/trailing.ts";
import type { Malformed, Range } from "../format.ts";
import type { Dialect } from "./dialect.ts";

/** A line, or the several lines of an entry whose value goes on. */
export interface IniLine {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
  /** With it. */
  readonly next: number;
  readonly content: LineContent;
}

type LineContent =
  | { readonly kind: "blank" }
  | { readonly kind: "comment" }
  | { readonly kind: "section"; readonly name: string; readonly range: Range }
  | ({ readonly kind: "entry" } & IniEntry);

export interface IniEntry {
  readonly name: string;
  readonly value: string;
  /** Name and value. */
  readonly range: Range;
  readonly valueRange: Range;
  /** Between name and value; empty where the name stands alone. */
  readonly delimiter: string;
  /** Where a comment behind the value begins; undefined if there is none. */
  readonly commentStart: number | undefined;
}

export type IniScan = { readonly kind: "scanned"; readonly lines: readonly IniLine[] } | Malformed;

export function scanIni(text: string, dialect: Dialect): IniScan {
  const odd = /\r(?!\n)|[\u2028\u2029\0]/.exec(text);
  if (odd) return malformed("a character that only some programs take for a line break; remove it", odd.index);
  const lines: IniLine[] = [];
  for (let start = text.startsWith("\ufeff") ? 1 : 0; start < text.length; ) {
    const end = lineEnd(text, start);
    // What a backslash at the end joins is read as one.
    const joins = dialect.quotes && endsInBackslash(text.slice(start, end));
    const content = contentOf(text, start, joins ? end - 1 : end, dialect);
    if (content.kind === "malformed") return content;
    const last = content.kind === "entry" ? entryEnd(text, start, end, content, dialect) : end;
    const whole = content.kind === "entry" && (last !== end || joins) ? longEntry(text, start, last, dialect) : content;
    if (whole.kind === "malformed") return whole;
    const next = behindBreak(text, last);
    lines.push({ start, end: last, next, content: whole });
    start = next;
  }
  return { kind: "scanned", lines };
}

function contentOf(text: string, start: number, end: number, dialect: Dialect): LineContent | Malformed {
  const at = skipBlanks(text, start, end);
  if (at === end) return { kind: "blank" };
  if (dialect.comments.includes(text[at]!)) return { kind: "comment" };
  return text[at] === "[" ? sectionOf(text, at, end, dialect) : entryOf(text, at, end, dialect);
}

function sectionOf(text: string, at: number, end: number, dialect: Dialect): LineContent | Malformed {
  const line = trimmedEnd(text.slice(at, end));
  // A glob may hold brackets itself; behind the last one nothing but a comment may follow.
  const close = line.lastIndexOf("]");
  const rest = trimmed(line.slice(close + 1));
  if (close < 1) return malformed("a section's name is not closed; write [name]", at);
  if (rest !== "" && !dialect.comments.includes(rest[0]!))
    return malformed("text behind a section's name; put it on a line of its own", at + close + 1);
  return { kind: "section", name: trimmed(line.slice(1, close)), range: { start: at, end: at + close + 1 } };
}

function entryOf(text: string, at: number, end: number, dialect: Dialect): LineContent | Malformed {
  const line = text.slice(at, end);
  const sign = line.search(dialect.delimiters === "=" ? /=/ : /[=:]/);
  const name = trimmedEnd(sign === -1 ? line : line.slice(0, sign));
  if (name === "") return malformed("a value without a name; write name = value", at);
  if (dialect.quotes && !/^[A-Za-z][A-Za-z0-9-]*$/.test(name))
    return malformed(`${JSON.stringify(name)} can't be a name; git knows letters, digits and dashes`, at);
  const bare = at + name.length;
  // Some programs take a name alone for a switch that is on.
  if (sign === -1 && dialect.indentContinues) return malformed(`${name} has no value; write ${name} = value`, at);
  if (sign === -1) {
    const entry = { name, value: "true", range: { start: at, end: bare }, valueRange: { start: bare, end: bare } };
    return { kind: "entry", ...entry, delimiter: "", commentStart: undefined };
  }
  const valueStart = skipBlanks(text, at + sign + 1, end);
  const { value, length, comment } = readValue(text.slice(valueStart, end), dialect);
  if (value === undefined)
    return malformed(`the value of ${name} has a quote or a backslash that git can't read`, valueStart);
  const from = length === 0 ? at + sign + 1 : valueStart;
  const valueRange = { start: from, end: length === 0 ? from : valueStart + length };
  const commentStart = comment === undefined ? undefined : valueStart + comment;
  return {
    kind: "entry",
    name,
    value,
    range: { start: at, end: valueRange.end },
    valueRange,
    delimiter: text.slice(bare, from),
    commentStart,
  };
}

interface ReadValue {
  /** Undefined: a quote never ends. */
  readonly value: string | undefined;
  readonly length: number;
  readonly comment: number | undefined;
}

function readValue(written: string, { quotes }: Dialect): ReadValue {
  if (quotes) return readQuoted(written);
  const kept = trimmedEnd(written);
  const value = kept.split(/\r?\n/).map(trimmed).join("\n");
  return { value, length: kept.length, comment: undefined };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** A value as git reads it. */
function readQuoted(written: string): ReadValue {
  let [value, kept, length, quoted] = ["", 0, 0, false];
  for (let at = 0; at < written.length; at++) {
    const char = written[at]!;
    if (char === "\\") {
      const next = written[at + 1] ?? "";
      const lineBreak = /^\r?\n/.exec(written.slice(at + 1))?.[0];
      if (lineBreak === undefined && escapes[next] === undefined)
        return { value: undefined, length, comment: undefined };
      if (lineBreak === undefined) value += escapes[next];
      at += lineBreak === undefined ? 1 : lineBreak.length;
      // Blanks at the end are none of the value, also where it seems to go on.
      if (lineBreak !== undefined) continue;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "#" || char === ";")) return { value: value.slice(0, kept), length, comment: at };
    else value += char;
    if (quoted || (char !== " " && char !== "\t")) [kept, length] = [value.length, Math.min(at + 1, written.length)];
  }
  return { value: quoted ? undefined : value.slice(0, kept), length, comment: undefined };
}

function endsInBackslash(line: string): boolean {
  return trailing(line, "\\") % 2 === 1;
}

/** Where an entry really ends: some values go on in the next line. */
function entryEnd(text: string, start: number, end: number, { commentStart }: IniEntry, dialect: Dialect): number {
  let last = end;
  if (dialect.quotes) {
    while (commentStart === undefined && endsInBackslash(text.slice(start, last)) && last < text.length) {
      last = lineEnd(text, behindBreak(text, last));
    }
    return last;
  }
  if (!dialect.indentContinues) return last;
  const indent = skipBlanks(text, start, end) - start;
  for (let at = behindBreak(text, last); at < text.length; at = behindBreak(text, lineEnd(text, at))) {
    const stop = lineEnd(text, at);
    const first = skipBlanks(text, at, stop);
    if (first === stop || first - at <= indent) break;
    if (dialect.comments.includes(text[first]!)) break;
    last = stop;
  }
  return last;
}

/** The entry again, with all its lines. */
function longEntry(text: string, start: number, end: number, dialect: Dialect): LineContent | Malformed {
  return entryOf(text, skipBlanks(text, start, end), end, dialect);
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t")) at++;
  return at;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  if (at === -1) return text.length;
  return at > from && text[at - 1] === "\r" ? at - 1 : at;
}

function behindBreak(text: string, end: number): number {
  if (text[end] === "\r") return end + 2;
  return text[end] === "\n" ? end + 1 : end;
}

function malformed(message: string, offset: number): Malformed {
  return { kind: "malformed", message, offset };
}

/** Without blanks at the ends. Not by `trim`: what else Unicode calls a blank is a letter like any other here. */
function trimmed(text: string): string {
  return trimmedEnd(text).replace(/^[ \t]+/, "");
}

function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(0, end);
}
