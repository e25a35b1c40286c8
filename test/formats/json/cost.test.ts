import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/formats/format.ts";
import { json } from "../../../src/formats/json.ts";
import { editVerified } from "../../../src/formats/verify.ts";
import { readDocument } from "../conformance-checks.ts";

/**
 * Eight times the entries: some eight times the work if it is linear, sixty-four times if it is not, and room between for the collector.
 * Processor time is compared, as machines are busy.
 */
const [few, many] = [3_000, 24_000];
const tolerated = 30;

function work(task: () => void): number {
  const times = [1, 2].map(() => {
    const before = process.cpuUsage();
    task();
    return process.cpuUsage(before).user;
  });
  return Math.min(...times);
}

const layouts: [string, (count: number) => string][] = [
  ["one line", (count) => `{${Array.from({ length: count }, (_, i) => `"k${i}":[${i}]`).join(",")}}`],
  ["lines with comments", (count) => `{\n${Array.from({ length: count }, (_, i) => `  "k${i}": [${i}] /* c */`).join(", // c\n")}\n}\n`],
  ["commas in front", (count) => `{ ${Array.from({ length: count }, (_, i) => `"k${i}" : [ ${i} ]`).join("\n, ")}\n}`],
];

function editsOf(count: number): Edit[] {
  return Array.from({ length: count }, (_, i): Edit => {
    if (i % 3 === 0) return { kind: "remove", at: [`k${i}`] };
    if (i % 3 === 1) return { kind: "insert", into: [`k${i}`], name: undefined, value: "new", place: { before: 0 } };
    return { kind: "insert", into: [], name: `new ${i}`, value: { i }, place: { after: `k${i}` } };
  });
}

describe.each(layouts)("on %s the cost grows with the text, not with its square", (_, textOf) => {
  it("for edits of every entry, checked", () => {
    const cost = (count: number) => {
      const [text, edits] = [textOf(count), editsOf(count)];
      return work(() => expect(editVerified(json, readDocument(json, text), edits).kind).toBe("edited"));
    };
    expect(cost(many) / cost(few)).toBeLessThan(tolerated);
  });

  it("for the value and the comments of every entry", () => {
    const cost = (count: number) => {
      const text = textOf(count);
      return work(() => {
        const { root } = readDocument(json, text);
        expect(root.names().map((name) => root.get(name)!.comments().length)).toHaveLength(count);
        expect([root.value(), root.comments()]).toHaveLength(2);
      });
    };
    expect(cost(many) / cost(few)).toBeLessThan(tolerated);
  });
});

it("reads long runs of anything without a deep stack or a slow expression", () => {
  const long = 1_000_000;
  const texts = [
    `"${"\\n".repeat(long)}"`,
    `[${"/**/".repeat(long / 10)}1]`,
    `[1${" ".repeat(long)},]`,
    `/*${"*".repeat(long)}*/{}`,
    `[${"1,".repeat(long / 10)}]`,
    `//${"/".repeat(long)}`,
  ];
  for (const text of texts) {
    expect(json.read(text).kind).toBe("read");
    expect(() => json.readIndependently(text)).not.toThrow();
  }
});
