import { field, mapOf, type Value } from "../../core/value.ts";
import { orFault } from "../fault.ts";
import {
  type Document,
  type Edit,
  type EditResult,
  emptyNode,
  type Meaning,
  type Node,
  type Path,
  type Range,
} from "../format.ts";
import { editYaml } from "./edit.ts";
import { readYamlText, type YamlNode } from "./node.ts";
import {
  agrees,
  type Outline,
  type OutlineLimits,
  type OutlinePart,
  outlineOf,
  sparseText,
  usualLimits,
} from "./outline.ts";
import { refusedText } from "./read.ts";
import { readIndependently, readValues } from "./second-reader.ts";

/**
 * A long text whose entries are found by their lines and read with care when asked for. Undefined where the second
 * reader did not find the same entries.
 */
export function readOutlined(text: string, limits = usualLimits): Document | undefined {
  if (text.length < limits.text) return undefined;
  const outline = refusedText(text) === undefined ? outlineOf(text, limits) : undefined;
  if (outline === undefined) return undefined;
  try {
    const data = readIndependently(text);
    return agrees(outline, data) ? new OutlinedDocument(text, { outline, limits }, data) : undefined;
  } catch {
    return undefined;
  }
}

class OutlinedDocument implements Document {
  readonly text: string;
  readonly root: Node;
  readonly #outline: Outline;
  readonly #limits: OutlineLimits;
  /** What the second reader read. Given away once, as its receiver may change it. */
  #data: unknown;
  #careful: YamlNode | "malformed" | undefined;
  #values: { readonly value: Value | undefined } | undefined;

  constructor(text: string, { outline, limits }: { outline: Outline; limits: OutlineLimits }, data: unknown) {
    this.text = text;
    this.#limits = limits;
    this.#outline = outline;
    this.#data = data;
    this.root = new OutlinedNode(this, outline, []);
  }

  /** The whole, read with care; undefined where the careful reader can't. */
  careful(): YamlNode | undefined {
    if (this.#careful === undefined) {
      const read = readYamlText(this.text);
      this.#careful = read.kind === "read" ? read.root : "malformed";
    }
    return this.#careful === "malformed" ? undefined : this.#careful;
  }

  /** The value of an outlined part, by the second reader: it agrees with the outline, and has no tags to interpret. */
  valueAt(path: Path): Value | undefined {
    if (this.#values === undefined) {
      try {
        this.#values = { value: readValues(this.text) };
      } catch {
        this.#values = { value: undefined };
      }
    }
    let at = this.#values.value;
    for (const step of path) at = field(at, String(step));
    return at;
  }

  edit(edits: readonly Edit[]): EditResult {
    const sparse = sparseText(this.text, this.#outline, edits, this.#limits);
    const read = sparse === undefined ? undefined : readYamlText(sparse);
    const quick = read?.kind === "read" ? editYaml(read.root, edits, this.text) : undefined;
    if (quick?.kind === "edited") return quick;
    const careful = this.careful();
    if (careful !== undefined) return editYaml(careful, edits);
    return { kind: "refused", message: "two YAML readers do not agree on this file, so it is not edited", offset: 0 };
  }

  untouched(): [] {
    return [];
  }

  written(): undefined {
    return undefined;
  }

  independently(): unknown {
    const data = this.#data ?? readIndependently(this.text);
    this.#data = undefined;
    return data;
  }

  meaning(): Meaning {
    const careful = this.careful();
    if (careful === undefined) return readYamlText(this.text) as Extract<Meaning, { kind: "malformed" }>;
    return orFault("malformed", () => ({ kind: "value", value: careful.mergedValue() }));
  }
}

/** A map or list whose entries are known by their lines. */
class OutlinedNode implements Node {
  readonly #document: OutlinedDocument;
  readonly #outline: Outline;
  readonly #path: Path;
  readonly #keyStart: number | undefined;
  readonly #children = new Map<number, Node>();

  constructor(document: OutlinedDocument, outline: Outline, path: Path, keyStart?: number) {
    this.#document = document;
    this.#outline = outline;
    this.#path = path;
    this.#keyStart = keyStart;
  }

  get kind(): "map" | "list" {
    return this.#outline.kind;
  }

