import { describe, expect, it } from "vitest";
import { adopting } from "./meetings/adopting.ts";
import { copies } from "./meetings/copies.ts";
import { applied, bullets, decided, pairsOf, reordered, stillToDo } from "./meetings/meeting.ts";
import { merging } from "./meetings/merging.ts";
import { optOutsAndOwners } from "./meetings/opt-outs-and-owners.ts";
import { pairing } from "./meetings/pairing.ts";
import { policies } from "./meetings/policies.ts";
import { renames } from "./meetings/renames.ts";
import { unsafeEntries } from "./meetings/unsafe-entries.ts";

const meetings = [pairing, merging, adopting, copies, renames, optOutsAndOwners, unsafeEntries, policies].flatMap(
  Object.entries<(typeof pairing)[keyof typeof pairing]>,
);

// Bullets that only show on a file (downgrades, held versions, containers) meet these in test/files/meetings.test.ts.
it("every pair of bullets has its stories, or the reason why the two can't meet, once", () => {
  expect(meetings.map(([pair]) => pair).sort()).toEqual(pairsOf(bullets).sort());
});

describe("where two bullets meet", () => {
  const stories = meetings.flatMap(([pair, told]) =>
    Array.isArray(told) ? told.map((story) => [pair, ...story] as const) : [],
  );
  it.each(stories)("%s: %s", (_pair, _story, given, ...then) => {
    expect(decided(given)).toEqual(
      then.map(([key, verdict, result, record, gone = 0]) => [key, verdict, result, record, gone]),
    );
    expect(decided(reordered(given))).toEqual(decided(given));
    expect(stillToDo(applied(given))).toEqual([]);
  });
});
