import { describe, expect, it } from "vitest";
import { bullets, pairsOf } from "../core/meetings/meeting.ts";
import { containers } from "./meetings/containers.ts";
import { downgrades } from "./meetings/downgrades.ts";
import { held } from "./meetings/held.ts";
import { fileBullets, play } from "./meetings/story.ts";

const meetings = [downgrades, held, containers].flatMap((some) => Object.entries(some));

// The other pairs need no file: test/core/meetings.test.ts.
it("every pair of bullets that takes a file to be seen has its stories, once", () => {
  const ofCore = new Set(pairsOf(bullets));
  const pairs = pairsOf([...bullets, ...fileBullets]).filter((pair) => !ofCore.has(pair));
  expect(meetings.map(([pair]) => pair).sort()).toEqual(pairs.sort());
});

describe("where two bullets meet in a file", () => {
  const stories = meetings.flatMap(([pair, told]) =>
    typeof told === "string" ? [] : told.map((story) => [pair, ...story] as const),
  );
  it.each(stories)("%s: %s", async (pair, _story, steps, then, file) => {
    const { last, text } = await play(steps);
    expect(last.verdicts).toEqual(then);
    expect(typeof file === "object" ? JSON.parse(text ?? "null") : text).toEqual(file);
    expect(last.again).toBe(false);
    if (pair.includes("downgrade") && !last.codes.includes("held")) expect(last.codes).toContain("downgrade");
    if (last.codes.includes("held")) expect(last.changed).toBe(0);
  });
});
