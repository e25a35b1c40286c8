import { describe, expect, it } from "vitest";
import { Exact, type Value } from "../../../src/core/value.ts";
import type { Edit, Path } from "../../../src/formats/format.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { readDocument } from "../conformance-checks.ts";

function edited(text: string, ...edits: Edit[]): string {
  const result = editVerified(toml, readDocument(toml, text), edits);
  if (result.kind === "refused") throw new Error(result.message);
  return result.text;
}

function refusal(text: string, ...edits: Edit[]): string {
  const result = readDocument(toml, text).edit(edits);
  if (result.kind === "edited") throw new Error(`was edited:\n${result.text}`);
  return result.message;
}

const insert = (into: Path, name: string | undefined, value: Value): Edit => ({
  kind: "insert",
  into,
  name,
  value,
  place: "end",
});

describe("where new entries go", () => {
  it("a scalar of the top before the first header, with its comment", () => {
    expect(edited("# top\n\n# about a\n[a]\n", insert([], "x", 1))).toBe("# top\n\nx = 1\n\n# about a\n[a]\n");
    expect(edited("w = 0 # w\n\n[a]\n", insert([], "x", 1))).toBe("w = 0 # w\nx = 1\n\n[a]\n");
  });

  it("a scalar of the top below the comment that opens the file, and out again", () => {
    for (const [text, expected] of [
      ["# my config\n[a]\n", "# my config\n\nx = 1\n\n[a]\n"],
      ["\ufeff# my\r\n# config\r\n[a]\r\n", "\ufeff# my\r\n# config\r\n\r\nx = 1\r\n\r\n[a]\r\n"],
      ["# my config\n\n[a]\n", "# my config\n\nx = 1\n\n[a]\n"],
      ["# my config\n[a]\n[b]", "# my config\n\nx = 1\n\n[a]\n[b]"],
      ["# my config", "# my config\n\nx = 1"],
    ] as const) {
      const result = editVerified(toml, readDocument(toml, text), [insert([], "x", 1)]);
      if (result.kind === "refused") throw new Error(result.message);
      expect(result.text).toBe(expected);
      expect(edited(result.text, { kind: "remove", at: ["x"], trace: result.traces.get(0) })).toBe(text);
    }
  });

  it("a scalar of a table into its own lines, before its sub-tables", () => {
    expect(edited("[a]\ny = 0\n# y2 = 0\n\n[a.b]\nz = 0\n", insert(["a"], "x", 1))).toBe(
      "[a]\ny = 0\nx = 1\n# y2 = 0\n\n[a.b]\nz = 0\n",
    );
  });

  it("a scalar of a table without a header under a new one, above the first sub-table and its comment", () => {
    expect(edited("[o]\n\n# about b\n[a.b]\n\n[a.c]\n", insert(["a"], "x", 1), insert(["a"], "y", 2))).toBe(
      "[o]\n\n[a]\nx = 1\ny = 2\n\n# about b\n[a.b]\n\n[a.c]\n",
    );
  });

  it("a table behind its siblings, not at the end of the file", () => {
    expect(edited("[m.a]\nx = 1\n\n[n]\n", insert(["m"], "b", { x: 2 }))).toBe("[m.a]\nx = 1\n\n[m.b]\nx = 2\n\n[n]\n");
  });

  it("a table before its sibling's comment", () => {
    const edit: Edit = { kind: "insert", into: [], name: "b", value: { x: 1 }, place: { before: "a" } };
    expect(edited("# about a\n[a]\n", edit)).toBe("[b]\nx = 1\n\n# about a\n[a]\n");
  });

  it("an element's sub-table into that element", () => {
    const text = "[[h]]\nn = 1\n\n[[h]]\nn = 2\n";
    expect(edited(text, insert(["h", 0], "env", { A: "1" }))).toBe(
      '[[h]]\nn = 1\n\n[h.env]\nA = "1"\n\n[[h]]\nn = 2\n',
    );
    expect(edited(text, insert(["h", 0], "env", { A: "1" }), insert(["h"], undefined, { n: 3 }))).toBe(
      '[[h]]\nn = 1\n\n[h.env]\nA = "1"\n\n[[h]]\nn = 2\n\n[[h]]\nn = 3\n',
    );
  });

  it("an element between two others without taking their sub-tables", () => {
    const edit: Edit = { kind: "insert", into: ["h"], name: undefined, value: { n: 9 }, place: { after: 0 } };
    expect(edited("[[h]]\n[[h.s]]\n[[h]]\n[[h.s]]\n", edit)).toBe("[[h]]\n[[h.s]]\n[[h]]\nn = 9\n[[h]]\n[[h.s]]\n");
  });
});

