import { describe, expect, it } from "vitest";
import { Exact, type Value } from "../../../src/core/value.ts";
import { edited, insert, read, set } from "./edits.ts";

const hooks: Value = { Stop: [{ command: "node ~/a.js", timeout: 5 }] };

describe("a new entry looks like its siblings", () => {
  it("takes two spaces and indented lists where nothing says otherwise", () => {
    expect(edited("", insert([], "hooks", hooks))).toBe(
      "hooks:\n  Stop:\n    - command: node ~/a.js\n      timeout: 5\n",
    );
  });

  it("takes the spaces of the file", () => {
    expect(edited("a:\n    b: 1\n", insert([], "hooks", hooks))).toBe(
      "a:\n    b: 1\nhooks:\n    Stop:\n        - command: node ~/a.js\n          timeout: 5\n",
    );
  });

  it("puts dashes under the key where the file does", () => {
    expect(edited("a:\n- x\n", insert([], "b", ["v", "z"]))).toBe("a:\n- x\nb:\n- v\n- z\n");
  });

  it.each([
    ["a: 'x'\n", "a: 'x'\nb: 'it''s'\n"],
    ['a: "x"\n', 'a: "x"\nb: "it\'s"\n'],
    ["a: x\n", "a: x\nb: it's\n"],
  ])("takes the quotes of %j", (before, after) => {
    expect(edited(before, insert([], "b", "it's"))).toBe(after);
  });

  it("quotes keys where all siblings do", () => {
    expect(edited('"a": 1\n', insert([], "b", 2))).toBe('"a": 1\n"b": 2\n');
  });

  it("writes a number as a key where siblings do", () => {
    expect(edited("80: web\n", insert([], "443", "tls"))).toBe("80: web\n443: tls\n");
    expect(edited("web: 80\n", insert([], "443", "tls"))).toBe('web: 80\n"443": tls\n');
  });

  it.each([
    ["a: { b: 1 }\n", "a: { b: 1, c: 2 }\n"],
    ["a: {b: 1}\n", "a: {b: 1, c: 2}\n"],
    ["a: {b: 1,}\n", "a: {b: 1, c: 2,}\n"],
    ["a: {\n  b: 1\n  }\n", "a: {\n  b: 1,\n  c: 2\n  }\n"],
    ["a: {\n  b: 1 # why\n  }\n", "a: {\n  b: 1, # why\n  c: 2\n  }\n"],
    ["a: {\n  b: 1, # why\n  }\n", "a: {\n  b: 1, # why\n  c: 2,\n  }\n"],
  ])("continues %j", (before, after) => {
    expect(edited(before, insert(["a"], "c", 2))).toBe(after);
  });

  it("stands above the comment of the entry it comes before, and below the head of the file", () => {
    expect(edited("a: 1\n\n# about b\nb: 2\n", insert([], "x", 0, { before: "b" }))).toBe(
      "a: 1\n\nx: 0\n\n# about b\nb: 2\n",
    );
    expect(edited("# about all\n\na: 1\n", insert([], "x", 0, { before: "a" }))).toBe("# about all\n\nx: 0\na: 1\n");
  });

  it("stands below the comments that belong to the entry it comes after", () => {
    expect(edited("a:\n  b: 1\n  # c: 2\n# about d\nd: 3\n", insert([], "x", 0, { after: "a" }))).toBe(
      "a:\n  b: 1\n  # c: 2\nx: 0\n# about d\nd: 3\n",
    );
  });

  it("goes behind a dash, before and after the first entry there", () => {
    expect(edited("- a: 1\n  b: 2\n", insert([0], "x", 0, { before: "a" }))).toBe("- x: 0\n  a: 1\n  b: 2\n");
    expect(edited("- a: 1\n  b: 2\n", insert([0], "x", 0, { after: "a" }))).toBe("- a: 1\n  x: 0\n  b: 2\n");
  });
});

