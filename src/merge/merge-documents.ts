import { field, isMap, type Value } from "../core/value.ts";
import type { Format } from "../formats/format.ts";
import { documentRanges } from "../formats/yaml/document-ranges.ts";
import { lineBreakAt } from "../text/lines.ts";
import { type Markers, withMarkers } from "../text/merge-file.ts";
import { mergeText } from "../text/merge-text.ts";
import { readText } from "./edit-text.ts";
import { orderOf } from "./merge-lists.ts";
import type { MergeResult } from "./merge-texts.ts";
import type { Three } from "./merge-values.ts";

/** One document, or a whole file of them, on each side; undefined: it is not there. */
type Versions = Readonly<Record<keyof Three, string | undefined>>;
type Files = Readonly<Record<keyof Three, readonly OneOfSeveral[]>>;

interface OneOfSeveral {
  readonly text: string;
  /** Undefined where the text can't be read. */
  readonly value: Value | undefined;
}

interface MergingDocuments {
  readonly format: Format;
  readonly markers: Markers;
  /** Merges the versions of one document. */
  merge(base: string, mine: string, theirs: string): MergeResult;
}

/**
 * Merges YAML files of several documents, each document by itself. Undefined where there is but one, or where it can't
 * be told which of them are versions of the same.
 */
export function mergeDocuments(
  texts: Readonly<Record<keyof Three, string>>,
  merging: MergingDocuments,
): MergeResult | undefined {
  // Nearly every file is one document, and to read it with care takes longer than to merge it.
  if (Object.values(texts).every((text) => documentRanges(text).length < 2)) return undefined;
  const files = ofEach((side) => documentsIn(texts[side], merging.format));
  const names = namesOf(files);
  const order = names && orderOf(names);
  if (names === undefined || order === undefined) return undefined;
  const textOf = ofEach((side) => new Map(names[side].map((name, i) => [name, files[side][i]!.text])));
  const found = order.map((name) => ({ name, ...ofEach((side) => textOf[side].get(name)) }));
  const kept = found.filter((versions) => !isGone(versions));
  const parts = kept.map(({ name, ...versions }, i) => {
    const ready = inPlace(versions, { isFirst: i === 0, isLast: i === kept.length - 1, eol: lineBreakAt(texts.mine) });
    return { name, isRemoved: isRemoved(versions), result: mergeVersions(ready, name, merging) };
  });
  const result = joined(parts);
  if (result.kind === "conflict" && parts.every((part) => part.isRemoved || part.result.kind === "merged")) {
    const removed = parts.filter((part) => part.isRemoved).map((part) => part.name);
    const lines = mergeText(texts.base, texts.mine, texts.theirs);
    if (lines.kind === "merged" && isRenamed(documentsIn(lines.text, merging.format), removed)) return lines;
  }
  return isWhole(result, parts.length) ? result : undefined;
}

function ofEach<T>(of: (side: keyof Three) => T): Record<keyof Three, T> {
  return { base: of("base"), mine: of("mine"), theirs: of("theirs") };
}

function documentsIn(text: string, format: Format): OneOfSeveral[] {
  if (text.trim() === "") return [];
  return documentRanges(text).map(({ start, end }) => {
    const part = text.slice(start, end);
    return { text: part, value: readText(part, format)?.root.value() };
  });
}

/**
 * What tells the documents apart: what Kubernetes calls them, no two alike; else their positions, where the documents of
 * all three files stand in the same places.
 */
function namesOf(files: Files): Record<keyof Three, string[]> | undefined {
  const known = ofEach((side) => files[side].map(nameOf));
  const areNamed = Object.values(known).every(
    (names) => !names.includes(undefined) && new Set(names).size === names.length,
  );
  if (areNamed) return known as Record<keyof Three, string[]>;
  const inPlace = (["mine", "theirs"] as const).every(
    (side) =>
      files[side].length === files.base.length &&
      files[side].every(
        ({ text }, i) =>
          known[side][i] === known.base[i] &&
          (isSame(text, files.base[i]!.text) || !files.base.some((other) => isSame(text, other.text))),
      ),
  );
  const areRead = Object.values(files).every((documents) => documents.some(({ value }) => value !== undefined));
  return inPlace && areRead ? ofEach((side) => files[side].map((_, i) => `document ${i + 1}`)) : undefined;
}

