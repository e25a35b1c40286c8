import { describe, expect, it } from "vitest";
import { Exact, mapOf, type Value } from "../../../src/core/value.ts";
import type { Edit, InsertEdit, Path } from "../../../src/formats/format.ts";
import { json } from "../../../src/formats/json/json.ts";
import { verifyEdit } from "../../../src/formats/verify/verify.ts";
import { readDocument } from "../conformance-checks.ts";

const set = (at: Path, value: Value): Edit => ({ kind: "set", at, value });
const remove = (...at: (string | number)[]): Edit => ({ kind: "remove", at });
const add = (name: string | undefined, value: Value, place: InsertEdit["place"] = "end", into: Path = []): Edit => ({
  kind: "insert",
  into,
  name,
  value,
  place,
});

/** The text after edits, checked by the second reader too. */
function edited(text: string, ...edits: Edit[]): string {
  const result = readDocument(json, text).edit(edits);
  if (result.kind === "refused") throw new Error(result.message);
  expect(verifyEdit(json, text, edits, result.text)).toBeUndefined();
  return result.text;
}

const lines = (...all: string[]) => `${all.join("\n")}\n`;

describe("adding to JSON", () => {
  it("puts the comma behind the value and the entry behind that line's comment", () => {
    const text = lines("{", '  "a": 1 // about a', "  // the end", "}");
    expect(edited(text, add("b", 2))).toBe(lines("{", '  "a": 1, // about a', '  "b": 2', "  // the end", "}"));
  });

  it("leaves the comment above an entry with that entry", () => {
    const text = lines("{", '  "a": 1, // about a', "  // about b", '  "b": 2', "}");
    expect(edited(text, add("n", 3, { after: "a" }))).toBe(
      lines("{", '  "a": 1, // about a', '  "n": 3,', "  // about b", '  "b": 2', "}"),
    );
    expect(edited(text, add("n", 3, { before: "a" }))).toBe(
      lines("{", '  "n": 3,', '  "a": 1, // about a', "  // about b", '  "b": 2', "}"),
    );
  });

  it("copies the layout of siblings, field by field", () => {
    const text = lines(
      "{",
      '  "hooks": [',
      '    { "event": "a", "run": ["x"] },',
      '    { "event": "b", "run": ["y"] }',
      "  ]",
      "}",
    );
    const hook = { event: "c", run: ["z"] };
    const after = lines(
      "{",
      '  "hooks": [',
      '    { "event": "a", "run": ["x"] },',
      '    { "event": "b", "run": ["y"] },',
      '    { "event": "c", "run": ["z"] }',
      "  ]",
      "}",
    );
    expect(edited(text, add(undefined, hook, "end", ["hooks"]))).toBe(after);
    const tall = lines("[", "\t{", '\t\t"event": "a",', '\t\t"run": ["x"]', "\t}", "]");
    expect(edited(tall, add(undefined, hook, { before: 0 }))).toBe(
      lines(
        "[",
        "\t{",
        '\t\t"event": "c",',
        '\t\t"run": ["z"]',
        "\t},",
        "\t{",
        '\t\t"event": "a",',
        '\t\t"run": ["x"]',
        "\t}",
        "]",
      ),
    );
  });

  it.each([
    ['{"a":1}', '{"a":1,"n":{"x":[1,{}]}}'],
    ['{ "a": 1 }', '{ "a": 1, "n": { "x": [1, {}] } }'],
    ['{"a": 1}', '{"a": 1, "n": {"x": [1, {}]}}'],
    ['{"a" : 1,"b" : 2}', '{"a" : 1,"b" : 2,"n" : {"x" : [1,{}]}}'],
    ["{}", '{\n  "n": {\n    "x": [\n      1,\n      {}\n    ]\n  }\n}'],
    ["", '{\n  "n": {\n    "x": [\n      1,\n      {}\n    ]\n  }\n}\n'],
    ["// c", '// c\n{\n  "n": {\n    "x": [\n      1,\n      {}\n    ]\n  }\n}'],
    ['{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"n": {\r\n\t\t"x": [\r\n\t\t\t1,\r\n\t\t\t{}\r\n\t\t]\r\n\t}\r\n}'],
  ])("writes as %j does", (text, after) => expect(edited(text, add("n", { x: [1, {}] }))).toBe(after));

  it.each([
    ['  "a": { "x": 1 }', '  "n": { "y": 2 }'],
    ['  "a": {"x": 1}', '  "n": {"y": 2}'],
    ['  "a": {"x":1}', '  "n": {"y":2}'],
    ['  "a": { "x" : 1 }', '  "n": { "y" : 2 }'],
  ])("writes a map as the map beside it: %j", (beside, added) => {
    expect(edited(lines("{", beside, "}"), add("n", { y: 2 }))).toBe(lines("{", `${beside},`, added, "}"));
    // The nearest counts.
    const text = lines("{", `${beside},`, '  "b": [{"x": {}}, { }]', "}");
    expect(edited(text, add(undefined, { y: 2 }, "end", ["b"]))).toContain('{"y": 2}]');
    expect(edited(text, add("y", 2, "end", ["b", 1]))).toContain('{"y": 2}]');
  });

  it("fills a map as maps on one line nearby are filled", () => {
    const text = lines("{", '  "m": [{}],', '  "a": { "x": 1 }', "}");
    expect(edited(text, add("y", 2, "end", ["m", 0]))).toContain('[{ "y": 2 }]');
  });

  it.each([
    ['  "a": [ 1, 2 ]', '  "n": [ 3 ]'],
    ['  "a": [1,2]', '  "n": [3]'],
  ])("writes a list as the list beside it: %j", (beside, added) => {
    expect(edited(lines("{", beside, "}"), add("n", [3]))).toBe(lines("{", `${beside},`, added, "}"));
  });

  it("fills empty containers below their comments and in the indentation around", () => {
    expect(edited('{"a":{},"b":[]}', add("n", 1, "end", ["a"]), add(undefined, 2, "end", ["b"]))).toBe(
      '{"a":{"n":1},"b":[2]}',
    );
    const text = lines("{", '    "a": {', "        // to come", "    },", '    "b": []', "}");
    expect(edited(text, add("n", 1, "end", ["a"]), add(undefined, 2, "end", ["b"]))).toBe(
      lines(
        "{",
        '    "a": {',
        "        // to come",
        '        "n": 1',
        "    },",
        '    "b": [',
        "        2",
        "    ]",
        "}",
      ),
    );
  });

  it("ends in a comma only where the author's last entry does", () => {
    expect(edited(lines("{", '  "a": 1, // c', "}"), add("n", [2]))).toBe(
      lines("{", '  "a": 1, // c', '  "n": [', "    2", "  ],", "}"),
    );
    expect(edited('{"a": [1,]}', add("n", 2))).toBe('{"a": [1,], "n": 2}');
    expect(edited('{"a": [1,]}', add(undefined, 2, "end", ["a"]))).toBe('{"a": [1, 2,]}');
  });

  it("never moves the byte order mark", () => {
    expect(edited('\ufeff{"a":1}', add("n", 2, { before: "a" }))).toBe('\ufeff{"n":2,"a":1}');
    expect(edited("\ufeff", add("n", 2))).toBe('\ufeff{\n  "n": 2\n}\n');
  });

  it("keeps commas in front where they are", () => {
    const text = lines("{", '  "a": 1 // about a', '  , "b": 2', "}");
    expect(edited(text, add("n", 3))).toBe(lines("{", '  "a": 1 // about a', '  , "b": 2', '  , "n": 3', "}"));
    expect(edited(text, add("n", 3, { after: "a" }))).toBe(
      lines("{", '  "a": 1 // about a', '  , "n": 3', '  , "b": 2', "}"),
    );
    expect(edited(text, add("n", 3, { before: "a" }))).toBe(
      lines("{", '  "n": 3', '  , "a": 1 // about a', '  , "b": 2', "}"),
    );
  });

  it("writes odd names and exact numbers as they must be", () => {
    const value = mapOf([
      ["__proto__", new Exact("number", "1e999")],
      ["", null],
    ]);
    expect(edited("{}", add('"\\\n', value))).toBe(
      '{\n  "\\"\\\\\\n": {\n    "__proto__": 1e999,\n    "": null\n  }\n}',
    );
  });
});

