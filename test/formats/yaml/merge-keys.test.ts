import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { yaml } from "../../../src/formats/yaml/yaml.ts";
import { readDocument } from "../conformance-checks.ts";

const meaning = (text: string) => readDocument(yaml, text).meaning();

describe("what a document with merge keys says", () => {
  it.each([
    [
      "a map brought in",
      "base: &b {x: 1, y: 2}\nm:\n  <<: *b\n  z: 3\n",
      { base: { x: 1, y: 2 }, m: { x: 1, y: 2, z: 3 } },
    ],
    ["own values count, behind it", "b: &b {x: 1}\nm: {<<: *b, x: 2}\n", { b: { x: 1 }, m: { x: 2 } }],
    ["own values count, before it", "b: &b {x: 1}\nm: {x: 2, <<: *b}\n", { b: { x: 1 }, m: { x: 2 } }],
    ["own null counts", "b: &b {x: 1}\nm: {x: , <<: *b}\n", { b: { x: 1 }, m: { x: null } }],
    ["the first of several", "m: {<<: [{x: 1}, {x: 2, y: 3}]}\n", { m: { x: 1, y: 3 } }],
    [
      "one in another",
      "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n",
      { a: { x: 1 }, b: { x: 1, y: 2 }, c: { x: 1, y: 2 } },
    ],
    [
      "whole maps, not their fields",
      "a: &a {x: {p: 1}}\nb: {<<: *a, x: {q: 2}}\n",
      { a: { x: { p: 1 } }, b: { x: { q: 2 } } },
    ],
    ["in items of a list", "- &a {x: 1}\n- <<: *a\n  y: 2\n", [{ x: 1 }, { x: 1, y: 2 }]],
    [
      "a list that is an alias",
      "a: &a [{x: 1}, {y: 2}]\nb: {<<: *a}\n",
      { a: [{ x: 1 }, { y: 2 }], b: { x: 1, y: 2 } },
    ],
    ["nothing brought in", "a: {<<: {}}\nb: {<<: []}\n", { a: {}, b: {} }],
    ["a name in quotes", 'm: {"<<": 1}\n', { m: { "<<": 1 } }],
    [
      "__proto__ as a name",
      "a: &a {__proto__: 1}\nb: {<<: *a}\n",
      JSON.parse('{"a":{"__proto__":1},"b":{"__proto__":1}}'),
    ],
    ["aliases of anything", "a: &a [1]\nb: *a\n", { a: [1], b: [1] }],
    ["an empty document", "# nothing\n", {}],
  ])("%s", (_, text, value) => {
    const result = meaning(text);
    expect(JSON.stringify(result)).toBe(JSON.stringify({ kind: "value", value }));
  });

  it("is what another reader makes of it", () => {
    const text = "a: &a {x: 1, y: {z: 2}}\nb: &b {<<: *a, x: 3}\nc: {k: 1, <<: [*b, *a], y: 4}\n";
    expect(meaning(text)).toEqual({ kind: "value", value: parse(text, { merge: true }) });
  });

  it.each([
    ["m:\n  <<: 1\n", 5],
    ["m:\n  <<:\n", 5],
    ["m: {<<: [{a: 1}, x]}\n", 4],
  ])("can't be told of %j", (text, offset) => {
    expect(meaning(text)).toEqual({
      kind: "malformed",
      message: expect.stringContaining("`<<` can only bring in a map"),
      offset,
    });
  });

  it("leaves the document's own value as it is written", () => {
    expect(readDocument(yaml, "b: &b {x: 1}\nm: {<<: *b}\n").root.value()).toEqual({
      b: { x: 1 },
      m: { "<<": { x: 1 } },
    });
  });
});