/** Its kind, namespace and name, as Kubernetes tells objects apart; undefined for what is none. */
function nameOf({ value }: OneOfSeveral): string | undefined {
  const metadata = isMap(value) ? field(value, "metadata") : undefined;
  if (!isMap(value) || !isMap(metadata)) return undefined;
  const [kind, namespace, name] = [field(value, "kind"), field(metadata, "namespace"), field(metadata, "name")];
  if (typeof kind !== "string" || typeof name !== "string") return undefined;
  return typeof namespace === "string" ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
}

/** The mark above a document and empty lines at its end only part it from others. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  const content = (text: string | undefined) => text?.replace(/^\ufeff?---[ \t]*\r?\n/, "").trimEnd();
  return content(a) === content(b);
}

function isRemoved({ base, mine, theirs }: Versions): boolean {
  return base !== undefined && (mine === undefined || theirs === undefined);
}

/** Taken out by one side, and not changed by the other. */
function isGone(versions: Versions): boolean {
  return isRemoved(versions) && isSame(versions.base, versions.mine ?? versions.theirs);
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly eol: string;
}

/** With the mark above it, and the line break below, that a document needs where it comes to stand. */
function inPlace(versions: Versions, { isFirst, isLast, eol }: Place): Versions {
  return ofEach((side) => {
    const text = versions[side];
    if (text === undefined) return undefined;
    const head = isFirst || text.startsWith("---") ? "" : `---${eol}`;
    return `${head}${text}${isLast || text.endsWith("\n") ? "" : eol}`;
  });
}

function mergeVersions(versions: Versions, name: string, { merge, markers }: MergingDocuments): MergeResult {
  const { base, mine, theirs } = versions;
  if (mine !== undefined && theirs !== undefined) {
    const result = merge(base ?? "", mine, theirs);
    if (result.kind === "merged") return result;
    return { ...result, conflicts: result.conflicts.map((each) => ({ ...each, path: [name, ...each.path] })) };
  }
  if (base === undefined) return { kind: "merged", text: mine ?? theirs ?? "" };
  const { text } = withMarkers(base, mine ?? "", theirs ?? "", markers);
  return { kind: "conflict", text, mine: mine ?? "", theirs: theirs ?? "", conflicts: [{ path: [name], ...versions }] };
}

function joined(parts: readonly { readonly result: MergeResult }[]): MergeResult {
  const results = parts.map(({ result }) => result);
  const text = results.map((result) => result.text).join("");
  if (results.every((result) => result.kind === "merged")) return { kind: "merged", text };
  const side = (which: "mine" | "theirs") => {
    const texts = results.map((result) => (result.kind === "merged" ? result.text : result[which]));
    return texts.includes(undefined) ? undefined : texts.join("");
  };
  const conflicts = results.flatMap((result) => (result.kind === "merged" ? [] : result.conflicts));
  return { kind: "conflict", text, mine: side("mine"), theirs: side("theirs"), conflicts };
}

/**
 * Whether documents that one side took out and the other changed stand in the merged lines under other names: one side
 * renamed them, so nothing is lost.
 */
function isRenamed(documents: readonly OneOfSeveral[], removed: readonly string[]): boolean {
  const names = documents.map(nameOf);
  return (
    documents.every(({ value }) => value !== undefined) &&
    new Set(names).size === names.length &&
    !removed.some((name) => names.includes(name))
  );
}

/** A byte order mark, or comments above the first mark, would not mean the same further down. */
function isWhole(result: MergeResult, count: number): boolean {
  if (result.kind === "merged" && documentRanges(result.text).length !== Math.max(1, count)) return false;
  return !result.text.includes("\ufeff", 1);
}
