import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAround } from "../../src/report/difference.ts";

const whole = (cut: { left: string; middle: string; right: string }) => `${cut.left}${cut.middle}${cut.right}`;

describe("long values are cut around where they differ", () => {
  const path = "/home/somebody/.local/share/framework/scripts/deep/down/heartbeat.js";

  it("shows both ends of the difference, from word to word", () => {
    const [before, after] = cutAround([`node ${path} --timeout 30 --quiet`, `node ${path} --timeout 60 --quiet`], 40);
    expect([before!.middle, after!.middle]).toEqual(["30", "60"]);
    expect(whole(before!)).toMatch(/^….*heartbeat\.js --timeout 30 --quiet$/);
    expect(whole(after!)).toMatch(/^….*heartbeat\.js --timeout 60 --quiet$/);
  });

  it("goes into a word that is longer than the line", () => {
    const [before, after] = cutAround(
      [`${"x".repeat(500)}A${"y".repeat(500)}`, `${"x".repeat(500)}B${"y".repeat(500)}`],
      40,
    );
    expect([before!.middle, after!.middle]).toEqual(["A", "B"]);
    expect(whole(before!)).toMatch(/^…x{18}Ay{19}…$/);
  });

  it("never shows two equal lines for two values that differ", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "/", "-", "."), maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, text, fc.integer({ min: 10, max: 50 }), (left, right, a, b, width) => {
        fc.pre(a !== b);
        const texts = [left + a + right, left + b + right];
        const cuts = cutAround(texts, width).map(whole);
        expect(cuts.every((cut) => cut.length <= Math.max(width, 3))).toBe(true);
        // Differences longer than the line are cut at their end: their beginnings then tell them apart, or nothing can.
        const differs = texts[0]!.slice(0, 3) !== texts[1]!.slice(0, 3) || Math.max(a.length, b.length) + 12 < width;
        if (differs && texts[0] !== texts[1]) expect(cuts[0] === cuts[1]).toBe(false);
      }),
    );
  });
});
