import { Exact, numberFromText, type Value } from "../../core/value.ts";
import { Fault } from "../fault.ts";

/** What a scalar that is not a string can be, told from its spelling. Undefined: nothing TOML knows. */
export type BareKind = "boolean" | "integer" | "float" | "datetime";

const decimal = /^[+-]?(?:0|[1-9](?:_?[0-9])*)$/;
const radix = /^0(?:x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/;
const float = /^[+-]?(?:0|[1-9](?:_?[0-9])*)(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?$/;
const special = /^[+-]?(?:inf|nan)$/;
const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?$/;
const offset = /^(?:[Zz]|[+-](\d\d):(\d\d))$/;

export function bareKind(text: string): BareKind | undefined {
  if (text === "true" || text === "false") return "boolean";
  if (decimal.test(text) || radix.test(text)) return "integer";
  if (float.test(text) || special.test(text)) return "float";
  return isDatetime(text) ? "datetime" : undefined;
}

/** A date, a time, or both, with or without an offset; only ones that exist (no 30 February). */
export function isDatetime(text: string): boolean {
  if (time.test(text)) return isTime(text);
  if (!isDate(text.slice(0, 10))) return false;
  if (text.length === 10) return true;
  if (!/[Tt ]/.test(text[10]!)) return false;
  const rest = text.slice(11);
  const zone = rest.search(/[Zz+-]/);
  if (zone === -1) return isTime(rest);
  const match = offset.exec(rest.slice(zone));
  return match !== null && Number(match[1] ?? 0) < 24 && Number(match[2] ?? 0) < 60 && isTime(rest.slice(0, zone));
}

function isDate(text: string): boolean {
  const match = date.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
}

function isTime(text: string): boolean {
  const match = time.exec(text);
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3] ?? 0) <= 60;
}

/** The value of a bare scalar, one for all spellings of it: `0x10` and `1_6` are 16, `1.50` is 1.5. */
export function bareValue(text: string): Value {
  switch (bareKind(text)) {
    case "boolean":
      return text === "true";
    case "integer":
      return integerValue(text.replaceAll("_", ""));
    case "float":
      return floatValue(text.replaceAll("_", ""));
    default:
      return new Exact("datetime", text.replace(/^(.{10})[t ]/, "$1T").replace(/z$/, "Z"));
  }
}

function integerValue(text: string): Value {
  const negative = text.startsWith("-");
  const magnitude = BigInt(text.replace(/^[+-]/, ""));
  const exact = negative ? -magnitude : magnitude;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : new Exact("number", exact.toString());
}

/** TOML tells `1.0` from `1`: a float that a plain number would turn into an integer stays `Exact`. */
function floatValue(text: string): Value {
  if (special.test(text)) return new Exact("float", text.endsWith("nan") ? "nan" : text.replace("+", ""));
  const number = Number(text);
  const value = numberFromText(text.replace(/^\+/, ""));
  if (value instanceof Exact) return new Exact("float", value.text);
  return Number.isInteger(number) ? new Exact("float", integralFloat(number)) : number;
}

/** A float without a fraction, written so that it stays a float. */
export function integralFloat(number: number): string {
  const text = Object.is(number, -0) ? "-0" : String(number);
  return text.includes("e") ? text : `${text}.0`;
}

const backslash = 0x5c;
const controls = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\x1b" };
const escapes: Readonly<Record<string, string>> = { ...controls, '"': '"', "\\": "\\" };
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Behind the last quote of the string that starts at `start`. It is checked, not decoded. */
export function scanString(text: string, start: number, multiLine: "allowed" | "refused"): number {
  const quote = text.charCodeAt(start);
  if (!isTripled(text, start, quote)) return scanSingleLine(text, start, quote);
  if (multiLine === "allowed") return scanMultiLine(text, start, quote);
  throw new Fault("a name can't be a multi-line string", start);
}

function scanSingleLine(text: string, start: number, quote: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash && quote === 0x22) at = scanEscape(text, at) - 1;
    else if (isControl(code)) break;
  }
  throw new Fault("this string does not end on its line, or contains a control character", start);
}

function isTripled(text: string, at: number, quote: number): boolean {
  return text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote;
}

function scanMultiLine(text: string, start: number, quote: number): number {
  for (let at = start + 3; at < text.length; at++) {
    const here = text.charCodeAt(at);
    if (here === quote && isTripled(text, at, quote)) return endOfQuotes(text, at, quote);
    if (here === backslash && quote === 0x22) at = lineContinuation(text, at) ?? scanEscape(text, at) - 1;
    else if (isControl(here) && here !== 0x0a && !(here === 0x0d && text.charCodeAt(at + 1) === 0x0a)) break;
  }
  throw new Fault("this multi-line string does not end, or contains a control character", start);
}

/** Up to two quotes may stand directly before the three that end a multi-line string. */
function endOfQuotes(text: string, at: number, quote: number): number {
  let end = at + 3;
  while (end < at + 5 && text.charCodeAt(end) === quote) end++;
  return end;
}

/** A backslash with nothing but space behind it on its line: the offset of the line's end. */
function lineContinuation(text: string, at: number): number | undefined {
  let end = at + 1;
  while (text[end] === " " || text[end] === "\t") end++;
  if (text[end] === "\r") end++;
  return text[end] === "\n" ? end : undefined;
}

function scanEscape(text: string, at: number): number {
  const letter = text[at + 1] ?? "";
  if (Object.hasOwn(escapes, letter)) return at + 2;
  const length = Object.hasOwn(hexLengths, letter) ? hexLengths[letter]! : 0;
  const digits = text.slice(at + 2, at + 2 + length);
  const code = /^[0-9A-Fa-f]+$/.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : -1;
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Fault(
      `TOML knows no escape \\${letter}${digits} (a backslash itself is written \\\\, or the string in '…')`,
      at,
    );
  }
  return at + 2 + length;
}

export function isControl(code: number): boolean {
  return (code < 0x20 && code !== 0x09) || code === 0x7f;
}

/** What a string means once it is scanned. Line ends in it count as `\n`: CRLF is the file's habit, not the value's. */
export function decodeString(source: string): string {
  const multiLine = source.length >= 6 && source.startsWith(source[0]!.repeat(3));
  const literal = source[0] === "'";
  if (!multiLine) return literal ? source.slice(1, -1) : withoutEscapes(source.slice(1, -1));
  const inner = source.slice(3, -3).replaceAll("\r\n", "\n").replace(/^\n/, "");
  return literal ? inner : withoutEscapes(inner);
}

function withoutEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:[ \t]*\n[ \t\n]*|x(.{2})|u(.{4})|U(.{8})|(.))/g, (whole, x, u, long, letter) => {
    const digits = x ?? u ?? long;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    return letter === undefined ? "" : (escapes[letter] ?? whole);
  });
}
