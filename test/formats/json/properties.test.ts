import fc from "fast-check";
import { type ParseError, parse, visit } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { equalValues } from "../../../src/core/value.ts";
import type { Edit } from "../../../src/formats/format.ts";
import { json } from "../../../src/formats/json/json.ts";
import { compareData } from "../../../src/formats/verify/compare.ts";
import { verifyEdit } from "../../../src/formats/verify/verify.ts";
import { checkUndo, readDocument } from "../conformance-checks.ts";
import { expected } from "../expected.ts";
import { anyChoice, anyValue, editsOf, jsonText } from "./arbitrary.ts";

const everything = { comments: true, trailingCommas: true, repeatedNames: true };
const runs = { numRuns: 400 };
const choices = fc.array(anyChoice, { minLength: 1, maxLength: 6 });

/** jsonc-parser takes no BOM and reads `__proto__` into the prototype: so it is asked about texts without. */
const forJsoncParser = (text: string) => text.replace(/^\ufeff/, "").replaceAll("__proto__", "proto");

describe("any JSON text", () => {
  it("without comments and trailing commas is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(jsonText({ comments: false, trailingCommas: false, repeatedNames: true }), (text) => {
        expect(
          compareData(readDocument(json, text).root.value(), JSON.parse(text.replace(/^\ufeff/, ""))),
        ).toBeUndefined();
      }),
      runs,
    );
  });

  it("with all of them is read as jsonc-parser and the second reader read it", () => {
    fc.assert(
      fc.property(jsonText(everything), (text) => {
        expect(compareData(readDocument(json, text).root.value(), json.readIndependently(text))).toBeUndefined();
        const plain = forJsoncParser(text);
        const errors: ParseError[] = [];
        expect(
          compareData(readDocument(json, plain).root.value(), parse(plain, errors, { allowTrailingComma: true })),
        ).toBeUndefined();
        expect(errors).toEqual([]);
      }),
      runs,
    );
  });

  it("has as many comments as jsonc-parser sees", () => {
    fc.assert(
      fc.property(jsonText(everything), (text) => {
        const plain = forJsoncParser(text);
        const seen: number[] = [];
        visit(plain, { onComment: (offset) => void seen.push(offset) }, { allowTrailingComma: true });
        const { root } = readDocument(json, plain);
        const [{ start, end }] = root.ranges as [{ start: number; end: number }];
        expect(root.comments()).toHaveLength(seen.filter((offset) => start <= offset && offset < end).length);
      }),
      runs,
    );
  });

  it("with one character lost, doubled or changed is read alike by all, or malformed for all near the same place", () => {
    const spoilt = fc.tuple(
      jsonText(everything),
      fc.nat(),
      fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "\\", "/", "1", "-", "\n", "x"),
    );
    fc.assert(
      fc.property(spoilt, ([whole, where, char]) => {
        const valid = forJsoncParser(whole);
        const at = where % (valid.length + 1);
        const text = valid.slice(0, at) + char + valid.slice(at + (where % 2));
        const ours = json.read(text);
        const errors: ParseError[] = [];
        const theirs: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
        let engine: "reads" | "throws" = "reads";
        try {
          json.readIndependently(text);
        } catch {
          engine = "throws";
        }
        expect([text, ours.kind]).toEqual([text, engine === "reads" ? "read" : "malformed"]);
        if (ours.kind === "read") {
          // jsonc-parser does not know that a text without content may be meant.
          if (errors.length === 0 && theirs !== undefined)
            expect(compareData(ours.document.root.value(), theirs)).toBeUndefined();
          return;
        }
        expectFirstFault(text, ours.offset, errors);
      }),
      { numRuns: 500 },
    );
  });
});

/** The text is fine up to the fault, and goes wrong there: not later than where jsonc-parser sees it go wrong. */
function expectFirstFault(text: string, offset: number, theirs: readonly ParseError[]): void {
  const prefix = json.read(text.slice(0, offset));
  if (prefix.kind === "malformed") {
    const unfinished = /has no end|not a number|four hexadecimal|comment starts/.test(prefix.message);
    expect([text, prefix.offset === offset || unfinished]).toEqual([text, true]);
  }
  const first = theirs[0];
  if (first !== undefined) expect([text, offset <= first.offset + first.length]).toEqual([text, true]);
}

