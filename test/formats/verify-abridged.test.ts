import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Document, Edit, Format, Range } from "../../src/formats/format.ts";
import { json } from "../../src/formats/json/json.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { editVerified, passesAbridged, verifyEdit } from "../../src/formats/verify/verify.ts";
import { batches, inserts, removals, sets } from "./conformance-cases.ts";
import { readDocument } from "./conformance-checks.ts";
import { anyChoice, editsOf, jsonText } from "./json/arbitrary.ts";
import { documents } from "./toml/documents.ts";

const numbers = (from: number) => Array.from({ length: 1500 }, (_, i) => from + i);
const long = {
  one: { list: numbers(1) },
  two: { list: numbers(2) },
  three: { deep: { list: numbers(3), flag: true } },
  mine: { a: 1 },
};
const longJson = `// top\n${JSON.stringify(long, undefined, 2)}\n`;
const longToml = `top = 1\n\n[one]\nlist = ["a", "b"] # c\n\n# about two\n[two]\nx = 1\n[two.deep]\ny = """\n[mine]\n"""\n\n[mine]\na = 1\n\n[[three]]\nz = 1\n[[three]]\n`;

/** Documents of which most is left out, and edits everywhere in them. */
const cases: [string, Format, string, Edit[]][] = [
  ["json: a value set", json, longJson, [{ kind: "set", at: ["mine", "a"], value: 2 }]],
  [
    "json: names added and removed",
    json,
    longJson,
    [
      { kind: "remove", at: ["mine", "a"] },
      { kind: "insert", into: ["mine"], name: "b", value: [], place: "end" },
    ],
  ],
  [
    "json: a name added at the top",
    json,
    longJson,
    [{ kind: "insert", into: [], name: "four", value: { x: 1 }, place: { after: "one" } }],
  ],
  ["json: one long value taken out", json, longJson, [{ kind: "remove", at: ["two"] }]],
  ["json: something deep", json, longJson, [{ kind: "set", at: ["three", "deep", "flag"], value: {} }]],
  ["toml: a value set", toml, longToml, [{ kind: "set", at: ["mine", "a"], value: 2 }]],
  ["toml: a value of the root set", toml, longToml, [{ kind: "set", at: ["top"], value: "x" }]],
  [
    "toml: a table added between others",
    toml,
    longToml,
    [{ kind: "insert", into: [], name: "four", value: { x: 1 }, place: { after: "one" } }],
  ],
  [
    "toml: a table added before another",
    toml,
    longToml,
    [{ kind: "insert", into: [], name: "four", value: { x: 1 }, place: { before: "two" } }],
  ],
  ["toml: a table taken out", toml, longToml, [{ kind: "remove", at: ["two"] }]],
  [
    "toml: an element added",
    toml,
    longToml,
    [{ kind: "insert", into: ["three"], name: undefined, value: { z: 2 }, place: { after: 0 } }],
  ],
];

describe("an edit that leaves most of a document alone", () => {
  it.each(cases)("%s: passes without the rest being read twice", (_, format, text, edits) => {
    const document = readDocument(format, text);
    const result = document.edit(edits);
    if (result.kind === "refused") throw new Error(result.message);
    expect(verifyEdit(format, text, edits, result.text)).toBeUndefined();
    expect(passesAbridged(format, document, edits, result.text)).toBe(true);
  });

  /** What a wrong range or splice could do to parts that nobody asked to change. */
  const faults: [string, Format, string, (edited: string) => string][] = [
    ["changes a number in a part", json, longJson, (text) => text.replace("1234", "1235")],
    ["loses a character of a part", json, longJson, (text) => text.replace("1234,", "1234")],
    ["loses an item of a part", json, longJson, (text) => text.replace(/\s*1234,/, "")],
    ["loses a part", json, longJson, (text) => text.replace(/"two": \{[^}]*\},/, "")],
    ["has a part twice", json, longJson, (text) => text.replace(/"two": (\{[^}]*\}),/, '"two": $1, "more": $1,')],
    ["has a part under another name", json, longJson, (text) => text.replace('"two"', '"too"')],
    ["hides a part behind another", json, longJson, (text) => text.replace('"two"', '"one"')],
    ["hides a part in a comment", json, longJson, (text) => text.replace(/("two": \{[^}]*\},)/, "/* $1 */")],
    ["hides a part in a map", json, longJson, (text) => text.replace(/("two": )(\{[^}]*\}),/, "$1[$2],")],
    [
      "swaps two parts",
      json,
      longJson,
      (text) => text.replace('"one"', '"?"').replace('"two"', '"one"').replace('"?"', '"two"'),
    ],
    ["changes a value in a section", toml, longToml, (text) => text.replace("x = 1", "x = 2")],
    ["loses a section", toml, longToml, (text) => text.replace("[two]\nx = 1\n", "")],
    ["loses a header", toml, longToml, (text) => text.replace("[two]\n", "")],
    ["turns a header into a comment", toml, longToml, (text) => text.replace("[two]\n", "# [two]\n")],
    [
      "puts a section into a string",
      toml,
      longToml,
      (text) => text.replace("[one]", 's = """\n[one]').replace("# about two", '"""\n'),
    ],
    [
      "has a pair behind a section that is not its own",
      toml,
      longToml,
      (text) => text.replace("# about two", "more = 1"),
    ],
    [
      "swaps two elements",
      toml,
      longToml,
      (text) => text.replace("[[three]]\nz = 1\n[[three]]\n", "[[three]]\n[[three]]\nz = 1\n"),
    ],
    ["opens a table twice", toml, longToml, (text) => `${text}\n[one]\n`],
  ];
  it.each(faults)("is refused when it %s", (_, format, text, spoil) => {
    const edits: Edit[] = [{ kind: "set", at: ["mine", "a"], value: 2 }];
    const real = readDocument(format, text);
    const faulty: Document = {
      ...real,
      edit: (asked) => {
        const result = real.edit(asked);
        if (result.kind === "refused" || spoil(result.text) === result.text) throw new Error("no fault was planted");
        return { ...result, text: spoil(result.text) };
      },
    };
    expect(editVerified(format, real, edits).kind).toBe("edited");
    expect(editVerified(format, faulty, edits)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("failed its check"),
    });
  });

  it("is read in full where the document holds a stand-in's mark", () => {
    const text = longJson.replace('"a": 1', '"a": 1, "b": ["Z-stet-stands-in-for-0-"]');
    const document = readDocument(json, text);
    const edits: Edit[] = [{ kind: "set", at: ["mine", "a"], value: 2 }];
    const result = editVerified(json, document, edits);
    expect(result.kind).toBe("edited");
    expect(passesAbridged(json, document, edits, result.kind === "edited" ? result.text : "")).toBe(false);
  });
});

