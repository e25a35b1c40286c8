import type { Malformed, Range } from "../format.ts";

/**
 * What counts as what is decided by the npm package `dotenv`, whose readings the runtimes that use these files get:
 *
 * - `NAME=value` and `NAME: value`, spaces around the sign, `export` before the name; of two with one name the last
 *   counts.
 * - Single, double and backtick quotes; quoted values may span lines; `\"` does not end a value and keeps its
 *   backslash; only in double
 *   quotes do `\n` and `\r` mean line breaks.
 * - An unquoted value ends at `#`, even without a space before it. Shells see no comment there: such an entry is read,
 *   but not edited.
 * - Any other line (`NAME` alone, a shell command) is nobody's entry: left alone, as dotenv does.
 *
 * dotenv also guesses at broken quotes and reads some assignments across lines. A file that needs such guesses is
 * malformed here. For every other text the two readings are equal; a test compares them.
 */
export type DotenvScan = { readonly kind: "scanned"; readonly lines: readonly DotenvLine[] } | Malformed;

/** A line, or the several lines of an entry whose value holds line breaks. */
export interface DotenvLine {
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
  | { readonly kind: "foreign" }
  | ({ readonly kind: "entry" } & DotenvEntry);

export type DotenvQuote = "'" | '"' | "`" | "";

export interface DotenvEntry {
  readonly name: string;
  /** From `export`, if it stands there, to the end of the value. */
  readonly range: Range;
  readonly exported: boolean;
  readonly quote: DotenvQuote;
  /** With the quotes. */
  readonly valueRange: Range;
  /** Where a comment behind the value begins; undefined if there is none. */
  readonly commentStart: number | undefined;
}

const spaces = /[^\S\r\n]*/y;
const assignment = /(export[^\S\r\n]+)?([\w.-]+)([^\S\r\n]*=|:(?=[^\S\r\n]))/y;
const colonAtEnd = /(?:export[^\S\r\n]+)?[\w.-]+:(?=\r?\n|$)/y;
/** Line breaks to some readers, but not to all. */
const doubtfulBreak = /\r(?!\n)|[\u2028\u2029]/;

export function scanDotenv(text: string): DotenvScan {
  const doubtful = doubtfulBreak.exec(text);
  if (doubtful)
    return malformed("a character that only some programs take for a line break; remove it", doubtful.index);
  const lines: DotenvLine[] = [];
  for (let start = text.startsWith("\ufeff") ? 1 : 0; start < text.length; ) {
    const result = scanContent(text, start);
    if (result.kind === "malformed") return result;
    const { end, next } = lineEnd(text, result.end);
    lines.push({ start, end, next, content: result.content });
    start = next;
  }
  return { kind: "scanned", lines };
}

type Scanned = { readonly kind: "content"; readonly content: LineContent; readonly end: number };

function scanContent(text: string, start: number): Scanned | Malformed {
  const at = skip(spaces, text, start);
  const first = text[at];
  if (first === undefined || first === "\n" || first === "\r")
    return { kind: "content", content: { kind: "blank" }, end: at };
  if (first === "#") return { kind: "content", content: { kind: "comment" }, end: at };
  if (first === "=") return malformed("a value without a name; write NAME=value on one line", at);
  if (isQuote(first))
    return malformed("a quoted text without a name; write NAME=value on one line, or close the quote before it", at);
  assignment.lastIndex = at;
  const match = assignment.exec(text);
  if (match) return scanEntry(text, at, match);
  if (skip(colonAtEnd, text, at) > at) return malformed("a name with a colon and no value; write NAME=value", at);
  return { kind: "content", content: { kind: "foreign" }, end: at };
}

function scanEntry(text: string, start: number, match: RegExpExecArray): Scanned | Malformed {
  const [header, exported, name = "", sign = ""] = match;
  // Behind a colon stands at least one space; a value put there later must leave it alone.
  const afterSign = start + header.length + (sign === ":" ? 1 : 0);
  const valueStart = skip(spaces, text, afterSign);
  const first = text[valueStart];
  const quoted = isQuote(first);
  const end = quoted ? closingQuote(text, valueStart, first) : endOfBareValue(text, valueStart);
  if (end === undefined)
    return malformed(`the value of ${name} begins with ${first} and has no such quote at its end`, valueStart);
  const afterValue = skip(spaces, text, end);
  const commentStart = text[afterValue] === "#" ? afterValue : undefined;
  if (commentStart === undefined && lineEnd(text, end).end !== afterValue)
    return malformed(`text behind the closing quote of ${name}; remove it, or put it inside the quotes`, afterValue);
  const valueRange = end === valueStart ? { start: afterSign, end: afterSign } : { start: valueStart, end };
  const entry = {
    name,
    exported: exported !== undefined,
    quote: quoted ? first : "",
    valueRange,
    commentStart,
  } as const;
  return { kind: "content", content: { kind: "entry", range: { start, end: valueRange.end }, ...entry }, end };
}

function isQuote(character: string | undefined): character is "'" | '"' | "`" {
  return character === "'" || character === '"' || character === "`";
}

/** Behind the first such quote that no backslash stands before; undefined where there is none. */
function closingQuote(text: string, open: number, quote: string): number | undefined {
  for (let at = text.indexOf(quote, open + 1); at !== -1; at = text.indexOf(quote, at + 1))
    if (text[at - 1] !== "\\") return at + 1;
  return undefined;
}

function endOfBareValue(text: string, start: number): number {
  const { end } = lineEnd(text, start);
  const line = text.slice(start, end);
  const comment = line.indexOf("#");
  return start + (comment === -1 ? line : line.slice(0, comment)).trimEnd().length;
}

function lineEnd(text: string, from: number): { end: number; next: number } {
  const at = text.indexOf("\n", from);
  if (at === -1) return { end: text.length, next: text.length };
  return { end: at > from && text[at - 1] === "\r" ? at - 1 : at, next: at + 1 };
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}

function malformed(message: string, offset: number): Malformed {
  return { kind: "malformed", message, offset };
}
