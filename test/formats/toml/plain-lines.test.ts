import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { toml } from "../../../src/formats/toml/toml.ts";

/** Plain lines are passed over by a pattern, and read when they are asked for: as if each had been read at once. */

const name = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("."));
const value = fc.constantFrom(
  "1",
  "-0.5e3",
  "01",
  "1_0",
  "true",
  "trues",
  "2024-02-29",
  '"text"',
  '"\\t\\u00e4"',
  '"\\q"',
  '"""x\n[a]\n"""',
  "'it'",
  "'''\n'''",
  "[]",
  "[1, 'x', # why\n]",
  '[\n  "a",\n  "b",\n]',
  '["a", ,]',
  "[[1], [2]]",
  "{ a = 1 }",
  '""',
  "",
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key} = ${text}`) },
  { weight: 3, arbitrary: name.map((key) => `[${key}]`) },
  { weight: 1, arbitrary: name.map((key) => `[[${key}]]`) },
  { weight: 1, arbitrary: fc.constantFrom("", "# a = 1", "  a=1 # c", "\tb = 2", "a = 1 b = 2", "a", "\u0001") },
);
const document = fc.tuple(fc.array(line, { maxLength: 9 }), fc.constantFrom("\n", "\r\n"), fc.boolean());

/** What a text holds; undefined where it is refused. */
function theirs(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text.replaceAll("\r\n", "\n")));
  } catch {
    return undefined;
  }
}

/** Refused at once: what was put off must not fail when it is read. */
function ours(text: string): string | undefined {
  const result = toml.read(text);
  return result.kind === "malformed" ? undefined : JSON.stringify(plain(result.document.root.value()));
}

function plain(held: unknown): unknown {
  if (Array.isArray(held)) return held.map(plain);
  if (typeof held !== "object" || held === null) return held;
  if ("kind" in held && "text" in held) return held.kind === "datetime" ? held.text : Number(held.text);
  return Object.fromEntries(Object.entries(held).map(([key, each]) => [key, plain(each)]));
}

describe("TOML's plain lines", () => {
  it("hold what smol-toml reads, or are refused as it refuses them", () => {
    fc.assert(
      fc.property(document, ([lines, eol, ends]) => {
        const text = lines.join("\n").replaceAll("\n", eol) + (ends ? eol : "");
        expect([text, ours(text)]).toEqual([text, theirs(text)]);
      }),
      { numRuns: 3000 },
    );
  });

  it("keep their order, however late they are read", () => {
    const result = toml.read("[a.x]\n[a]\nb = 1\n[a.c]\n[d]\ne = 1\nf.g = 2\n[d.h]\n");
    if (result.kind === "malformed") throw new Error(result.message);
    const { root } = result.document;
    expect([root.get("a")?.names(), root.get("d")?.names()]).toEqual([
      ["x", "b", "c"],
      ["e", "f", "h"],
    ]);
  });

  it("show their comments when asked", () => {
    const result = toml.read("[a] # 1\n# 2\nb = 1 # 3\n\n# 4\n[c]\nd = [1] # 5\n");
    if (result.kind === "malformed") throw new Error(result.message);
    const { root } = result.document;
    expect([root.comments(), root.get("a")?.comments(), root.get("c")?.comments()]).toEqual([
      [["a"], ["a"], ["a"], [], ["c"]],
      [[], [], []],
      [[]],
    ]);
  });
});
