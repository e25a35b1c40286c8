import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diffLines, unifiedDiff } from "../../src/text/diff-lines.ts";
import { splitLines } from "../../src/text/lines.ts";
import { arbitraryVersions, editedCopy, longText } from "./arbitrary-texts.ts";

const pair = arbitraryVersions({ lines: 30, edits: 5 }).map(({ base, ours }) => ({ before: base, after: ours }));

/** The text after, put together from the text before and the changes alone. */
function applyChanges(before: string, after: string): string {
  const [left, right] = [splitLines(before), splitLines(after)];
  let at = 0;
  let text = "";
  for (const change of diffLines(before, after)) {
    text += left.slice(at, change.beforeStart).join("") + right.slice(change.afterStart, change.afterEnd).join("");
    at = change.beforeEnd;
  }
  return text + left.slice(at).join("");
}

describe("diffLines", () => {
  it.each([
    ["nothing at all", "", "", []],
    ["equal texts", "a\nb\n", "a\nb\n", []],
    ["a text from nothing", "", "a\n", [[0, 0, 0, 1]]],
    ["a text gone", "a\nb", "", [[0, 2, 0, 0]]],
    ["a changed line", "a\nb\nc\n", "a\nx\nc\n", [[1, 2, 1, 2]]],
    ["a final line feed", "a\nb", "a\nb\n", [[1, 2, 1, 2]]],
    ["another line ending", "a\nb\n", "a\r\nb\n", [[0, 1, 0, 1]]],
    ["a repeated group, seen as added at its end", "f {\n}\n", "f {\n}\nf {\n}\n", [[2, 2, 2, 4]]],
    ["a run level with the change opposite", "a\nx\nb\n", "a\na\nb\n", [[1, 2, 1, 2]]],
  ])("finds %s", (_, before, after, expected) => {
    const found = diffLines(before, after).map((change) => [
      change.beforeStart,
      change.beforeEnd,
      change.afterStart,
      change.afterEnd,
    ]);
    expect(found).toEqual(expected);
  });

  it("leads from the text before to the text after", () => {
    const property = fc.property(pair, ({ before, after }) => {
      expect(applyChanges(before, after)).toBe(after);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("never reports a change that touches the next one, or one without lines", () => {
    const check = ({ before, after }: { before: string; after: string }) => {
      let [beforeEnd, afterEnd] = [-1, -1];
      for (const change of diffLines(before, after)) {
        expect(change.beforeStart).toBeGreaterThan(beforeEnd);
        expect(change.afterStart).toBeGreaterThan(afterEnd);
        expect(change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart).toBeGreaterThan(0);
        [beforeEnd, afterEnd] = [change.beforeEnd, change.afterEnd];
      }
    };
    fc.assert(fc.property(pair, check), { numRuns: 200 });
  });

  it.each([
    ["nothing in common", longText(20_000, 1e9, 1).map((line) => `${line}x`), longText(20_000, 1e9, 2)],
    ["only three different lines", longText(20_000, 2, 3), longText(20_000, 2, 4)],
    [
      "the one half moved behind the other",
      [...longText(10_000, 1e9, 5), ...longText(10_000, 1e9, 6)],
      [...longText(10_000, 1e9, 6), ...longText(10_000, 1e9, 5)],
    ],
    ["reversed", longText(20_000, 1e9, 7), longText(20_000, 1e9, 7).reverse()],
  ])("is right on 20,000 lines with %s", (_, before, after) => {
    expect(applyChanges(before.join("\n"), after.join("\n"))).toBe(after.join("\n"));
  });
});

describe("unifiedDiff", () => {
  const names = { from: "a/x", to: "b/x" };
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`);

  it("is empty for equal texts", () => {
    expect(unifiedDiff("a\n", "a\n", names)).toBe("");
  });

  it("shows a change with its context", () => {
    const after = numbered(9).map((line) => (line === "5\n" ? "five\n" : line));
    expect(unifiedDiff(numbered(9).join(""), after.join(""), names)).toBe(
      "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    );
  });

  it("says where a final line feed is missing", () => {
    expect(unifiedDiff("a\nb", "a\nc\n", names)).toBe(
      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
    );
  });

  it("counts an empty side from the line before it", () => {
    expect(unifiedDiff("", "a\n", names)).toContain("@@ -0,0 +1 @@\n+a\n");
    expect(unifiedDiff("a\nb\n", "b\n", { ...names, context: 0 })).toContain("@@ -1 +0,0 @@\n-a\n");
  });

  it.each([
    [6, 1],
    [7, 2],
  ])("puts changes %i lines apart into %i hunk(s)", (gap, hunks) => {
    const before = numbered(gap + 2);
    const after = ["first\n", ...before.slice(1, -1), "last\n"];
    expect(unifiedDiff(before.join(""), after.join(""), names).match(/^@@/gm)).toHaveLength(hunks);
  });
});

describe("unifiedDiff and git", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stet-diff-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** git's hunks, without the heading it guesses for each. */
  function hunksOfGit(before: string, after: string, context: number): string {
    writeFileSync(join(folder, "before"), before);
    writeFileSync(join(folder, "after"), after);
    const args = [
      "diff",
      "--no-index",
      "--no-color",
      "--no-ext-diff",
      "--diff-algorithm=myers",
      "--no-indent-heuristic",
      `-U${context}`,
    ];
    const result = spawnSync("git", [...args, "before", "after"], { cwd: folder, encoding: "utf8", maxBuffer: 1e8 });
    expect(result.stderr).toBe("");
    return onlyHunks(result.stdout).replace(/^(@@ [^@]* @@).*$/gm, "$1");
  }

  function onlyHunks(diff: string): string {
    return diff.slice(diff.indexOf("\n@@") + 1);
  }

  it("agree on every byte of the hunks", () => {
    const property = fc.property(pair, fc.integer({ min: 1, max: 4 }), ({ before, after }, context) => {
      expect(onlyHunks(unifiedDiff(before, after, { from: "a", to: "b", context }))).toBe(
        hunksOfGit(before, after, context),
      );
    });
    fc.assert(property, { numRuns: 150 });
  });

  it.each([
    [3000, 3000, 30],
    [3000, 40, 100],
    [6000, 3, 200],
  ])("agree on %i lines, %i of them different, %i in a thousand edited", (count, distinct, perMille) => {
    const lines = longText(count, distinct, count + distinct);
    const [before, after] = [lines.join("\n"), editedCopy(lines, perMille, 11).join("\n")];
    expect(onlyHunks(unifiedDiff(before, after, { from: "a", to: "b" }))).toBe(hunksOfGit(before, after, 3));
  });

  it("give a patch that git applies", () => {
    const check = ({ before, after }: { before: string; after: string }) => {
      fc.pre(before !== "" && after !== "" && before !== after);
      writeFileSync(join(folder, "file"), before);
      const patch = unifiedDiff(before, after, { from: "a/file", to: "b/file" });
      const result = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: folder,
        input: patch,
        encoding: "utf8",
      });
      expect(result.stderr).toBe("");
      expect(spawnSync("cat", ["file"], { cwd: folder, encoding: "utf8" }).stdout).toBe(after);
    };
    fc.assert(fc.property(pair, check), { numRuns: 40 });
  });
});
