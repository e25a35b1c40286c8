import { describe, expect, it } from "vitest";
import { equalValues, isList, isMap, type Value } from "../../src/core/value.ts";
import type { Edit, Format } from "../../src/formats/format.ts";
import { compareData } from "../../src/formats/verify/compare.ts";
import { batches, chosen, containersOf, inserts, removals, sets } from "./conformance-cases.ts";
import { checkEdit, checkUndo, readDocument, valueAt } from "./conformance-checks.ts";

/**
 * The suite every format passes. Call it once in a test file of the format:
 *
 *     conformance(yaml, { documents: [...], names: ["added", "with.dot", "__proto__", ""], values: ["text", 7, true, {
 *     a: 1 }, ["x"]] });
 *
 * The cases are not written down: they are derived from each document. Every container gets an entry at every place,
 * every entry is set and removed, and several at once; each time the bytes outside, the comments, the value and the way
 * back are checked. So a document is only worth adding for what is odd about its *text*. Between them the documents
 * must hold an empty map, maps and lists of one and of three or more entries, a nested map and a map in a list (`flat:
 * true` for formats that have only a map of strings, like dotenv).
 */
export interface Samples {
  readonly documents: readonly Sample[];
  /**
   * Names that are put into maps; odd ones are welcome. The first is the usual one. None of them may stand in a
   * document.
   */
  readonly names: readonly string[];
  /** Values that are put into maps and over entries, at least two. Lists get values like those that they hold. */
  readonly values: readonly Value[];
  readonly flat?: boolean;
}

export interface Sample {
  /** What is odd about this text. */
  readonly name: string;
  readonly text: string;
  readonly value: Value;
  /** Words out of each comment, none of them standing anywhere else in the text. */
  readonly comments: readonly string[];
  /**
   * A change the user makes after us: the first text, standing once, becomes the second. No name or position may change
   * by it.
   */
  readonly elsewhere: readonly [from: string, to: string] | undefined;
  /**
   * Values stand in pieces with a header each (TOML): one that turns into another kind can't stay where it was, and the
   * last piece of a container that goes leaves a new spelling of the empty container. Only the value is compared then.
   */
  readonly inPieces?: boolean;
}

export function conformance(format: Format, samples: Samples): void {
  describe(`${format.name} conforms`, () => {
    it("has documents for every case", () => expectCoverage(samples));
    it("starts a new file from an empty map", () => {
      expect(readDocument(format, format.empty).root.value()).toEqual({});
    });
    for (const [turn, sample] of samples.documents.entries())
      describe(sample.name, () => documentConforms(format, samples, sample, turn));
    it("adds and removes thousands at once", () => thousands(format, samples));
  });
}

function documentConforms(format: Format, samples: Samples, sample: Sample, turn: number): void {
  it("is read as what it holds, by both readers", () => {
    const document = readDocument(format, sample.text);
    expect(document.text).toBe(sample.text);
    expect(equalValues(document.root.value(), sample.value)).toBe(true);
    expect(compareData(sample.value, format.readIndependently(sample.text))).toBeUndefined();
    expect(readDocument(format, sample.text).root.value()).toEqual(document.root.value());
  });
  it("has nodes with the right kinds, names and ranges", () => checkNodes(format, sample));
  it("takes an insertion at every place, and gives the bytes back", () => {
    for (const edit of chosen(inserts(sample.value, samples), turn)) {
      checkEdit(format, sample, [edit]);
      checkUndo(format, sample, [edit]);
    }
  });
  it("takes every name and value", () => {
    const [name] = samples.names;
    const edits: Edit[] = samples.values.map((value) => ({ kind: "insert", into: [], name, value, place: "end" }));
    for (const other of samples.names)
      edits.push({ kind: "insert", into: [], name: other, value: samples.values[0]!, place: "end" });
    for (const edit of chosen(edits, turn)) {
      checkEdit(format, sample, [edit]);
      checkUndo(format, sample, [edit]);
    }
  });
  it("sets every entry", () => {
    for (const edit of chosen(sets(sample.value, samples), turn)) checkEdit(format, sample, [edit]);
  });
  it("removes every entry", () => {
    for (const edit of chosen(removals(sample.value), turn)) checkEdit(format, sample, [edit]);
  });
  it("takes several edits at once", () => {
    for (const edits of chosen(batches(sample.value, samples), turn)) checkEdit(format, sample, edits);
  });
  it("takes insertions at all places at once, and gives the bytes back", () => {
    for (const { path } of containersOf(sample.value)) {
      const all = inserts(sample.value, samples).filter((edit) => JSON.stringify(edit.into) === JSON.stringify(path));
      const edits = all.map((edit, i) => (edit.name === undefined ? edit : { ...edit, name: `${edit.name}${i}` }));
      checkEdit(format, sample, edits);
      checkUndo(format, sample, edits);
    }
  });
}