describe("new lists in JSON", () => {
  const inline = lines("{", '  "allow": ["a","b"],', '  "model": "x",', '  "servers": {}', "}");

  it("stand on one line where lists nearby do, with the same gaps", () => {
    expect(edited(inline, add("deny", ["c", "d"], { after: "model" }))).toContain('  "deny": ["c","d"],\n');
    expect(edited(inline, add("m", { args: ["c", "d"] }, "end", ["servers"]))).toContain('      "args": ["c","d"]\n');
  });

  it("stand on several lines where lists nearby do, or are long, or hold maps", () => {
    const apart = inline.replace('["a","b"]', '[\n    "a"\n  ]');
    expect(edited(apart, add("deny", ["c"], { after: "model" }))).toContain('  "deny": [\n    "c"\n  ],\n');
    expect(edited(inline, add("deny", ["c".repeat(100)], { after: "model" }))).toContain('  "deny": [\n    "ccc');
    expect(edited(inline, add("hooks", [{ x: 1 }], { after: "model" }))).toContain('  "hooks": [\n    {\n');
  });

  it("leave no trace", () => {
    const added = edited(inline, add("deny", ["c", "d"], { after: "model" }));
    expect(edited(added, remove("deny"))).toBe(inline);
  });
});

describe("setting in JSON", () => {
  it("replaces the value and nothing beside it", () => {
    expect(edited('{ "a" : /* x */ 1 /* y */ , "b":2 }', set(["a"], "one"))).toBe(
      '{ "a" : /* x */ "one" /* y */ , "b":2 }',
    );
  });

  it("keeps the layout of what it replaces", () => {
    const text = lines("{", '\t"short": ["a", "b"],', '\t"long": [', '\t\t"a"', "\t]", "}");
    expect(edited(text, set(["short"], ["c"]), set(["long"], ["c", "d"]))).toBe(
      lines("{", '\t"short": ["c"],', '\t"long": [', '\t\t"c",', '\t\t"d"', "\t]", "}"),
    );
  });

  it("writes a container over a scalar in the style around", () => {
    expect(edited('{\n  "a": 1\n}', set(["a"], { b: [] }))).toBe('{\n  "a": {\n    "b": []\n  }\n}');
    expect(edited('{ "a": 1 }', set(["a"], { b: [] }))).toBe('{ "a": { "b": [] } }');
    expect(edited('{"a":1}', set(["a"], { b: 1, c: 2 }))).toBe('{"a":{"b":1,"c":2}}');
  });

  it("edits the one of two equal names that counts", () => {
    expect(edited('{"a": 1, "a": {"b": 2}}', set(["a", "b"], 3))).toBe('{"a": 1, "a": {"b": 3}}');
  });

  it("replaces a root", () => expect(edited("// c\n[1] // d\n", set([], "x"))).toBe('// c\n"x" // d\n'));
});

