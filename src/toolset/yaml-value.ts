import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import { Exact, mapOf, type Value } from "../core/value.ts";

export type PlainValue =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "unsupported"; readonly message: string; readonly offset: number };

/** A handful of aliases can stand for gigabytes: more nodes than this are refused. A ConfigMap's megabyte, written out, stays below it. */
const nodeLimit = 1_000_000;

/** Ends the walk; never leaves this file. */
class Unsupported extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A YAML node as plain data, numbers exactly as written, aliases written out. */
export function plainValue(node: Node, document: Document, text: string): PlainValue {
  try {
    return { kind: "value", value: walk(node, { document, text, nodes: 0 }) };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { kind: "unsupported", message: error.message, offset: error.offset };
  }
}

interface Walk {
  readonly document: Document;
  readonly text: string;
  nodes: number;
}

function walk(node: Node | null, state: Walk): Value {
  if (node === null) return null;
  if (++state.nodes > nodeLimit) throw new Unsupported("too many values (aliases within aliases?)", offsetOf(node));
  if (isAlias(node)) {
    const target = node.resolve(state.document);
    if (target === undefined) throw new Unsupported(`nothing is anchored as &${node.source}`, offsetOf(node));
    return walk(target, state);
  }
  if (isSeq(node)) return (node.items as Node[]).map((item) => walk(item, state));
  if (isMap(node)) return mapOf((node.items as Pair<Node, Node | null>[]).map((pair) => [keyOf(pair.key, state), walk(pair.value, state)]));
  return scalar(node, state.text);
}

function keyOf(key: Node, state: Walk): string {
  const value = walk(key, state);
  if (value === "<<") throw new Unsupported("merge keys (<<) are not supported here; write the fields out", offsetOf(key));
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
