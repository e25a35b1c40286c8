import { parse } from "smol-toml";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { describe, expect, it } from "vitest";
import { Exact } from "../../../src/core/value.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { readDocument, valueAt } from "../conformance-checks.ts";

function fault(text: string): { message: string; offset: number } {
  const result = toml.read(text);
  if (result.kind === "read") throw new Error(`was read: ${JSON.stringify(result.document.root.value())}`);
  return result;
}

describe("what is no TOML", () => {
  const cases: readonly (readonly [text: string, offset: number, message: RegExp])[] = [
    ["a = ", 4, /expected a value/],
    ["a = yes", 4, /a string needs quotes/],
    ["a", 1, /expected a =/],
    ["= 1", 0, /expected a name/],
    ["ü = 1", 0, /needs quotes/],
    ["a = 1 b = 2", 6, /end of the line/],
    ["a = 1\rb = 2", 5, /end of the line/],
    ["[a", 2, /needs \] at its end/],
    ["[[a]", 3, /needs \]\] at its end/],
    ["[]", 1, /expected a name/],
    ["a = [1, 2", 4, /has no \] at its end/],
    ["a = [1 2]", 7, /expected , or \]/],
    ["a = { b = 1", 4, /has no \} at its end/],
    ['a = "x', 4, /does not end on its line/],
    ['a = """x', 4, /does not end/],
    ['a = "\\q"', 5, /no escape \\q/],
    ['a = "\\ud800"', 5, /no escape/],
    ['a = "\u0001"', 4, /control character/],
    ["# \u0001", 2, /control character/],
    ['"""a""" = 1', 0, /multi-line/],
    ["a = 01", 4, /no TOML value/],
    ["a = 1__0", 4, /no TOML value/],
    ["a = 1.", 4, /no TOML value/],
    ["a = 2023-02-29", 4, /no TOML value/],
    ["a = 2024-01-01T25:00:00", 4, /no TOML value/],
  ];
  it.each(cases)("%j", (text, offset, message) => {
    expect(fault(text).message).toMatch(message);
    expect(fault(text).offset).toBe(offset);
  });

  const twice = [
    "a = 1\na = 2",
    "a = 1\n[a]",
    "[a]\n[a]",
    "[a]\n[[a]]",
    "[[a]]\n[a]",
    "a = []\n[[a]]",
    "a = {}\n[a.b]",
    "a = {}\na.b = 1",
    "a.b = 1\n[a]",
    "a.b = 1\na.b.c = 2",
    "[a.b]\n[a]\nb.c = 1",
    "[a.b.c]\n[a]\nb.d = 1",
    "a = { b = 1, b = 2 }",
    "a = { b.c = 1, b = 2 }",
    "a = [{ b = 1, b = 2 }]",
    "[a.b]\n[[a]]",
  ];
  it.each(twice)("defines something twice: %j", (text) => {
    expect(fault(text).message).toMatch(/already defined/);
    expect(() => parse(text)).toThrow();
  });

  it("is nested without end", () => {
    expect(fault(`a = ${"[".repeat(100_000)}`).message).toMatch(/nested too deeply/);
    expect(fault(`a = ${"{a=".repeat(100_000)}`).message).toMatch(/nested too deeply/);
    expect(fault(`${"a.".repeat(100_000)}a = 1`).message).toMatch(/too many parts/);
  });
});

/** Where the parsers part, the one that refuses decides: such a document is never edited. */
describe("documents that readers disagree on", () => {
  const refusedHere = ["a = 2024-02-30", "[a.b.c]\n[a]\nb.d = 1"];
  it.each(refusedHere)("%j is refused", (text) => {
    expect(toml.read(text).kind).toBe("malformed");
  });

  it.each(["a = 23:59:60"])("%j is read, but fails the check of an edit", (text) => {
    expect(readDocument(toml, text).root.names()).toEqual(["a"]);
    expect(() => toml.readIndependently(text)).toThrow();
  });

  it("TOML 1.1 is read by both", () => {
    const text = 'a = {\n  b = 1, # one\n}\nc = "\\e\\x41"\nd = 07:32\n';
    expect(readDocument(toml, text).root.get("a")?.value()).toEqual({ b: 1 });
    expect(readDocument(toml, text).root.get("c")?.value()).toBe("\x1bA");
    expect(readDocument(toml, text).root.get("d")?.value()).toEqual(new Exact("datetime", "07:32"));
    expect(toml.readIndependently(text)).toMatchObject({ a: { b: 1 }, c: "\x1bA" });
    expect(getStaticTOMLValue(parseTOML(text, { tomlVersion: "1.1" }))).toMatchObject({ a: { b: 1 }, c: "\x1bA" });
  });
});

describe("values", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["+1_000", 1000],
    ["-0", 0],
    ["0xDEAD_beef", 0xdeadbeef],
    ["0b1_0", 2],
    ["9007199254740993", new Exact("number", "9007199254740993")],
    ["0xFFFFFFFFFFFFFFFF", new Exact("number", "18446744073709551615")],
    ["1_0.2_5", 10.25],
    ["+1.0", new Exact("float", "1.0")],
    ["1e3", new Exact("float", "1000.0")],
    ["-0.0", new Exact("float", "-0.0")],
    ["0.1234567890123456789012", new Exact("float", "0.1234567890123456789012")],
    ["+inf", new Exact("float", "inf")],
    ["-nan", new Exact("float", "nan")],
    ["1979-05-27t07:32:00z", new Exact("datetime", "1979-05-27T07:32:00Z")],
    ["1979-05-27 07:32:00.999-07:00", new Exact("datetime", "1979-05-27T07:32:00.999-07:00")],
    ["'a\\b'", "a\\b"],
    ['"\\u00e9\\U0001F600\\t"', "é😀\t"],
    ['"""\r\na\r\n\\  \r\n  b"""', "a\nb"],
    ['"""a""\\""""', 'a"""'],
    ["''''a'''''", "'a''"],
  ];
  it.each(cases)("%s", (text, value) => {
    expect(readDocument(toml, `a = ${text}`).root.get("a")?.value()).toEqual(value);
  });
});

describe("nodes", () => {
  const text = `# top
[a.b] # beside the header
x.y = [ # in the list
  1,
]
# below x

# above c
[c]

[a]
z = 0
# above the first element
[[a.list]]
# above the second element
[[a.list]]
`;
  const { root } = readDocument(toml, text);
  const pieces = (...path: (string | number)[]) =>
    valueAt(root, path).entryRanges.map(({ start, end }) => text.slice(start, end));

  it("stand in as many ranges as the text has pieces of them", () => {
    expect(pieces("a")).toEqual([
      text.slice(text.indexOf("[a.b]"), text.indexOf("\n\n# above c")),
      text.slice(text.indexOf("[a]"), text.length - 1),
    ]);
    expect(pieces("a", "b", "x")).toEqual(["x.y = [ # in the list\n  1,\n]"]);
    expect(pieces("c")).toEqual(["[c]"]);
    expect(pieces("a", "list", 0)).toEqual(["[[a.list]]"]);
  });

  it("know the comments inside them, and not those beside them", () => {
    expect(valueAt(root, ["c"]).comments()).toEqual([]);
    expect(valueAt(root, ["a", "b"]).comments()).toEqual([[], ["x", "y"], []]);
    expect(valueAt(root, ["a", "b", "x"]).comments()).toEqual([["y"]]);
    expect(valueAt(root, ["a"]).comments()).toEqual([["b"], ["b", "x", "y"], ["b"], [], ["list"]]);
    expect(root.comments()).toHaveLength(7);
  });
});
