import { describe, expect, it } from "vitest";
import { claim, decideAll, decideOne, record, there, wanted } from "./entries.ts";

const plain = "hook:Stop:node x.js";
const wrapped = "hook:Stop:nice node x.js";
const verdicts = (input: Parameters<typeof decideAll>[0]) =>
  decideAll(input).map((each) => [each.key, each.outcome.verdict, each.outcome.reason]);

describe("pairing by the weaker key, before restore, forget and create", () => {
  it("an edit of a key part by the user stays one entry", () => {
    const input = { desired: [wanted(plain, "a")], recorded: [record(plain, "a")], actual: [there(wrapped, "b")] };
    expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "user-modified", result: "b" });
  });

  it("and still gets the fields that only the framework changed", () => {
    const input = {
      desired: [wanted(plain, { c: "node x.js", t: 10 })],
      recorded: [record(plain, { c: "node x.js", t: 5 })],
      actual: [there(wrapped, { c: "nice node x.js", t: 5 })],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "merge", result: { c: "nice node x.js", t: 10 } });
  });

  it("an obsolete entry the user edited is found and kept", () => {
    const input = { recorded: [record(plain, "a")], actual: [there(wrapped, "b")] };
    expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "obsolete-modified" });
  });

  it("a key part that the framework changed is handled as a move, with the user's edits travelling along", () => {
    const renamed = "hook:Stop:node --fast x.js";
    const input = {
      desired: [wanted(renamed, { c: "node --fast x.js", t: 5 })],
      recorded: [record(plain, { c: "node x.js", t: 5 })],
      actual: [there(plain, { c: "node x.js", t: 60 })],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "move",
      reason: "renamed",
      moved: true,
      result: { c: "node --fast x.js", t: 60 },
    });
  });

  it("changed by both: one entry, a conflict in the key part, the user's stands", () => {
    const renamed = "hook:Stop:node --fast x.js";
    const input = {
      desired: [wanted(renamed, { c: "node --fast x.js", t: 9 })],
      recorded: [record(plain, { c: "node x.js", t: 5 })],
      actual: [there(wrapped, { c: "nice node x.js", t: 5 })],
    };
    const outcome = {
      verdict: "conflict",
      reason: "both-changed",
      result: { c: "nice node x.js", t: 9 },
      conflicts: ["c"],
    };
    expect(decideOne(input)).toMatchObject(outcome);
  });

  it("several candidates are a conflict, and nothing is added", () => {
    const actual = [there(wrapped, "b"), there("hook:Stop:time node x.js", "c")];
    const input = { desired: [wanted(plain, "a")], recorded: [record(plain, "a")], actual };
    expect(decideOne(input)).toMatchObject({
      verdict: "conflict",
      reason: "ambiguous",
      result: undefined,
      recorded: "same",
    });
  });

  it("several lost records and one candidate are a conflict too", () => {
    const other = "hook:Stop:node -q x.js";
    const input = {
      desired: [wanted(plain, "a"), wanted(other, "b")],
      recorded: [record(plain, "a"), record(other, "b")],
      actual: [there(wrapped, "c")],
    };
    expect(verdicts(input)).toEqual([
      [other, "conflict", "ambiguous"],
      [plain, "conflict", "ambiguous"],
    ]);
  });

  it("what another owner claims, or this one records, is no candidate", () => {
    const lost = { desired: [wanted(plain, "a")], recorded: [record(plain, "a")], actual: [there(wrapped, "b")] };
    expect(decideOne({ ...lost, claims: [claim("other", wrapped, "b")] })).toMatchObject({ verdict: "restore" });
    const both = {
      ...lost,
      desired: [wanted(plain, "a"), wanted(wrapped, "b")],
      recorded: [record(plain, "a"), record(wrapped, "b")],
    };
    expect(verdicts(both)).toEqual([
      [wrapped, "unchanged", undefined],
      [plain, "restore", undefined],
    ]);
  });

  it("one script split into two hooks is no move: the old goes, the new ones come", () => {
    const input = {
      desired: [wanted("hook:Stop:node -a x.js", "a"), wanted("hook:Stop:node -b x.js", "b")],
      recorded: [record(plain, "o")],
      actual: [there(plain, "o")],
    };
    expect(verdicts(input).map(([, verdict]) => verdict)).toEqual(["create", "create", "remove"]);
  });

  it("never by likeness: heartbeat and heartbeat-v2 are strangers", () => {
    const input = {
      desired: [wanted("hook:Stop:node heartbeat.js", "a")],
      recorded: [record("hook:Stop:node heartbeat.js", "a")],
      actual: [there("hook:Stop:node heartbeat-v2.js", "a")],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "restore" });
  });

  it("a tombstone or a disowned record pairs with nothing", () => {
    for (const state of ["deleted", "disowned"] as const) {
      const input = {
        desired: [wanted(plain, "a")],
        recorded: [record(plain, "a", state)],
        actual: [there(wrapped, "b")],
      };
      expect(decideOne(input)).toMatchObject({ verdict: "keep", recorded: "same", result: undefined });
    }
  });
});

