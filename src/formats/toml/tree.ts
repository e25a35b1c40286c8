import { firstReached } from "../../core/search.ts";
import { mapOf, type Value } from "../../core/value.ts";
import type { Node, Path, Range } from "../format.ts";
import { endOfSection, rangesOfPieces } from "./pieces.ts";
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

/** `[ … ]` on the right of a `=`. */
export class ArrayNode extends TreeNode {
  readonly kind = "list";
  readonly elements: LeafNode[] = [];
  readonly flow: Flow;
  constructor(source: Source, flow: Flow) {
    super(source);
    this.flow = flow;
  }
  get ranges(): readonly Range[] {
    return [{ start: this.flow.start, end: this.flow.end }];
  }
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

/** All `[[a.b]]` of one name. */
export class TableArrayNode extends TreeNode {
  readonly kind = "list";
  readonly elements: TableNode[] = [];
  private knownRanges: readonly Range[] | undefined;
  get ranges(): readonly Range[] {
    this.knownRanges ??= rangesOfPieces(this);
    return this.knownRanges;
  }
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

/** For each comment inside a node's ranges, the path below it of the innermost container around the comment. */
function commentsIn(node: ContainerNode): readonly Path[] {
  const { sections } = node.source;
  const places: Path[] = [];
  for (const { start, end } of node.ranges) {
    for (let i = sectionAt(sections, start); i < sections.length && startOf(sections[i]!) < end; i++) {
      const { comments } = sections[i]!;
      let at = firstReached(comments.length, (each) => comments[each]!.start >= start);
      for (; at < comments.length && comments[at]!.start < end; at++) {
        const place = pathBelow(node, ownerOf(sections[i]!, comments[at]!));
        if (place !== undefined) places.push(place);
      }
    }
  }
  return places;
}

function pathBelow(top: TomlNode, inner: TomlNode | undefined): Path | undefined {
  const path: (string | number)[] = [];
  let node = inner;
  while (node !== undefined && node !== top) {
    path.unshift(node.key);
    node = node.parent;
  }
  return node === undefined ? undefined : path;
}

function ownerOf(section: TomlSection, comment: Comment): TomlNode | undefined {
  if (comment.within !== undefined) return comment.within;
  const { source } = section.table;
  if (comment.start < endOfSection(source, section)) return section.table;
  // Between two sections: whatever holds both.
  let node: TomlNode | undefined = source.sections[section.index + 1]?.table;
  while (node !== undefined && !node.ranges.some(({ start, end }) => start <= comment.start && comment.start < end))
    node = node.parent;
  return node ?? source.sections[0]!.table;
}

/** The section whose header stands last before an offset; the root's where there is none. */
function sectionAt(sections: readonly TomlSection[], at: number): number {
  return Math.max(0, firstReached(sections.length, (i) => startOf(sections[i]!) > at) - 1);
}

function startOf({ header }: TomlSection): number {
  return header?.start ?? 0;
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
