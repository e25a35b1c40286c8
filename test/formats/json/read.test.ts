import { describe, expect, it } from "vitest";
import { Exact } from "../../../src/core/value.ts";
import { json } from "../../../src/formats/json/json.ts";
import { readDocument } from "../conformance-checks.ts";

const root = (text: string) => readDocument(json, text).root;

describe("reading JSON", () => {
  it.each([
    ["null", null],
    ["true", true],
    ["false", false],
    ["-0.5e+3", -500],
    ['"\\u00e9\\n"', "é\n"],
    ["[]", []],
    ["[1, [2], {}]", [1, [2], {}]],
    ['{"a": {"b": [true]}}', { a: { b: [true] } }],
    ["\ufeff // c\n /* d */ [1,] // e", [1]],
    ["", {}],
    [" \r\n\t", {}],
    ["// nothing", {}],
    ["\ufeff", {}],
  ])("reads %j, whatever its root is", (text, value) => expect(root(text).value()).toEqual(value));

  it("keeps numbers that a double would change as they are written", () => {
    const exact = [
      "12345678901234567890",
      "1e999",
      "-1e-999",
      "0.1000000000000000055511151231257827",
      "9007199254740993",
    ];
    for (const text of exact) expect(root(text).value()).toEqual(new Exact("number", text));
    expect(root("[1.50, 1e3, 9007199254740991, 0.1]").value()).toEqual([1.5, 1000, 9007199254740991, 0.1]);
  });

  it("lets the last of several equal names count, and names it once", () => {
    const node = root('{ "a": 1, "b": 2, "\\u0061": 3 }');
    expect(node.names()).toEqual(["a", "b"]);
    expect(node.get("a")?.value()).toBe(3);
    expect(node.get("a")?.entryRanges).toEqual([{ start: 18, end: 29 }]);
    expect(node.value()).toEqual({ a: 3, b: 2 });
  });

  it("takes no inherited name for an entry", () => {
    for (const name of ["__proto__", "constructor", "toString", "length"])
      expect(root('{"a":1}').get(name)).toBeUndefined();
    expect(root('{"__proto__": {"a": 1}}').get("__proto__")?.get("a")?.value()).toBe(1);
  });

  it("finds names in small and in large maps", () => {
    const names = Array.from({ length: 100 }, (_, i) => `name ${i}`);
    for (const count of [1, 8, 9, 100]) {
      const map = root(JSON.stringify(Object.fromEntries(names.slice(0, count).map((name, i) => [name, i]))));
      expect(names.map((name) => map.get(name)?.value())).toEqual(names.map((_, i) => (i < count ? i : undefined)));
    }
  });

  it("gives scalars no children", () => {
    const node = root('"text"');
    expect([node.kind, node.names(), node.items(), node.get("0")]).toEqual(["scalar", [], [], undefined]);
    expect(root("[1]").get("0")).toBeUndefined();
    expect(root("[1]").names()).toEqual([]);
    expect(root('{"0":1}').items()).toEqual([]);
  });

  it("knows where values and entries stand", () => {
    const text = '{ "a" : [10, "é😀"] }';
    const entry = root(text).get("a")!;
    const cut = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(entry.ranges.map(cut)).toEqual(['[10, "é😀"]']);
    expect(entry.entryRanges.map(cut)).toEqual(['"a" : [10, "é😀"]']);
    expect(entry.items().map((item) => item.entryRanges.map(cut))).toEqual([["10"], ['"é😀"']]);
    expect(entry.locked()).toBeUndefined();
  });
});

describe("comments of an entry", () => {
  const text = `// 1
{
  // 2
  "a": /* 3 */ {
    // 4
    "b": [ /* 5 */ 1, { "c": 2 /* 6 */ } ] // 7
  }, // 8
  /* 9 */"d": "// none"
}`;
  it("are found by the innermost container around them", () => {
    const node = root(text);
    expect(node.comments()).toEqual([[], ["a"].slice(1), ["a"], ["a", "b"], ["a", "b", 1], ["a"], [], []]);
    expect(node.get("a")?.comments()).toEqual([[], [], ["b"], ["b", 1], []]);
    expect(node.get("a")?.get("b")?.comments()).toEqual([[], [1]]);
    expect(node.get("a")?.get("b")?.items()[0]?.comments()).toEqual([]);
    expect(node.get("a")?.get("b")?.items()[1]?.comments()).toEqual([[]]);
    expect(node.get("d")?.comments()).toEqual([]);
  });
});

