import { describe, expect, it } from "vitest";
import { claim, decideAll, decideOne, record, there, wanted } from "./entries.ts";

const k = "setting:a";
const managed = (value: unknown) => ({ value, state: "managed" });

describe("the decision table, row by row", () => {
  it("D yes, R no, A no: create", () => {
    expect(decideOne({ desired: [wanted(k, 1)] })).toMatchObject({
      verdict: "create",
      result: 1,
      recorded: managed(1),
    });
  });

  it("D any, R no, A = a value of a recognised earlier release: as if that had been recorded", () => {
    const recorded = [record(k, 1, "managed", { unwritten: true })];
    expect(decideOne({ desired: [wanted(k, 2)], actual: [there(k, 1)], recorded })).toMatchObject({
      verdict: "update",
      reason: "earlier-release",
      result: 2,
      recorded: managed(2),
    });
    expect(decideOne({ desired: [wanted(k, 1)], actual: [there(k, 1)], recorded })).toMatchObject({
      verdict: "adopt",
      recorded: managed(1),
    });
    expect(decideOne({ actual: [there(k, 1)], recorded })).toMatchObject({ verdict: "remove", recorded: "drop" });
    expect(decideOne({ desired: [wanted(k, 1)], recorded })).toMatchObject({
      verdict: "restore",
      recorded: managed(1),
    });
    expect(decideAll({ recorded })).toEqual([]);
  });

  it("D yes, R no, A = D, and another owner records it: adopt", () => {
    const input = { desired: [wanted(k, 1)], actual: [there(k, 1)], claims: [claim("other", k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "adopt", result: 1, recorded: managed(1) });
  });

  it("D yes, R no, A = D, and this owner has other records in this place: still the user's", () => {
    const decisions = decideAll({
      desired: [wanted(k, 1), wanted("setting:b", 2)],
      actual: [there(k, 1), there("setting:b", 2)],
      recorded: [record("setting:b", 2)],
    });
    expect(decisions.map((each) => [each.key, each.outcome.verdict])).toEqual([
      [k, "keep"],
      ["setting:b", "unchanged"],
    ]);
  });

  it("D yes, R no, A = D or A ≠ D otherwise: keep user-owned", () => {
    for (const value of [1, 2]) {
      const input = { desired: [wanted(k, 1)], actual: [there(k, value)] };
      expect(decideOne(input)).toMatchObject({
        verdict: "keep",
        reason: "user-owned",
        result: value,
        recorded: "same",
      });
    }
  });

  it("D = R = A: unchanged", () => {
    const input = { desired: [wanted(k, 1)], recorded: [record(k, 1)], actual: [there(k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "unchanged", result: 1, recorded: "same" });
  });

  it("A = R, D ≠ R: update", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "update", result: 2, recorded: managed(2) });
  });

  it("A ≠ R, D = R: keep user-modified", () => {
    const input = { desired: [wanted(k, 1)], recorded: [record(k, 1)], actual: [there(k, 9)] };
    expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "user-modified", result: 9, recorded: "same" });
  });

  it("A ≠ R, D ≠ R, A = D: adopt", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 2)] };
    expect(decideOne(input)).toMatchObject({ verdict: "adopt", result: 2, recorded: managed(2) });
  });

  it("all differ: conflict, the user's stands and the old base stays on record", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 9)] };
    expect(decideOne(input)).toMatchObject({
      verdict: "conflict",
      reason: "both-changed",
      result: 9,
      recorded: managed(1),
      conflicts: [""],
    });
  });

  it("all differ in different fields: merge", () => {
    const input = {
      desired: [wanted(k, { x: 2, y: 1 })],
      recorded: [record(k, { x: 1, y: 1 })],
      actual: [there(k, { x: 1, y: 5, z: 0 })],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "merge",
      result: { x: 2, y: 5, z: 0 },
      recorded: managed({ x: 2, y: 1 }),
    });
  });

  it("D yes, R yes, A no: restore; with when-deleted respect, keep user-deleted with a tombstone", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "restore", result: 2, recorded: managed(2) });
    const policies = [{ match: "*", whenDeleted: "respect" as const }];
    const kept = {
      verdict: "keep",
      reason: "user-deleted",
      result: undefined,
      recorded: { value: 1, state: "deleted" },
    };
    expect(decideOne({ ...input, policies })).toMatchObject(kept);
  });

  it("D yes, disowned: keep, whatever is there", () => {
    for (const actual of [[], [there(k, 1)], [there(k, 5)]]) {
      const input = { desired: [wanted(k, 2)], recorded: [record(k, 1, "disowned")], actual };
      expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "disowned", recorded: "same" });
    }
  });

  it("D no, R yes, A no: forget", () => {
    expect(decideOne({ recorded: [record(k, 1)] })).toMatchObject({ verdict: "forget", recorded: "drop" });
  });

  it("D no, R yes, A = R: remove", () => {
    expect(decideOne({ recorded: [record(k, 1)], actual: [there(k, 1)] })).toMatchObject({
      verdict: "remove",
      result: undefined,
      recorded: "drop",
    });
  });

  it("D no, R yes, A ≠ R: keep obsolete-modified", () => {
    const kept = { verdict: "keep", reason: "obsolete-modified", result: 5, recorded: "same" };
    expect(decideOne({ recorded: [record(k, 1)], actual: [there(k, 5)] })).toMatchObject(kept);
  });

  it("D no, R no, A yes: not even mentioned", () => {
    expect(decideAll({ actual: [there(k, 1)] })).toEqual([]);
  });
});
