import { Exact, isList, isMap, type Value } from "../../core/value.ts";
import type { InsertEdit } from "../format.ts";
import type { YamlStyle } from "./style.ts";

/** Where new text is going to stand. */
export interface Setting {
  readonly style: YamlStyle;
  /** Whether a literal block may come last: not before a comment, nor where the file ends without a line break. */
  readonly literals: boolean;
}

/** The lines of an entry of a block map. The first carries no indentation; the others are complete. */
function blockPair(name: string, value: Value, indent: number, setting: Setting): string[] {
  const key = spellKey(name, setting.style, false);
  if (isMap(value) && Object.keys(value).length > 0)
    return [`${key}:`, ...indented(blockMap(value, indent + setting.style.step, setting), indent + setting.style.step)];
  if (isList(value) && value.length > 0) {
    const at = setting.style.indentless ? indent : indent + setting.style.step;
    return [`${key}:`, ...indented(blockList(value, at, setting), at)];
  }
  const [first, ...rest] = blockScalar(value, indent + setting.style.step, setting);
  return [`${key}: ${first}`, ...rest];
}

/** The lines of an item of a block list, from its dash. */
function blockItem(value: Value, indent: number, setting: Setting): string[] {
  const [first, ...rest] = blockValue(value, indent + 2, setting);
  return [`- ${first}`, ...rest];
}

/** The complete lines of new entries, one below the other: pairs of a map, or items of a list. */
export function blockLines(entries: readonly NewEntry[], indent: number, setting: Setting): string[] {
  return entries.flatMap(({ name, value }) =>
    indented(name === undefined ? blockItem(value, indent, setting) : blockPair(name, value, indent, setting), indent),
  );
}

type NewEntry = Pick<InsertEdit, "name" | "value">;

/** The lines of any value whose first line stands at `indent`. */
export function blockValue(value: Value, indent: number, setting: Setting): string[] {
  if (isMap(value) && Object.keys(value).length > 0) return blockMap(value, indent, setting);
  if (isList(value) && value.length > 0) return blockList(value, indent, setting);
  return blockScalar(value, indent, setting);
}

function blockMap(value: Value & object, indent: number, setting: Setting): string[] {
  return joined(
    Object.entries(value).map(([name, child]) => blockPair(name, child, indent, setting)),
    indent,
  );
}

function blockList(value: readonly Value[], indent: number, setting: Setting): string[] {
  return joined(
    value.map((item) => blockItem(item, indent, setting)),
    indent,
  );
}

/** Entries one below the other; the first line of all is left without indentation. */
function joined(entries: readonly string[][], indent: number): string[] {
  return entries.flatMap((lines, i) => (i === 0 ? lines : indented(lines, indent)));
}

function indented([first, ...rest]: string[], indent: number): string[] {
  return [" ".repeat(indent) + first, ...rest];
}

function blockScalar(value: Value, indent: number, { style, literals }: Setting): string[] {
  if (typeof value !== "string" || !literals || !fitsLiteral(value)) return [flowValue(value, style, false)];
  const ends = value.endsWith("\n");
  const lines = (ends ? value.slice(0, -1) : value).split("\n");
  return [ends ? "|" : "|-", ...lines.map((line) => (line === "" ? "" : " ".repeat(indent) + line))];
}

/** A value on one line. `inside` brackets more strings need quotes. */
export function flowValue(value: Value, style: YamlStyle, inside: boolean): string {
  if (typeof value === "string")
    return spellString(value, { quote: style.quote, always: style.quoteStrings, flow: inside });
  if (typeof value === "number") return spellNumber(value);
  if (value instanceof Exact) return spellExact(value);
  if (isList(value))
    return bracketed(
      "[",
      value.map((item) => flowValue(item, style, true)),
      style.listPadding,
      "]",
    );
  if (isMap(value))
    return bracketed(
      "{",
      Object.entries(value).map(([name, child]) => flowPair(name, child, style)),
      style.mapPadding,
      "}",
    );
  return String(value);
}

export function flowPair(name: string, value: Value, style: YamlStyle): string {
  return `${spellKey(name, style, true)}: ${flowValue(value, style, true)}`;
}

function bracketed(open: string, parts: readonly string[], padding: string, close: string): string {
  return parts.length === 0 ? open + close : `${open}${padding}${parts.join(", ")}${padding}${close}`;
}

function spellKey(name: string, style: YamlStyle, flow: boolean): string {
  if (style.numericKeys && /^(?:0|-?[1-9][0-9]{0,14})$/.test(name)) return name;
  return spellString(name, { quote: style.quote, always: style.quoteKeys, flow });
}

/** With a point before the exponent: YAML 1.1 takes `1e+21` for a string. */
function spellNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? ".nan" : value < 0 ? "-.inf" : ".inf";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
}

function spellExact({ kind, text }: Exact): string {
  return kind === "float" ? text.replace(/^([-+]?)(?=inf|nan)/, "$1.") : text;
}

/** How strings are spelled so that no reader, of YAML 1.1 or 1.2, takes them for anything else. */

export type Quote = "'" | '"';

export interface StringStyle {
  readonly quote: Quote;
  /** Whether a string gets quotes that needs none, because its siblings have them. */
  readonly always: boolean;
  /** Inside brackets more characters have a meaning. */
  readonly flow: boolean;
}

export function spellString(text: string, { quote, always, flow }: StringStyle): string {
  if (!always && isSafePlain(text, flow)) return text;
  return quote === "'" && isPrintable(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
}

function isSafePlain(text: string, flow: boolean): boolean {
  if (text === "" || text.trim() !== text || !isPrintable(text) || isAmbiguous(text)) return false;
  if (!/^(?:[^-?:,[\]{}#&*!|>'"%@`=<]|-[-A-Za-z/])/u.test(text) || text.startsWith("---") || text.startsWith("..."))
    return false;
  if (/:(?:\s|$)|\s#/.test(text)) return false;
  return !flow || !/[,[\]{}:?#]/.test(text);
}

/** No line breaks, no tabs, nothing that YAML wants escaped. */
function isPrintable(text: string): boolean {
  return !unprintable.test(text) && !loneSurrogate.test(text);
}

const unprintable = /[\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/;
const loneSurrogate = /\p{Surrogate}/u;

/** Words and numbers by any version's rules: booleans and null, binary, octal and sexagesimal numbers, dates. */
function isAmbiguous(text: string): boolean {
  return (
    /^(?:~|null|true|false|yes|no|on|off|y|n|<<|=)$/i.test(text) ||
    /^[-+]?\.(?:inf|nan)$/i.test(text) ||
    /^[-+]?[0-9][0-9_]*$/.test(text) ||
    /^[-+]?0(?:b[01_]+|o[0-7_]+|x[0-9a-f_]+)$/i.test(text) ||
    /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[-+]?[0-9]+)?$/i.test(text) ||
    /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text) ||
    /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?$/.test(text)
  );
}

/** JSON's escapes are YAML's; a few characters more need one. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a text of several lines can stand as a literal block, line by line, and come out the same. */
export function fitsLiteral(text: string): boolean {
  if (
    !text.includes("\n") ||
    text.endsWith("\n\n") ||
    loneSurrogate.test(text) ||
    unprintable.test(text.replaceAll("\n", ""))
  )
    return false;
  const lines = text.split("\n");
  if (lines[0] === "" || lines[0]!.startsWith(" ")) return false;
  return lines.every((line) => line === "" || line.trim() !== "");
}
