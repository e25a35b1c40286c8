import { describe, expect, it } from "vitest";
import { Exact, mapOf, type Value } from "../../src/core/value.ts";
import type { Document, Edit, Format } from "../../src/formats/format.ts";
import { json } from "../../src/formats/json/json.ts";
import { compareData } from "../../src/formats/verify/compare.ts";
import { editVerified, verifyEdit } from "../../src/formats/verify/verify.ts";
import { readDocument } from "./conformance-checks.ts";

const set = (at: (string | number)[], value: Value): Edit => ({ kind: "set", at, value });
const remove = (at: (string | number)[]): Edit => ({ kind: "remove", at });
const insert = (
  into: (string | number)[],
  name: string | undefined,
  value: Value,
  place: Extract<Edit, { kind: "insert" }>["place"] = "end",
): Edit => ({
  kind: "insert",
  into,
  name,
  value,
  place,
});

describe("verifyEdit", () => {
  const right: [string, string, Edit[], string][] = [
    ["a value set", '{"a":1}', [set(["a"], 2)], '{"a":2}'],
    ["names in another order", '{"a":1,"b":2}', [set(["a"], 3)], '{"b":2,"a":3}'],
    [
      "list positions of the text as it was",
      "[0,1,2,3]",
      [remove([0]), set([2], "two"), insert([], undefined, "new", { after: 0 })],
      '["new",1,"two",3]',
    ],
    [
      "several at one place, in order",
      "[0]",
      [insert([], undefined, 1, { before: 0 }), insert([], undefined, 2, { before: 0 }), insert([], undefined, 3)],
      "[1,2,0,3]",
    ],
    ["edits inside an item of a list that moves", '[0,{"a":1}]', [remove([0]), set([1, "a"], 2)], '[{"a":2}]'],
    ["__proto__ added", "{}", [insert([], "__proto__", { a: 1 })], '{"__proto__":{"a":1}}'],
    ["__proto__ removed", '{"__proto__":1}', [remove(["__proto__"])], "{}"],
    [
      "__proto__ set",
      '{"a":{"__proto__":1}}',
      [set(["a", "__proto__"], mapOf([["__proto__", 1]]))],
      '{"a":{"__proto__":{"__proto__":1}}}',
    ],
    ["a name that objects inherit", "{}", [insert([], "constructor", 1)], '{"constructor":1}'],
    ["the name that counts, of two", '{"a":1,"a":2}', [set(["a"], 3)], '{"a":1,"a":3}'],
    ["a container emptied", '{"a":{"b":1}}', [{ kind: "clear", at: ["a"], inner: " " }], '{"a":{ }}'],
    ["everything emptied", '{"a":1}', [{ kind: "clear", at: [], inner: "" }], "// nothing left"],
    [
      "a number that doubles can't hold",
      '{"a":1}',
      [set(["a"], new Exact("number", "12345678901234567890"))],
      '{"a":12345678901234567890}',
    ],
    ["nothing to do", '{"a":[null]}', [], '{ "a": [null] } // same'],
  ];
  it.each(right)("agrees with %s", (_, before, edits, after) => {
    expect(verifyEdit(json, before, edits, after)).toBeUndefined();
  });

  const wrong: [string, string, Edit[], string, RegExp][] = [
    ["another value", '{"a":1}', [set(["a"], 2)], '{"a":3}', /at a$/],
    ["a lost neighbour", '{"a":1,"b":{"c":[1]}}', [set(["a"], 2)], '{"a":2,"b":{"c":[]}}', /at b\.c\[0\]$/],
    ["a stranger", '{"a":1}', [set(["a"], 2)], '{"a":2,"b":1}', /at b$/],
    ["a removal not made", '{"a":1}', [remove(["a"])], '{"a":1}', /at a$/],
    ["the wrong item removed", "[1,2]", [remove([0])], "[1]", /at \[0\]$/],
    ["an insertion at the wrong place", "[1,2]", [insert([], undefined, 3, { after: 0 })], "[1,2,3]", /at \[1\]$/],
    ["a list for a map", '{"a":1}', [set(["a"], {})], '{"a":[]}', /at a$/],
    ["a map for a list", '{"a":1}', [set(["a"], [])], '{"a":{}}', /at a$/],
    ["text for a number", '{"a":1}', [set(["a"], 2)], '{"a":"2"}', /at a$/],
    ["__proto__ lost", '{"__proto__":{}}', [], '{"x":{}}', /at __proto__$/],
    ["an inherited name lost", '{"toString":1}', [], '{"x":1}', /at toString$/],
    ["null for an empty map", '{"a":{}}', [], '{"a":null}', /at a$/],
    ["content where none was meant", '{"a":1}', [{ kind: "clear", at: [], inner: "" }], '{"a":1}', /at the top$/],
    ["a text that can't be read", '{"a":1}', [set(["a"], 2)], '{"a":2', /can't read the text as it would be/],
    ["a text that couldn't be read", '{"a":1', [set(["a"], 2)], '{"a":2}', /can't read the text as it was/],
    ["a path that is not there", '{"a":1}', [set(["b", 0], 2)], '{"a":1}', /nothing at b\[0\]$/],
  ];
  it.each(wrong)("complains about %s", (_, before, edits, after, message) => {
    expect(verifyEdit(json, before, edits, after)).toMatch(message);
  });
});

describe("editVerified", () => {
  const text = '{\n  "a": 1,\n  "b": 2\n}\n';

  it("passes a right edit on", () => {
    const result = editVerified(json, readDocument(json, text), [remove(["b"])]);
    expect(result).toMatchObject({ kind: "edited", text: '{\n  "a": 1\n}\n' });
  });

  it("passes a refusal on", () => {
    expect(editVerified(json, readDocument(json, text), [remove(["c"])])).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("“c”"),
    });
  });

  /** A splice that is wrong by some characters, as a mistake in a range would make it. */
  const faults: [string, (edited: string) => string][] = [
    ["takes a neighbour along", (edited) => edited.replace('"a": 1', '"a": ')],
    ["takes too much", (edited) => edited.replace(/"a": 1,?\s*/, "")],
    ["leaves a digit", (edited) => edited.replace("3", "32")],
    ["writes nothing", () => text],
    ["writes twice", (edited) => edited + edited],
    ["loses everything", () => ""],
  ];
  it.each(faults)("refuses an edit that %s", (_, spoil) => {
    const real = readDocument(json, text);
    const faulty: Document = {
      ...real,
      edit: (edits) => {
        const result = real.edit(edits);
        return result.kind === "edited" ? { ...result, text: spoil(result.text) } : result;
      },
    };
    expect(editVerified(json, faulty, [set(["b"], 3)])).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("failed its check"),
    });
    expect(editVerified(json, real, [set(["b"], 3)]).kind).toBe("edited");
  });
});

