import { Exact, isList, isMap, type Value } from "../../core/value.ts";
import { colonOf, gapAt, hasLines, type JsonStyle, padOf } from "./style.ts";
import type { JsonNode } from "./tree.ts";

/** Where a value is written: on a line with this indentation and room for lines of its own, or within a line. */
export type JsonPlace = { readonly kind: "lines"; readonly indent: string } | { readonly kind: "within" };

export function renderEntry(
  name: string | undefined,
  value: Value,
  place: JsonPlace,
  style: JsonStyle,
  model: JsonNode | undefined,
): string {
  const text = renderJsonValue(value, place, style, model);
  return name === undefined ? text : `${JSON.stringify(name)}${style.colon}${text}`;
}

/** A value as text, in the layout of the model (a sibling, or what is replaced) where that has a container too. */
export function renderJsonValue(value: Value, place: JsonPlace, style: JsonStyle, model: JsonNode | undefined): string {
  if (isList(value)) {
    const like = model?.kind === "list" && model.members().length > 0 ? model : listLike(value, style);
    const items = layOut(place, style, like);
    return items.join(
      "[",
      value.map((item) => renderJsonValue(item, items.place, style, like?.child(0))),
      "]",
      () => (like && padOf(like)) ?? "",
    );
  }
  if (isMap(value)) {
    const like = model?.kind === "map" && model.members().length > 0 ? model : undefined;
    const entries = layOut(place, style, like);
    const inside = { ...style, colon: (like && colonOf(like)) ?? style.colon };
    const render = (name: string) => renderEntry(name, value[name]!, entries.place, inside, like?.get(name));
    return entries.join("{", Object.keys(value).map(render), "}", () => (like && padOf(like)) ?? style.pad());
  }
  return renderScalar(value);
}

/** Longer lists are written on several lines, unless their model is on one. */
const longLine = 100;

function listLike(value: readonly Value[], style: JsonStyle): JsonNode | undefined {
  const isPlain = !value.some((item) => isList(item) || isMap(item));
  return isPlain && JSON.stringify(value).length <= longLine ? style.list() : undefined;
}

export function renderScalar(value: Exact | string | number | boolean | null): string {
  if (value instanceof Exact) return value.kind === "number" ? value.text : JSON.stringify(value.text);
  return JSON.stringify(value);
}

interface Laying {
  readonly place: JsonPlace;
  join(open: string, parts: readonly string[], close: string, pad: () => string): string;
}

function layOut(place: JsonPlace, { eol, unit, gap: usual }: JsonStyle, like: JsonNode | undefined): Laying {
  const gap = like === undefined ? usual : (gapAt(like) ?? usual);
  if (place.kind === "within" || (like !== undefined && !hasLines(like))) {
    const join: Laying["join"] = (open, parts, close, pad) =>
      parts.length === 0 ? open + close : `${open}${pad()}${parts.join(`,${gap}`)}${pad()}${close}`;
    return { place: { kind: "within" }, join };
  }
  const inner = place.indent + unit;
  return {
    place: { kind: "lines", indent: inner },
    join: (open, parts, close) =>
      parts.length === 0
        ? open + close
        : `${open}${eol}${inner}${parts.join(`,${eol}${inner}`)}${eol}${place.indent}${close}`,
  };
}