function checkNodes(format: Format, sample: Sample): void {
  const { root } = readDocument(format, sample.text);
  for (const { path, value } of [...containersOf(sample.value)]) {
    const node = valueAt(root, path);
    expect(node.kind).toBe(isMap(value) ? "map" : "list");
    if (isMap(value)) expect([...node.names()].sort()).toEqual(Object.keys(value).sort());
    if (isMap(value)) expect(node.get("a name that is not there")).toBeUndefined();
    const children = isMap(value) ? node.names().map((name) => node.get(name)!) : node.items();
    expect(children).toHaveLength(Object.keys(value as object).length);
    for (const child of children) {
      for (const [i, range] of child.ranges.entries()) {
        expect(range.start, "ranges in order").toBeGreaterThanOrEqual(child.ranges[i - 1]?.end ?? 0);
        expect(range.end).toBeLessThanOrEqual(sample.text.length);
        expect(
          child.entryRanges.some((entry) => entry.start <= range.start && range.end <= entry.end),
          "a value inside its entry",
        ).toBe(true);
      }
    }
  }
}

function thousands(format: Format, samples: Samples): void {
  const value = samples.values[0]!;
  const edits: Edit[] = Array.from({ length: 3000 }, (_, i) => ({
    kind: "insert",
    into: [],
    name: `${samples.names[0]}${i}`,
    value,
    place: "end",
  }));
  for (const sample of [
    samples.documents[0]!,
    { name: "a new file", text: format.empty, value: {}, comments: [], elsewhere: undefined },
  ]) {
    checkEdit(format, sample, edits);
    checkUndo(format, sample, edits);
  }
}

function expectCoverage({ documents, flat }: Samples): void {
  const all = documents.flatMap((sample) => [...containersOf(sample.value)].map(({ value }) => value as object));
  const sizes = (list: boolean) =>
    new Set(
      all.filter((value) => isList(value as Value) === list).map((value) => Math.min(3, Object.keys(value).length)),
    );
  expect([...sizes(false)]).toEqual(expect.arrayContaining([0, 1, 3]));
  expect(
    documents.some(({ comments }) => comments.length > 0),
    "comments",
  ).toBe(true);
  expect(
    documents.some(({ text }) => text.includes("\r\n")),
    "CRLF",
  ).toBe(true);
  expect(
    documents.some(({ text }) => text.startsWith("\ufeff")),
    "BOM",
  ).toBe(true);
  expect(
    documents.some(({ text }) => text !== "" && !text.endsWith("\n")),
    "no final newline",
  ).toBe(true);
  if (flat) return;
  expect([...sizes(true)]).toEqual(expect.arrayContaining([0, 1, 3]));
  expect(
    all.some((value) => isMap(value as Value) && Object.values(value).some(isMap)),
    "a nested map",
  ).toBe(true);
  expect(
    all.some((value) => isList(value as Value) && (value as Value[]).some(isMap)),
    "a map in a list",
  ).toBe(true);
}
