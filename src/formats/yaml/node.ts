import { type CST, isAlias, isMap, isScalar, isSeq, type Node as LibraryNode } from "yaml";
import { firstReached } from "../../core/search.ts";
import { isList, isMap as isValueMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import type { Malformed, Node, Path, Range } from "../format.ts";
import { endOfToken, startOfToken, type YamlCollection, type YamlEntry } from "./collection.ts";
import { scalarValue } from "./scalar.ts";
import { readTree, type Tree } from "./tree.ts";

/** A value of the document. Children are made when asked for. */
export class YamlNode implements Node {
  readonly tree: Tree;
  /** What stands in the text: an alias, where there is one. Undefined for the root of an empty file and for `{key}`. */
  readonly written: LibraryNode | undefined;
  readonly parent: YamlNode | undefined;
  /** Its place in the parent; undefined for the root. */
  readonly entry: YamlEntry | undefined;

  constructor(tree: Tree, written: LibraryNode | undefined, parent?: YamlNode, entry?: YamlEntry) {
    this.tree = tree;
    this.written = written;
    this.parent = parent;
    this.entry = entry;
  }

  get kind(): "map" | "list" | "scalar" {
    if (this.isEmptyRoot) return "map";
    const node = this.meant;
    if (isMap(node)) return "map";
    return isSeq(node) ? "list" : "scalar";
  }

  get ranges(): readonly Range[] {
    if (this.isBorrowed) return this.parent!.ranges;
    const { entry, written } = this;
    if (entry !== undefined) return [{ start: Math.min(entry.valueStart, entry.end), end: entry.end }];
    const token = written?.srcToken;
    if (token === undefined) return [{ start: this.tree.syntax.bodyEnd, end: this.tree.syntax.bodyEnd }];
    return [{ start: startOfToken(token), end: endOfToken(token) }];
  }

  get entryRanges(): readonly Range[] {
    if (this.isBorrowed) return this.parent!.entryRanges;
    return this.entry === undefined ? this.ranges : [{ start: this.entry.start, end: this.entry.end }];
  }

  value(): Value {
    if (this.isEmptyRoot) return mapOf([]);
    return valueIn(this.tree, this.written, "kept");
  }

  /** Its value with everything in it that merge keys bring in. Throws a `Fault` where one can't. */
  mergedValue(): Value {
    return this.isEmptyRoot ? mapOf([]) : valueIn(this.tree, this.written, "followed");
  }

  get(name: string): Node | undefined {
    return this.kind === "map" ? this.child(name) : undefined;
  }

  names(): readonly string[] {
    return this.kind === "map" ? (this.collection?.entries.map((entry) => String(entry.name)) ?? []) : [];
  }

  items(): readonly Node[] {
    if (this.kind !== "list") return [];
    return this.collection!.entries.map((entry) => new YamlNode(this.tree, entry.node, this, entry));
  }

  comments(): readonly Path[] {
    if (this.isBorrowed) return [];
    const { entry } = this;
    const range = this.entryRanges[0]!;
    const offsets: number[] = [];
    if (entry === undefined) collect(this.written?.srcToken, offsets);
    else collectItem(entry.item, offsets);
    const first = entry === undefined ? 0 : range.start;
    return offsets.filter((at) => at >= first && at < range.end).map((at) => this.pathToContainerAt(at));
  }

  locked(): string | undefined {
    const inside = this.closed();
    if (inside !== undefined) return inside;
    const { entry, tree } = this;
    if (entry?.item.start.some((token) => token.type === "explicit-key-ind")) return "its key is written with `?`";
    const tag = this.written?.tag;
    if (tag !== undefined) return `it carries the tag ${tag}, which would not fit another value`;
    const range = this.entryRanges[0]!;
    const link = tree.aliasFromOutside(range.start, range.end);
    return link === undefined ? undefined : `*${link.anchor} elsewhere uses the anchor &${link.anchor} in it`;
  }

  fixed(): undefined {
    return undefined;
  }

  /** Why nothing at or below this node may be changed: something at it or around it forbids it. */
  closed(): string | undefined {
    for (let node: YamlNode | undefined = this; node !== undefined; node = node.parent) {
      const reason = node.closedItself();
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  private closedItself(): string | undefined {
    const { written, entry } = this;
    if (isAlias(written)) return `it is the alias *${written.source}, and what it refers to is elsewhere`;
    if (entry !== undefined && isMergeKey(entry)) return "it is merged in by `<<`";
    if (written === undefined) return undefined;
    const link = this.tree.aliasOf(written);
    if (link !== undefined) return `it has the anchor &${link.anchor}, which *${link.anchor} still uses`;
    return this.collection?.style === "pair" ? "it is a single pair in a list, without braces" : undefined;
  }

  /** Whether it stands below an alias, and so only in the text of the anchor. */
  private get isBorrowed(): boolean {
    const { parent } = this;
    return parent !== undefined && (isAlias(parent.written) || parent.isBorrowed);
  }

  /** The end of what stands before the value: `key:`, a dash, `---`, and the value's own anchor and tag. */
  get headEnd(): number {
    return this.entry?.headEnd ?? this.tree.syntax.headEnd;
  }

  get hasProperties(): boolean {
    return (
      this.written?.tag !== undefined ||
      (this.written !== undefined && "anchor" in this.written && this.written.anchor !== undefined)
    );
  }

  /** Whether nothing is written where the value would stand, so that there is room for a container. */
  get isVacant(): boolean {
    return this.isEmptyRoot || this.entry?.vacant === true;
  }

  /** Whether a null is written out (`~`) that a container may take the place of. */
  get isWrittenNull(): boolean {
    return this.entry !== undefined && !this.isVacant && isScalar(this.written) && this.value() === null;
  }

  get isEmptyRoot(): boolean {
    return this.parent === undefined && this.written === undefined;
  }

  private get meant(): LibraryNode | undefined {
    return this.written === undefined ? undefined : this.tree.resolve(this.written);
  }

  get collection(): YamlCollection | undefined {
    const node = this.meant;
    return node === undefined ? undefined : this.tree.collection(node);
  }

  child(name: string | number): YamlNode | undefined {
    const collection = this.collection;
    if (collection === undefined || (collection.kind === "map") !== (typeof name === "string")) return undefined;
    const position = collection.position(name);
    const entry = position === undefined ? undefined : collection.entries[position];
    return entry === undefined ? undefined : new YamlNode(this.tree, entry.node, this, entry);
  }

  /** The path, below this node, to the innermost container around an offset. */
  private pathToContainerAt(offset: number): Path {
    const { collection } = this;
    if (collection === undefined || isAlias(this.written)) return [];
    const entry = entryAround(collection.entries, offset);
    if (entry === undefined || entry.node === undefined || offset < entry.valueStart) return [];
    const child = new YamlNode(this.tree, entry.node, this, entry);
    return child.kind === "scalar" ? [] : [entry.name, ...child.pathToContainerAt(offset)];
  }
}

/** The entry that an offset lies in. Entries stand in the order of the text. */
function entryAround(entries: readonly YamlEntry[], offset: number): YamlEntry | undefined {
  const entry = entries[firstReached(entries.length, (i) => entries[i]!.end > offset)];
  return entry !== undefined && entry.start <= offset ? entry : undefined;
}

/** Adds the offsets of all comments below a token, in the order of the text. */
function collect(token: CST.Token | null | undefined, found: number[]): void {
  if (token === null || token === undefined) return;
  switch (token.type) {
    case "comment":
      found.push(token.offset);
      return;
    case "block-scalar":
      for (const prop of token.props) collect(prop, found);
      return;
    case "block-map":
    case "block-seq":
    case "flow-collection":
      for (const item of token.items) collectItem(item, found);
      if (token.type === "flow-collection") for (const part of token.end) collect(part, found);
      return;
    default:
      if ("end" in token && token.end !== undefined) for (const part of token.end) collect(part, found);
  }
}

function collectItem(item: CST.CollectionItem, found: number[]): void {
  for (const part of item.start) collect(part, found);
  collect(item.key, found);
  for (const part of item.sep ?? []) collect(part, found);
  collect(item.value, found);
}

/**
 * What to make of `<<`. For an edit it is a name like any other, and what it brings in is not the map's own. For what
 * the file says, the map has it all.
 */
export type MergeKeys = "kept" | "followed";

/** The value of a node, with its aliases followed. */
export function valueIn(tree: Tree, written: LibraryNode | undefined, mergeKeys: MergeKeys): Value {
  if (written === undefined) return null;
  const node = tree.resolve(written);
  if (isScalar(node))
    return scalarValue({ text: String(node.value ?? ""), plain: node.type === "PLAIN", tag: node.tag });
  const { kind, entries } = tree.collection(node)!;
  if (kind === "list") return entries.map((entry) => valueIn(tree, entry.node, mergeKeys));
  const pairs = new Map<string, Value>();
  for (const entry of entries) {
    const value = valueIn(tree, entry.node, mergeKeys);
    if (mergeKeys === "kept" || !isMergeKey(entry)) pairs.set(String(entry.name), value);
    else for (const source of sourcesIn(value, entry)) mergeInto(pairs, source);
  }
  return mapOf(pairs);
}

/** In quotes, `<<` is an ordinary name. */
export function isMergeKey({ key, name }: YamlEntry): boolean {
  return key?.type === "PLAIN" && name === "<<";
}

function sourcesIn(value: Value, entry: YamlEntry): readonly ValueMap[] {
  const sources = isList(value) ? value : [value];
  if (!sources.every((source) => isValueMap(source))) {
    const message = "`<<` can only bring in a map, or each of a list of maps; correct it, or put the name in quotes";
    throw new Fault(message, entry.start);
  }
  return sources;
}

/** What the map itself or an earlier source says counts. */
function mergeInto(pairs: Map<string, Value>, source: ValueMap): void {
  for (const name of Object.keys(source)) if (!pairs.has(name)) pairs.set(name, source[name]!);
}

/** A YAML text as nodes. Not in `yaml.ts`, so that those who only read load no second reader. */
export function readYamlText(text: string): { readonly kind: "read"; readonly root: YamlNode } | Malformed {
  return orFault("malformed", () => {
    const tree = readTree(text);
    return { kind: "read", root: new YamlNode(tree, tree.syntax.content) };
  });
}