describe("how new entries look", () => {
  it("like their siblings: inline, dotted or with headers", () => {
    expect(edited("[m]\na = { x = 1 }\n", insert(["m"], "b", { x: 2 }))).toBe("[m]\na = { x = 1 }\nb = { x = 2 }\n");
    expect(edited("m.a.x = 1\n", insert(["m"], "b", { x: 2, y: 3 }))).toBe("m.a.x = 1\nm.b.x = 2\nm.b.y = 3\n");
    expect(edited("m = { a.x = 1 }\n", insert(["m", "a"], "y", 2))).toBe("m = { a.x = 1, a.y = 2 }\n");
    expect(edited("[m.a]\nenv = { A = 1 }\n", insert(["m"], "b", { env: { A: 2 } }))).toBe(
      "[m.a]\nenv = { A = 1 }\n\n[m.b]\nenv = { A = 2 }\n",
    );
    expect(edited("[m.a.env]\nA = 1\n", insert(["m"], "b", { env: { A: 2 } }))).toBe(
      "[m.a.env]\nA = 1\n\n[m.b.env]\nA = 2\n",
    );
  });

  it("lists of maps with headers, unless a sibling is inline", () => {
    expect(edited("", insert([], "h", { Stop: [{ n: 1 }, { n: 2, s: [{ c: "x" }] }] }))).toBe(
      '[[h.Stop]]\nn = 1\n\n[[h.Stop]]\nn = 2\n\n[[h.Stop.s]]\nc = "x"\n',
    );
    expect(edited("a = [{ n = 1 }]\n", insert([], "b", [{ n: 2 }]))).toBe("a = [{ n = 1 }]\nb = [{ n = 2 }]\n");
  });

  it("indented, aligned, quoted and spelt like their neighbours", () => {
    expect(
      edited("  [ 'a b' . c ]\n    x   = 'y'\n", insert(["a b", "c"], "zz", "C:\\z"), insert(["a b"], "d", { x: "1" })),
    ).toBe("  [ 'a b' . c ]\n    x   = 'y'\n    zz  = 'C:\\z'\n\n  ['a b'.d]\n    x   = '1'\n");
    expect(edited("a=1\n[t]\n[u]\n", insert([], "v", {}), insert([], "b", 2))).toBe("a=1\nb=2\n[t]\n[u]\n[v]\n");
  });

  it("texts of several lines and long lists on lines of their own", () => {
    const words = Array.from({ length: 9 }, (_, i) => `number ${i} of nine`);
    expect(edited("", insert([], "t", 'one "1"\nC:\\ """\n'))).toBe('t = """\none "1"\nC:\\\\ \\"\\""\n"""\n');
    expect(edited("a = 1\r\n", insert([], "t", "one\ntwo"))).toBe('a = 1\r\nt = "one\\ntwo"\r\n');
    expect(edited("", insert([], "l", words))).toBe(`l = [\n${words.map((word) => `  "${word}",\n`).join("")}]\n`);
  });

  it("names and values as TOML 1.0 spells them", () => {
    const value = {
      "a.b": new Exact("float", "1.0"),
      "": -0.5,
      "c d": new Exact("datetime", "2026-01-02"),
      e: 1e21,
      f: "\u0001\x7f",
    };
    expect(edited("", insert([], "t", value))).toBe(
      '[t]\n"a.b" = 1.0\n"" = -0.5\n"c d" = 2026-01-02\ne = 1e+21\nf = "\\u0001\\u007f"\n',
    );
  });
});

