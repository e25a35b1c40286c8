import { Fault } from "../fault.ts";
import type { LineContent, LineEntry } from "../lined/read.ts";
import { lineEnd } from "../lines.ts";

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
export function scanDotenvLine(text: string, start: number): Scanned {
  const at = skip(spaces, text, start);
  const first = text[at];
  if (first === undefined || first === "\n" || first === "\r") return { content: { kind: "blank" }, end: at };
  if (first === "#") return { content: { kind: "comment" }, end: at };
  if (first === "=") throw new Fault("a value without a name; write NAME=value on one line", at);
  if (isQuote(first))
    throw new Fault("a quoted text without a name; write NAME=value on one line, or close the quote before it", at);
  assignment.lastIndex = at;
  const match = assignment.exec(text);
  if (match) return scanEntry(text, at, match);
  if (skip(colonAtEnd, text, at) > at) throw new Fault("a name with a colon and no value; write NAME=value", at);
  return { content: { kind: "foreign" }, end: at };
}

interface Scanned {
  readonly content: LineContent<DotenvEntry>;
  readonly end: number;
}

export interface DotenvEntry extends LineEntry {
  readonly exported: boolean;
  readonly quote: DotenvQuote;
}

export type DotenvQuote = "'" | '"' | "`" | "";

const spaces = /[^\S\r\n]*/y;
const assignment = /(export[^\S\r\n]+)?([\w.-]+)([^\S\r\n]*=|:(?=[^\S\r\n]))/y;
const colonAtEnd = /(?:export[^\S\r\n]+)?[\w.-]+:(?=\r?\n|$)/y;

function scanEntry(text: string, start: number, match: RegExpExecArray): Scanned {
  const [header, exported, name = "", sign = ""] = match;
  // Behind a colon stands at least one space; a value put there later must leave it alone.
  const afterSign = start + header.length + (sign === ":" ? 1 : 0);
  const valueStart = skip(spaces, text, afterSign);
  const first = text[valueStart];
  const quoted = isQuote(first);
  const end = quoted ? closingQuote(text, valueStart, first) : endOfBareValue(text, valueStart);
  if (end === undefined)
    throw new Fault(`the value of ${name} begins with ${first} but does not end with it`, valueStart);
  const afterValue = skip(spaces, text, end);
  const commentStart = text[afterValue] === "#" ? afterValue : undefined;
  if (commentStart === undefined && lineEnd(text, end) !== afterValue)
    throw new Fault(`text after the closing quote of ${name}; remove it, or put it inside the quotes`, afterValue);
  const valueRange = end === valueStart ? { start: afterSign, end: afterSign } : { start: valueStart, end };
  const quote = quoted ? first : "";
  const entry: DotenvEntry = {
    name,
    value: readValue(text.slice(valueRange.start, valueRange.end), quote),
    range: { start, end: valueRange.end },
    exported: exported !== undefined,
    quote,
    valueRange,
    commentStart,
  };
  return { content: { kind: "entry", ...entry }, end };
}

/** What a value says, from the way it is written (quotes included). */
function readValue(written: string, quote: DotenvQuote): string {
  if (quote === "") return written;
  const inside = written.slice(1, -1).replaceAll("\r\n", "\n");
  return quote === '"' ? inside.replaceAll("\\n", "\n").replaceAll("\\r", "\r") : inside;
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
  const line = text.slice(start, lineEnd(text, start));
  const comment = line.indexOf("#");
  return start + (comment === -1 ? line : line.slice(0, comment)).trimEnd().length;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}
