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
import { nameOfKey } from "./tree.ts";

/** An entry of a map or list and the places of its parts in the text. */
export interface YamlEntry {
  readonly name: string | number;
  /** Undefined where the library makes nothing of a value that is left out (`{key}`). */
  readonly node: LibraryNode | undefined;
  /** Whether the value is left out (`key:`): null to a reader, and room for a container. */
  readonly vacant: boolean;
  readonly key: Scalar | undefined;
  /** Where it begins: its dash, or its key with anchor and tag. */
  readonly start: number;
  /** Where what introduces the value ends: dash, colon, and the value's anchor and tag. */
  readonly headEnd: number;
  readonly valueStart: number;
  readonly end: number;
  readonly item: ItemToken;
}

export interface YamlCollection {
  readonly kind: "map" | "list";
  /** The pair in `[a: 1]` is a map without ends of its own. */
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
    return entry({ name: nameOfKey(pair.key), key: pair.key, value: pair.value, item });
  });
}

function entriesOfList(list: YAMLSeq, token: CST.BlockSequence | CST.FlowCollection): YamlEntry[] {
  const items = (token.items as ItemToken[]).filter(isEntry);
  return (list.items as (LibraryNode | null)[]).map((value, i) =>
    entry({ name: i, key: undefined, value, item: items[i]! }),
  );
}

interface EntryParts {
  readonly name: string | number;
  readonly key: Scalar | undefined;
  readonly value: LibraryNode | null;
  readonly item: ItemToken;
}

function entry({ name, key, value, item }: EntryParts): YamlEntry {
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
export function startOfItem(item: ItemToken): number {
  const first =
    item.start.find((token) => !blank.has(token.type)) ?? item.key ?? item.sep?.find((token) => !blank.has(token.type));
  return (first ?? item.value)!.offset;
}

/** Where the part that introduces a value ends: its dash or colon, and its own anchor and tag. */
export function headEndOfItem(item: ItemToken): number {
  const head = item.sep && (item.sep.length > 0 || item.key) ? item.sep : item.start;
  const last = head.findLast((token) => !blank.has(token.type));
  if (last !== undefined) return last.offset + last.source.length;
  return item.key ? endOfToken(item.key) : startOfItem(item);
}

export function endOfItem(item: ItemToken): number {
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

/** Whether blank lines behind an entry would be part of it: it ends in a text that keeps its line ends (`|+`). */
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
  if (header.source.includes("+")) return contentStart + withoutLastBreak(token.source).length;
  const content = token.source.trimEnd();
  return content === ""
    ? header.offset + header.source.length
    : contentStart + lastLineEnd(token.source, content.length);
}

function withoutLastBreak(source: string): string {
  if (source.endsWith("\r\n")) return source.slice(0, -2);
  return source.endsWith("\n") ? source.slice(0, -1) : source;
}

/** Spaces at the end of the last line belong to it. */
function lastLineEnd(source: string, contentEnd: number): number {
  let end = contentEnd;
  while (source[end] === " " || source[end] === "\t") end++;
  return end;
}

/** The parser also keeps what follows the last entry (comments, a trailing comma) as an item. */
export function isEntry(item: ItemToken): boolean {
  if (item.value !== undefined || item.key || (item.sep !== undefined && item.sep.length > 0)) return true;
  return item.start.some((token) => !blank.has(token.type));
}

/** The comma behind each entry of a flow collection, or undefined: it is kept with the item that follows. */
export function commasOf(token: CST.FlowCollection): (number | undefined)[] {
  const entries: (number | undefined)[] = [];
  for (const item of token.items) {
    const comma = item.start.find((part) => part.type === "comma");
    if (comma !== undefined && entries.length > 0) entries[entries.length - 1] = comma.offset;
    if (isEntry(item)) entries.push(undefined);
  }
  return entries;
}
