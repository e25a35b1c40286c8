import { expect, it } from "vitest";
import { Exact } from "../../src/core/value.ts";
import { jsonLine, jsonText } from "../../src/report/json-text.ts";

const document = {
  big: new Exact("number", "12345678901234567890"),
  when: new Exact("datetime", "2026-01-01"),
  text: "a\n  b",
  none: {},
  list: [1],
};

it("odd scalars stand as written, and all else as JSON has it", () => {
  expect(jsonText({ a: [1, { b: null }], c: {} })).toBe(JSON.stringify({ a: [1, { b: null }], c: {} }, undefined, 2));
  expect(jsonText(document)).toContain('"big": 12345678901234567890,\n  "when": "2026-01-01"');
});

it("one line holds the same document", () => {
  expect(jsonLine(document)).not.toContain("\n");
  expect(jsonLine(document)).toContain('"big": 12345678901234567890');
  expect(JSON.parse(jsonLine(document))).toEqual(JSON.parse(jsonText(document)));
});