/**
 * Which parts are left out is the word of the code whose work is checked. So it may say anything, and the edit may come
 * out anyhow: what passes must be what the check in full lets pass.
 */
describe("whatever is said to be untouched", () => {
  const cuts = fc.array(fc.nat(), { maxLength: 6 });
  const damage = fc.record({
    at: fc.nat(),
    length: fc.nat(3),
    text: fc.constantFrom("", "", ",", "1", "[", "]", "}", '"', "\n", "#", "[a]\n", "x = 1\n", "//"),
  });

  function expectSound(format: Format, text: string, edits: readonly Edit[], liar: Lies): boolean {
    const document = readDocument(format, text);
    const result = document.edit(edits);
    if (result.kind === "refused") return false;
    const after = liar.damage === undefined ? result.text : damaged(result.text, liar.damage);
    const ranges = liar.cuts.length > 1 ? rangesFrom(text, liar.cuts) : rangesOf(document, edits);
    const passes = passesAbridged(format, { ...document, untouched: () => ranges }, edits, after);
    if (passes)
      expect(verifyEdit(format, text, edits, after), JSON.stringify({ text, edits, after, ranges })).toBeUndefined();
    return passes;
  }

  it("nothing passes in JSON that should not", () => {
    const texts = jsonText({ comments: true, trailingCommas: true, repeatedNames: true });
    let passed = 0;
    fc.assert(
      fc.property(
        texts,
        fc.array(anyChoice, { maxLength: 3 }),
        cuts,
        fc.option(damage, { nil: undefined }),
        (text, choices, cut, broken) => {
          if (
            expectSound(json, text, editsOf(readDocument(json, text).root, choices, "any"), {
              cuts: cut,
              damage: broken,
            })
          )
            passed++;
        },
      ),
      { numRuns: 1500 },
    );
    expect(passed, "some must pass, or nothing was tried").toBeGreaterThan(10);
  });

  it("nothing passes in TOML that should not", () => {
    const samples = {
      documents: [],
      names: ["added"],
      values: ["text", 7, { command: "x", env: { A: "1" } }, [{ c: 1 }]],
    };
    let passed = 0;
    fc.assert(
      fc.property(
        documents,
        fc.nat(),
        cuts,
        fc.option(damage, { nil: undefined }),
        ({ text, value }, pick, cut, broken) => {
          const alone = [...inserts(value, samples), ...sets(value, samples), ...removals(value)].map((edit) => [edit]);
          const all = [...alone, ...batches(value, samples)];
          const edits = all[pick % all.length] ?? [];
          if (expectSound(toml, text, edits, { cuts: cut, damage: broken })) passed++;
        },
      ),
      { numRuns: 1500 },
    );
    expect(passed, "some must pass, or nothing was tried").toBeGreaterThan(10);
  });
});

interface Lies {
  readonly cuts: readonly number[];
  readonly damage: { readonly at: number; readonly length: number; readonly text: string } | undefined;
}

function damaged(text: string, { at, length, text: other }: NonNullable<Lies["damage"]>): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + other + text.slice(start + length);
}

function rangesFrom(text: string, cuts: readonly number[]): Range[] {
  const places = cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b);
  return places.flatMap((start, i) => (i % 2 === 0 && i + 1 < places.length ? [{ start, end: places[i + 1]! }] : []));
}

/** What is really untouched, however short: in JSON the values beside those that are edited. */
function rangesOf(document: Document, edits: readonly Edit[]): readonly Range[] {
  const { root } = document;
  const said = document.untouched(edits);
  if (said.length > 0 || root.kind !== "map") return said;
  const touched = new Set(edits.map((edit) => (edit.kind === "insert" ? edit.into[0] : edit.at[0])));
  const rest = root.names().filter((name) => !touched.has(name));
  return rest.flatMap((name) => root.get(name)!.ranges).toSorted((a, b) => a.start - b.start);
}
