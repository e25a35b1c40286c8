import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryVersions, editedCopy, longText } from "./arbitrary-texts.ts";
import { expectAgreement } from "./merge-file.ts";

describe("mergeText and git merge-file", () => {
  it.each([
    { lines: 5, edits: 2, runs: 200 },
    { lines: 14, edits: 3, runs: 250 },
    { lines: 60, edits: 5, runs: 100 },
  ])("agree on texts of up to $lines lines", ({ lines, edits, runs }) => {
    const seen = { merged: 0, conflict: 0 };
    const property = fc.property(arbitraryVersions({ lines, edits }), (versions) => {
      seen[expectAgreement(versions)]++;
    });
    fc.assert(property, { numRuns: runs });
    // A generator that only ever makes one kind of case would prove little.
    expect(Math.min(seen.merged, seen.conflict)).toBeGreaterThan(runs / 20);
  });

  it.each([
    { count: 10_000, distinct: 1e6, perMille: 2 },
    { count: 10_000, distinct: 1e6, perMille: 80 },
    { count: 10_000, distinct: 50, perMille: 30 },
    { count: 5_000, distinct: 10, perMille: 200 },
    { count: 5_000, distinct: 2, perMille: 100 },
  ])(
    "agree on $count lines, a third of them }, $distinct others, $perMille in a thousand edited",
    ({ count, distinct, perMille }) => {
      const lines = longText(count, distinct, 7);
      const text = (edited: string[]) => `${edited.join("\n")}\n`;
      const versions = {
        base: text(lines),
        ours: text(editedCopy(lines, perMille, 8)),
        theirs: text(editedCopy(lines, perMille, 9)),
      };
      expectAgreement(versions, { smallest: distinct > 10 });
    },
  );
});
