import { type Exact, isList, isMap, type Value, type ValueMap } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import { bareKind, integralFloat } from "./scalar.ts";
import type { LineStyle, SectionStyle } from "./style.ts";
import { ArrayNode, TableArrayNode, TableNode, type TomlNode } from "./tree.ts";

/** Values as TOML 1.0 text on one line. What TOML can't say is refused. */

const loneSurrogate = /\p{Surrogate}/u;

export type TomlQuote = '"' | "'";

export function renderInline(value: Value, quote: TomlQuote = '"'): string {
  if (isList(value)) return `[${value.map((item) => renderInline(item, quote)).join(", ")}]`;
  if (!isMap(value)) return renderScalar(value, quote);
  const names = Object.keys(value);
  if (names.length === 0) return "{}";
  return `{ ${names.map((name) => `${renderKey(name)} = ${renderInline(value[name]!, quote)}`).join(", ")} }`;
}

function renderScalar(value: null | boolean | number | string | Exact, quote: TomlQuote): string {
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

export function renderString(text: string, quote: TomlQuote): string {
  if (loneSurrogate.test(text)) throw new Fault("TOML can't write a string with half a surrogate pair in it", 0);
  if (quote === "'" && !/['\x00-\x08\x0a-\x1f\x7f]/.test(text)) return `'${text}'`;
  return `"${text.replace(/[\x00-\x1f\x7f"\\]/g, escapeCharacter)}"`;
}

/** JSON's escapes are TOML's; TOML also wants one for DEL. */
function escapeCharacter(character: string): string {
  return character === "\x7f" ? "\\u007f" : JSON.stringify(character).slice(1, -1);
}

/** A string of several lines as a person would write it. Quotes are escaped where three could come together. */
export function renderMultiLineString(text: string): string {
  if (loneSurrogate.test(text)) throw new Fault("TOML can't write a string with half a surrogate pair in it", 0);
  const escaped = text.replace(/[\x00-\x08\x0b-\x1f\x7f\\]|"(?="|$)/g, escapeCharacter);
  return `"""\n${escaped}"""`;
}

const longLine = 100;

/** A list that can be written as `[[…]]`: maps only, and at least one. */
export function isTableList(value: Value): value is readonly ValueMap[] {
  return isList(value) && value.length > 0 && value.every(isMap);
}

/** `key = value`: one line, unless the value is a text of several lines or a long list. */
export function renderPair(key: string, value: Value, style: LineStyle): string[] {
  return (style.indent + style.assign(key) + renderValue(value, style)).split("\n");
}

/** A value behind a `=`, its lines separated by `\n`. With CRLF no string spans lines, as readers disagree on it. */
export function renderValue(value: Value, style: LineStyle): string {
  if (typeof value === "string" && value.includes("\n") && style.eol === "\n") return renderMultiLineString(value);
  const inline = renderInline(value, style.quote);
  if (!isList(value) || value.length < 2 || inline.length <= longLine) return inline;
  const items = value.map((item) => `${style.indent}  ${renderInline(item, style.quote)},`);
  return ["[", ...items, `${style.indent}]`].join("\n");
}

/** A map as dotted keys, one line a leaf. */
export function renderDotted(prefix: string, value: Value, style: LineStyle): string[] {
  if (!isMap(value) || Object.keys(value).length === 0) return renderPair(prefix, value, style);
  return Object.keys(value).flatMap((name) => renderDotted(`${prefix}.${renderKey(name)}`, value[name]!, style));
}

/** A map as `[path]` (or `[[path]]`) with what is below it. `path` is text as it stands in a header. */
export function renderSection(
  path: string,
  value: ValueMap,
  brackets: "table" | "element",
  style: SectionStyle,
): string[] {
  const names = Object.keys(value);
  const nested = names.filter((name) => isNested(value[name]!, childOf(style.like, name)));
  const pairs = names.filter((name) => !isNested(value[name]!, childOf(style.like, name)));
  const blocks = nested.map((name) =>
    renderBelow(`${path}.${renderKey(name)}`, value[name]!, { ...style, like: childOf(style.like, name) }),
  );
  // A table with nothing of its own needs no header; an element is its header.
  if (brackets === "element" || pairs.length > 0 || nested.length === 0) {
    const header = brackets === "element" ? `[[${path}]]` : `[${path}]`;
    blocks.unshift([
      style.headerIndent + header,
      ...pairs.flatMap((name) => renderPair(renderKey(name), value[name]!, style)),
    ]);
  }
  return joinBlocks(blocks, style);
}

/** A map or a list of maps as sections. */
export function renderBelow(path: string, value: Value, style: SectionStyle): string[] {
  if (!isTableList(value)) return renderSection(path, value as ValueMap, "table", style);
  const like = style.like instanceof TableArrayNode ? style.like.elements[0] : undefined;
  return joinBlocks(
    value.map((item) => renderSection(path, item, "element", { ...style, like })),
    style,
  );
}

function joinBlocks(blocks: readonly string[][], style: SectionStyle): string[] {
  return blocks.flatMap((block, i) => (i === 0 || style.tight ? block : ["", ...block]));
}

function isNested(value: Value, like: TomlNode | undefined): boolean {
  if (isTableList(value)) return !(like instanceof ArrayNode);
  return isMap(value) && !(like instanceof TableNode && (like.style === "inline" || like.style === "dotted"));
}

function childOf(like: TomlNode | undefined, name: string): TomlNode | undefined {
  return like instanceof TableNode ? like.children.get(name) : undefined;
}