describe("compareData", () => {
  const exact = (kind: Exact["kind"], text: string) => new Exact(kind, text);
  const same: [unknown, unknown][] = [
    [Number.NaN, Number.NaN],
    [1, 1n],
    [2n ** 70n, 2n ** 70n],
    [new Date(5), new Date(5)],
    [new Map([["a", [1]]]), { a: [1] }],
    [{ a: 1 }, new Map([["a", 1]])],
    [exact("number", "0xff"), 255n],
    [exact("number", "18446744073709551616"), 18446744073709551616n],
    [exact("number", "1_000.5"), 1000.5],
    [exact("float", "-inf"), Number.NEGATIVE_INFINITY],
    [exact("float", ".nan"), Number.NaN],
    [exact("datetime", "1979-05-27 07:32:00Z"), new Date("1979-05-27T07:32:00.000Z")],
    [exact("datetime", "1979-05-27"), "1979-05-27"],
    [{}, undefined],
    [null, {}],
  ];
  it.each(same)("%o is %o", (a, b) => expect(compareData(a, b)).toBeUndefined());

  const different: [unknown, unknown][] = [
    [0, Number.NaN],
    [1, 2n],
    [1.5, 1n],
    [new Date(5), new Date(6)],
    [new Date(5), 5],
    [new Map([["a", 1]]), { a: 2 }],
    [exact("number", "18446744073709551616"), 18446744073709551617n],
    [exact("float", "inf"), Number.NEGATIVE_INFINITY],
    [exact("datetime", "1979-05-27T07:32:00Z"), new Date("1979-05-27T07:32:01Z")],
    [[], undefined],
    [{ a: {} }, {}],
    [{}, []],
    ["", undefined],
  ];
  it.each(different)("%o is not %o", (a, b) => expect(compareData(a, b)).toBeTypeOf("string"));
});

/** A reader that sees nothing wrong must not be asked by the format that made the edit: the two share no code. */
describe("the second reader of JSON", () => {
  const read = (format: Format, text: string) => format.readIndependently(text);
  it.each([
    ['// c\n{/* x */"a" /**/ : 1, // y\n}', { a: 1 }],
    ['\ufeff{"a": "// no", "b": "/* no */", "c": ",]", }', { a: "// no", b: "/* no */", c: ",]" }],
    ['["\\"", "\\\\", ",}" , /* , */ ]', ['"', "\\", ",}"]],
    ["[1,\n// , \n/* ] */ ]", [1]],
    ['{"a":{"b":[1,],},}', { a: { b: [1] } }],
    ["", {}],
    ["  // only this", {}],
    ["\ufeff", {}],
  ])("reads %j", (text, value) => expect(read(json, text)).toEqual(value));

  it.each([
    "[,]",
    "{,}",
    "[1,,]",
    '{"a":,}',
    "[1 2]",
    '{"a" 1}',
    "/* no end",
    "[1] /",
    '"no end',
    "{'a':1}",
    "[1],",
    "[01]",
  ])("refuses %j", (text) => {
    expect(() => read(json, text)).toThrow();
  });
});
