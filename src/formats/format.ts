import { isList, isMap, type Value } from "../core/value.ts";

/**
 * The shape of every format. A format reads a text into nodes that know where they stand, and turns edits into the
 * smallest splices of that text. It rewrites nothing that it was not asked to change, and decides nothing about
 * ownership. A node finds its children when asked, so one edit of a huge file costs one scan and no tree.
 */
export interface Format {
  readonly name: "json" | "yaml" | "toml" | "dotenv" | "ini";
  /** What a new file of this format starts from: an empty map. */
  readonly empty: string;
  read(text: string): ReadResult;
  /**
   * The document as plain data by a *second* parser, which shares no code with `read` and verifies edits. Scalars that
   * it can't hold may be rounded; it is only compared with itself.
   */
  readIndependently(text: string): unknown;
  /**
   * Whether a name stands more than once where programs may take it only once, in a text that reads. The values do not
   * show it, as one of them hides the others.
   */
  repeats(text: string): boolean;
  /** How a check leaves out what no edit touches; undefined where everything is read twice. */
  readonly abridging: Abridging | undefined;
}

/**
 * Parts of a text that mean the same anywhere can be left out of both texts of a check and read once. Something stands
 * in for each, which the second reader must then see: so it read a whole part there, and no comment.
 */
export interface Abridging {
  /** What stands in for a part. The mark is a word that occurs nowhere in the text. */
  standIn(mark: string): string;
  /** Whether each stand-in was read, once, and as nothing else. */
  sees(data: unknown, marks: readonly string[]): boolean;
  /**
   * Whether each part reads as one whole and none changes what the shorter texts hold. `read` is the second reader,
   * which throws at what it can't read.
   */
  readApart(
    parts: readonly string[],
    marks: readonly string[],
    texts: readonly unknown[],
    read: (text: string) => unknown,
  ): boolean;
}

export type ReadResult = { readonly kind: "read"; readonly document: Document } | Malformed;

/** Not this format, or one of its features that can't be edited safely. `offset` is where, in UTF-16 units. */
export interface Malformed {
  readonly kind: "malformed";
  readonly message: string;
  readonly offset: number;
}

export interface Document {
  readonly text: string;
  /** An empty file has an empty map as its root, or what the format says of it. */
  readonly root: Node;
  /**
   * The text after all edits, and what `remove` needs to take each insertion out again byte for byte. Paths are those
   * of the document as read; no edit lies inside another.
   */
  edit(edits: readonly Edit[]): EditResult;
  /** The longer parts that these edits leave as they are, in order. A hint: the check looks for itself. */
  untouched(edits: readonly Edit[]): readonly Range[];
  /** How an entry of the root is written, where that says more than its value: quotes and `export` in dotenv. */
  written(name: string): string | undefined;
  /** What the second reader makes of the text, where it has been asked already. The caller may change it. */
  independently?(): unknown;
  /** What a program that reads it gets. Unlike `root.value()` it has what a map borrows (`<<` in YAML). */
  meaning(): Meaning;
}

/** A document, with what most formats answer where `own` says nothing else. */
export function documentOf(
  text: string,
  root: Node,
  edit: Document["edit"],
  own: Partial<Document> = {},
): { readonly kind: "read"; readonly document: Document } {
  const meaning = (): Meaning => ({ kind: "value", value: root.value() });
  return {
    kind: "read",
    document: { text, root, edit, untouched: () => [], written: () => undefined, meaning, ...own },
  };
}

export type Meaning = { readonly kind: "value"; readonly value: Value } | Malformed;

/** From the root: a name steps into a map, a number into a list (positions of the document as it was read). */
export type Path = readonly (string | number)[];

/** Finds what is around the last step of a path, and remembers it: neighbours follow one another. */
export function containerFinder<C>(find: (path: Path) => C): (path: Path) => C {
  let last: { readonly path: Path; readonly container: C } | undefined;
  return (path) => {
    if (last === undefined || !areNeighbours(path, last.path)) last = { path, container: find(path.slice(0, -1)) };
    return last.container;
  };
}

