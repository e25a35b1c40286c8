/**
 * The grammar, checked in one pass without building anything but two short tables: where the longer containers end, so that a later look
 * at one level skips over them, and where comments stand. Strict JSON, plus comments, trailing commas and a BOM at the start.
 */

/** What is wrong, and where. Thrown inside this folder only; reading turns it into a result. */
export class Fault {
  readonly message: string;
  readonly offset: number;
  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

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
  private checked = false;
  private lineEnd: string | undefined;

  /** Throws a `Fault` where the text is not JSON. */
  constructor(text: string) {
    this.text = text;
    const start = this.skipGap(text.charCodeAt(0) === 0xfeff ? 1 : 0);
    this.root = start < text.length ? start : undefined;
    if (this.root !== undefined) {
      const rest = this.skipGap(this.checkValue(start, 0));
      if (rest < text.length) throw new Fault("there is something behind the end of the document", rest);
    }
    this.checked = true;
  }

  /** How lines end here: as the first one does. */
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

  /** The offset of the next character that is neither blank nor in a comment (the text's length where there is none). */
  skipGap(from: number): number {
    const { text } = this;
    const { length } = text;
    let at = from;
    while (at < length) {
      const code = text.charCodeAt(at);
      // Most calls find no gap at all, so this is asked first.
      if (code > 0x20 && code !== slash) return at;
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) at++;
      else if (code === slash) at = this.skipComment(at);
      else return at;
    }
    return at;
  }

  private skipComment(start: number): number {
    const end = endOfComment(this.text, start);
    if (!this.checked) this.comments.push(start, end);
    return end;
  }

  /** Where the value that starts here ends. */
  skipValue(start: number): number {
    return this.notedEnd(start) ?? this.checkValue(start, 0);
  }

  private notedEnd(start: number): number | undefined {
    const code = this.text.charCodeAt(start);
    if (code !== openMap && code !== openList) return undefined;
    const at = firstAtLeast(this.starts, start);
    return this.starts[at] === start ? this.ends[at] : undefined;
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
    if (!this.checked) this.open(start);
    let at = this.skipGap(start + 1);
    while (text.charCodeAt(at) !== close) {
      if (isMap) at = this.checkName(at);
      at = this.skipGap(this.checkValue(at, depth));
      const code = text.charCodeAt(at);
      if (code === comma) at = this.skipGap(at + 1);
      else if (code !== close) throw missingSeparator(text, at, isMap);
    }
    if (!this.checked) this.close(mark, start, at + 1);
    return at + 1;
  }

  private checkName(start: number): number {
    const { text } = this;
    if (text.charCodeAt(start) !== quote)
      throw new Fault(start < text.length ? "expected a name in double quotes, or }" : "a } is missing at the end", start);
    const at = this.skipGap(endOfString(text, start));
    if (text.charCodeAt(at) !== colon) throw new Fault("expected a colon behind the name", at);
    return this.skipGap(at + 1);
  }

  private open(start: number): void {
    this.starts.push(start);
    this.ends.push(0);
  }

  private close(mark: number, start: number, end: number): void {
    if (end - start >= worthNoting) {
      this.ends[mark] = end;
      return;
    }
    // What it contains is shorter still and gone already, so it is the last of the table.
    this.starts.pop();
    this.ends.pop();
  }
}

/** The first position in an ascending table whose number is not smaller. */
export function firstAtLeast(table: readonly number[], wanted: number): number {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (table[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
  // With the length asked for here the engine need not provide for reading behind the end: five times as quick.
  const { length } = text;
  for (let at = start + 1; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at = endOfEscape(text, at);
    else if (code < 0x20) throw new Fault("a control character must be written as an escape", at);
  }
  throw new Fault("this string has no end", start);
}

/** The last character of the escape that starts here. */
function endOfEscape(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === undefined) return start;
  if (kind !== "u") {
    if (!'"\\/bfnrt'.includes(kind)) throw new Fault("no such escape in JSON", start);
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
  throw new Fault(start < text.length ? "expected a value" : "the text ends where a value should stand", start);
}

function isWordy(code: number): boolean {
  return (
    isDigit(code) || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x24 || code >= 0x80
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
  if (isWordy(next) || next === 0x2e || next === 0x2b || next === 0x2d) throw new Fault("this is not a number as JSON writes them", start);
  return at;
}

function endOfDigits(text: string, from: number, start: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at === from) throw new Fault("this is not a number as JSON writes them", start);
  return at;
}

function missingSeparator(text: string, at: number, isMap: boolean): Fault {
  const close = isMap ? "}" : "]";
  return new Fault(at < text.length ? `expected a comma or ${close}` : `a ${close} is missing at the end`, at);
}
