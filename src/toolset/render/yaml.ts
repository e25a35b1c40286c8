import { load, YAMLException } from "js-yaml";
import * as v from "valibot";
import {
  type Alias,
  type Document,
  isAlias,
  isMap as isMapNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
} from "yaml";
import { InputError, issueMessage } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts";
import { Exact, isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { unquoted } from "../../formats/fault.ts";
import { tooLong } from "../../formats/limits.ts";

/**
 * What a reader of js-yaml makes of a text, within the limit of all YAML; what is wrong is told under `code`, where it
 * stands.
 */
export function parseYaml<T>(
  text: string,
  { file, code }: { readonly file: string; readonly code: DiagnosticCode },
  read: (text: string) => T,
): T {
  const long = tooLong(text, "YAML");
  if (long !== undefined) throw new InputError({ code, message: long.message, file });
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line, column } = error.mark ?? { line: 0, column: 0 };
    throw new InputError({ code, message: unquoted(error.reason), file, line: line + 1, column: column + 1 });
  }
}

/** Data of a text by its schema. `what` the data is, for a fault of all of it. */
export function readBySchema<S extends v.GenericSchema>(
  text: string,
  schema: S,
  { what, ...said }: { readonly file: string; readonly code: DiagnosticCode; readonly what: string },
): v.InferOutput<S> {
  const parsed = v.safeParse(
    schema,
    parseYaml(text, said, (yaml) => load(yaml)),
  );
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new InputError({ ...said, message: `${v.getDotPath(issue) ?? what}: ${issueMessage(issue)}` });
}

/**
 * A handful of aliases can stand for gigabytes: more nodes than this are refused. A ConfigMap's megabyte, written out,
 * stays below it.
 */
const nodeLimit = 300_000;
/** An alias may even stand for what it stands in. */
const depthLimit = 100;

/** What is wrong with a text, and where. Ends the reading of it; whoever began that catches it. */
export class YamlFault extends Error {
  readonly offset: number;
  constructor(message: string, at: Node | number) {
    super(message);
    this.offset = typeof at === "number" ? at : (at.range?.[0] ?? 0);
  }
}

/**
 * What each alias of a document stands for. In one pass: asking each alias by itself costs a pass over the whole
 * document every time.
 */
export type AliasTargets = ReadonlyMap<Alias, Node>;

export function findAliases(document: Document, text: string): AliasTargets {
  const [anchors, targets] = [new Map<string, Node>(), new Map<Alias, Node>()];
  if (!text.includes("*")) return targets;
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if ("anchor" in node && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** A YAML node as plain data, numbers exactly as written, aliases written out. Throws a `YamlFault`. */
export function plainValue(node: Node, aliases: AliasTargets, text: string): Value {
  return walk(node, { aliases, text, nodes: 0 }, 0);
}

interface Walk {
  readonly aliases: AliasTargets;
  readonly text: string;
  nodes: number;
}

function walk(node: Node | null, state: Walk, depth: number): Value {
  if (node === null) return null;
  if (depth > depthLimit) throw new YamlFault("nested too deeply", node);
  if (++state.nodes > nodeLimit) throw new YamlFault("too many values (aliases within aliases?)", node);
  if (isAlias(node)) {
    const target = state.aliases.get(node);
    if (target === undefined) throw new YamlFault(`nothing is anchored as &${node.source}`, node);
    return walk(target, state, depth + 1);
  }
  if (isSeq(node)) return (node.items as Node[]).map((item) => walk(item, state, depth + 1));
  return isMapNode(node) ? walkMap(node.items as Pair<Node, Node | null>[], state, depth) : scalar(node, state.text);
}

export const doubled = "one map has this key twice; remove one of them";

function walkMap(pairs: readonly Pair<Node, Node | null>[], state: Walk, depth: number): Value {
  const entries = new Map<string, Value>();
  const merged: Value[] = [];
  for (const pair of pairs) {
    if (isMergeKey(pair.key)) {
      merged.push(...mergedMaps(pair, state, depth));
      continue;
    }
    const key = keyOf(pair.key, state);
    if (entries.has(key)) throw new YamlFault(doubled, pair.key);
    entries.set(key, walk(pair.value, state, depth + 1));
  }
  // What a map says itself counts, then the first map merged into it.
  for (const map of merged)
    for (const [key, value] of Object.entries(map as ValueMap)) if (!entries.has(key)) entries.set(key, value);
  return mapOf([...entries]);
}

/** `<<`, as YAML 1.1 has it and HolmesGPT reads it. In quotes it is a name like any other. */
function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function mergedMaps({ key, value }: Pair<Node, Node | null>, state: Walk, depth: number): Value[] {
  const merged = walk(value, state, depth + 1);
  const maps = isList(merged) ? [...merged] : [merged];
  if (maps.every((map) => isMap(map))) return maps;
  throw new YamlFault("a merge key (<<) takes a map, or a list of maps", value ?? key);
}

function keyOf(key: Node, state: Walk): string {
  const value = walk(key, state, depthLimit);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new YamlFault("a key must be a text", key);
}

function scalar(node: Node, text: string): Value {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "number") throw new YamlFault("a value of this kind is not supported here", node);
  if (!Number.isFinite(value)) return new Exact("float", Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf");
  const [start, end] = node.range ?? [0, 0];
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? new Exact("number", text.slice(start, end)) : value;
}

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
  // YAML 1.1 takes a number with an exponent for a text unless it has a point.
  if (typeof value === "number") return String(value).replace(/^([^.]*)e/, "$1.0e");
  if (typeof value === "string") return isPlain(value) ? value : flowLine(value);
  return String(value);
}

/** Words that some YAML reader takes for something else than a text. */
const reserved = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null"]);

function isPlain(text: string): boolean {
  return /^[A-Za-z_/][\w./@%+,()=:&; -]*$/.test(text) && !/: |:$| $/.test(text) && !reserved.has(text.toLowerCase());
}

/** JSON in which no reader of YAML sees the end of a line. */
export function flowLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function exactText({ kind, text }: Exact): string {
  if (kind === "number") return text;
  if (kind !== "float") return flowLine(text);
  return `${text.startsWith("-") ? "-" : ""}.${text.replace(/^[+-]?\.?/, "").toLowerCase()}`;
}
