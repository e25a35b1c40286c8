import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeFile } from "../../src/text/merge-file.ts";
import { mergeText, type TextConflict } from "../../src/text/merge-text.ts";
import { arbitraryVersions } from "./arbitrary-texts.ts";

const markers = { mine: "yours", base: "1.2.0", theirs: "1.4.0", style: "diff3" } as const;
const versions = arbitraryVersions({ lines: 16, edits: 4 });

function conflictOf(base: string, ours: string, theirs: string): TextConflict {
  const merge = mergeText(base, ours, theirs);
  if (merge.kind !== "conflict") throw new Error(`expected a conflict, got ${JSON.stringify(merge.text)}`);
  return merge;
}

describe("mergeText", () => {
  it.each([
    ["only theirs changed", "a\nb\n", "a\nb\n", "a\nx\n", "a\nx\n"],
    ["only ours changed", "a\nb\n", "x\nb\n", "a\nb\n", "x\nb\n"],
    ["both changed, far apart", "a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n"],
    ["both made the same change", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n"],
    [
      "both added the same, one of them more elsewhere",
      "a\nb\nc\n",
      "a\nn\nb\nc\n",
      "a\nn\nb\nc\nz\n",
      "a\nn\nb\nc\nz\n",
    ],
    ["both deleted the same", "a\nb\nc\n", "a\nc\n", "a\nc\n", "a\nc\n"],
    ["no final line feed, untouched", "a\nb\nc", "x\nb\nc", "a\nb\nc", "x\nb\nc"],
    ["theirs adds the final line feed", "a\nb\nc", "x\nb\nc", "a\nb\nc\n", "x\nb\nc\n"],
    ["CRLF", "a\r\nb\r\nc\r\n", "x\r\nb\r\nc\r\n", "a\r\nb\r\ny\r\n", "x\r\nb\r\ny\r\n"],
    ["everything from nothing, the same", "", "a\n", "a\n", "a\n"],
    ["a text that theirs emptied and ours left", "a\n", "a\n", "", ""],
  ])("merges where %s", (_, base, ours, theirs, expected) => {
    expect(mergeText(base, ours, theirs)).toEqual({ kind: "merged", text: expected });
  });

  it.each([
    ["the same line changed differently", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", "b\n", "x\n", "y\n", 2],
    ["neighbouring lines changed", "a\nb\n", "x\nb\n", "a\ny\n", "a\nb\n", "x\nb\n", "a\ny\n", 1],
    ["a line deleted here and changed there", "a\nb\nc\n", "a\nc\n", "a\ny\nc\n", "b\n", "", "y\n", 2],
    ["different lines added at one place", "a\n", "a\nx\n", "a\ny\n", "", "x\n", "y\n", 2],
    ["only the final line feed differs", "a\nb\n", "a\nx", "a\nx\n", "b\n", "x", "x\n", 2],
    ["CRLF here, another word there", "a\nb\n", "a\nb\r\n", "a\ny\n", "b\n", "b\r\n", "y\n", 2],
  ])("calls it a conflict where %s", (_, base, ours, theirs, inBase, inOurs, inTheirs, line) => {
    const conflict = conflictOf(base, ours, theirs);
    expect(conflict.regions).toEqual([{ base: inBase, ours: inOurs, theirs: inTheirs, line }]);
    expect(conflict.text).toBe(ours);
  });

  it("merges around a conflict, and lets ours stand inside it", () => {
    const conflict = conflictOf("a\nb\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nY\nc\nd\nE\n");
    expect(conflict.text).toBe("a\nX\nc\nd\nE\n");
    expect(conflict.regions).toEqual([{ base: "b\n", ours: "X\n", theirs: "Y\n", line: 2 }]);
  });

  it("keeps only what conflicts pending", () => {
    const conflict = conflictOf("a\nb\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nY\nc\nd\nE\n");
    expect(conflict.nextBase).toBe("a\nb\nc\nd\nE\n");
  });

  it("counts conflicts by the lines of ours", () => {
    const conflict = conflictOf("1\n2\n3\n4\n5\n6\n", "0\n1\n2\nX\n4\n5\nZ\n", "1\n2\nY\n4\n5\nW\n");
    expect(conflict.regions.map(({ line }) => line)).toEqual([4, 7]);
  });

  it("gives ours for theirs unchanged, and theirs for ours unchanged", () => {
    const check = ({ base, ours }: { base: string; ours: string }) => {
      expect(mergeText(base, ours, base)).toEqual({ kind: "merged", text: ours });
      expect(mergeText(base, base, ours)).toEqual({ kind: "merged", text: ours });
      expect(mergeText(base, ours, ours)).toEqual({ kind: "merged", text: ours });
    };
    fc.assert(fc.property(versions, check), { numRuns: 200 });
  });

  it("comes to the same from either side", () => {
    const check = ({ base, ours, theirs }: { base: string; ours: string; theirs: string }) => {
      const [forth, back] = [mergeText(base, ours, theirs), mergeText(base, theirs, ours)];
      expect(back.kind).toBe(forth.kind);
      if (forth.kind === "merged") expect(back).toEqual(forth);
      else
        expect((back as TextConflict).regions.map(({ ours }) => ours)).toEqual(
          forth.regions.map(({ theirs }) => theirs),
        );
    };
    fc.assert(fc.property(versions, check), { numRuns: 300 });
  });

  it("shows in its regions exactly what the three texts hold", () => {
    const check = ({ base, ours, theirs }: { base: string; ours: string; theirs: string }) => {
      const merge = mergeText(base, ours, theirs);
      if (merge.kind === "merged") return;
      for (const region of merge.regions) {
        const from =
          ours
            .split("\n")
            .slice(0, region.line - 1)
            .join("\n").length + (region.line > 1 ? 1 : 0);
        expect(ours.slice(from, from + region.ours.length)).toBe(region.ours);
        expect(base).toContain(region.base);
        expect(theirs).toContain(region.theirs);
        expect(region.ours).not.toBe(region.theirs);
      }
    };
    fc.assert(fc.property(versions, check), { numRuns: 300 });
  });
});

describe("conflict markers", () => {
  it("show all three sides", () => {
    expect(mergeFile("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", markers).text).toBe(
      "a\n<<<<<<< yours\nx\n||||||| 1.2.0\nb\n=======\ny\n>>>>>>> 1.4.0\nc\n",
    );
  });

  it("use CRLF where the texts do, and stand on lines of their own", () => {
    expect(mergeFile("a\r\nb", "a\r\nx", "a\r\ny", markers).text).toBe(
      "a\r\n<<<<<<< yours\r\nx\r\n||||||| 1.2.0\r\nb\r\n=======\r\ny\r\n>>>>>>> 1.4.0\r\n",
    );
  });

  it.each([
    ["all of them", "a\n<<<<<<< yours\nx\n||||||| 1.2.0\nb\n=======\ny\n>>>>>>> 1.4.0\nc\n", 2],
    ["the last one", "a\nx\n>>>>>>> 1.4.0\nc\n", 3],
    ["the middle one", "a\nx\n=======\ny\nc\n", 3],
    ["the middle one, CRLF", "a\r\nx\r\n=======\r\ny\r\n", 3],
    ["none", "a\nx and y\nc\n", undefined],
    ["none, but something like one", "a <<<<<<< yours\n========\n", undefined],
  ])("are found again in an edited copy: %s", (_, edited, line) => {
    expect(conflictOf("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n").remainingMarker(edited)).toBe(line);
  });

  it("are not confused with the underline of a heading", () => {
    const conflict = conflictOf("Install\n=======\nb\n", "Install\n=======\nx\n", "Install\n=======\ny\n");
    expect(conflict.remainingMarker("Install\n=======\nx\ny\n")).toBeUndefined();
    expect(conflict.remainingMarker("Install\n=======\nx\n=======\ny\n")).toBe(2);
  });
});
