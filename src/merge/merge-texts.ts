import { pushAll } from "../core/push-all.ts";
import { canonicalText, equalValues, isList, isMap, type Value, type ValueMap } from "../core/value.ts";
import { nodeAt } from "../entries/entry-paths.ts";
import type { Document, Edit, Format, InsertPlace, Path } from "../formats/format.ts";
import { nodeOf } from "../formats/plain.ts";
import { editVerified } from "../formats/verify/verify.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { identifyUnderRules } from "../identity/rules/identify.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";
import { diffNumbers } from "../text/diff-lines.ts";
import { type Markers, mergeFile, withMarkers } from "../text/merge-file.ts";
import { mergeText, type TextMerge } from "../text/merge-text.ts";
import { type IdentityAt, type MergeConflict, type MergedValue, mergeValues, type Three } from "./merge-values.ts";

export interface MergeOptions {
  /** How the texts are read; undefined: as plain text, line by line. */
  readonly format: Format | undefined;
  /** What tells the items of lists apart, beside names. */
  readonly rules?: CompiledRules | undefined;
  readonly context?: PathContext | undefined;
  readonly markers: Markers;
}

export type MergeResult = MergedTexts | ConflictingTexts;

export interface MergedTexts {
  readonly kind: "merged";
  readonly text: string;
}

