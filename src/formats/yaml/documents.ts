import { field, isMap, mapOf, type Value } from "../../core/value.ts";
import {
  type Document,
  type DocumentSelector,
  documentLabel,
  documentOf,
  type Edit,
  type EditResult,
  emptyNode,
  type Format,
  type Malformed,
  type Node,
  type Range,
  type ReadResult,
  type Trace,
} from "../format.ts";
import { documentRanges } from "./document-ranges.ts";
import { shifted } from "./outlined.ts";
import { yaml } from "./yaml.ts";

/** YAML files with several documents, of which one is read and written. The others are carried along byte for byte. */
export function yamlDocument(selector: DocumentSelector): Format {
  return {
    name: "yaml",
    empty: textOf(selector),
    read(text): ReadResult {
      const found = findDocument(text, selector);
      if (found?.kind === "malformed") return found;
      return found === undefined ? absentDocument(text, selector) : documentWithin(text, found);
    },
    readIndependently: (text) => readFound(text, findDocument(text, selector)),
    repeats: yaml.repeats,
    abridging: undefined,
  };
}

/** The same for several documents of one file: the root is a map of them, by their labels. */
export function yamlDocuments(selectors: readonly DocumentSelector[]): Format {
  return {
    name: "yaml",
    empty: selectors.map(textOf).join("---\n"),
    read(text): ReadResult {
      const found = findDocuments(text, selectors);
      if (found.kind === "malformed") return found;
      return documentOf(text, rootOfAll(text, found.all), (edits) => editAll(text, found.all, edits));
    },
    readIndependently(text) {
      const found = findDocuments(text, selectors);
      if (found.kind === "malformed") throw new Error(found.message);
      return Object.fromEntries([...found.all].map(([label, each]) => [label, readFound(text, each)]));
    },
    repeats: yaml.repeats,
    abridging: undefined,
  };
}

interface Found {
  readonly kind: "found";
  readonly range: Range;
  readonly document: Document;
}

function readFound(text: string, found: Found | Malformed | undefined): unknown {
  if (found === undefined) return {};
  if (found.kind === "malformed") throw new Error(found.message);
  return yaml.readIndependently(text.slice(found.range.start, found.range.end));
}

function findDocument(text: string, selector: DocumentSelector): Found | Malformed | undefined {
  const found = findDocuments(text, [selector]);
  if (found.kind === "malformed") return found;
  const [only] = found.all.values();
  return only;
}

/** A document that is not there has no entries; only writing into it is refused. */
function absentDocument(text: string, selector: DocumentSelector): ReadResult {
  const message = `no document of this file has ${wording(selector)}`;
  return documentOf(text, rootOfAll(text, new Map()), () => ({ kind: "refused", message, offset: 0 }));
}

type FoundAll = { readonly kind: "found"; readonly all: ReadonlyMap<string, Found> } | Malformed;

/** Each document that a selector means, by its label. One that is not there is left out. */
function findDocuments(text: string, selectors: readonly DocumentSelector[]): FoundAll {
  const all = new Map<string, Found>();
  for (const range of documentRanges(text)) {
    const read = yaml.read(text.slice(range.start, range.end));
    if (read.kind === "malformed") return { ...read, offset: range.start + read.offset };
    for (const selector of selectors.filter((each) => matches(read.document.root, each))) {
      const label = documentLabel(selector);
      if (all.has(label)) {
        const message = `a second document of this file has ${wording(selector)}; name more fields under in`;
        return { kind: "malformed", message, offset: range.start };
      }
      all.set(label, { kind: "found", range, document: read.document });
    }
  }
  return { kind: "found", all };
}

function wording(selector: DocumentSelector): string {
  return Object.entries(selector)
    .map(([path, value]) => `${path}: ${value}`)
    .join(", ");
}

function matches(root: Node, selector: DocumentSelector): boolean {
  return Object.entries(selector).every(([path, value]) => {
    const node = path
      .split(".")
      .reduce<Node | undefined>((at, name) => (at?.kind === "map" ? at.get(name) : undefined), root);
    return node?.kind === "scalar" && node.value() === value;
  });
}

