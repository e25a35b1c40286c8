import { expect, test } from "vitest";
import { composeRegistry } from "../../src/store/transaction/outcome.ts";

const registry = (version: string, files: unknown) => JSON.stringify({ version, files });

test.each([
  ["a section that changed stays as it was", { a: 1, b: 1 }, { a: 2, b: 2 }, ["a"], { a: 1, b: 2 }],
  ["a section that is new is left out", { b: 1 }, { a: 2, b: 2 }, ["a"], { b: 2 }],
  ["a section that was to go stays", { a: 1, b: 1 }, {}, ["a"], { a: 1 }],
  ["one that nobody knows changes nothing", { a: 1 }, { a: 2 }, ["z"], { a: 2 }],
])("%s", (_, before, after, keepOld, expected) => {
  const text = composeRegistry(registry("1", before), registry("2", after), new Set(keepOld));
  expect(JSON.parse(text!)).toEqual({ version: "2", files: expected });
});

test("a first registry has no old sections to keep", () => {
  expect(JSON.parse(composeRegistry(undefined, registry("2", { a: 2, b: 2 }), new Set(["a"]))!)).toEqual({
    version: "2",
    files: { b: 2 },
  });
});

test("a registry that was to go keeps what could not be given back, or goes", () => {
  const before = registry("1", { a: 1, b: 1 });
  expect(JSON.parse(composeRegistry(before, undefined, new Set(["a"]))!)).toEqual({ version: "1", files: { a: 1 } });
  expect(composeRegistry(before, undefined, new Set(["z"]))).toBeUndefined();
  expect(composeRegistry(undefined, undefined, new Set(["a"]))).toBeUndefined();
});

test("a section may have any name", () => {
  const before = '{"files":{"__proto__":{"old":true}}}';
  const after = '{"files":{"__proto__":{"new":true},"constructor":1}}';
  const text = composeRegistry(before, after, new Set(["__proto__"]))!;
  expect(text.replace(/\s/g, "")).toBe('{"files":{"constructor":1,"__proto__":{"old":true}}}');
});
