import { Fault } from "../fault.ts";
import { skipBlanksBack } from "../lines.ts";

/** Where the smallest pieces of JSON end. All take the offset at which the piece starts. */

const quote = 0x22;
const slash = 0x2f;
const backslash = 0x5c;

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

export function endOfString(text: string, start: number): number {
  // With the length asked for here the engine need not provide for reading behind the end: five times as quick.
  const { length } = text;
  const long = start + shortString;
  for (let at = start + 1; at < length; at++) {
    if (at === long) at = endOfPlainText(text, at);
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at = endOfEscape(text, at);
    else if (code < 0x20) throw new Fault("a control character must be written as an escape", at);
  }
  throw new Fault("this string has no end", start);
}

/** What is longer is quicker gone through by a pattern. */
const shortString = 24;
const plainText = /[^"\\\x00-\x1f]*/y;

function endOfPlainText(text: string, start: number): number {
  plainText.lastIndex = start;
  plainText.test(text);
  return plainText.lastIndex;
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
export function endOfPlain(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === 0x2d || isDigit(code)) return endOfNumber(text, start);
  for (const word of ["true", "false", "null"]) {
    if (text.startsWith(word, start) && !isWordy(text.charCodeAt(start + word.length))) return start + word.length;
  }
  throw new Fault(start < text.length ? "expected a value" : "the text ends where a value should stand", start);
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

/** A line ends at `\n`, `\r\n` or a lone `\r`, as it does for a `//` comment. */
export function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x0a || code === 0x0d;
}

export function hasBreak(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isBreak(text, at)) return true;
  return false;
}

/** The start of the last line end between two offsets. */
export function lastBreak(text: string, start: number, end: number): number | undefined {
  for (let at = end - 1; at >= start; at--) {
    if (isBreak(text, at)) return text[at] === "\n" && at > start && text[at - 1] === "\r" ? at - 1 : at;
  }
  return undefined;
}

/** The offset behind the line end that stands here. */
export function afterBreak(text: string, at: number): number {
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}

/** What indents an offset that is the first of its line; undefined where something stands before it. */
export function indentBefore(text: string, offset: number): string | undefined {
  const at = skipBlanksBack(text, offset);
  const first = at === 0 || isBreak(text, at - 1) || (at === 1 && text.charCodeAt(0) === 0xfeff);
  return first ? text.slice(at, offset) : undefined;
}
