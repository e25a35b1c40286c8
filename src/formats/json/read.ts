import { firstReached } from "../../core/search.ts";
import { Fault } from "../fault.ts";

/**
 * Many plain entries of a container at once, by a pattern: four times as fast as looking at each character. It stops at
 * comments and at what is nested deeper; that is read step by step.
 */

/** Compiling the patterns takes as long as reading this much step by step. */
export const worthCompiling = 1 << 19;

/** How many levels of containers an entry may hold, the innermost empty. Each level doubles the patterns. */
const deepestRun = 4;

/** The engine remembers what a pattern repeats: the product of these stays far below its limit. */
export const most = { entries: 30, inside: 10, escapes: 20 };

const gap = "[ \\t\\r\\n]*";
const plainText = '[^"\\\\\\x00-\\x1f]*';
const text = `"${plainText}(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})${plainText}){0,${most.escapes}}"`;
const scalar = `${text}|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null`;

/** Each part can end at one place only, so a pattern that fails has gone over the text just once. */
function value(levels: number): string {
  if (levels === 0) return `(?:${scalar}|\\{${gap}\\}|\\[${gap}\\])`;
  return `(?:${scalar}|\\{${gap}${members(levels - 1, most.inside)}\\}|\\[${gap}${items(levels - 1, most.inside)}\\])`;
}

function members(levels: number, count: number): string {
  return `(?:${text}${gap}:${gap}${value(levels)}${gap}(?:,${gap}|(?=\\}))){0,${count}}`;
}

function items(levels: number, count: number): string {
  return `(?:${value(levels)}${gap}(?:,${gap}|(?=\\]))){0,${count}}`;
}

let memberRun: RegExp | undefined;
let itemRun: RegExp | undefined;

/** Behind the plain entries that begin here: at the next other entry, or the bracket that closes the container. */
function endOfPlainRun(source: string, start: number, isMap: boolean): number {
  if (isMap) memberRun ??= new RegExp(members(deepestRun - 1, most.entries), "y");
  else itemRun ??= new RegExp(items(deepestRun - 1, most.entries), "y");
  const run = isMap ? memberRun! : itemRun!;
  run.lastIndex = start;
  return run.test(source) ? run.lastIndex : start;
}

/**
 * Checks the grammar in one pass: strict JSON, plus comments, trailing commas and a BOM. Two short tables are kept:
 * where longer containers end, so that a later look skips them, and where comments stand.
 */

/** Nobody writes configuration this deep by hand; without a limit a hostile file would exhaust the stack. */
const deepest = 1000;

/** A container shorter than this is quicker scanned again than looked up. */
const worthNoting = 64;

const quote = 0x22;
const comma = 0x2c;
const slash = 0x2f;
const colon = 0x3a;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openMap = 0x7b;
const closeMap = 0x7d;

export class Scan {
  readonly text: string;
  /** Start of the root value; undefined in a text of nothing but blanks and comments. */
  readonly root: number | undefined;
  /** Comments in order: start, end, start, end … */
  readonly comments: number[] = [];
  /** The longer containers in order of their start. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly hasRuns: boolean;
  private checked = false;
  private lineEnd: string | undefined;

  /** Throws a `Fault` where the text is not JSON. */
  constructor(text: string) {
    this.text = text;
    this.hasRuns = text.length >= worthCompiling;
    const start = this.skipGap(text.charCodeAt(0) === 0xfeff ? 1 : 0);
    this.root = start < text.length ? start : undefined;
    if (this.root !== undefined) {
      const rest = this.skipGap(this.checkValue(start, 0));
      if (rest < text.length) throw new Fault("there is more text after the end of the document", rest);
    }
    this.checked = true;
  }

  /** The line end of the first line, used for all new ones. */
  get eol(): string {
    this.lineEnd ??= /\r\n|\n|\r/.exec(this.text)?.[0] ?? "\n";
    return this.lineEnd;
  }

  /** The end of the last comment between two offsets. */
  lastCommentEnd(start: number, end: number): number | undefined {
    const last = firstAtLeast(this.comments, end + 1) - 1;
    // Ends stand at the odd places; an even one is the start of a comment that goes on.
    const at = this.comments[last & 1 ? last : last - 1];
    return at !== undefined && at > start ? at : undefined;
  }

