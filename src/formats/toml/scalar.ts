import { Exact, numberFromText, type Value } from "../../core/value.ts";

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
      return new Exact("datetime", canonicalDatetime(text));
  }
}

function integerValue(text: string): Value {
  const negative = text.startsWith("-");
  const magnitude = BigInt(text.replace(/^[+-]/, ""));
  const exact = negative ? -magnitude : magnitude;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : new Exact("number", exact.toString());
}

/**
 * TOML tells `1.0` from `1`, and programs that read it may too: a float that a plain number would turn into an integer
 * stays `Exact`.
 */
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

function canonicalDatetime(text: string): string {
  return text.replace(/^(.{10})[t ]/, "$1T").replace(/z$/, "Z");
}
