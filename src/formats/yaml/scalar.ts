import { Exact, numberFromText, type Value } from "../../core/value.ts";

const coreTag = "tag:yaml.org,2002:";

/** How a scalar was written, as far as its meaning depends on it. */
export interface WrittenScalar {
  /** Its content after unquoting and folding. */
  readonly text: string;
  readonly plain: boolean;
  readonly tag: string | undefined;
}

/** The value of a scalar by YAML 1.2's core schema, which is what the second reader goes by too. */
export function scalarValue({ text, plain, tag }: WrittenScalar): Value {
  if (tag === undefined) return plain ? plainValue(text) : text;
  if (isForeignTag(tag)) return taggedText(tag, text);
  return tag === "!" || tag === `${coreTag}str` ? text : plainValue(text);
}

/** A tag whose meaning is up to the program that reads the file (`!secret`, `!!binary`). */
function isForeignTag(tag: string): boolean {
  if (tag === "!") return false;
  const name = tag.startsWith(coreTag) ? tag.slice(coreTag.length) : undefined;
  return name === undefined || !["str", "int", "float", "bool", "null", "map", "seq"].includes(name);
}

/** The value of a scalar with a foreign tag, which equals no plain string. */
export function taggedText(tag: string, text: string): string {
  return `${tag} ${text}`;
}

function plainValue(text: string): Value {
  if (text === "" || isNullSpelling(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return /^[-+.0-9]/.test(text) ? numericValue(text) : text;
}

export function isNullSpelling(text: string): boolean {
  return /^(?:~|null|Null|NULL)$/.test(text);
}

function numericValue(text: string): Value {
  // Twelve here, ten to a YAML 1.1 reader: kept as written, so that a file mode stays what its author meant.
  if (/^[-+]?0[0-9]+$/.test(text)) return new Exact("number", text);
  if (/^(?:[-+]?[0-9]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/.test(text))
    return numberFromText(text);
  if (/^(?:0o[0-7]+|0x[0-9a-fA-F]+)$/.test(text))
    return Number.isSafeInteger(Number(text)) ? Number(text) : new Exact("number", text);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return new Exact("float", text.startsWith("-") ? "-inf" : "inf");
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? new Exact("float", "nan") : text;
}

/** The name of an entry by its key. Numbers and null count by their value. */
export function nameFromKey(key: WrittenScalar): string {
  const value = scalarValue(key);
  if (!(value instanceof Exact)) return String(value);
  if (value.kind === "float") return floatName(value.text);
  // Too large to be a number for the second reader, which then takes it for a text.
  return Number.isFinite(Number(value.text)) ? String(Number(value.text)) : value.text;
}

function floatName(text: string): string {
  if (text === "nan") return "NaN";
  return text === "-inf" ? "-Infinity" : "Infinity";
}
