import { Exact, isList, isMap, type Value } from "../../core/value.ts";

/**
 * Values as block YAML that YAML 1.1 and 1.2 readers understand alike (HolmesGPT reads 1.1). One text for one value, in
 * the order given. Written out here because the generated texts carry comments between entries, must never change with
 * a library's version, and are rendered for thousands of tools in one pass.
 */
export function yamlLines(value: Value, indent: string): string[] {
  const lines: string[] = [];
  pushLines(lines, value, indent);
  return lines;
}

/**
 * All levels write into one list: handing lines upwards would copy each of them once a level, and a long list of
 * arguments ends the program.
 */
function pushLines(lines: string[], value: Value, indent: string): void {
  if (isMap(value))
    for (const name of Object.keys(value)) pushEntry(lines, `${indent}${yamlScalar(name)}:`, value[name]!, indent);
  else if (isList(value)) for (const item of value) pushItem(lines, item, indent);
  else lines.push(indent + yamlScalar(value));
}

function pushEntry(lines: string[], head: string, value: Value, indent: string): void {
  if (!isNested(value)) {
    lines.push(`${head} ${flat(value)}`);
    return;
  }
  lines.push(head);
  pushLines(lines, value, `${indent}  `);
}

/** What is nested begins on the line of its dash. */
function pushItem(lines: string[], item: Value, indent: string): void {
  if (!isNested(item)) {
    lines.push(`${indent}- ${flat(item)}`);
    return;
  }
  const first = lines.length;
  pushLines(lines, item, `${indent}  `);
  lines[first] = `${indent}- ${lines[first]!.slice(indent.length + 2)}`;
}

function isNested(value: Value): boolean {
  return (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0);
}

function flat(value: Value): string {
  if (isMap(value)) return "{}";
  return isList(value) ? "[]" : yamlScalar(value);
}

export function yamlScalar(value: null | boolean | number | string | Exact): string {
  if (value instanceof Exact) return exactText(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return isPlain(value) ? value : quote(value);
  return String(value);
}

/** Words that some YAML reader takes for something else than a text. */
const reserved = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null"]);

function isPlain(text: string): boolean {
  return /^[A-Za-z_/][\w./@%+,()=:&; -]*$/.test(text) && !/: |:$| $/.test(text) && !reserved.has(text.toLowerCase());
}

function quote(text: string): string {
  return flowLine(text);
}

/** JSON in which no reader of YAML sees the end of a line. */
export function flowLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** YAML 1.1 takes a number with an exponent for a text unless it has a point. */
function numberText(value: number): string {
  const text = String(value);
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
}

function exactText(value: Exact): string {
  if (value.kind === "number") return value.text;
  return value.kind === "float" ? yamlFloat(value.text) : quote(value.text);
}

function yamlFloat(text: string): string {
  const bare = text.replace(/^[+-]?\.?/, "").toLowerCase();
  return `${text.startsWith("-") ? "-" : ""}.${bare}`;
}
