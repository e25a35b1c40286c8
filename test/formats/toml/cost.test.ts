import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/formats/format.ts";
import { toml } from "../../../src/formats/toml.ts";
import { readDocument } from "../conformance-checks.ts";

/** Eight times the entries: some eight times the work if it is linear, sixty-four times if it is not, and room between for the collector. */
const [few, many] = [2_400, 19_200];
const tolerated = 32;

/** Processor time at best, as machines are busy, and not below what can be measured. */
function work(task: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    task();
    return process.cpuUsage(before).user;
  });
  return Math.max(5_000, Math.min(...times));
}

const list = (n: number, of: (i: number) => string) => Array.from({ length: n }, (_, i) => of(i));
const shapes: Record<string, { text: (n: number) => string; edits: (n: number) => Edit[] }> = {
  "items of one long line": {
    text: (n) => `allow = [${list(n * 4, (i) => `"item ${i}"`).join(", ")}]\n`,
    edits: (n) => list(n, String).map((_, i) => ({ kind: "remove", at: ["allow", i * 4] })),
  },
  "lines with comments": {
    text: (n) => list(n, (i) => `# about ${i}\nk${i} = ${i} # behind\n`).join(""),
    edits: (n) =>
      list(n / 3, String).map((_, i) => ({ kind: "insert", into: [], name: `new${i}`, value: i, place: { before: `k${i * 3}` } })),
  },
  "tables with sub-tables": {
    text: (n) => list(n, (i) => `[m.s${i}]\nx = ${i}\n\n[m.s${i}.env]\ny = 1\n`).join("\n"),
    edits: (n) =>
      list(n / 3, String).flatMap((_, i): Edit[] => [
        { kind: "insert", into: ["m"], name: `new${i}`, value: { z: 1 }, place: { after: `s${i * 3}` } },
        { kind: "remove", at: ["m", `s${i * 3 + 1}`] },
      ]),
  },
  "elements of a list": {
    text: (n) => list(n, (i) => `[[h.s]]\nx = ${i}\n`).join("\n"),
    edits: (n) => list(n / 3, String).map((_, i) => ({ kind: "set", at: ["h", "s", i * 3], value: { x: -1, y: 2 } })),
  },
};

describe("the cost grows with the text and the edits, not with their product", () => {
  it.each(Object.entries(shapes))("for %s", (_name, { text, edits }) => {
    const of = (n: number) => {
      const [source, changes] = [text(n), edits(n)];
      return work(() => expect(readDocument(toml, source).edit(changes).kind).toBe("edited"));
    };
    of(few);
    expect(of(many) / of(few)).toBeLessThan(tolerated);
  });
});
