import { field, isMap, mapOf, type Value } from "../../core/value.ts";
import type { Document, EditResult, Format, Node, Range, ReadResult } from "../format.ts";
import { yaml } from "./yaml.ts";

/** Which document of a file is meant: fields by their dotted path, and what they hold. */
export type DocumentSelector = Readonly<Record<string, string | number | boolean>>;

/** YAML files with several documents, of which one is read and written. The others are carried along byte for byte. */
export function yamlDocument(selector: DocumentSelector): Format {
  const find = (text: string) => findDocument(text, selector);
  return {
    name: "yaml",
    empty: textOf(selector),
    read(text): ReadResult {
      const found = find(text);
      if (found.kind === "malformed") return found;
      return { kind: "read", document: documentWithin(text, found.range, found.document) };
    },
    readIndependently(text) {
      const found = find(text);
      if (found.kind === "malformed") throw new Error(found.message);
      return yaml.readIndependently(text.slice(found.range.start, found.range.end));
    },
    abridging: undefined,
  };
}

type Found =
  | { readonly kind: "found"; readonly range: Range; readonly document: Document }
  | { readonly kind: "malformed"; readonly message: string; readonly offset: number };

function findDocument(text: string, selector: DocumentSelector): Found {
  const found: { range: Range; document: Document }[] = [];
  for (const range of documentRanges(text)) {
    const read = yaml.read(text.slice(range.start, range.end));
    if (read.kind === "malformed") return { ...read, offset: range.start + read.offset };
    if (matches(read.document.root, selector)) found.push({ range, document: read.document });
  }
  const [only, second] = found;
  const wanted = Object.entries(selector).map(([path, value]) => `${path}: ${value}`);
  if (only === undefined)
    return { kind: "malformed", message: `no document of this file has ${wanted.join(", ")}`, offset: 0 };
  if (second === undefined) return { kind: "found", ...only };
  return {
    kind: "malformed",
    message: `a second document of this file has ${wanted.join(", ")}; say more under in`,
    offset: second.range.start,
  };
}

/** From each `---` to the next. By the rules of YAML that mark can't stand at the margin of anything else. */
function documentRanges(text: string): Range[] {
  const starts = [0];
  for (const { index } of text.matchAll(/^---(?=[ \t\r\n]|$)/gm)) {
    // What stands before the first mark (comments, a directive, nothing) belongs to the first document.
    const isFirst = starts.length === 1 && /^\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n)*$/.test(text.slice(0, index));
    if (!isFirst && index > 0) starts.push(index);
  }
  return starts.map((start, i) => ({ start, end: starts[i + 1] ?? text.length }));
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

function documentWithin(text: string, { start, end }: Range, inner: Document): Document {
  return {
    text,
    root: shifted(inner.root, start),
    edit: (edits): EditResult => {
      const result = inner.edit(edits);
      if (result.kind === "refused") return { ...result, offset: result.offset + start };
      // The next document's mark begins its line.
      const body =
        end < text.length && !result.text.endsWith("\n") && result.text !== "" ? `${result.text}\n` : result.text;
      return { ...result, text: text.slice(0, start) + body + text.slice(end) };
    },
    untouched: () => [],
    written: () => undefined,
    meaning: () => inner.meaning(),
  };
}

/** A node that knows where it stands in the whole file. */
function shifted(node: Node, by: number): Node {
  const move = (ranges: readonly Range[]) => ranges.map(({ start, end }) => ({ start: start + by, end: end + by }));
  return {
    kind: node.kind,
    get ranges() {
      return move(node.ranges);
    },
    get entryRanges() {
      return move(node.entryRanges);
    },
    value: () => node.value(),
    get: (name) => {
      const child = node.get(name);
      return child && shifted(child, by);
    },
    names: () => node.names(),
    items: () => node.items().map((item) => shifted(item, by)),
    comments: () => node.comments(),
    locked: () => node.locked(),
    fixed: () => node.fixed(),
  };
}
