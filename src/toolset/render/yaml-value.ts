import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit } from "yaml";
import { Exact, isList, isMap as isValueMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";

export type PlainValue =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "unsupported"; readonly message: string; readonly offset: number };

/**
 * A handful of aliases can stand for gigabytes: more nodes than this are refused. A ConfigMap's megabyte, written out,
 * stays below it.
 */
const nodeLimit = 300_000;
/** An alias may even stand for what it stands in. */
const depthLimit = 100;

/** Ends the walk; never leaves this file. */
class Unsupported extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
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

/** A YAML node as plain data, numbers exactly as written, aliases written out. */
export function plainValue(node: Node, aliases: AliasTargets, text: string): PlainValue {
  try {
    return { kind: "value", value: walk(node, { aliases, text, nodes: 0 }, 0) };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { kind: "unsupported", message: error.message, offset: error.offset };
  }
}

interface Walk {
  readonly aliases: AliasTargets;
  readonly text: string;
  nodes: number;
}

function walk(node: Node | null, state: Walk, depth: number): Value {
  if (node === null) return null;
  if (depth > depthLimit) throw new Unsupported("nested too deeply", offsetOf(node));
  if (++state.nodes > nodeLimit) throw new Unsupported("too many values (aliases within aliases?)", offsetOf(node));
  if (isAlias(node)) {
    const target = state.aliases.get(node);
    if (target === undefined) throw new Unsupported(`nothing is anchored as &${node.source}`, offsetOf(node));
    return walk(target, state, depth + 1);
  }
  if (isSeq(node)) return (node.items as Node[]).map((item) => walk(item, state, depth + 1));
  return isMap(node) ? walkMap(node.items as Pair<Node, Node | null>[], state, depth) : scalar(node, state.text);
}

export const doubled = "a key stands twice in one map; take one out";

function walkMap(pairs: readonly Pair<Node, Node | null>[], state: Walk, depth: number): Value {
  const entries = new Map<string, Value>();
  const merged: Value[] = [];
  for (const pair of pairs) {
    if (isMergeKey(pair.key)) {
      merged.push(...mergedMaps(pair, state, depth));
      continue;
    }
    const key = keyOf(pair.key, state);
    if (entries.has(key)) throw new Unsupported(doubled, offsetOf(pair.key));
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
  if (maps.every((map) => isValueMap(map))) return maps;
  throw new Unsupported("a merge key (<<) takes a map, or a list of maps", offsetOf(value ?? key));
}

function keyOf(key: Node, state: Walk): string {
  const value = walk(key, state, depthLimit);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Unsupported("a key must be a text", offsetOf(key));
}

function scalar(node: Node, text: string): Value {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "number") throw new Unsupported("a value of this kind is not supported here", offsetOf(node));
  if (!Number.isFinite(value)) return new Exact("float", Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf");
  const [start, end] = node.range ?? [0, 0];
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? new Exact("number", text.slice(start, end)) : value;
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
