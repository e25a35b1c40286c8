import { describe, expect, it } from "vitest";
import { readIndependently } from "../../../src/formats/yaml/second-reader.ts";
import { edit, edited, insert, read, refusal, remove, set } from "./edits.ts";

describe("an empty value is room for a container, and is empty again afterwards", () => {
  it.each([
    ["a:\nb: 1\n", ["a"], "a:\n  x: 1\nb: 1\n"],
    ["a: # why\nb: 1\n", ["a"], "a: # why\n  x: 1\nb: 1\n"],
    ["a:\n  # none yet\nb: 1\n", ["a"], "a:\n  # none yet\n  x: 1\nb: 1\n"],
    ["a: &k\nb: 1\n", ["a"], "a: &k\n  x: 1\nb: 1\n"],
    ["a:", ["a"], "a:\n  x: 1"],
    ["a:\r\n", ["a"], "a:\r\n  x: 1\r\n"],
    ["-\n- b\n", [0], "- x: 1\n- b\n"],
    ["- # why\n- b\n", [0], "- # why\n  x: 1\n- b\n"],
    ["a: {}\n", ["a"], "a: { x: 1 }\n"],
    ["a: {  }\n", ["a"], "a: { x: 1 }\n"],
    ["a: {\n  # none\n  }\n", ["a"], "a: { x: 1\n  # none\n  }\n"],
    ["a: ~ # c\n", ["a"], "a: { x: 1 } # c\n"],
    ["a: {b: null}\n", ["a", "b"], "a: {b: {x: 1}}\n"],
    ["", [], "x: 1\n"],
    ["# c", [], "# c\nx: 1"],
    ["---\n...\n", [], "---\nx: 1\n...\n"],
  ])("%j", (before, into, after) => {
    const { text, inners } = edit(before, insert(into, "x", 1));
    expect(text).toBe(after);
    expect(edited(text, { kind: "clear", at: into, inner: inners.get(0)! })).toBe(before);
  });

  it("takes a list there too, in the style of the file", () => {
    expect(edited("a:\nb:\n- 1\n", insert(["a"], undefined, "x"), insert(["a"], undefined, "z"))).toBe(
      "a:\n- x\n- z\nb:\n- 1\n",
    );
  });

  it("refuses a map and a list at once, and room inside brackets", () => {
    expect(refusal("a:\n", insert(["a"], undefined, 1), insert(["a"], "b", 1))).toMatch(/both a map and a list/);
    expect(refusal("a: {b: , c: 1}\n", insert(["a", "b"], "x", 1))).toMatch(/write \{\} or \[\]/);
  });

  it("writes a container in the place of a null that is written out", () => {
    expect(edited("a: ~\n", insert(["a"], undefined, "x"), insert(["a"], undefined, 2))).toBe("a: [x, 2]\n");
    expect(edited("a:\n  x: 1\n", { kind: "clear", at: ["a"], inner: "~" })).toBe("a: ~\n");
    expect(refusal("a: !!null ~\nb: no\n", insert(["b"], "x", 1))).toMatch(
      /a map is needed here, and this is something else/,
    );
  });
});

describe("taking the last entry out leaves an empty container, not null", () => {
  it.each([
    ["a:\n  b: 1\nc: 2\n", ["a", "b"], "a: {}\nc: 2\n"],
    ["a: # why\n  # above\n  b: 1 # behind\n", ["a", "b"], "a: {} # why\n  # above\n  # behind\n"],
    ["a:\n- 1\n", ["a", 0], "a: []\n"],
    ["- a: 1\n- b\n", [0, "a"], "- {}\n- b\n"],
    ["- x\n", [0], "[]\n"],
    ["a: 1\n", ["a"], ""],
    ["# head\na: 1 # behind\n", ["a"], "# head\n# behind\n"],
    ["--- &r\na: 1\n", ["a"], "--- &r {}\n"],
    ["a: { b: 1 }\n", ["a", "b"], "a: {}\n"],
  ])("%j without %j", (before, path, after) => {
    expect(edited(before, remove(path))).toBe(after);
  });

  it("clears a container that somebody wrote out as a block, or put into brackets, since", () => {
    expect(edited("a:\n  x: 1\n", { kind: "clear", at: ["a"], inner: " " })).toBe("a: { }\n");
    expect(edited("a: {x: 1}\n", { kind: "clear", at: ["a"], inner: "nonsense" })).toBe("a: {}\n");
    expect(edited("a: {x: 1, # mine\n  z: 2}\n", { kind: "clear", at: ["a"], inner: "" })).toBe("a: { # mine\n  }\n");
  });
});

