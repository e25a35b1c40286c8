import { expect, it } from "vitest";
import { edited, insert, refusal, remove } from "./edits.ts";

it.each([
  ["a: |\n  text", "b: 1\na: |\n  text"],
  ["x: 0\n# about a\na: >\n  text\n\n  more", "x: 0\nb: 1\n# about a\na: >\n  text\n\n  more"],
  ["a:\n  deep: |+\n    text", "b: 1\na:\n  deep: |+\n    text"],
  ["a: |-\n  text", "a: |-\n  text\nb: 1"],
  ["a: text", "a: text\nb: 1"],
  ["a: |\n  text\n", "a: |\n  text\nb: 1\n"],
])("%j: nothing comes behind a literal text without a last line break, as that would give it one", (text, expected) => {
  expect(edited(text, insert([], "b", 1, "end"))).toBe(expected);
});

it.each([
  ["- x\n- |\n  text", []],
  ["l:\n  - |\n    text", ["l"]],
  ["l:\n  - run: >\n      text", ["l"]],
])("%j: no item comes behind such a text, as items have their order", (text, into) => {
  expect(refusal(text, insert(into, undefined, "new"))).toMatch("end the file with a line break");
  expect(edited(`${text}\n`, insert(into, undefined, "new"))).toContain("- new");
});

it("an item goes to any other place", () => {
  expect(edited("- x\n- |\n  text", insert([], undefined, "new", { before: 1 }))).toBe("- x\n- new\n- |\n  text");
});

it.each([
  ["a: |\n  text\nb: 1", "a: |\n  text\n"],
  ["a: |-\n  text\nb: 1", "a: |-\n  text"],
  ["a: 0\nb: 1", "a: 0"],
])("%j: a literal text that comes to end the file keeps its line break", (text, expected) => {
  expect(edited(text, remove(["b"]))).toBe(expected);
});