/** A new file: the document with just these fields. */
function textOf(selector: DocumentSelector): string {
  let value: Value = {};
  for (const [path, held] of Object.entries(selector)) value = withField(value, path.split("."), held);
  const read = yaml.read("");
  const edits = Object.entries(value as object).map(
    ([name, held]) => ({ kind: "insert", into: [], name, value: held as Value, place: "end" }) as const,
  );
  const result = read.kind === "read" ? read.document.edit(edits) : undefined;
  return result?.kind === "edited" ? `${result.text.trimEnd()}\n` : "";
}

function withField(value: Value, [name, ...rest]: readonly string[], held: Value): Value {
  if (name === undefined) return held;
  const others = isMap(value) ? Object.entries(value).filter(([other]) => other !== name) : [];
  return mapOf([...others, [name, withField(field(value, name) ?? {}, rest, held)]]);
}

function documentWithin(text: string, found: Found): ReadResult {
  const { range, document } = found;
  return documentOf(text, shifted(document.root, range.start), (edits) => editWithin(text, found, edits), {
    meaning: () => document.meaning(),
  });
}

function editWithin(text: string, { range: { start, end }, document }: Found, edits: readonly Edit[]): EditResult {
  const result = document.edit(edits);
  if (result.kind === "refused") return { ...result, offset: result.offset + start };
  // The next document's mark begins its line.
  const isCut = end < text.length && !result.text.endsWith("\n") && result.text !== "";
  return { ...result, text: `${text.slice(0, start)}${result.text}${isCut ? "\n" : ""}${text.slice(end)}` };
}

/** From the last document to the first, so that those before keep their places. */
function editAll(text: string, all: ReadonlyMap<string, Found>, edits: readonly Edit[]): EditResult {
  const traces = new Map<number, Trace>();
  const inners = new Map<number, string>();
  let now = text;
  const fromLast = [...all].sort(([, a], [, b]) => b.range.start - a.range.start);
  const labelOf = (edit: Edit) => (edit.kind === "insert" ? edit.into : edit.at)[0];
  const lost = edits.find((edit) => !all.has(labelOf(edit) as string));
  if (lost !== undefined) {
    const name = labelOf(lost) ?? (lost.kind === "insert" ? lost.name : undefined);
    return { kind: "refused", message: `this file has no document ${name}; write its first lines yourself`, offset: 0 };
  }
  for (const [label, found] of fromLast) {
    const own = edits.flatMap((edit, position) => (labelOf(edit) === label ? [{ edit: below(edit), position }] : []));
    if (own.length === 0) continue;
    const result = editWithin(
      now,
      found,
      own.map(({ edit }) => edit),
    );
    if (result.kind === "refused") return result;
    now = result.text;
    for (const [at, trace] of result.traces) traces.set(own[at]!.position, trace);
    for (const [at, inner] of result.inners) inners.set(own[at]!.position, inner);
  }
  return { kind: "edited", text: now, traces, inners };
}

/** An edit of a document, seen from that document. */
function below(edit: Edit): Edit {
  return edit.kind === "insert" ? { ...edit, into: edit.into.slice(1) } : { ...edit, at: edit.at.slice(1) };
}

function rootOfAll(text: string, all: ReadonlyMap<string, Found>): Node {
  const nodes = new Map([...all].map(([label, { range, document }]) => [label, shifted(document.root, range.start)]));
  const ranges = [{ start: 0, end: text.length }];
  return {
    ...emptyNode,
    kind: "map",
    ranges,
    entryRanges: ranges,
    value: () => mapOf([...nodes].map(([label, node]) => [label, node.value()] as const)),
    get: (name) => nodes.get(name),
    names: () => [...nodes.keys()],
    comments: () => [...nodes].flatMap(([label, node]) => node.comments().map((path) => [label, ...path])),
  };
}
