import {
  type CST,
  isMap,
  isScalar,
  isSeq,
  type Node as LibraryNode,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { skipBlanks } from "../lines.ts";
import { nameOfKey } from "./tree.ts";

/** An entry of a map or list and the places of its parts in the text. */
export interface YamlEntry {
  readonly name: string | number;
  /** Undefined where the library has no node for a value that is left out (`{key}`). */
  readonly node: LibraryNode | undefined;
  /** Whether the value is left out (`key:`): null to a reader, and room for a container. */
  readonly vacant: boolean;
  readonly key: Scalar | undefined;
  /** Where it begins: its dash, or its key with anchor and tag. */
  readonly start: number;
  /** The end of what stands before the value: dash, colon, and the value's anchor and tag. */
  readonly headEnd: number;
  readonly valueStart: number;
  readonly end: number;
  readonly item: ItemToken;
}

export interface YamlCollection {
  readonly kind: "map" | "list";
  /** `pair`: the map in `[a: 1]`, which has no braces. */
  readonly style: "block" | "flow" | "pair";
  readonly entries: readonly YamlEntry[];
  /** Of a flow collection: where its brackets stand, and the comma behind each entry. */
  readonly open: number;
  readonly close: number;
  readonly commas: readonly (number | undefined)[];
  position(name: string | number): number | undefined;
}

/** A map or list with its places, or undefined for a scalar. */
export function collectionOf(node: LibraryNode): YamlCollection | undefined {
  if (!isMap(node) && !isSeq(node)) return undefined;
  const token = node.srcToken;
  const entries = isMap(node)
    ? entriesOfMap(node)
    : entriesOfList(node as YAMLSeq, token as CST.BlockSequence | CST.FlowCollection);
  const flow = token?.type === "flow-collection" ? token : undefined;
  return {
    kind: isMap(node) ? "map" : "list",
    style: token === undefined ? "pair" : flow === undefined ? "block" : "flow",
    entries,
    open: flow?.start.offset ?? -1,
    close: flow?.end[0]?.offset ?? -1,
    commas: flow === undefined ? [] : commasOf(flow),
    position: positions(entries),
  };
}

function positions(entries: readonly YamlEntry[]): (name: string | number) => number | undefined {
  let byName: Map<string | number, number> | undefined;
  return (name) => {
    byName ??= new Map(entries.map((entry, i) => [entry.name, i]));
    return byName.get(name);
  };
}

function entriesOfMap(map: YAMLMap): YamlEntry[] {
  return (map.items as Pair<Scalar, LibraryNode | null>[]).map((pair) => {
    const item = (pair as { srcToken?: ItemToken }).srcToken!;
    return entry({ name: nameOfKey(pair.key), key: pair.key, item }, pair.value);
  });
}

function entriesOfList(list: YAMLSeq, token: CST.BlockSequence | CST.FlowCollection): YamlEntry[] {
  const items = (token.items as ItemToken[]).filter(isEntry);
  return (list.items as (LibraryNode | null)[]).map((value, i) =>
    entry({ name: i, key: undefined, item: items[i]! }, value),
  );
}

function entry({ name, key, item }: Pick<YamlEntry, "name" | "key" | "item">, value: LibraryNode | null): YamlEntry {
  const headEnd = headEndOfItem(item);
  const written = item.value !== undefined && !isNothing(item.value);
  return {
    name,
    key,
    node: value ?? undefined,
    vacant: value === null || (isScalar(value) && !written && value.tag === undefined),
    start: startOfItem(item),
    headEnd,
    valueStart: written ? startOfToken(item.value!) : headEnd,
    end: endOfItem(item),
    item,
  };
}

/** An entry of a collection in the concrete syntax: start, key, separator and value. */
export type ItemToken = CST.CollectionItem;

const blank = new Set(["space", "newline", "comment", "comma"]);

/** Where an entry begins: its dash, its `?`, the anchor or tag of its key, or the key. */
function startOfItem(item: ItemToken): number {
  const first =
    item.start.find((token) => !blank.has(token.type)) ?? item.key ?? item.sep?.find((token) => !blank.has(token.type));
  return (first ?? item.value)!.offset;
}

/** The end of what stands before a value: its dash or colon, and its own anchor and tag. */
function headEndOfItem(item: ItemToken): number {
  const head = item.sep && (item.sep.length > 0 || item.key) ? item.sep : item.start;
  const last = head.findLast((token) => !blank.has(token.type));
  if (last !== undefined) return last.offset + last.source.length;
  return item.key ? endOfToken(item.key) : startOfItem(item);
}

function endOfItem(item: ItemToken): number {
  return item.value !== undefined && !isNothing(item.value) ? endOfToken(item.value) : headEndOfItem(item);
}

/** A value that is left out, though the parser has a token for it. */
export function isNothing(token: CST.Token): boolean {
  return token.type === "scalar" && token.source === "";
}

export function startOfToken(token: CST.Token): number {
  if (token.type === "block-map" || token.type === "block-seq") return startOfItem(token.items[0]!);
  return token.offset;
}

/** Where a value ends: without the comments, blank lines and line break that follow it. */
export function endOfToken(token: CST.Token): number {
  switch (token.type) {
    case "block-map":
    case "block-seq":
      return endOfItem(token.items.findLast(isEntry)!);
    case "flow-collection":
      return token.end[0] === undefined ? token.offset + 1 : token.end[0].offset + token.end[0].source.length;
    case "block-scalar":
      return endOfBlockScalar(token);
    default:
      return "source" in token ? token.offset + token.source.length : token.offset;
  }
}

/** Whether an entry ends in a text that keeps its line ends (`|+`): blank lines behind would be part of it. */
export function keepsBlanks(item: ItemToken): boolean {
  const { value } = item;
  if (value?.type === "block-map" || value?.type === "block-seq") return keepsBlanks(value.items.findLast(isEntry)!);
  return value?.type === "block-scalar" && headerOf(value).source.includes("+");
}

function headerOf({ props }: CST.BlockScalar): CST.SourceToken {
  return props.find((prop) => prop.type === "block-scalar-header") as CST.SourceToken;
}

/** The lines of a literal or folded scalar. Blank lines behind it count only where its header says so (`|+`). */
function endOfBlockScalar(token: CST.BlockScalar): number {
  const header = headerOf(token);
  const last = token.props.at(-1)!;
  const contentStart = last.offset + ("source" in last ? last.source.length : 0);
  if (header.source.includes("+")) return contentStart + token.source.replace(/\r?\n$/, "").length;
  const content = token.source.trimEnd();
  if (content === "") return header.offset + header.source.length;
  // Spaces at the end of the last line belong to it.
  return contentStart + skipBlanks(token.source, content.length);
}

/** The parser also keeps what follows the last entry (comments, a trailing comma) as an item. */
export function isEntry(item: ItemToken): boolean {
  if (item.value !== undefined || item.key || (item.sep !== undefined && item.sep.length > 0)) return true;
  return item.start.some((token) => !blank.has(token.type));
}

/** The comma behind each entry of a flow collection, or undefined: it is kept with the item that follows. */
function commasOf(token: CST.FlowCollection): (number | undefined)[] {
  const entries: (number | undefined)[] = [];
  for (const item of token.items) {
    const comma = item.start.find((part) => part.type === "comma");
    if (comma !== undefined && entries.length > 0) entries[entries.length - 1] = comma.offset;
    if (isEntry(item)) entries.push(undefined);
  }
  return entries;
}