  /** The next character that is neither blank nor in a comment, or the end of the text. */
  skipGap(from: number): number {
    const { text } = this;
    const { length } = text;
    let at = from;
    while (at < length) {
      const code = text.charCodeAt(at);
      // Most calls find no gap at all, so this is asked first.
      if (code > 0x20 && code !== slash) return at;
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) at++;
      else if (code === slash) {
        const end = endOfComment(text, at);
        if (!this.checked) this.comments.push(at, end);
        at = end;
      } else return at;
    }
    return at;
  }

  /** Where the value that starts here ends. */
  skipValue(start: number): number {
    const code = this.text.charCodeAt(start);
    const noted = code === openMap || code === openList ? firstAtLeast(this.starts, start) : -1;
    return this.starts[noted] === start ? this.ends[noted]! : this.checkValue(start, 0);
  }

  private checkValue(start: number, depth: number): number {
    const code = this.text.charCodeAt(start);
    if (code === quote) return endOfString(this.text, start);
    if (code === openMap || code === openList) return this.checkContainer(start, code === openMap, depth + 1);
    return endOfPlain(this.text, start);
  }

  private checkContainer(start: number, isMap: boolean, depth: number): number {
    if (depth > deepest) throw new Fault(`nested more than ${deepest} levels deep`, start);
    const { text } = this;
    const close = isMap ? closeMap : closeList;
    const mark = this.starts.length;
    if (!this.checked) {
      this.starts.push(start);
      this.ends.push(0);
    }
    let at = this.skipGap(start + 1);
    while (text.charCodeAt(at) !== close) {
      const next = this.hasRuns && depth + deepestRun <= deepest ? endOfPlainRun(text, at, isMap) : at;
      if (next > at) {
        at = this.skipGap(next);
        continue;
      }
      if (isMap) at = this.checkName(at);
      at = this.skipGap(this.checkValue(at, depth));
      const code = text.charCodeAt(at);
      if (code === comma) at = this.skipGap(at + 1);
      else if (code !== close) throw missingSeparator(text, at, isMap);
    }
    if (!this.checked) {
      if (at + 1 - start >= worthNoting) this.ends[mark] = at + 1;
      else {
        // What it contains is shorter still and gone already, so it is the last of the table.
        this.starts.pop();
        this.ends.pop();
      }
    }
    return at + 1;
  }

  private checkName(start: number): number {
    const { text } = this;
    if (text.charCodeAt(start) !== quote)
      throw new Fault(
        start < text.length ? "expected a name in double quotes, or }" : "a } is missing at the end",
        start,
      );
    const at = this.skipGap(endOfString(text, start));
    if (text.charCodeAt(at) !== colon) throw new Fault("expected a colon after the name", at);
    return this.skipGap(at + 1);
  }
}

/** The first position in an ascending table whose number is not smaller. */
export function firstAtLeast(table: readonly number[], wanted: number): number {
  return firstReached(table.length, (i) => table[i]! >= wanted);
}

function missingSeparator(text: string, at: number, isMap: boolean): Fault {
  const close = isMap ? "}" : "]";
  return new Fault(at < text.length ? `expected a comma or ${close}` : `a ${close} is missing at the end`, at);
}

/** Where the smallest pieces of JSON end. All take the offset at which the piece starts. */

export function endOfComment(text: string, start: number): number {
  const next = text.charCodeAt(start + 1);
  if (next === 0x2a) {
    const end = text.indexOf("*/", start + 2);
    if (end === -1) throw new Fault("this comment has no end", start);
    return end + 2;
  }
  if (next !== slash) throw new Fault("expected a value, and a comment starts with // or /*", start);
  let at = start + 2;
  while (at < text.length && text.charCodeAt(at) !== 0x0a && text.charCodeAt(at) !== 0x0d) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  // Five times as fast with the length in a variable: the engine then knows that no read is out of bounds.
  const { length } = text;
  const long = start + shortString;
  for (let at = start + 1; at < length; at++) {
    if (at === long) {
      restOfText.lastIndex = at;
      restOfText.test(text);
      at = restOfText.lastIndex;
    }
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at = endOfEscape(text, at);
    else if (code < 0x20) throw new Fault("a control character must be written as an escape", at);
  }
  throw new Fault("this string has no end", start);
}

/** A pattern is faster at what is longer. */
const shortString = 24;
const restOfText = /[^"\\\x00-\x1f]*/y;

/** The last character of the escape that starts here. */
function endOfEscape(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === undefined) return start;
  if (kind !== "u") {
    if (!'"\\/bfnrt'.includes(kind)) throw new Fault("JSON has no such escape", start);
    return start + 1;
  }
  for (let at = start + 2; at < start + 6; at++)
    if (!isHex(text.charCodeAt(at))) throw new Fault("\\u needs four hexadecimal digits", start);
  return start + 5;
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The end of a number, true, false or null. */
function endOfPlain(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === 0x2d || isDigit(code)) return endOfNumber(text, start);
  for (const word of ["true", "false", "null"]) {
    if (text.startsWith(word, start) && !isWordy(text.charCodeAt(start + word.length))) return start + word.length;
  }
  throw new Fault(start < text.length ? "expected a value" : "the text ends where a value should be", start);
}

function isWordy(code: number): boolean {
  return (
    isDigit(code) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x5f ||
    code === 0x24 ||
    code >= 0x80
  );
}

function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  const zero = text.charCodeAt(at) === 0x30;
  at = zero ? at + 1 : endOfDigits(text, at, start);
  if (text.charCodeAt(at) === 0x2e) at = endOfDigits(text, at + 1, start);
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    at = endOfDigits(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1, start);
  }
  const next = text.charCodeAt(at);
  if (isWordy(next) || next === 0x2e || next === 0x2b || next === 0x2d)
    throw new Fault("this is not a number as JSON writes them", start);
  return at;
}

function endOfDigits(text: string, from: number, start: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at === from) throw new Fault("this is not a number as JSON writes them", start);
  return at;
}