export interface ConflictingTexts {
  readonly kind: "conflict";
  /** With git's markers around what has to be settled. */
  readonly text: string;
  /** The same with mine, and with theirs, in every conflict; undefined where only a person can say what they are. */
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** By entry; empty where the texts were merged by line. */
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges what both sides made of one text, without records: by entry where all three texts can be read, else by line.
 * The bytes of mine stand wherever theirs changed nothing.
 */
export function mergeTexts(base: string, mine: string, theirs: string, options: MergeOptions): MergeResult {
  if (mine === theirs || base === theirs) return { kind: "merged", text: mine };
  if (base === mine) return { kind: "merged", text: theirs };
  if (options.format === undefined) return byLine(base, mine, theirs, options.markers);
  const texts = { base: base.trim() === "" ? options.format.empty : base, mine, theirs };
  const lines = mergeText(texts.base, mine, theirs);
  if (lines.kind === "merged" && isMeant(lines.text, texts, options as ReadOptions)) return lines;
  const read = readAll(texts, options.format);
  return read ? mergeRead(read, lines, options as ReadOptions) : byLine(base, mine, theirs, options.markers);
}

/**
 * Whether a clean merge of the lines holds just what the entries say, by the faster reader: trees take ten times as
 * long, and most merges need none. Where this can't tell, the trees do.
 */
function isMeant(text: string, texts: Readonly<Record<keyof Three, string>>, options: ReadOptions): boolean {
  const [base, mine, theirs, result] = [texts.base, texts.mine, texts.theirs, text].map((each) =>
    options.format.name === "yaml" && alias.test(each) ? undefined : quickValue(each, options.format),
  );
  if (base === undefined || mine === undefined || theirs === undefined || result === undefined) return false;
  const { merged, addedByBoth } = mergeRoots({ base, mine, theirs }, true, options);
  return merged.conflicts.length === 0 && addedByBoth.length === 0 && equalValues(result, merged.mine);
}

function mergeRoots(three: Three, linesMerge: boolean, options: MergeOptions) {
  const addedByBoth: Path[] = [];
  const merging = { identityAt: identities(three, options), addedByBoth, linesMerge };
  return { merged: mergeValues(three, { path: [], base: [], mine: [], theirs: [] }, merging), addedByBoth };
}

/** What the second reader finds; undefined where it refuses the text, or where that is no plain data. */
function quickValue(text: string, format: Format): Value | undefined {
  try {
    const data = format.readIndependently(text);
    return isPlain(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** A number that may have been rounded is not told from its neighbours, and a date is no plain data. */
function isPlain(data: unknown): data is Value {
  if (data === null || typeof data === "string" || typeof data === "boolean") return true;
  if (typeof data === "number") return Number.isInteger(data) ? Number.isSafeInteger(data) : Number.isFinite(data);
  if (typeof data !== "object") return false;
  if (Array.isArray(data)) return data.every(isPlain);
  const prototype = Object.getPrototypeOf(data);
  return (prototype === Object.prototype || prototype === null) && Object.values(data).every(isPlain);
}

function byLine(base: string, mine: string, theirs: string, markers: Markers): MergeResult {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "merged") return merged;
  const { text } = mergeFile(base, mine, theirs, markers);
  return { kind: "conflict", text, mine: merged.text, theirs: merged.textWithTheirs, conflicts: [] };
}

type Documents = Readonly<Record<keyof Three, Document>>;
type ReadOptions = MergeOptions & { readonly format: Format };

/** All three as documents; undefined where one of them is none. A file that is new on both sides began as nothing. */
function readAll(texts: Readonly<Record<keyof Three, string>>, format: Format): Documents | undefined {
  const [base, mine, theirs] = [texts.base, texts.mine, texts.theirs].map((text) => readText(text, format));
  return base && mine && theirs && { base, mine, theirs };
}

function readText(text: string, format: Format): Document | undefined {
  const result = format.read(text);
  return result.kind === "malformed" ? undefined : result.document;
}

/** A result that nobody edited is one that the second reader understands as well. */
function isReadByBoth(text: string, format: Format): boolean {
  try {
    format.readIndependently(text);
    return true;
  } catch {
    return false;
  }
}

function mergeRead(documents: Documents, lines: TextMerge, options: ReadOptions): MergeResult {
  const { base, mine, theirs } = documents;
  const three = { base: base.root.value(), mine: mine.root.value(), theirs: theirs.root.value() };
  const { merged, addedByBoth } = mergeRoots(three, lines.kind === "merged", options);
  if (
    lines.kind === "merged" &&
    isRebuilt(merged.conflicts) &&
    edited(lines.text, undefined, addedByBoth, options) !== undefined
  )
    return lines;
  if (Object.values(documents).some(({ text }) => options.format.name === "yaml" && alias.test(text)))
    return byLineOrExactly(documents, merged, lines, addedByBoth, options);
  const starts = lines.kind === "merged" ? [lines.text, mine.text] : [lines.textWithBoth, lines.text, mine.text];
  // The merge of the lines first: it brings theirs with its comments and its spelling. Then with the lines of both
  // where both only added some.
  const result = starts.flatMap((text) => edited(text, merged.mine!, addedByBoth, options) ?? [])[0];
  if (merged.conflicts.length === 0 && result !== undefined) return { kind: "merged", text: result };
  return conflicting(documents, merged, result, options);
}

/** A word behind `*`, where a value may stand. */
const alias = /^(?:[^#'"\n]*[\s[{,])?\*[\w.-]+[ \t]*(?:[,\]}#\r]|$)/m;

/**
 * The value of an alias is its anchor's, so its side did not write it and no edit can. The lines of both sides decide
 * where they merge, or where they hold just the merged value.
 */
function byLineOrExactly(
  documents: Documents,
  merged: MergedValue,
  lines: TextMerge,
  addedByBoth: readonly Path[],
  options: ReadOptions,
): MergeResult {
  const { base, mine, theirs } = documents;
  if (lines.kind === "merged") {
    if (edited(lines.text, undefined, addedByBoth, options) !== undefined) return lines;
  } else if (merged.conflicts.length === 0) {
    const holds = (text: string) => {
      const document = readText(text, options.format);
      return document !== undefined && equalValues(document.root.value(), merged.mine!);
    };
    const text = [lines.textWithBoth, lines.text].find(
      (each) => holds(each) && edited(each, undefined, addedByBoth, options) !== undefined,
    );
    if (text !== undefined) return { kind: "merged", text };
  }
  const whole = (text: string) => edited(text, undefined, addedByBoth, options);
  const { conflicts } = merged;
  if (lines.kind === "merged") {
    const { text } = withMarkers(mine.text, theirs.text, options.markers);
    return { kind: "conflict", text, mine: whole(mine.text), theirs: whole(theirs.text), conflicts };
  }
  const { text } = mergeFile(base.text, mine.text, theirs.text, options.markers);
  return { kind: "conflict", text, mine: whole(lines.text), theirs: whole(lines.textWithTheirs), conflicts };
}

/** What rules call the items of lists, on each side. */
function identities(three: Three, { rules, context }: MergeOptions): IdentityAt {
  if (rules === undefined || context === undefined) return () => undefined;
  const found = new Map<string, string>();
  for (const side of ["base", "mine", "theirs"] as const) {
    for (const { path, match, steps } of identifyUnderRules(nodeOf(three[side]!), rules, context)) {
      found.set(`${side} ${JSON.stringify(path)}`, match);
      for (const { pathIndex, identity } of steps)
        found.set(`${side} ${JSON.stringify(path.slice(0, pathIndex + 1))}`, `group ${identity}`);
    }
  }
  return (side, item) => found.get(`${side} ${JSON.stringify(item)}`);
}

/**
 * Whether one side replaced whole maps or lists (renamed one, or turned a list into a map), and nothing that both wrote
 * anew is in question. Then lines say more than entries: if they merge and still read, nothing is lost.
 */
function isRebuilt(conflicts: readonly MergeConflict[]): boolean {
  const isContainer = (value: Value | undefined) => isMap(value) || isList(value);
  return (
    conflicts.length > 0 &&
    conflicts.every(({ base, mine, theirs }) => isContainer(base) && (isContainer(mine) || isContainer(theirs)))
  );
}

/** A text that holds just the value, by the fewest edits of another; undefined where it can't be had from that one. */
function edited(
  text: string,
  value: Value | undefined,
  addedByBoth: readonly Path[],
  { format }: ReadOptions,
): string | undefined {
  const document = readText(text, format);
  if (document === undefined) return undefined;
  // A merge of lines may write a name twice that both sides added: read, it is there once.
  if (addedByBoth.some((path) => nodeAt(document.root, path)?.fixed() !== undefined)) return undefined;
  const edits = value === undefined ? [] : documentEdits([], document.root.value(), value);
  if (edits.length === 0) return isReadByBoth(text, format) ? text : undefined;
  if (edits.some((edit) => edit.kind === "set" && edit.at.length === 0)) return undefined;
  const result = editVerified(format, document, edits);
  return result.kind === "edited" ? result.text : undefined;
}

/** The two texts to choose between differ in the conflicts alone: the markers stand around those lines. */
function conflicting(
  documents: Documents,
  merged: MergedValue,
  mine: string | undefined,
  options: ReadOptions,
): MergeResult {
  const { base, mine: ours, theirs: others } = documents;
  const theirs =
    mine === undefined || merged.theirs === undefined ? undefined : edited(mine, merged.theirs, [], options);
  if (mine === undefined || theirs === undefined || mine === theirs) {
    const lines = byLine(base.text, ours.text, others.text, options.markers);
    // Nothing that reads may come of a conflict that only the entries show.
    if (lines.kind === "conflict") return { ...lines, mine: undefined, theirs: undefined, conflicts: merged.conflicts };
    const { text } = withMarkers(ours.text, others.text, options.markers);
    return { kind: "conflict", text, mine, theirs: undefined, conflicts: merged.conflicts };
  }
  const { text } = withMarkers(mine, theirs, options.markers);
  return { kind: "conflict", text, mine, theirs, conflicts: merged.conflicts };
}

/** The smallest edits that give what stands at `path` another value: names and items that stay keep their bytes. */
function documentEdits(path: Path, before: Value, after: Value): Edit[] {
  if (equalValues(before, after)) return [];
  if (isMap(before) && isMap(after)) return mapEdits(path, before, after);
  if (isList(before) && isList(after)) return listEdits(path, before, after);
  return [{ kind: "set", at: path, value: after }];
}

function mapEdits(path: Path, before: ValueMap, after: ValueMap): Edit[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const edits: Edit[] = gone.map((name) => ({ kind: "remove", at: [...path, name] }));
  const names = Object.keys(after);
  const first = names.find((name) => Object.hasOwn(before, name));
  let previous: string | undefined;
  for (const name of names) {
    if (Object.hasOwn(before, name)) {
      pushAll(edits, documentEdits([...path, name], before[name]!, after[name]!));
      previous = name;
    } else {
      const place: InsertPlace =
        previous !== undefined ? { after: previous } : first !== undefined ? { before: first } : "end";
      edits.push({ kind: "insert", into: path, name, value: after[name]!, place });
    }
  }
  return edits;
}

function listEdits(path: Path, before: readonly Value[], after: readonly Value[]): Edit[] {
  const numbers = new Map<string, number>();
  const numbered = (list: readonly Value[]) =>
    Int32Array.from(list, (item) => {
      const text = canonicalText(item);
      return numbers.get(text) ?? numbers.set(text, numbers.size).size - 1;
    });
  const edits: Edit[] = [];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffNumbers(numbered(before), numbered(after))) {
    const replaced = Math.min(beforeEnd - beforeStart, afterEnd - afterStart);
    for (let i = 0; i < replaced; i++)
      pushAll(edits, documentEdits([...path, beforeStart + i], before[beforeStart + i]!, after[afterStart + i]!));
    for (let i = beforeStart + replaced; i < beforeEnd; i++) edits.push({ kind: "remove", at: [...path, i] });
    const anchor = beforeStart + replaced;
    const place: InsertPlace = anchor > 0 ? { after: anchor - 1 } : before.length > 0 ? { before: 0 } : "end";
    for (let i = afterStart + replaced; i < afterEnd; i++)
      edits.push({ kind: "insert", into: path, name: undefined, value: after[i]!, place });
  }
  return edits;
}