describe("removing from JSON", () => {
  const text = lines("{", '  "a": 1,', '  "b": 2,', '  "c": 3', "}");
  it.each([
    [["a"], lines("{", '  "b": 2,', '  "c": 3', "}")],
    [["b"], lines("{", '  "a": 1,', '  "c": 3', "}")],
    [["c"], lines("{", '  "a": 1,', '  "b": 2', "}")],
    [["a", "b"], lines("{", '  "c": 3', "}")],
    [["c", "b"], lines("{", '  "a": 1', "}")],
    [["a", "c"], lines("{", '  "b": 2', "}")],
    [["a", "b", "c"], "{}\n"],
  ])("takes out %j", (names, after) => expect(edited(text, ...names.map((name) => remove(name)))).toBe(after));

  it.each([
    ["[1, 2, 3]", [0], "[2, 3]"],
    ["[1, 2, 3]", [1], "[1, 3]"],
    ["[1, 2, 3]", [2], "[1, 2]"],
    ["[ 1, 2, 3 ]", [0, 1], "[ 3 ]"],
    ["[ 1, 2, 3 ]", [1, 2], "[ 1 ]"],
    ["[ 1, 2, 3 ]", [0, 1, 2], "[]"],
    ["[1,2,3,]", [2], "[1,2,]"],
    ["[1,2,3,]", [0, 1, 2], "[]"],
    ["[1,\n2,\n3]", [2], "[1,\n2]"],
    ["[1 // one\n, 2]", [1], "[1 // one\n]"],
    ["[/* x */ 1, /* y */ 2 /* z */]", [1], "[/* x */ 1 /* y */ /* z */]"],
    ["[/* x */ 1, /* y */ 2 /* z */]", [0, 1], "[/* x */ /* y */ /* z */]"],
    ["[\n  1, // one\n  2 ]", [1], "[\n  1 // one\n  ]"],
    ["[\n  1, 2, // both\n  3\n]", [0], "[\n  2, // both\n  3\n]"],
    ["[\n  1, 2, // both\n  3\n]", [0, 1], "[\n  // both\n  3\n]"],
    ["[\n  1, 2,\n  3\n]", [0, 1], "[\n  3\n]"],
  ])("takes out of %j at %j", (list, positions, after) =>
    expect(edited(list, ...positions.map((position) => remove(position)))).toBe(after),
  );

  it("leaves comments beside the entry, on lines of their own", () => {
    const noted = lines("{", '  "a": 1, // one', "  // above b", '  "b": 2, // two', '  "c": 3 // three', "}");
    expect(edited(noted, remove("b"))).toBe(
      lines("{", '  "a": 1, // one', "  // above b", "  // two", '  "c": 3 // three', "}"),
    );
    expect(edited(noted, remove("c"))).toBe(
      lines("{", '  "a": 1, // one', "  // above b", '  "b": 2 // two', "  // three", "}"),
    );
    expect(edited('{ "a": 1 /* x */, /* y */ "b": 2 }', remove("a"))).toBe('{ /* x */ /* y */ "b": 2 }');
  });

  it("leaves no blank line behind, and no fewer than there were apart", () => {
    const apart = lines("{", '  "a": 1,', "", '  "b": 2,', "", '  "c": 3', "}");
    expect(edited(apart, remove("b"))).toBe(lines("{", '  "a": 1,', "", '  "c": 3', "}"));
    expect(edited(apart, remove("c"))).toBe(lines("{", '  "a": 1,', "", '  "b": 2', "}"));
    expect(edited(apart, remove("b"), remove("c"))).toBe(lines("{", '  "a": 1', "}"));
  });

  it("takes a comma in front along", () => {
    const text = lines("{", '  "a": 1 // about a', '  , "b": 2', '  , "c": 3', "}");
    expect(edited(text, remove("b"))).toBe(lines("{", '  "a": 1 // about a', '  , "c": 3', "}"));
    expect(edited(text, remove("c"))).toBe(lines("{", '  "a": 1 // about a', '  , "b": 2', "}"));
    expect(edited(text, remove("b"), remove("c"))).toBe(lines("{", '  "a": 1 // about a', "}"));
  });

  it("puts an entry that comes where one goes in its place", () => {
    expect(edited("[ 1, /* two */ 2 , 3 ]", remove(1), add(undefined, "new", { after: 1 }))).toBe(
      '[ 1, /* two */ "new" , 3 ]',
    );
    expect(edited(text, remove("a"), add("a", "again", { before: "b" }))).toBe(
      lines("{", '  "a": "again",', '  "b": 2,', '  "c": 3', "}"),
    );
    expect(edited(text, remove("a"), remove("b"), remove("c"), add("n", 1), add("m", 2))).toBe(
      lines("{", '  "n": 1,', '  "m": 2', "}"),
    );
  });
});