function areNeighbours(a: Path, b: Path): boolean {
  for (let i = 0; i < a.length - 1; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Node {
  readonly kind: "map" | "list" | "scalar";
  /** The parts of the text this value stands in, in order: one in JSON, several for a TOML table in pieces. */
  readonly ranges: readonly Range[];
  /** The parts of the text that would go with it: name and value. No separators, no comments beside it. */
  readonly entryRanges: readonly Range[];
  value(): Value;
  /** Of a map: its child, by name. Where a name stands twice, the one that counts. */
  get(name: string): Node | undefined;
  /** Of a map whose names have several spellings: the one it has, or the one asked for. */
  spelling?(name: string): string;
  /** Of a map: its names in the order of the text, each once. */
  names(): readonly string[];
  items(): readonly Node[];
  /** For each comment inside the entry: the path below this node of the innermost container around it. */
  comments(): readonly Path[];
  /** Why this entry must not be edited, for a person (an anchor that is still aliased); undefined where it may. */
  locked(): string | undefined;
  /** Why it must not be removed (its name stands twice, and the hidden one would count); undefined where it may. */
  fixed(): string | undefined;
}

/** The answers of a node that holds nothing, has no comments, and may be edited. */
export const emptyNode: Pick<Node, "get" | "names" | "items" | "comments" | "locked" | "fixed"> = {
  get: () => undefined,
  names: () => [],
  items: () => [],
  comments: () => [],
  locked: () => undefined,
  fixed: () => undefined,
};

export type Edit = SetEdit | InsertEdit | RemoveEdit | ClearEdit;

/** Replace a value (of a map's name or a list's position); name, comments beside it and separators stay. */
export interface SetEdit {
  readonly kind: "set";
  readonly at: Path;
  readonly value: Value;
  /** What the insertion of this entry returned, if we inserted it. */
  readonly trace?: Trace | undefined;
  /** As in an insertion, since the entry may move. */
  readonly beside?: readonly Trace[] | undefined;
  /** How the template writes this entry (`Document.written`), used if it says just this value. */
  readonly written?: string | undefined;
  /** The text this value once had in this place, used if it still reads as the value. */
  readonly text?: string | undefined;
}

/** Add to a container that exists. Several insertions at one place end up in the order given. */
export interface InsertEdit {
  readonly kind: "insert";
  readonly into: Path;
  /** The new name in a map; undefined in a list. */
  readonly name: string | undefined;
  readonly value: Value;
  /** The sibling (of the document as read) to stand behind or before; neither: at the end. */
  readonly place: InsertPlace;
  /** The traces of entries that stand in this container: the new one may have to remember them. */
  readonly beside?: readonly Trace[] | undefined;
  /** How the template writes this entry (`Document.written`), used if it says just this value. */
  readonly written?: string | undefined;
}
export type InsertPlace = { readonly after: string | number } | { readonly before: string | number } | "end";

/** Take an entry out, with the separator that only it needed. */
export interface RemoveEdit {
  readonly kind: "remove";
  readonly at: Path;
  /** What the insertion of this entry returned, if we inserted it. */
  readonly trace?: Trace | undefined;
}

/** Take everything out of a container and put back `inner`, the bytes that stood there before our first insertion. */
export interface ClearEdit {
  readonly kind: "clear";
  readonly at: Path;
  readonly inner: string;
}

/** What the format needs to remove what it inserted. Opaque to everyone else; kept in the registry as JSON. */
export type Trace = { readonly [name: string]: string | number | boolean };

export type EditResult =
  | {
      readonly kind: "edited";
      readonly text: string;
      /** By position in `edits`: the trace of each insertion that needs one, and of a set that moved its entry. */
      readonly traces: ReadonlyMap<number, Trace>;
      /** By position in `edits`: the text in a container that an insertion found empty, for `clear`. */
      readonly inners: ReadonlyMap<number, string>;
    }
  | { readonly kind: "refused"; readonly message: string; readonly offset: number };

/** A value that stands in no text (a template after substitution, data given by a program), seen as nodes. */
export function nodeOf(value: Value): Node {
  return new PlainNode(value);
}

/** A class, since there is one for each entry of a template. */
class PlainNode implements Node {
  readonly kind: Node["kind"];
  readonly #value: Value;

  constructor(value: Value) {
    this.kind = isMap(value) ? "map" : isList(value) ? "list" : "scalar";
    this.#value = value;
  }

  get ranges(): [] {
    return [];
  }

  get entryRanges(): [] {
    return [];
  }

  value(): Value {
    return this.#value;
  }

  get(name: string): Node | undefined {
    const value = this.#value;
    return isMap(value) && Object.hasOwn(value, name) ? nodeOf(value[name]!) : undefined;
  }

  names(): readonly string[] {
    return isMap(this.#value) ? Object.keys(this.#value) : [];
  }

  items(): readonly Node[] {
    return isList(this.#value) ? this.#value.map(nodeOf) : [];
  }

  comments(): [] {
    return [];
  }

  locked(): undefined {
    return undefined;
  }

  fixed(): undefined {
    return undefined;
  }
}

/** Which document of a file is meant: fields by their dotted path, and what they hold. */
export type DocumentSelector = Readonly<Record<string, string | number | boolean>>;

/** How a document is called beside others of its file: by what its selector's fields hold. */
export function documentLabel(selector: DocumentSelector): string {
  return Object.values(selector).join("/");
}