describe("malformed JSON", () => {
  const at = (text: string): [string, number] => {
    const offset = text.indexOf("^");
    return [text.slice(0, offset) + text.slice(offset + 1), offset];
  };
  // The caret marks the place.
  it.each([
    ['{"a": ^}', /expected a value/],
    ['{"a": ^', /text ends where a value/],
    ['{"a" ^1}', /colon/],
    ['{"a"^', /colon/],
    ['{"a": 1 ^"b": 2}', /comma or \}/],
    ["[1 ^2]", /comma or \]/],
    ["[1^", /\] is missing/],
    ['{"a": 1^', /\} is missing/],
    ["{^", /\} is missing/],
    ["[1}^".replace("}^", "^}"), /comma or \]/],
    ["[^,]", /expected a value/],
    ["{^,}", /name in double quotes/],
    ["[1,^,]", /expected a value/],
    ["{^a: 1}", /name in double quotes/],
    ["{^'a': 1}", /name in double quotes/],
    ["[^'a']", /expected a value/],
    ["[^undefined]", /expected a value/],
    ["[^NaN]", /expected a value/],
    ["[^truee]", /expected a value/],
    ["[^tru]", /expected a value/],
    ["[^01]", /not a number/],
    ["[^-]", /not a number/],
    ["[^1.]", /not a number/],
    ["[^1e]", /not a number/],
    ["[^1.5.2]", /not a number/],
    ["[^0x10]", /not a number/],
    ["[^12abc]", /not a number/],
    ["[^.5]", /expected a value/],
    ["[^+1]", /expected a value/],
    ['[^"abc]', /string has no end/],
    ['[^"abc\\', /string has no end/],
    ['["ab^\nc"]', /control character/],
    ['["ab^\\x"]', /escape/],
    ['["ab^\\u12g4"]', /four hexadecimal/],
    ["[1] ^]", /after the end/],
    ["{} ^{}", /after the end/],
    ["[1, ^/* no end", /comment has no end/],
    ["[1] ^/ 2", /comment starts with/],
    ["^\u00a0{}", /expected a value/],
    ["{}^\u0000", /after the end/],
  ])("%j", (marked, message) => {
    const [text, offset] = at(marked);
    const result = json.read(text);
    expect(result).toMatchObject({ kind: "malformed", offset, message: expect.stringMatching(message) });
  });

  /**
   * Long strings are gone through in another way than short ones: whatever stands there, at any length, is found all
   * the same.
   */
  it.each([
    ['\n"', /control character/],
    ['\u0001"', /control character/],
    ['\\x"', /escape/],
    ['\\u12g4"', /four hexadecimal/],
  ])("in a string, however long it is: %j", (fault, message) => {
    for (let length = 0; length < 60; length++) {
      const before = `["${"é".repeat(length)}`;
      expect(json.read(`${before}${fault}]`)).toMatchObject({
        kind: "malformed",
        offset: before.length,
        message: expect.stringMatching(message),
      });
      expect(json.read(before)).toMatchObject({
        kind: "malformed",
        offset: 1,
        message: expect.stringMatching(/no end/),
      });
    }
  });

  it("is also what is nested too deeply, with the place, and no crash", () => {
    expect(json.read(`${"[".repeat(1000)}${"]".repeat(1000)}`).kind).toBe("read");
    expect(json.read(`${"[".repeat(1001)}${"]".repeat(1001)}`)).toMatchObject({ kind: "malformed", offset: 1000 });
    expect(json.read('{"a":'.repeat(1_000_000))).toMatchObject({ kind: "malformed", offset: 5000 });
  });
});

it("ends a string at its own quote, wherever escapes stand in it", () => {
  for (let length = 0; length < 60; length++) {
    for (const escaped of ["", '\\"', "\\\\", "\\u0022", '\\n\\"\\t']) {
      const text = `["${"x".repeat(length)}${escaped}${"y".repeat(40)}${escaped}", "z"]`;
      const result = json.read(text);
      expect(result.kind === "read" && result.document.root.value()).toEqual(JSON.parse(text));
    }
  }
});
