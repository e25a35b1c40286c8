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
import { nameOfKey } from "./survey.ts";
import {
  commasOf,
  endOfItem,
  headEndOfItem,
  type ItemToken,
  isEntry,
  isNothing,
  startOfItem,
  startOfToken,
} from "./tokens.ts";

/** An entry of a map or list and the places of its parts in the text. */
export interface Entry {
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

export interface Collection {
  readonly kind: "map" | "list";
  /** The pair in `[a: 1]` is a map without ends of its own. */
  readonly style: "block" | "flow" | "pair";
  readonly entries: readonly Entry[];
  /** Of a flow collection: where its brackets stand, and the comma behind each entry. */
  readonly open: number;
  readonly close: number;
  readonly commas: readonly (number | undefined)[];
  position(name: string | number): number | undefined;
}

/** A map or list with its places, or undefined for a scalar. */
export function collectionOf(node: LibraryNode): Collection | undefined {
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

function positions(entries: readonly Entry[]): (name: string | number) => number | undefined {
  let byName: Map<string | number, number> | undefined;
  return (name) => {
    byName ??= new Map(entries.map((entry, i) => [entry.name, i]));
    return byName.get(name);
  };
}

function entriesOfMap(map: YAMLMap): Entry[] {
  return (map.items as Pair<Scalar, LibraryNode | null>[]).map((pair) => {
    const item = (pair as { srcToken?: ItemToken }).srcToken!;
    return entry({ name: nameOfKey(pair.key), key: pair.key, value: pair.value, item });
  });
}

function entriesOfList(list: YAMLSeq, token: CST.BlockSequence | CST.FlowCollection): Entry[] {
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

function entry({ name, key, value, item }: EntryParts): Entry {
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
