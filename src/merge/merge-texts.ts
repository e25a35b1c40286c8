import { equalValues, field, isList, isMap, type Value } from "../core/value.ts";
import { type Document, type Edit, type Format, nodeOf } from "../formats/format.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { identifyUnderRules } from "../identity/rules/identify.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";
import { type Markers, mergeFile, withMarkers } from "../text/merge-file.ts";
import { mergeText, type TextMerge } from "../text/merge-text.ts";
import { edited, isReadByBoth, readText } from "./edit-text.ts";
import { lineCost } from "./line-cost.ts";
import { mergeDocuments } from "./merge-documents.ts";
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
  const documents = options.format.name === "yaml" ? severalDocuments({ base, mine, theirs }, options) : undefined;
  if (documents !== undefined) return documents;
  const texts = { base: base.trim() === "" ? options.format.empty : base, mine, theirs };
  const lines = mergeText(texts.base, mine, theirs);
  if (lines.kind === "merged" && isMeant(lines.text, texts, options as ReadOptions)) return lines;
  const read = readAll(texts, options.format);
  return read ? mergeRead(read, lines, options as ReadOptions) : byLine(base, mine, theirs, options.markers);
}

function severalDocuments(
  texts: Readonly<Record<keyof Three, string>>,
  options: MergeOptions,
): MergeResult | undefined {
  const { format, markers } = options as ReadOptions;
  const merge = (base: string, mine: string, theirs: string) => mergeTexts(base, mine, theirs, options);
  return mergeDocuments(texts, { format, markers, merge });
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
  const merged = mergeRoots({ base, mine, theirs }, true, options);
  return merged.conflicts.length === 0 && equalValues(result, merged.mine) && !options.format.repeats(text);
}