describe("what goes", () => {
  it("one group of hooks, and not a line of the other's", () => {
    const first =
      '[[hooks.Stop]]\nmatcher = "a"\n\n[[hooks.Stop.hooks]]\ncommand = "one"\n\n[[hooks.Stop.hooks]]\ncommand = "two"\n';
    const second = '[[hooks.Stop]]\nmatcher = "b"\n\n[[hooks.Stop.hooks]]\ncommand = "three"\n';
    const text = `${first}\n# mine\n${second}`;
    expect(edited(text, { kind: "remove", at: ["hooks", "Stop", 0] })).toBe(`# mine\n${second}`);
    expect(edited(text, { kind: "remove", at: ["hooks", "Stop", 1] })).toBe(`${first}\n# mine\n`);
    expect(edited(text, { kind: "remove", at: ["hooks", "Stop", 0, "hooks", 0] })).toBe(
      text.replace('[[hooks.Stop.hooks]]\ncommand = "one"\n\n', ""),
    );
  });

  it("a table in pieces, with the sections of others between them", () => {
    expect(edited("[a.b]\n\n[c]\n\n[a.d]\n\n[a]\nx = 1\n", { kind: "remove", at: ["a"] })).toBe("[c]\n");
  });

  it("not the comments beside it", () => {
    expect(edited("# above\nx = 1 # behind\n# below\n", { kind: "remove", at: ["x"] })).toBe(
      "# above\n# behind\n# below\n",
    );
    expect(edited("# above\n[a]\nx = 1\n\n# above b\n[b]\n", { kind: "remove", at: ["a"] })).toBe(
      "# above\n\n# above b\n[b]\n",
    );
  });

  it("the last of a container, which stays, empty", () => {
    expect(edited("[a.b]\nx = 1\n", { kind: "remove", at: ["a", "b"] })).toBe("[a]\n");
    expect(edited("a.b = 1\n", { kind: "remove", at: ["a", "b"] })).toBe("a = {}\n");
    expect(edited("[[h.s]]\nx = 1\n", { kind: "remove", at: ["h", "s", 0] })).toBe("[h]\ns = []\n");
    expect(edited("a = { b.c = 1 }\n", { kind: "remove", at: ["a", "b", "c"] })).toBe("a = { b = {} }\n");
  });

  it("an upgrade's old entry where its new one comes", () => {
    const result = readDocument(toml, "[m.u]\n").edit([insert(["m"], "timeout", 1)]);
    if (result.kind === "refused") throw new Error(result.message);
    const trace = result.traces.get(0);
    const text = result.text;
    const upgraded = readDocument(toml, text).edit([
      { kind: "remove", at: ["m", "timeout"], trace },
      insert(["m"], "limit", 2),
    ]);
    if (upgraded.kind === "refused") throw new Error(upgraded.message);
    expect(upgraded.text).toBe("[m]\nlimit = 2\n\n[m.u]\n");
    expect(edited(upgraded.text, { kind: "remove", at: ["m", "limit"], trace: upgraded.traces.get(1) })).toBe(
      "[m.u]\n",
    );
  });

  it("our lines from under a header of ours that the user has taken up", () => {
    const result = readDocument(toml, "[m.u]\n").edit([insert(["m"], "timeout", 1)]);
    if (result.kind === "refused") throw new Error(result.message);
    const removal: Edit = { kind: "remove", at: ["m", "timeout"], trace: result.traces.get(0) };
    expect(edited(result.text.replace("timeout = 1\n", "timeout = 1\nmine = 2\n"), removal)).toBe(
      "[m]\nmine = 2\n\n[m.u]\n",
    );
    expect(edited(result.text.replace("[m]\n", "[m] # mine\n"), removal)).toBe("[m] # mine\n\n[m.u]\n");
  });

  it("our table with a comment of the user's above it", () => {
    const result = readDocument(toml, "x = 1\n").edit([insert([], "t", { y: 2 })]);
    if (result.kind === "refused") throw new Error(result.message);
    const text = `${result.text.replace("[t]", "# mine\n[t]")}[u]\n`;
    expect(edited(text, { kind: "remove", at: ["t"], trace: result.traces.get(0) })).toBe("x = 1\n\n# mine\n[u]\n");
  });
});

describe("setting", () => {
  const set = (at: Path, value: Value): Edit => ({ kind: "set", at, value });

  it("changes only what differs", () => {
    expect(edited("a = [ 1, # one\n  2, # two\n  3, # three\n]\n", set(["a"], [1, 3]))).toBe(
      "a = [ 1, # one\n  # two\n  3, # three\n]\n",
    );
    expect(edited("t = { a = 0x10, b = 'x' }\n", set(["t"], { a: 16, b: "y" }))).toBe("t = { a = 0x10, b = 'y' }\n");
    expect(edited("[t] # t\na = 1_000\nb = 2\n\n[t.c]\nd = 3\n", set(["t"], { a: 1000, c: { d: 4 }, e: 5 }))).toBe(
      "[t] # t\na = 1_000\ne = 5\n\n[t.c]\nd = 4\n",
    );
    expect(edited("[[h]]\nn = 1\n\n[[h]]\nn = 2\n", set(["h"], [{ n: 2 }]))).toBe("[[h]]\nn = 2\n");
  });

  it("turns one kind into another", () => {
    expect(edited("x = 1\n\n[t]\na = 1\n\n[u]\n", set(["t"], "gone"))).toBe('x = 1\nt = "gone"\n\n[u]\n');
    expect(edited("x = 1 # x\n", set(["x"], { a: [1] }))).toBe("x = { a = [1] } # x\n");
    expect(edited("[[h]]\nn = 1\n\n[u]\n", set(["h"], []))).toBe("h = []\n\n[u]\n");
  });
});

describe("what is refused, in words", () => {
  it.each<[string, Edit, RegExp]>([
    ["", insert([], "x", null), /TOML has no null/],
    ["", insert([], "x", "\ud800"), /half a surrogate/],
    ["", insert([], "x", new Exact("datetime", "tomorrow")), /can't write datetime "tomorrow"/],
    ["[[h]]\n", insert(["h"], undefined, 1), /written as \[\[h\]\] can only hold tables/],
    ["[[h]]\n", { kind: "set", at: ["h", 0], value: 1 }, /can only be a table/],
    ["a = 1\n", insert([], "a", 2), /a is already there/],
    ["a = 1\n", insert(["a"], "b", 2), /a is a scalar/],
    ["a = 1\n", { kind: "remove", at: ["b"] }, /nothing at b/],
    ["a = 1\n", { kind: "remove", at: [] }, /whole document/],
  ])("%j", (text, edit, message) => {
    expect(refusal(text, edit)).toMatch(message);
  });
});