describe("comments beside an entry stay when it goes", () => {
  it.each([
    ["a: 1 # one\nb: 2\n", ["a"], "# one\nb: 2\n"],
    ["# above\na: 1\nb: 2\n", ["a"], "# above\nb: 2\n"],
    ["- a: 1\n  # x\n  b: 2\n", [0, "a"], "-\n  # x\n  b: 2\n"],
    ["- a: 1 # x\n  b: 2\n", [0, "a"], "- # x\n  b: 2\n"],
    ["- a: 1\n\n  b: 2\n", [0, "a"], "- b: 2\n"],
    ["a: [1, # one\n  2]\n", ["a", 0], "a: [ # one\n  2]\n"],
    ["a: [\n  1, # one\n  2 # two\n  ]\n", ["a", 1], "a: [\n  1 # one\n  # two\n  ]\n"],
    ["a: |\n  x\n\n\nb: 1\n", ["a"], "\n\nb: 1\n"],
  ])("%j without %j", (before, path, after) => {
    expect(edited(before, remove(path))).toBe(after);
  });
});

describe("what must not be edited is refused", () => {
  const text = "base: &b {x: 1}\nuse: *b\nm:\n  <<: *b\n  own: 1\nt: !secret s\n";
  it.each([
    [set(["base", "x"], 2), /anchor &b/],
    [insert(["base"], "new", 1), /anchor &b/],
    [remove(["base"]), /anchor &b/],
    [set(["use"], 1), /alias \*b/],
    [set(["use", "x"], 1), /alias \*b/],
    [insert(["use"], "new", 1), /alias \*b/],
    [set(["m", "<<"], 1), /alias \*b/],
    [set(["t"], "x"), /tag !secret/],
    [set(["nowhere"], 1), /nothing at nowhere/],
    [set([], {}), /whole document/],
    [insert([], "use", 1), /already is an entry "use"/],
    [insert([], undefined, 1), /a list is needed here/],
    [insert(["m"], "z", 1, { after: "gone" }), /no entry "gone"/],
    [insert([], "x".repeat(2000), 1), /more than 1000 characters/],
  ])("%j", (change, reason) => {
    expect(refusal(text, change)).toMatch(reason);
  });

  it("lets everything around them be edited", () => {
    expect(edited(text, set(["m", "own"], 3), insert([], "last", true))).toBe(
      `${text.replace("own: 1", "own: 3")}last: true\n`,
    );
  });

  it("overrides what is merged in by an entry of the map's own", () => {
    expect(edited(text, insert(["m"], "x", 2))).toBe(text.replace("  own: 1\n", "  own: 1\n  x: 2\n"));
  });

  it("refuses a file that only one of the two readers can read", () => {
    expect(refusal("a: \u0001\n", insert([], "b", 1))).toMatch(
      /two YAML readers do not agree on this file \(.*non-printable/,
    );
  });
});

describe("several changes at once", () => {
  it("keeps the order of insertions at one place", () => {
    expect(
      edited(
        "a: 1\nb: 2\n",
        insert([], "p", 1, { after: "a" }),
        insert([], "q", 2, { after: "a" }),
        insert([], "r", 3, { before: "b" }),
      ),
    ).toBe("a: 1\np: 1\nq: 2\nr: 3\nb: 2\n");
  });

  it("puts a name back that goes in the same edit", () => {
    expect(edited("a: 1\nb: 2\n", remove(["a"]), insert([], "a", [1]))).toBe("b: 2\na:\n  - 1\n");
  });

  it("still ends without a line break when the last entries go or are replaced", () => {
    expect(edited("a: 1\nb: 2\nc: 3", remove(["b"]), remove(["c"]))).toBe("a: 1");
    expect(edited("a: 1\nb: 2", remove(["b"]), insert([], "c", 3, { after: "a" }))).toBe("a: 1\nc: 3");
    expect(edited("a: 1\r\nb: 2", remove(["b"]), insert([], "c", 3))).toBe("a: 1\r\nc: 3");
  });
});

describe("the second reader", () => {
  it("forgives brackets closed at the margin and tabs between parts", () => {
    expect(readIndependently("a: {\n  b: [\n  1\n]\n}\nc:\t[x,\ty]\n")).toEqual({ a: { b: [1] }, c: ["x", "y"] });
  });

  it("gives up where it would have to forgive too much", () => {
    const many = Array.from({ length: 100 }, (_, i) => `k${i}: {\n}\n`).join("");
    expect(() => readIndependently(many)).toThrow(/deficient indentation/);
    expect(read(many).root.names()).toHaveLength(100);
  });

  it("sees an empty document as an empty map, and foreign tags as the first reader does", () => {
    for (const text of ["", "# c\n", "---\n...\n"]) expect(readIndependently(text)).toEqual({});
    expect(readIndependently("a: !x y\nb: !x [1]\nc: !x {d: 1}\n")).toEqual({ a: "!x y", b: [1], c: { d: 1 } });
  });

  it("throws on several documents", () => {
    expect(() => readIndependently("a: 1\n---\nb: 2\n")).toThrow(/several documents/);
  });
});
