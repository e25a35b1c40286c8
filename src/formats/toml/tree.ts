import { mapOf, type Value } from "../../core/value.ts";
import { Fault } from "../fault.ts";
import type { Node, Path, Range } from "../format.ts";
import { commentsIn, rangesOfPieces } from "./pieces.ts";
import { bareValue, decodeString } from "./scalar.ts";

/** One name of a (dotted) key, as it means and where it stands. */
export interface KeyPart {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Something between the brackets of an array or inline table. `comma`: behind it, -1 where there is none. */
export interface TomlSlot {
  readonly start: number;
  readonly end: number;
  comma: number;
}

/** `key = value`, on a line of a section or between the braces of an inline table. */
export interface Pair extends TomlSlot {
  readonly keys: readonly KeyPart[];
  readonly value: LeafNode;
  readonly host: TableHost;
}

/** What holds pairs: the lines behind a header (or before the first one), or an inline table. */
export type TableHost = TomlSection | Flow;

/** A header and the lines that follow it up to the next. The first section is the root's and has no header. */
export class TomlSection {
  readonly kind = "section";
  readonly index: number;
  readonly header: Header | undefined;
  readonly table: TableNode;
  /** Lines that were found to be plain, and are read when somebody asks what stands in them. */
  unread: Range | undefined;
  #pairs: Pair[] | undefined;
  #comments: Comment[] | undefined;

  constructor(table: TableNode, header: Header | undefined) {
    const { sections } = table.source;
    this.index = sections.length;
    this.header = header;
    this.table = table;
    table.section = this;
    sections.push(this);
  }

  get pairs(): Pair[] {
    this.read();
    this.#pairs ??= [];
    return this.#pairs;
  }

  /** On the lines of the section, in order. */
  get comments(): Comment[] {
    this.read();
    this.#comments ??= [];
    return this.#comments;
  }

