import fc from "fast-check";
import { parse } from "smol-toml";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { describe, expect, it } from "vitest";
import { equalValues, type Value } from "../../../src/core/value.ts";
import type { Edit } from "../../../src/formats/format.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { compareData } from "../../../src/formats/verify/compare.ts";
import { batches, inserts, removals, sets } from "../conformance-cases.ts";
import { checkEdit, checkUndo, readDocument } from "../conformance-checks.ts";
import { documents } from "./documents.ts";

const samples = {
  documents: [],
  names: ["added", "with.dot"],
  values: [
    "text",
    7,
    { command: "x", env: { A: "1" }, list: [{ b: {} }] },
    [],
    {},
    [{ c: 1 }, { d: [2] }],
    ["x"],
  ] as readonly Value[],
};

/** A few of the edits a suite would make on a document, by random positions. */
function some(edits: readonly (readonly Edit[])[], picks: readonly number[]): (readonly Edit[])[] {
  return edits.length === 0 ? [] : picks.map((pick) => edits[pick % edits.length]!);
}

describe("any TOML document", () => {
  const picks = fc.array(fc.nat({ max: 9999 }), { minLength: 3, maxLength: 3 });

  it("means the same to three readers", () => {
    fc.assert(
      fc.property(documents, ({ text, value }) => {
        expect(equalValues(value, readDocument(toml, text).root.value()), text).toBe(true);
        expect(compareData(value, parse(text, { integersAsBigInt: "asNeeded" })), text).toBeUndefined();
        // toml-eslint-parser loses `__proto__`, rounds long integers and knows no byte order mark.
        if (!/__proto__|1234567890/.test(text)) expect(compareData(value, byEslint(text)), text).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("takes insertions and gives the bytes back", () => {
    fc.assert(
      fc.property(documents, picks, (sample, chosen) => {
        const all = inserts(sample.value, samples).map((edit) => [edit]);
        for (const edits of some(all, chosen)) {
          checkEdit(toml, sample, edits);
          checkUndo(toml, sample, edits);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("takes every other edit, alone and with others", () => {
    fc.assert(
      fc.property(documents, picks, (sample, chosen) => {
        const alone = [...sets(sample.value, samples), ...removals(sample.value)].map((edit) => [edit]);
        for (const edits of some(alone, chosen)) checkEdit(toml, sample, edits);
        for (const edits of some(batches(sample.value, samples), chosen)) checkEdit(toml, sample, edits);
      }),
      { numRuns: 200 },
    );
  });
});

function byEslint(text: string): unknown {
  return getStaticTOMLValue(parseTOML(text.replace(/^\ufeff/, "")));
}
