import { expect, it } from "vitest";
import { edited, insert } from "./edits.ts";

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
