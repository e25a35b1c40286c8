import { hasMoreValues } from "../core/value.ts";
import type { Format, Malformed } from "./format.ts";

/** The longest text for readers that need dozens of times its size in memory. */
export const maxTextLength = 32 * 1024 * 1024;

/** The most values a text may hold. A reader of YAML needs a gigabyte for these. */
export const maxValues = 500_000;

/** Why a text is too long to be read. Checked first: running out of memory can't be refused. */
export function tooLong(text: string, format: string): Malformed | undefined {
  if (text.length <= maxTextLength) return undefined;
  const message = `this is more than ${maxTextLength / 1024 ** 2} MiB of ${format}, which is refused; split the file, or name another`;
  return { kind: "malformed", message, offset: 0 };
}

/** Why a text holds too many values to be read, judged by its signs alone. */
export function tooMany(text: string, format: Format["name"]): Malformed | undefined {
  if (!counters[format](text)) return undefined;
  const message = `this holds more than ${maxValues.toLocaleString("en")} values, which is refused; split the file, or name another`;
  return { kind: "malformed", message, offset: 0 };
}

/** Whether a text may hold more values than that. None is missed; some may be counted that are none. */
const counters: Readonly<Record<Format["name"], (text: string) => boolean>> = {
  json: (text) => hasMoreValues(text, maxValues),
  yaml: hasManyYamlValues,
  toml: (text) => hasMany(text, "\n,[{."),
  dotenv: (text) => hasMany(text, "\n"),
  ini: (text) => hasMany(text, "\n"),
};

function hasMany(text: string, signs: string): boolean {
  const begins = new Uint8Array(128);
  for (const sign of signs) begins[sign.charCodeAt(0)] = 1;
  let count = 1;
  // A value and its separator take two characters: often the rest is too short to matter.
  for (let at = 0; count + (text.length - at) / 2 > maxValues && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && begins[code] === 1) count++;
  }
  return count > maxValues;
}

/** A value begins with a line, after a dash, with a bracket, or after a comma within brackets. */
function hasManyYamlValues(text: string): boolean {
  if (text.length / 2 <= maxValues) return false;
  let [count, depth] = [1, 0];
  for (let at = 0; at < text.length && count <= maxValues; at++) {
    const sign = text[at];
    if (sign === "[" || sign === "{") depth++;
    if (sign === "]" || sign === "}") depth = Math.max(0, depth - 1);
    if (
      sign === "\n" ||
      sign === "[" ||
      sign === "{" ||
      (sign === "," && depth > 0) ||
      (sign === "-" && text[at + 1] === " ")
    )
      count++;
  }
  return count > maxValues;
}

/** Collections inside collections, before a file is refused. Both readers recurse. */
export const maxDepth = 100;

/** Values that a file may hold once its aliases are followed: more is taken for an alias bomb and refused. */
export const maxExpandedValues = 1_000_000;

/** A key that does not begin with `?` must end within 1024 characters of its line. */
export const maxKeyLength = 1000;

/** The message for a text that two readers take for different values. */
export function readersDiffer(what: string): string {
  return `${what} means different things to different readers of YAML; remove it`;
}
