import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { equalValues, type Value } from "../../../src/core/value.ts";
import type { Edit, InsertEdit, InsertPlace, Node, Path } from "../../../src/formats/format.ts";
import { compareData } from "../../../src/formats/verify/compare.ts";
import { readPlainly } from "../../../src/formats/yaml/second-reader.ts";
import { yaml } from "../../../src/formats/yaml/yaml.ts";
import { undoing } from "../conformance-checks.ts";
import { expected } from "../expected.ts";
import { edit, read } from "./edits.ts";
import { documents } from "./generated.ts";

const runs = { numRuns: 60 };

/** Values with odd strings and names, deep enough to need every way of writing. */
const odd = fc.constantFrom(
  "on",
  "012",
  "",
  " x",
  "a: b",
  "x\ny",
  "x\n\n  y\n",
  "# no",
  "'",
  '"',
  "\t",
  "\ud800",
  "- a",
  "é",
  "null",
  "__proto__",
);
const text = fc.oneof(fc.string({ maxLength: 12 }), odd, fc.string({ unit: "grapheme", maxLength: 6 }));
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: false }),
  ),
}));

/** All containers and entries of a document that may be edited. */
function openPlaces(root: Node): { containers: Path[]; entries: Path[] } {
  const containers: Path[] = [];
  const entries: Path[] = [];
  const walk = (node: Node, path: Path): void => {
    if (path.length > 0 && node.locked() === undefined) entries.push(path);
    if (node.kind !== "scalar" && node.locked() === undefined) containers.push(path);
    for (const name of node.names()) walk(node.get(name)!, [...path, name]);
    for (const [i, item] of node.items().entries()) walk(item, [...path, i]);
  };
  walk(root, []);
  return { containers, entries };
}

function nodeAt(root: Node, path: Path): Node {
  return path.reduce<Node>((node, step) => (typeof step === "number" ? node.items()[step]! : node.get(step)!), root);
}

interface Choice {
  readonly pick: number;
  readonly side: number;
  readonly name: string;
  readonly value: Value;
}
const choices = fc.array(fc.record({ pick: fc.nat(), side: fc.nat(), name: text, value }), {
  minLength: 1,
  maxLength: 4,
});

function insertions(root: Node, chosen: readonly Choice[]): InsertEdit[] {
  const { containers } = openPlaces(root);
  return chosen.map(({ pick, side, name, value }, i) => {
    const into = containers[pick % containers.length]!;
    const node = nodeAt(root, into);
    const siblings = node.kind === "map" ? [...node.names()] : [...node.items().keys()];
    const sibling = siblings[side % (siblings.length + 1)];
    const place: InsertPlace =
      sibling === undefined ? "end" : side % 2 === 0 ? { after: sibling } : { before: sibling };
    return { kind: "insert", into, name: node.kind === "map" ? `${name}:new${i}` : undefined, value, place };
  });
}

describe("any document and any edits", () => {
  it("means the same where it can be read without positions", () => {
    let plain = 0;
    fc.assert(
      fc.property(documents, ({ text }) => {
        const values = readPlainly(text);
        if (values === undefined) return;
        plain++;
        expect(values).toEqual(read(text).root.value());
      }),
      runs,
    );
    expect(plain).toBeGreaterThan(0);
  });

  it("is read alike by both readers", () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        const { root } = read(text);
        expect(compareData(root.value(), yaml.readIndependently(text))).toBeUndefined();
        expect(compareData(root.value(), parse(text, { schema: "core" }) ?? {})).toBeUndefined();
      }),
      runs,
    );
  });

  it("insertions hold what was meant, add only, and go again without a trace", () => {
    fc.assert(
      fc.property(documents, choices, ({ text, comments }, chosen) => {
        const { root } = read(text);
        const edits = insertions(root, chosen);
        const result = edit(text, ...edits);
        expect(equalValues(read(result.text).root.value(), expected(root.value(), edits))).toBe(true);
        for (const comment of comments) expect(result.text.includes(comment)).toBe(true);
        expect(edit(result.text, ...undoing(yaml, text, edits, result)).text).toBe(text);
      }),
      runs,
    );
  });

  it("removals take the entries out and no comment outside them", () => {
    fc.assert(
      fc.property(documents, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), ({ text, comments }, picks) => {
        const { root } = read(text);
        const { entries } = openPlaces(root);
        fc.pre(entries.length > 0);
        const paths = withoutNested(picks.map((pick) => entries[pick % entries.length]!));
        const edits: Edit[] = paths.map((at) => ({ kind: "remove", at }));
        const after = edit(text, ...edits).text;
        expect(equalValues(read(after).root.value(), expected(root.value(), edits))).toBe(true);
        const gone = paths.flatMap((path) => nodeAt(root, path).entryRanges);
        for (const comment of comments) {
          const at = text.indexOf(comment);
          if (!gone.some(({ start, end }) => start <= at && at < end)) expect(after.includes(comment)).toBe(true);
        }
      }),
      runs,
    );
  });

  it("setting a value changes nothing before and nothing behind it", () => {
    fc.assert(
      fc.property(documents, fc.nat(), value, ({ text }, pick, value) => {
        const { root } = read(text);
        const { entries } = openPlaces(root);
        fc.pre(entries.length > 0);
        const at = entries[pick % entries.length]!;
        const [range] = nodeAt(root, at).ranges;
        const after = edit(text, { kind: "set", at, value }).text;
        expect(equalValues(read(after).root.value(), expected(root.value(), [{ kind: "set", at, value }]))).toBe(true);
        expect(after.startsWith(text.slice(0, range!.start))).toBe(true);
        expect(after.endsWith(text.slice(range!.end))).toBe(true);
      }),
      runs,
    );
  });

  it("never throws on any text, and refuses rather than guesses", () => {
    const pieces = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "- ",
      "? ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "#",
      "&x ",
      "*x",
      "|",
      ">",
      "'",
      '"',
      "!t ",
      "---",
      "\t",
      "<<: ",
      "  ",
      "1",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), fc.nat(), (parts, pick) => {
        const text = parts.join("");
        const result = yaml.read(text);
        if (result.kind === "malformed") return;
        const { root } = result.document;
        const { entries } = openPlaces(root);
        const edits: Edit[] =
          entries.length > 0 ? [{ kind: "set", at: entries[pick % entries.length]!, value: "new" }] : [];
        const outcome = result.document.edit(edits);
        if (outcome.kind === "edited" && edits.length === 0) expect(outcome.text).toBe(text);
      }),
      { numRuns: 600 },
    );
  });
});

function withoutNested(paths: readonly Path[]): Path[] {
  const all = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  const inside = (inner: Path, outer: Path) =>
    inner.length > outer.length && outer.every((step, i) => inner[i] === step);
  return all.filter((path) => !all.some((other) => inside(path, other)));
}