describe("strings are quoted whenever some reader could take them for something else", () => {
  const quoted = [
    "", " x", "x ", "on", "Off", "yes", "N", "true", "NULL", "~", "012", "0x1F", "0o17", "0b11", "1_000", "1e3", "1.5", ".5", "5.", "+1",
    "-7", "12:30:45", "2020-01-01", "2001-12-14 21:59:43.10 -5", ".inf", "-.INF", ".NaN", "<<", "=", "- x", "-", "? x", ": x", ", x",
    "[x", "]x", "{x", "}x", "#x", "&x", "*x", "!x", "|x", ">x", "'x", '"x', "%x", "@x", "`x", "x: y", "x:", "x #y", "---", "--- x", "...",
    "tab\there", "bell\u0007", "next\u0085line", "sep\u2028", "\ufeffbom", "lone \ud800", "\u00a0",
  ]; // biome-ignore format: a table
  it.each(quoted)("%j", (text) => {
    for (const before of ["a: 1\n", "a: [1]\n"]) {
      const after = edited(before, insert([], "s", text));
      expect(after).toMatch(/\ns: ["']/);
      expect(read(after).root.get("s")?.value()).toBe(text);
    }
  });

  it.each([
    "plain",
    "node ~/a.js --x",
    "~/x",
    "/usr/bin",
    "a:b",
    "http://x/#y",
    "--flag",
    "-c",
    "x#y",
    "1.2.3",
    "3 apples",
    "é 😀",
    "a, b [c]",
    "$HOME",
  ])("%j stands plain", (text) => {
    expect(edited("a: 1\n", insert([], "s", text))).toBe(`a: 1\ns: ${text}\n`);
  });

  it.each(["a, b", "x]", "{y}", "a:b", "a?", "#"])("%j is quoted inside brackets", (text) => {
    expect(edited("a: [x]\n", insert(["a"], undefined, text))).toBe(`a: [x, "${text}"]\n`);
  });

  it("writes several lines as a literal block where it fits", () => {
    expect(edited("a: 1\n", insert([], "s", "one\n  two\n\nthree\n"))).toBe("a: 1\ns: |\n  one\n    two\n\n  three\n");
    expect(edited("a: 1\n", insert([], "s", "one\ntwo"))).toBe("a: 1\ns: |-\n  one\n  two\n");
  });

  it.each([" one\ntwo", "\none", "one\n\n", "one\n \ntwo", "one\r\ntwo", "\tone\ntwo\u0007", "one\ntwo\ttab"])(
    "%j does not fit",
    (text) => {
      expect(edited("a: 1\n", insert([], "s", text))).toBe(`a: 1\ns: ${JSON.stringify(text)}\n`);
    },
  );

  it("writes no literal block before a comment or an end without a line break", () => {
    expect(edited("a: 1 # c\n", set(["a"], "x\ny"))).toBe('a: "x\\ny" # c\n');
    expect(edited("a: 1", insert([], "b", "x\ny\n"))).toBe('a: 1\nb: "x\\ny\\n"');
  });
});

describe("numbers", () => {
  it.each([
    [1e21, "1.0e+21"],
    [1.5e-7, "1.5e-7"],
    [-0, "-0"],
    [new Exact("number", "12345678901234567890"), "12345678901234567890"],
    [new Exact("number", "0644"), "0644"],
    [new Exact("float", "inf"), ".inf"],
    [new Exact("float", "-inf"), "-.inf"],
    [new Exact("float", "nan"), ".nan"],
  ] as const)("writes %j as %s", (value, text) => {
    expect(edited("a: 1\n", set(["a"], value))).toBe(`a: ${text}\n`);
  });
});

describe("another value keeps the old one's place", () => {
  it.each([
    ["a: 'x' # c\n", "y", "a: 'y' # c\n"],
    ["a: x\n", "on", 'a: "on"\n'],
    ["a: |\n  x\n  y\nb: 1\n", "z", "a: z\nb: 1\n"],
    ["a: |\n  x\n  y\n\nb: 1\n", "p\nq\n", "a: |\n  p\n  q\n\nb: 1\n"],
    ["a: 1\n", { b: [1, "x"] }, "a: { b: [1, x] }\n"],
    ["a:\n  b: 1 # c\nd: 2\n", { x: { z: 1 } }, "a:\n  x:\n    z: 1 # c\nd: 2\n"],
    ["a:\n- 1\n", 5, "a:\n  5\n"],
    ["a:\nb: 1\n", { c: 1 }, "a:\n  c: 1\nb: 1\n"],
    ["a: # why\n", { c: 1 }, "a: { c: 1 } # why\n"],
  ] as const)("%j with %j", (before, value, after) => {
    expect(edited(before, set(["a"], value))).toBe(after);
  });

  it("writes a map behind a bare dash, and in brackets behind an anchor", () => {
    expect(edited("- x\n- y\n", set([0], { a: 1, b: 2 }))).toBe("- a: 1\n  b: 2\n- y\n");
    expect(edited("- &k x\n", set([0], { a: 1 }))).toBe("- &k { a: 1 }\n");
  });
});