function mergeRoots(three: Three, linesMerge: boolean, options: MergeOptions): MergedValue {
  const hasOnlyTexts = options.format?.name === "dotenv" || options.format?.name === "ini";
  const merging = { identityAt: identities(three, options), linesMerge, hasOnlyTexts };
  return mergeValues(three, { path: [], base: [], mine: [], theirs: [] }, merging);
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

function mergeRead(documents: Documents, lines: TextMerge, options: ReadOptions): MergeResult {
  const { base, mine, theirs } = documents;
  const three = { base: base.root.value(), mine: mine.root.value(), theirs: theirs.root.value() };
  const merged = mergeRoots(three, lines.kind === "merged", options);
  const { format } = options;
  const texts = [base.text, mine.text, theirs.text];
  const isRead = (text: string) => readText(text, format) !== undefined && isReadByBoth(text, format);
  const isWhole = (text: string) => isRead(text) && !format.repeats(text);
  // A name that stands twice hides a value, so only the lines say what both sides wrote.
  if (texts.some((text) => format.repeats(text)))
    return lines.kind === "merged" && isRead(lines.text)
      ? lines
      : conflictByLine(documents, merged.conflicts, lines, options, isRead);
  if (lines.kind === "merged" && merged.conflicts.length > 0 && isWhole(lines.text))
    if (isRebuilt(merged.conflicts, readText(lines.text, format)!.root.value())) return lines;
  if (format.name === "yaml" && texts.some((text) => alias.test(text)))
    return (
      byLineOrExactly(merged, lines, format, isWhole) ??
      conflictByLine(documents, merged.conflicts, lines, options, isWhole)
    );
  const { text: result, losesComment } = joined(documents, merged.mine!, lines, options);
  // Theirs took out, or rebuilt, what mine has written a comment into.
  if (losesComment) return conflictByLine(documents, merged.conflicts, lines, options, isWhole);
  if (merged.conflicts.length > 0 || result === undefined) return conflicting(documents, merged, result, options);
  return { kind: "merged", text: result };
}

/**
 * The text that holds the merged value. The merge of the lines is the first to start from, as it brings theirs with its
 * comments and its spelling: with the lines of both where both only added some, else with mine in every conflict. Where
 * that costs lines of mine, as when theirs moved them, mine itself is the better start.
 */
function joined(
  documents: Documents,
  value: Value,
  lines: TextMerge,
  options: ReadOptions,
): { readonly text: string | undefined; readonly losesComment: boolean } {
  const { base, mine, theirs } = documents;
  const both = lines.kind === "merged" ? undefined : lines.textWithBoth;
  // With two byte order marks, and with what has to be taken out again, the text was read as nobody wrote it.
  const starts: (string | undefined)[] = [both?.includes("\ufeff", 1) ? undefined : both, lines.text, mine.text];
  const costOf = lineCost({ base: base.text, mine: mine.text, theirs: theirs.text }, options.format.name);
  let best: { readonly text: string | undefined; readonly losesComment: boolean; readonly lines: number } | undefined;
  for (const [i, start] of starts.entries()) {
    const kinds: readonly Edit["kind"][] = i === 0 ? ["set", "insert"] : ["set", "insert", "remove"];
    const text =
      start === undefined ? undefined : edited(start, value, options.format, { kinds, from: [theirs, mine] });
    if (text === undefined) continue;
    const cost = costOf(text);
    if (best === undefined || cost.lines < best.lines) best = { text, ...cost };
    if (cost.lines === 0) break;
  }
  return best ?? { text: undefined, losesComment: false };
}

/** A word behind `*`, where a value may stand. */
const alias = /^(?:[^#'"\n]*[\s[{,])?\*[\w.-]+[ \t]*(?:[,\]}#\r]|$)/m;

/**
 * The value of an alias is its anchor's, so its side did not write it and no edit can. The lines of both sides decide
 * where they merge, or where they hold just the merged value.
 */
function byLineOrExactly(
  { mine, conflicts }: MergedValue,
  lines: TextMerge,
  format: Format,
  isWhole: (text: string) => boolean,
): MergeResult | undefined {
  if (lines.kind === "merged") return isWhole(lines.text) ? lines : undefined;
  if (conflicts.length > 0) return undefined;
  const isMeant = (each: string) => equalValues(readText(each, format)?.root.value(), mine) && isWhole(each);
  const text = [lines.textWithBoth, lines.text].find(isMeant);
  return text === undefined ? undefined : { kind: "merged", text };
}

/** Between markers as git sets them; around all that differs, where the lines would merge. */
function conflictByLine(
  { base, mine, theirs }: Documents,
  conflicts: readonly MergeConflict[],
  lines: TextMerge,
  { markers }: ReadOptions,
  isWhole: (text: string) => boolean,
): ConflictingTexts {
  const [own, other] =
    lines.kind === "merged" ? [mine.text, theirs.text] : ([lines.text, lines.textWithTheirs] as const);
  const { text } =
    lines.kind === "merged"
      ? withMarkers(base.text, own, other, markers)
      : mergeFile(base.text, mine.text, theirs.text, markers);
  const whole = (each: string) => (isWhole(each) ? each : undefined);
  return { kind: "conflict", text, mine: whole(own), theirs: whole(other), conflicts };
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
function isRebuilt(conflicts: readonly MergeConflict[], result: Value): boolean {
  const isContainer = (value: Value | undefined) => isMap(value) || isList(value);
  // What one side took out must be gone: where the other moved and changed it, the merged lines still have it.
  const stays = (path: readonly string[]) => path.reduce<Value | undefined>(field, result) !== undefined;
  return conflicts.every(
    ({ path, base, mine, theirs }) =>
      isContainer(base) &&
      (isContainer(mine) || isContainer(theirs)) &&
      ((mine !== undefined && theirs !== undefined) || !stays(path)),
  );
}

/** The two texts to choose between differ in the conflicts alone: the markers stand around those lines. */
function conflicting(
  documents: Documents,
  merged: MergedValue,
  mine: string | undefined,
  { format, markers }: ReadOptions,
): MergeResult {
  const { base, mine: ours, theirs: others } = documents;
  const instead = (value: Value | undefined, from: readonly Document[]) =>
    mine === undefined || value === undefined ? undefined : edited(mine, value, format, { from });
  const theirs = instead(merged.theirs, [others, ours]);
  if (mine === undefined || theirs === undefined || mine === theirs) {
    const lines = byLine(base.text, ours.text, others.text, markers);
    // Nothing that reads may come of a conflict that only the entries show.
    if (lines.kind === "conflict") return { ...lines, mine: undefined, theirs: undefined, conflicts: merged.conflicts };
    const { text } = withMarkers(base.text, ours.text, others.text, markers);
    return { kind: "conflict", text, mine, theirs: undefined, conflicts: merged.conflicts };
  }
  const { text } = withMarkers(instead(merged.base, [base, ours]) ?? base.text, mine, theirs, markers);
  return { kind: "conflict", text, mine, theirs, conflicts: merged.conflicts };
}