  read(): void {
    const lines = this.unread;
    this.unread = undefined;
    if (lines !== undefined) this.table.source.readLines(this, lines);
  }
}

export interface Header extends Range {
  readonly keys: readonly KeyPart[];
}

/** The brackets of an array or inline table: `start` at the opening one, `end` behind the closing one. */
export interface Flow extends Range {
  readonly kind: "flow";
  readonly slots: TomlSlot[];
}

export type TomlNode = ScalarNode | ArrayNode | TableNode | TableArrayNode;
/** What stands on the right of a `=`. A `TableNode` here is an inline one. */
export type LeafNode = ScalarNode | ArrayNode | TableNode;
export type ContainerNode = ArrayNode | TableNode | TableArrayNode;

/**
 * How a table came to be. `implicit`: only as the beginning of a header's name (`a` in `[a.b]`). `element`: a
 * `[[header]]`. `dotted`: by the beginning of a dotted key. `inline`: between braces.
 */
export type TableStyle = "root" | "header" | "element" | "implicit" | "dotted" | "inline";

abstract class TreeNode implements Node {
  abstract readonly kind: "map" | "list" | "scalar";
  readonly source: Source;
  parent: ContainerNode | undefined;
  /** Its name or position in `parent`. */
  key: string | number = "";
  /** The pair it is the whole value of. */
  pair: Pair | undefined;
  constructor(source: Source) {
    this.source = source;
  }
  abstract get ranges(): readonly Range[];
  abstract value(): Value;
  get entryRanges(): readonly Range[] {
    return this.pair === undefined ? this.ranges : [{ start: this.pair.start, end: this.pair.end }];
  }
  get(_name: string): TomlNode | undefined {
    return undefined;
  }
  names(): readonly string[] {
    return [];
  }
  items(): readonly TomlNode[] {
    return [];
  }
  comments(): readonly Path[] {
    return [];
  }
  locked(): string | undefined {
    return undefined;
  }
  fixed(): undefined {
    return undefined;
  }
  adopt(parent: ContainerNode, key: string | number): void {
    this.parent = parent;
    this.key = key;
  }
}

export class ScalarNode extends TreeNode {
  readonly kind = "scalar";
  readonly start: number;
  readonly end: number;
  constructor(source: Source, start: number, end: number) {
    super(source);
    this.start = start;
    this.end = end;
  }
  get ranges(): readonly Range[] {
    return [{ start: this.start, end: this.end }];
  }
  get text(): string {
    return this.source.text.slice(this.start, this.end);
  }
  value(): Value {
    const text = this.text;
    return text.startsWith('"') || text.startsWith("'") ? decodeString(text) : bareValue(text);
  }
}

abstract class ListNode<Element extends TomlNode> extends TreeNode {
  readonly kind = "list";
  readonly elements: Element[] = [];
  value(): Value {
    return this.elements.map((element) => element.value());
  }
  override items(): readonly TomlNode[] {
    return this.elements;
  }
  override comments(): readonly Path[] {
    return commentsIn(this);
  }
}

/** `[ … ]` on the right of a `=`. */
export class ArrayNode extends ListNode<LeafNode> {
  readonly flow: Flow;
  constructor(source: Source, flow: Flow) {
    super(source);
    this.flow = flow;
  }
  get ranges(): readonly Range[] {
    return [{ start: this.flow.start, end: this.flow.end }];
  }
}

/** All `[[a.b]]` of one name. */
export class TableArrayNode extends ListNode<TableNode> {
  private knownRanges: readonly Range[] | undefined;
  get ranges(): readonly Range[] {
    this.knownRanges ??= rangesOfPieces(this);
    return this.knownRanges;
  }
}

export class TableNode extends TreeNode {
  readonly kind = "map";
  style: TableStyle;
  #children: Map<string, TomlNode> | undefined;
  /** Of a root, header or element: the lines that are its own. */
  section: TomlSection | undefined;
  /** Of an inline table: its braces. */
  readonly flow: Flow | undefined;
  /** Of a dotted table: where its pairs stand. */
  host: TableHost | undefined;
  private knownRanges: readonly Range[] | undefined;
  constructor(source: Source, style: TableStyle, flow?: Flow) {
    super(source);
    this.style = style;
    this.flow = flow;
  }
  /** Whether nothing is known to stand in it yet. */
  get isNew(): boolean {
    return this.#children === undefined;
  }
  get children(): Map<string, TomlNode> {
    this.section?.read();
    this.#children ??= new Map();
    return this.#children;
  }
  get ranges(): readonly Range[] {
    this.knownRanges ??=
      this.flow === undefined ? rangesOfPieces(this) : [{ start: this.flow.start, end: this.flow.end }];
    return this.knownRanges;
  }
  value(): Value {
    return mapOf([...this.children].map(([name, child]) => [name, child.value()] as const));
  }
  override get(name: string): TomlNode | undefined {
    return this.children.get(name);
  }
  override names(): readonly string[] {
    return [...this.children.keys()];
  }
  override comments(): readonly Path[] {
    return commentsIn(this);
  }
}

/** A text as it was scanned: its sections, in the order they stand. */
export interface Source {
  readonly text: string;
  readonly sections: TomlSection[];
  readonly readLines: (section: TomlSection, lines: Range) => void;
}

export interface Comment {
  readonly start: number;
  readonly end: number;
  /** The array or inline table it stands in; undefined for one between or behind lines. */
  within: ContainerNode | undefined;
}

/** The rules of what may define what: a table once, a value once, and nothing through an inline table. */

/** Deeper than anybody's configuration, and shallow enough for code that walks values by recursion. */
export const maxTableDepth = 400;

/** Put a pair into the table whose lines (or braces) it stands in; the names before the last make dotted tables. */
export function definePair(table: TableNode, pair: Pair): void {
  let holder = table;
  const last = pair.keys.length - 1;
  for (let i = 0; i < last; i++) holder = dottedTable(holder, pair.keys[i]!, pair.host);
  const key = pair.keys[last]!;
  if (holder.children.has(key.name)) throw alreadyThere(key);
  attach(holder, key.name, pair.value);
  pair.value.pair = pair;
}

function dottedTable(holder: TableNode, key: KeyPart, host: TableHost): TableNode {
  const found = holder.children.get(key.name);
  if (found instanceof TableNode && found.style === "dotted" && found.host === host) return found;
  if (found !== undefined) throw alreadyThere(key);
  const table = new TableNode(holder.source, "dotted");
  table.host = host;
  attach(holder, key.name, table);
  return table;
}

/** The table that a `[header]` opens. */
export function openTable(root: TableNode, header: Header): TableNode {
  const { holder, key } = walkHeader(root, header);
  const found = holder.children.get(key.name);
  if (found === undefined) return attach(holder, key.name, new TableNode(root.source, "header"));
  if (!(found instanceof TableNode) || found.style !== "implicit") throw alreadyThere(key);
  found.style = "header";
  return found;
}

/** The table that a `[[header]]` opens: one more element of its list. */
export function openElement(root: TableNode, header: Header): TableNode {
  const { holder, key } = walkHeader(root, header);
  const found = holder.children.get(key.name) ?? attach(holder, key.name, new TableArrayNode(root.source));
  if (!(found instanceof TableArrayNode)) throw alreadyThere(key);
  const element = new TableNode(root.source, "element");
  element.adopt(found, found.elements.length);
  found.elements.push(element);
  return element;
}

function walkHeader(root: TableNode, header: Header): { holder: TableNode; key: KeyPart } {
  let holder = root;
  const last = header.keys.length - 1;
  for (let i = 0; i < last; i++) holder = stepInto(holder, header.keys[i]!);
  return { holder, key: header.keys[last]! };
}

function stepInto(holder: TableNode, key: KeyPart): TableNode {
  const found = holder.children.get(key.name);
  if (found === undefined) return attach(holder, key.name, new TableNode(holder.source, "implicit"));
  const table = found instanceof TableArrayNode ? found.elements.at(-1) : found;
  if (table instanceof TableNode && table.style !== "inline") return table;
  throw alreadyThere(key);
}

function attach<N extends TomlNode>(holder: TableNode, name: string, node: N): N {
  node.adopt(holder, name);
  holder.children.set(name, node);
  return node;
}

function alreadyThere(key: KeyPart): Fault {
  return new Fault(`"${key.name}" is already defined, and TOML lets a name be defined only once`, key.start);
}