describe("declared moves", () => {
  const move = { moves: [{ from: "setting:old", to: "setting:new" }] };

  it("re-key record and entry; the user's edit travels along", () => {
    const input = {
      ...move,
      desired: [wanted("setting:new", 1)],
      recorded: [record("setting:old", 1)],
      actual: [there("setting:old", 7)],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "move",
      reason: "renamed",
      result: 7,
      recorded: { value: 1, state: "managed" },
    });
  });

  it("with a new value and no edit: the new value under the new key", () => {
    const input = {
      ...move,
      desired: [wanted("setting:new", 2)],
      recorded: [record("setting:old", 1)],
      actual: [there("setting:old", 1)],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "move", result: 2 });
  });

  it("both changed: a conflict", () => {
    const input = {
      ...move,
      desired: [wanted("setting:new", 2)],
      recorded: [record("setting:old", 1)],
      actual: [there("setting:old", 7)],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "conflict", result: 7 });
  });

  it("deleted by the user: put back under the new key, or not, as for any entry", () => {
    const input = { ...move, desired: [wanted("setting:new", 1)], recorded: [record("setting:old", 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "restore", result: 1 });
    expect(decideOne({ ...input, policies: [{ match: "*", whenDeleted: "respect" as const }] })).toMatchObject({
      verdict: "keep",
      reason: "user-deleted",
    });
  });

  it("an opt-out travels along", () => {
    for (const state of ["disowned", "deleted"] as const) {
      const input = { ...move, desired: [wanted("setting:new", 1)], recorded: [record("setting:old", 1, state)] };
      expect(decideOne(input)).toMatchObject({ verdict: "keep" });
    }
  });

  it("chains follow, also when versions are skipped", () => {
    const moves = [
      { from: "setting:a", to: "setting:b" },
      { from: "setting:b", to: "setting:c" },
    ];
    const input = {
      moves,
      desired: [wanted("setting:c", 1)],
      recorded: [record("setting:a", 1)],
      actual: [there("setting:a", 1)],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "move" });
  });

  it("where the new key is taken, the old one is just obsolete", () => {
    const input = {
      ...move,
      desired: [wanted("setting:new", 1)],
      recorded: [record("setting:old", 1)],
      actual: [there("setting:old", 1), there("setting:new", 5)],
    };
    expect(verdicts(input)).toEqual([
      ["setting:new", "keep", "user-owned"],
      ["setting:old", "remove", undefined],
    ]);
  });

  it("of an install from before there were records", () => {
    const recorded = [record("setting:old", 1, "managed", { unwritten: true })];
    const input = { ...move, recorded, desired: [wanted("setting:new", 1)], actual: [there("setting:old", 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "move", result: 1, recorded: { value: 1, state: "managed" } });
  });
});