  get ranges(): readonly Range[] {
    const { parts, indent } = this.#outline;
    return [{ start: parts[0]!.start + indent, end: this.#child(parts.length - 1).entryRanges[0]!.end }];
  }

  get entryRanges(): readonly Range[] {
    return this.ranges.map(({ start, end }) => ({ start: this.#keyStart ?? start, end }));
  }

  value(): Value {
    const { parts, kind } = this.#outline;
    const known = this.#document.valueAt(this.#path);
    if (known !== undefined) return known;
    if (kind === "list") return parts.map((_, i) => this.#child(i).value());
    return mapOf(parts.map(({ name }, i) => [String(name), this.#child(i).value()] as const));
  }

  get(name: string): Node | undefined {
    const position = this.kind === "map" ? this.#outline.position(name) : undefined;
    return position === undefined ? undefined : this.#child(position);
  }

  names(): readonly string[] {
    return this.kind === "map" ? this.#outline.parts.map(({ name }) => String(name)) : [];
  }

  items(): readonly Node[] {
    return this.kind === "list" ? this.#outline.parts.map((_, i) => this.#child(i)) : [];
  }

  /** Only the careful reader knows them. Where it can't read the text, there may be one. */
  comments(): readonly Path[] {
    const node = this.#path.reduce<YamlNode | undefined>((at, step) => at?.child(step), this.#document.careful());
    return node?.comments() ?? [[]];
  }

  locked = emptyNode.locked;
  fixed = emptyNode.fixed;

  #child(position: number): Node {
    let child = this.#children.get(position);
    if (child === undefined) {
      const part = this.#outline.parts[position]!;
      child = part.inside
        ? new OutlinedNode(this.#document, part.inside, [...this.#path, part.name], part.start + this.#outline.indent)
        : new LaterNode(() => this.#read(part), part.start);
      this.#children.set(position, child);
    }
    return child;
  }

  #read({ name, start, end }: OutlinePart): Node {
    const text = this.#document.text.slice(start, end);
    const read = readYamlText(text);
    const root = read.kind === "read" ? read.root : undefined;
    const node = typeof name === "string" ? root?.get(name) : root?.items()[0];
    const isAlone = (root?.names().length ?? 0) + (root?.items().length ?? 0) === 1;
    const range = { start: this.#outline.indent, end: text.trimEnd().length };
    return node !== undefined && isAlone ? node : unreadNode(text, range);
  }
}

/** A node that is read when somebody asks it something: of a long list most items are only counted. */
class LaterNode implements Node {
  readonly #read: () => Node;
  /** How far its own text is from the start of the whole. */
  readonly #offset: number;
  #found: Node | undefined;

  constructor(read: () => Node, offset: number) {
    this.#read = read;
    this.#offset = offset;
  }

  get #node(): Node {
    this.#found ??= this.#read();
    return this.#found;
  }

  #moved(ranges: readonly Range[]): Range[] {
    return ranges.map(({ start, end }) => ({ start: start + this.#offset, end: end + this.#offset }));
  }

  get kind(): Node["kind"] {
    return this.#node.kind;
  }

  get ranges(): readonly Range[] {
    return this.#moved(this.#node.ranges);
  }

  get entryRanges(): readonly Range[] {
    return this.#moved(this.#node.entryRanges);
  }

  value(): Value {
    return this.#node.value();
  }

  get(name: string): Node | undefined {
    const child = this.#node.get(name);
    return child && shifted(child, this.#offset);
  }

  names(): readonly string[] {
    return this.#node.names();
  }

  items(): readonly Node[] {
    return this.#node.items().map((item) => shifted(item, this.#offset));
  }

  comments(): readonly Path[] {
    return this.#node.comments();
  }

  locked(): string | undefined {
    return this.#node.locked();
  }

  fixed(): string | undefined {
    return this.#node.fixed();
  }
}

/** A node of a part of a text that knows where it stands in the whole. */
export function shifted(node: Node, offset: number): Node {
  return new LaterNode(() => node, offset);
}

/** What only the second reader understands is shown as its text, and not edited. */
function unreadNode(text: string, range: Range): Node {
  return {
    ...emptyNode,
    kind: "scalar",
    ranges: [range],
    entryRanges: [range],
    value: () => text,
    locked: () => "two YAML readers do not agree on what it says; write it in a plainer way",
  };
}