describe("clearing", () => {
  const undo = (text: string, ...adds: Edit[]) => {
    const result = readDocument(json, text).edit(adds);
    if (result.kind === "refused") throw new Error(result.message);
    return { text: result.text, inner: result.inners.get(0)! };
  };

  it("gives back a text that had no braces, also when comments came since", () => {
    const { text, inner } = undo("// c\n", add("a", 1));
    const changed = `// new\n${text}// below\n`;
    expect(edited(changed, { kind: "clear", at: [], inner })).toBe("// new\n// c\n// below\n");
  });

  it("puts nothing but blanks and comments between braces", () => {
    for (const inner of ['"b": 1', "}", "/* no end"]) {
      expect(readDocument(json, '{"a":1}').edit([{ kind: "clear", at: [], inner }])).toMatchObject({ kind: "refused" });
    }
  });
});

describe("edits that are refused", () => {
  const text = '{"a": [1, 2], "b": {"c": 1}, "d": 1, "d": 2}';
  it.each<[string, Edit[], number]>([
    ["a name that is not there", [set(["x"], 1)], 0],
    ["a position that is not there", [remove("a", 2)], 6],
    ["a name in a list", [set(["a", "0"], 1)], 6],
    ["a position in a map", [remove("b", 0)], 19],
    ["an item for a map", [add(undefined, 1, "end", ["b"])], 19],
    ["a name for a list", [add("x", 1, "end", ["a"])], 6],
    ["an addition to a scalar", [add("x", 1, "end", ["d"])], 42],
    ["a name that stands there already", [add("b", 1)], 0],
    ["one name added twice", [add("x", 1), add("x", 2)], 0],
    ["a neighbour that is not there", [add("x", 1, { after: "y" })], 0],
    ["a removal of the root", [remove()], 0],
    ["a removal of one of two equal names", [remove("d")], 37],
    ["one entry removed twice", [remove("b"), remove("b")], 19],
    ["one entry set twice", [set(["a"], 1), set(["a"], 2)], 6],
    ["an edit inside a removed entry", [remove("b"), set(["b", "c"], 2)], 25],
    ["an addition inside a value that is set", [set(["b"], 1), add("x", 1, "end", ["b"])], 26],
    ["an addition to what is cleared", [{ kind: "clear", at: ["b"], inner: "" }, add("x", 1, "end", ["b"])], 19],
    ["a scalar cleared", [{ kind: "clear", at: ["d"], inner: "" }], 42],
  ])("%s", (_, edits, offset) => {
    expect(readDocument(json, text).edit(edits)).toEqual({ kind: "refused", message: expect.any(String), offset });
  });
});
