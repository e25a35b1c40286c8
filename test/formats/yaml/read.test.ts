import { describe, expect, it } from "vitest";
import { Exact } from "../../../src/core/value.ts";
import { maxDepth } from "../../../src/formats/limits.ts";
import { readPlainly } from "../../../src/formats/yaml/second-reader.ts";
import { malformed, read } from "./edits.ts";

describe("what can't be edited safely is refused with a reason and a place", () => {
  it.each([
    ["a: 1\n---\nb: 2\n", /several YAML documents/, 5],
    ["a: 1\n---\n", /several YAML documents/, 5],
    ["a: 1\n...\nb: 2\n", /several YAML documents/, 9],
    ["a: 1\nb: 2\na: 3\n", /key "a" twice/, 10],
    ['1: x\n"1": y\n', /key "1" twice/, 5],
    ["{a: 1, a: 2}\n", /key "a" twice/, 7],
    ["? [a]\n: b\n", /a key that is an alias, a list or a map/, 2],
    ["a: &a b\n*a : c\n", /a key that is an alias/, 8],
    ["a: *b\n", /has no anchor/, 3],
    ["b: *a\na: &a 1\n", /has no anchor/, 3],
    ["a: &a [*a]\n", /is inside what it refers to/, 7],
    ["a: b: c\n", /not valid YAML/, 3],
    ["a: [1, 2\n", /not valid YAML/, 9],
    ["a:\n\tb: 1\n", /not valid YAML/, 3],
    ["a: @x\n", /not valid YAML/, 3],
  ])("%j", (text, message, offset) => {
    const fault = malformed(text);
    expect(fault.message).toMatch(message);
    expect(fault.offset).toBe(offset);
    expect(readPlainly(text)).toBeUndefined();
  });

  it.each([
    "true: x\n12: y\n~: z\n0x1F: h\n1.50: f\non: o\n",
    "a: 0644\nb: 1_000\nc: 12345678901234567890\nd: .inf\ne: 1e3\nf: 2026-11-18\ng: 1:30\n",
    "a: [x, {b: }, ]\nc:\n- 1\n-\n- - 2\n",
    "a: 'it''s'\nb: \"q\\n\"\nc: |+\n  x\n\nd: >\n  f\n  g\n",
    "# only a comment\n",
    "",
    "just a text\n",
    "- 1\n",
  ])("%j means the same without positions", (text) => {
    const values = readPlainly(text);
    expect(values).toEqual(read(text).root.value());
  });

  it("stops at a stated depth, however deep the text goes", () => {
    expect(read("[".repeat(maxDepth) + "]".repeat(maxDepth)).root.kind).toBe("list");
    for (const depth of [maxDepth + 2, 20_000]) {
      expect(malformed("[".repeat(depth) + "]".repeat(depth)).message).toMatch(/nested more than 100 levels deep/);
      expect(malformed(`${"- ".repeat(depth)}x`).message).toMatch(/nested more than 100 levels deep/);
    }
  });

  it("refuses an alias bomb", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]`,
    );
    expect(malformed(`a0: &a0 x\n${levels.join("\n")}\n`).message).toMatch(/alias bomb/);
  });
});

describe("scalars have the types of YAML 1.2", () => {
  it.each([
    ["0x1F", 31],
    ["0o17", 15],
    ["012", new Exact("number", "012")],
    ["+12", 12],
    ["1e3", 1000],
    ["on", "on"],
    ["yes", "yes"],
    ["~", null],
    ["", null],
    ["Null", null],
    ["TRUE", true],
    ["1_000", "1_000"],
    ["12:30", "12:30"],
    [".inf", new Exact("float", "inf")],
    ["12345678901234567890", new Exact("number", "12345678901234567890")],
    ['"12"', "12"],
    ["!!str 12", "12"],
    ['!!int "12"', 12],
    ["! 12", "12"],
    ["!secret x", "!secret x"],
    ["!!binary aGk=", "tag:yaml.org,2002:binary aGk="],
  ])("%s", (text, value) => {
    expect(read(`a: ${text}\n`).root.value()).toEqual({ a: value });
  });

  it("gives keys that are no strings the text of their value", () => {
    expect(read("1: a\n~: b\ntrue: c\n0x1F: d\n1.50: e\n012: f\n.inf: g\n").root.names()).toEqual([
      "1",
      "null",
      "true",
      "31",
      "1.5",
      "12",
      "Infinity",
    ]);
  });
});

describe("anchors, aliases, merge keys and tags", () => {
  const text =
    "base: &base\n  a: 1\n  deep: {b: 2}\nuse: *base\nmerged:\n  <<: *base\n  own: 3\nfree: &unused 4\ntagged: !x {y: 1}\n";
  const { root } = read(text);
  const at = (...path: string[]) => path.reduce((node, name) => node.get(name)!, root);

  it("gives an alias the value of what it stands for, in its own place", () => {
    expect(at("use").value()).toEqual({ a: 1, deep: { b: 2 } });
    expect(at("use").kind).toBe("map");
    expect(at("use", "deep", "b").value()).toBe(2);
    expect(at("use", "deep", "b").ranges.map(({ start, end }) => text.slice(start, end))).toEqual(["*base"]);
  });

  it("does not count what is merged in as the map's own", () => {
    expect(at("merged").names()).toEqual(["<<", "own"]);
    expect(at("merged").get("a")).toBeUndefined();
  });

  it.each([
    [["base"], /anchor &base, which \*base still uses/],
    [["base", "deep", "b"], /anchor &base, which \*base still uses/],
    [["use"], /alias \*base/],
    [["use", "a"], /alias \*base/],
    [["merged", "<<"], /alias \*base/],
    [["tagged"], /tag !x/],
  ])("locks %j", (path, reason) => {
    expect(at(...path).locked()).toMatch(reason);
  });

  it.each([[["merged"]], [["merged", "own"]], [["free"]], [["tagged", "y"]], [[]]])("leaves %j open", (path) => {
    expect(at(...path).locked()).toBeUndefined();
  });

  it("locks what holds an anchor that is used outside it, and nothing else around", () => {
    const outer = read("a:\n  b: &b 1\n  c: *b\nd:\n  e: &e 2\nf: *e\n").root;
    expect(outer.get("a")?.locked()).toBeUndefined();
    expect(outer.get("d")?.locked()).toMatch(/\*e elsewhere uses the anchor &e in it/);
  });

  it("lets a later anchor of the same name take over", () => {
    const later = read("a: &x 1\nb: &x 2\nc: *x\n").root;
    expect(later.get("c")?.value()).toBe(2);
    expect(later.get("a")?.locked()).toBeUndefined();
    expect(later.get("b")?.locked()).toMatch(/&x/);
  });

  it("locks keys written with a question mark, and pairs in lists", () => {
    expect(read("? a\n: b\n").root.get("a")?.locked()).toMatch(/`\?`/);
    expect(read("[a: 1]\n").root.items()[0]?.locked()).toMatch(/single pair/);
    expect(read("[a: 1]\n").root.value()).toEqual([{ a: 1 }]);
  });
});

describe("places", () => {
  const text =
    "# head\na: &x # one\n  # two\n  b: [1, # three\n    2]\n  c: | # four\n    # text\n\n# five\nd: - # six\n".replace(
      "d: -",
      "d: e",
    );
  const { root } = read(text);
  const shown = (name: string) => root.get(name)!.entryRanges.map(({ start, end }) => text.slice(start, end));

  it("spans an entry from its name to the last character of its value", () => {
    expect(shown("a")).toEqual([text.slice(text.indexOf("a:"), text.indexOf("# text") + "# text".length)]);
    expect(shown("d")).toEqual(["d: e"]);
    expect(root.get("a")!.get("b")!.ranges).toEqual([{ start: text.indexOf("[1"), end: text.indexOf("2]") + 2 }]);
  });

  it("knows the comments inside an entry and the container around each", () => {
    expect(root.get("a")!.comments()).toEqual([[], [], ["b"], []]);
    expect(root.get("a")!.get("b")!.comments()).toEqual([[]]);
    expect(root.get("d")!.comments()).toEqual([]);
    expect(read("# c\na: 1 # d\n").root.get("a")?.comments()).toEqual([]);
  });
});
