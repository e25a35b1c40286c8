import { isScalar, type Node as LibraryNode } from "yaml";
import { columnOf, lineStart } from "../lines.ts";
import type { YamlCollection, YamlEntry } from "./collection.ts";
import type { Quote } from "./render.ts";
import type { Tree } from "./tree.ts";

/** How new text is to look: as its siblings do, else as the document does, else as most people write. */
export interface YamlStyle {
  /** Spaces per level. */
  readonly step: number;
  /** Whether the dashes of a list stand under the first letter of its key. */
  readonly indentless: boolean;
  readonly quote: Quote;
  readonly quoteStrings: boolean;
  readonly quoteKeys: boolean;
  /** Whether names that are whole numbers are written as numbers. */
  readonly numericKeys: boolean;
  /** Blanks inside the braces of a map and the brackets of a list. */
  readonly mapPadding: string;
  readonly listPadding: string;
}

/** What was seen of each habit; undefined where nothing showed it. */
class Habits {
  step: number | undefined;
  indentless: boolean | undefined;
  quote: Quote | undefined;
  plainStrings = 0;
  quotedStrings = 0;
  plainKeys = 0;
  quotedKeys = 0;
  numericKeys = 0;
  mapPadding: string | undefined;
  listPadding: string | undefined;
}

/** Enough to know a habit; the rest of a large file does not change it. */
const sampleSize = 200;

export function styleOf(tree: Tree, siblings: YamlCollection | undefined): YamlStyle {
  const near = new Habits();
  if (siblings !== undefined) observe(tree, siblings, near);
  const far = documentHabits(tree);
  return {
    step: near.step ?? far.step ?? 2,
    indentless: near.indentless ?? far.indentless ?? false,
    quote: near.quote ?? far.quote ?? '"',
    quoteStrings: near.quotedStrings > 0 && near.plainStrings === 0,
    quoteKeys: near.quotedKeys > 0 && near.plainKeys === 0,
    numericKeys: near.numericKeys > 0,
    mapPadding: near.mapPadding ?? far.mapPadding ?? " ",
    listPadding: near.listPadding ?? far.listPadding ?? "",
  };
}

const known = new WeakMap<Tree, Habits>();

/** The habits shown by the collections that come first in the document. */
function documentHabits(tree: Tree): Habits {
  const earlier = known.get(tree);
  if (earlier !== undefined) return earlier;
  const habits = new Habits();
  const waiting: LibraryNode[] = tree.syntax.content === undefined ? [] : [tree.syntax.content];
  for (let seen = 0; seen < waiting.length && seen < sampleSize; seen++) {
    const collection = tree.collection(waiting[seen]!);
    if (collection === undefined) continue;
    observe(tree, collection, habits);
    for (const { node } of collection.entries.slice(0, sampleSize))
      if (node !== undefined && !isScalar(node)) waiting.push(node);
  }
  known.set(tree, habits);
  return habits;
}

function observe(tree: Tree, collection: YamlCollection, habits: Habits): void {
  if (collection.style === "flow") observePadding(tree.text, collection, habits);
  for (const entry of collection.entries.slice(0, sampleSize)) {
    observeKey(entry, habits);
    observeString(entry.node, habits);
    const child = entry.node === undefined ? undefined : tree.collection(entry.node);
    if (child?.style === "block" && collection.kind === "map") observeIndent(tree.text, entry, child, habits);
    if (child?.style === "flow") observePadding(tree.text, child, habits);
  }
}

function observeKey({ key }: YamlEntry, habits: Habits): void {
  if (key === undefined) return;
  if (key.type !== "PLAIN") habits.quotedKeys++;
  else if (/^(?:0|-?[1-9][0-9]*)$/.test(key.source ?? "")) habits.numericKeys++;
  else habits.plainKeys++;
}

function observeString(node: LibraryNode | undefined, habits: Habits): void {
  if (!isScalar(node)) return;
  if (node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE") {
    habits.quotedStrings++;
    habits.quote ??= node.type === "QUOTE_SINGLE" ? "'" : '"';
  } else if (
    node.type === "PLAIN" &&
    /^[A-Za-z~/]/.test(node.source ?? "") &&
    !/^(?:true|false|null|~)$/i.test(node.source ?? "")
  ) {
    habits.plainStrings++;
  }
}

function observeIndent(text: string, entry: YamlEntry, child: YamlCollection, habits: Habits): void {
  const first = child.entries[0]!;
  if (lineStart(text, first.start) === lineStart(text, entry.start)) return;
  const step = columnOf(text, first.start) - columnOf(text, entry.start);
  if (child.kind === "list") habits.indentless ??= step === 0;
  if (step > 0) habits.step ??= step;
}

function observePadding(text: string, { kind, entries, open }: YamlCollection, habits: Habits): void {
  if (entries.length === 0) return;
  const padding = text[open + 1] === " " ? " " : "";
  if (kind === "map") habits.mapPadding ??= padding;
  else habits.listPadding ??= padding;
}