describe("any edits of any JSON text", () => {
  it("lead to the meant value, for both readers", () => {
    fc.assert(
      fc.property(jsonText({ ...everything, repeatedNames: false }), choices, (text, chosen) => {
        const document = readDocument(json, text);
        const edits = editsOf(document.root, chosen, "any");
        const result = document.edit(edits);
        if (result.kind === "refused") throw new Error(`${result.message}\n${text}\n${JSON.stringify(edits)}`);
        const story = `${text}\n${JSON.stringify(edits)}\n${result.text}`;
        expect(verifyEdit(json, text, edits, result.text), story).toBeUndefined();
        expect(
          equalValues(readDocument(json, result.text).root.value(), expected(document.root.value(), edits)),
          story,
        ).toBe(true);
        expect(commentsOf(result.text).length, story).toBeLessThanOrEqual(commentsOf(text).length);
      }),
      { numRuns: 500 },
    );
  });

  it("bring no comment and no trailing comma to a text that has none", () => {
    fc.assert(
      fc.property(
        jsonText({ comments: false, trailingCommas: false, repeatedNames: false }),
        choices,
        (text, chosen) => {
          const document = readDocument(json, text);
          const result = document.edit(editsOf(document.root, chosen, "any"));
          if (result.kind === "refused") throw new Error(result.message);
          expect(() => JSON.parse(result.text.replace(/^\ufeff/, ""))).not.toThrow();
        },
      ),
      runs,
    );
  });

  it("are taken back byte for byte when they were insertions", () => {
    fc.assert(
      fc.property(jsonText({ ...everything, repeatedNames: false }), choices, (text, chosen) => {
        const document = readDocument(json, text);
        const sample = { name: "random", text, value: document.root.value(), comments: [], elsewhere: undefined };
        checkUndo(json, sample, editsOf(document.root, chosen, "insert"));
      }),
      { numRuns: 500 },
    );
  });

  it("are taken back byte for byte one by one, in any order, whatever was added first", () => {
    const turns = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(jsonText({ ...everything, repeatedNames: false }), turns, (text, order) => {
        const { root } = readDocument(json, text);
        fc.pre(root.kind === "map" && root.names().length > 0);
        const story = [text];
        const edit = (...edits: Edit[]) => {
          const result = readDocument(json, story.at(-1)!).edit(edits);
          if (result.kind === "refused") throw new Error(result.message);
          story.push(result.text);
        };
        for (const [i, [where]] of order.entries()) {
          const names = readDocument(json, story.at(-1)!).root.names();
          const place =
            where % 3 === 0
              ? "end"
              : where % 3 === 1
                ? { after: names[where % names.length]! }
                : { before: names[where % names.length]! };
          edit({ kind: "insert", into: [], name: `new ${i}`, value: i % 2 ? [i] : i, place });
        }
        const goes = order.map(([, turn], i) => ({ turn, name: `new ${i}` })).sort((a, b) => a.turn - b.turn);
        for (const { name } of goes) edit({ kind: "remove", at: [name] });
        expect(story.at(-1), story.join("\n=====\n")).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("keep every comment when they only add", () => {
    fc.assert(
      fc.property(jsonText(everything), choices, (text, chosen) => {
        const document = readDocument(json, text);
        const result = document.edit(editsOf(document.root, chosen, "insert"));
        if (result.kind === "refused") throw new Error(result.message);
        expect(commentsOf(result.text)).toEqual(commentsOf(text));
      }),
      runs,
    );
  });

  it("write what is read back as the same value", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const result = readDocument(json, "{}").edit([{ kind: "insert", into: [], name: "a", value, place: "end" }]);
        if (result.kind === "refused") throw new Error(result.message);
        expect(readDocument(json, result.text).root.get("a")?.value()).toEqual(value);
      }),
      runs,
    );
  });
});

function commentsOf(text: string): string[] {
  const found: string[] = [];
  visit(
    text.replace(/^\ufeff/, " "),
    { onComment: (offset, length) => void found.push(text.slice(offset, offset + length)) },
    { allowTrailingComma: true },
  );
  return found;
}
