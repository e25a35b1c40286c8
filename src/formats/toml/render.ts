import { type Exact, isList, isMap, type Value } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import { bareKind, integralFloat } from "./scalar.ts";

/** Values as TOML 1.0 text on one line. What TOML can't say is refused. */

const loneSurrogate = /\p{Surrogate}/u;

export type Quote = '"' | "'";

export function renderInline(value: Value, quote: Quote = '"'): string {
  if (isList(value)) return `[${value.map((item) => renderInline(item, quote)).join(", ")}]`;
  if (!isMap(value)) return renderScalar(value, quote);
  const names = Object.keys(value);
  if (names.length === 0) return "{}";
  return `{ ${names.map((name) => `${renderKey(name)} = ${renderInline(value[name]!, quote)}`).join(", ")} }`;
}

function renderScalar(value: null | boolean | number | string | Exact, quote: Quote): string {
  if (value === null) throw new Fault("TOML has no null: leave the name out, or use another value", 0);
  if (typeof value === "string") return renderString(value, quote);
  if (typeof value === "number") return renderNumber(value);
  if (typeof value === "boolean") return String(value);
  if (bareKind(value.text) === undefined) throw new Fault(`TOML can't write ${value.kind} "${value.text}"`, 0);
  return value.text;
}

/** An integer beyond 53 bits is written as the float it is: most readers refuse integers beyond 64 bits. */
function renderNumber(number: number): string {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  if (Number.isSafeInteger(number) && !Object.is(number, -0)) return String(number);
  return Number.isInteger(number) ? integralFloat(number) : String(number);
}

export function renderKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : renderString(name, '"');
}

export function renderString(text: string, quote: Quote): string {
  if (loneSurrogate.test(text)) throw new Fault("TOML can't write a string with half a surrogate pair in it", 0);
  if (quote === "'" && !/['\x00-\x08\x0a-\x1f\x7f]/.test(text)) return `'${text}'`;
  return `"${escapeBasic(text)}"`;
}

function escapeBasic(text: string): string {
  return text.replace(/[\x00-\x1f\x7f"\\]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const short: Readonly<Record<string, string>> = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
  };
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A string of several lines as a person would write it. Quotes are escaped where three could come together. */
export function renderMultiLineString(text: string): string {
  if (loneSurrogate.test(text)) throw new Fault("TOML can't write a string with half a surrogate pair in it", 0);
  const escaped = text.replace(/[\x00-\x08\x0b-\x1f\x7f\\]|"(?="|$)/g, escapeCharacter);
  return `"""\n${escaped}"""`;
}
