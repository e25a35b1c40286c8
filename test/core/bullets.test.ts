import { describe, expect, it } from "vitest";
import { matchesPattern } from "../../src/core/policy.ts";
import { claim, decideAll, decideOne, record, there, wanted } from "./entries.ts";

const k = "setting:a";

describe("merge", () => {
  it("a field both changed is a conflict; the others merge, and only the conflicted one keeps its old base", () => {
    const input = {
      desired: [wanted(k, { x: 2, y: 2 })],
      recorded: [record(k, { x: 1, y: 1 })],
      actual: [there(k, { x: 1, y: 3 })],
    };
    const outcome = {
      verdict: "conflict",
      result: { x: 2, y: 3 },
      recorded: { value: { x: 2, y: 1 }, state: "managed" },
      conflicts: ["y"],
    };
    expect(decideOne(input)).toMatchObject(outcome);
    // The next run: still pending, and nothing else changes.
    const next = { desired: input.desired, recorded: [record(k, { x: 2, y: 1 })], actual: [there(k, { x: 2, y: 3 })] };
    expect(decideOne(next)).toMatchObject({ verdict: "conflict", result: { x: 2, y: 3 }, conflicts: ["y"] });
  });

  it("looks into maps inside maps, and takes lists as one value", () => {
    const input = {
      desired: [wanted(k, { m: { p: 2, q: 1 }, l: [1, 2] })],
      recorded: [record(k, { m: { p: 1, q: 1 }, l: [1] })],
      actual: [there(k, { m: { p: 1, q: 9 }, l: [1, 7] })],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "conflict",
      result: { m: { p: 2, q: 9 }, l: [1, 7] },
      conflicts: ["l"],
    });
  });

  it("a field the user deleted stays deleted unless the framework changed it", () => {
    const base = { x: 1, y: 1 };
    expect(
      decideOne({ desired: [wanted(k, { x: 1, y: 2 })], recorded: [record(k, base)], actual: [there(k, { y: 1 })] }),
    ).toMatchObject({
      verdict: "merge",
      result: { y: 2 },
    });
    expect(
      decideOne({ desired: [wanted(k, { x: 2, y: 1 })], recorded: [record(k, base)], actual: [there(k, { y: 1 })] }),
    ).toMatchObject({
      verdict: "conflict",
      result: { y: 1 },
      conflicts: ["x"],
    });
  });

  it("what the framework changed and the user had changed likewise is just recorded", () => {
    const input = {
      desired: [wanted(k, { x: 2, y: 1 })],
      recorded: [record(k, { x: 1, y: 1 })],
      actual: [there(k, { x: 2, y: 5 })],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "adopt",
      result: { x: 2, y: 5 },
      recorded: { value: { x: 2, y: 1 } },
    });
  });

  it("keeps the user's spelling of what does not change", () => {
    const spelt = there(k, { p: "/home/a/x", t: 1 }, { normal: { p: "~/x", t: 1 } });
    const input = {
      desired: [wanted(k, { p: "~/x", t: 2 })],
      recorded: [record(k, { p: "~/x", t: 1 })],
      actual: [spelt],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "update", result: { p: "/home/a/x", t: 2 } });
  });

  it("texts merge by line; regions both changed stay the user's and stay pending", () => {
    const text = (value: string) => ({ joining: "lines" as const, value, normal: value });
    const sides = (desired: string, base: string, actual: string) => ({
      desired: [wanted(k, "", text(desired))],
      recorded: [record(k, "", "managed", text(base))],
      actual: [there(k, "", text(actual))],
    });
    expect(decideOne(sides("A\nb\nc\nd\n", "a\nb\nc\nd\n", "a\nb\nc\nD\n"))).toMatchObject({
      verdict: "merge",
      result: "A\nb\nc\nD\n",
    });
    const both = decideOne(sides("1\nb\nc\nd\ne\nF\n", "a\nb\nc\nd\ne\nf\n", "2\nb\nc\nd\ne\nf\n"));
    expect(both).toMatchObject({
      verdict: "conflict",
      result: "2\nb\nc\nd\ne\nF\n",
      recorded: { value: "a\nb\nc\nd\ne\nF\n" },
    });
  });

  it("opaque values do not merge", () => {
    const whole = { joining: "whole" as const };
    const input = {
      desired: [wanted(k, { x: 2, y: 1 }, whole)],
      recorded: [record(k, { x: 1, y: 1 })],
      actual: [there(k, { x: 1, y: 2 }, whole)],
    };
    expect(decideOne(input)).toMatchObject({
      verdict: "conflict",
      result: { x: 1, y: 2 },
      recorded: { value: { x: 1, y: 1 } },
    });
  });
});

describe("policies", () => {
  const edited = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 9)] };

  it("when-edited keep leaves the whole entry; overwrite takes the owner's", () => {
    expect(decideOne({ ...edited, policies: [{ match: "*", whenEdited: "keep" }] })).toMatchObject({
      verdict: "keep",
      reason: "user-modified",
      result: 9,
    });
    expect(decideOne({ ...edited, policies: [{ match: "*", whenEdited: "overwrite" }] })).toMatchObject({
      verdict: "update",
      result: 2,
    });
    const same = { ...edited, desired: [wanted(k, 1)], policies: [{ match: "*", whenEdited: "overwrite" as const }] };
    expect(decideOne(same)).toMatchObject({ verdict: "update", result: 1 });
    const obsolete = {
      recorded: edited.recorded,
      actual: edited.actual,
      policies: [{ match: "*", whenEdited: "overwrite" as const }],
    };
    expect(decideOne(obsolete)).toMatchObject({ verdict: "remove" });
  });

  it("when-present adopt records what is wanted, never what is there", () => {
    const input = {
      desired: [wanted(k, 1)],
      actual: [there(k, 5)],
      policies: [{ match: "*", whenPresent: "adopt" as const }],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "adopt", result: 5, recorded: { value: 1, state: "managed" } });
    expect(decideOne({ desired: [wanted(k, 1)], actual: [there(k, 5)], recorded: [record(k, 1)] })).toMatchObject({
      reason: "user-modified",
    });
  });

  it("ignored fields are the user's, in comparing and in writing; what is recorded is what was wanted", () => {
    const policies = [{ match: "*", ignore: ["t"] }];
    const base = { c: 1, t: 5 };
    const touched = { policies, recorded: [record(k, base)], actual: [there(k, { c: 1, t: 60 })] };
    expect(decideOne({ ...touched, desired: [wanted(k, base)] })).toMatchObject({ verdict: "unchanged" });
    expect(decideOne({ ...touched, desired: [wanted(k, { c: 2, t: 7 })] })).toMatchObject({
      verdict: "update",
      result: { c: 2, t: 60 },
      recorded: { value: { c: 2, t: 7 } },
    });
    expect(decideOne({ ...touched, desired: [] })).toMatchObject({ verdict: "keep", reason: "obsolete-modified" });
    const untouched = { policies, recorded: [record(k, base)], actual: [there(k, base)] };
    expect(decideOne({ ...untouched, desired: [wanted(k, { c: 2, t: 7 })] })).toMatchObject({
      verdict: "update",
      result: { c: 2, t: 5 },
      recorded: { value: { c: 2, t: 5 } },
    });
    expect(decideOne({ ...untouched, desired: [] })).toMatchObject({ verdict: "remove" });
    expect(decideOne({ policies, desired: [wanted(k, base)] })).toMatchObject({ verdict: "create", result: base });
  });

  it("create-only is never updated or restored", () => {
    const policies = [{ match: "*", createOnly: true }];
    expect(decideOne({ policies, desired: [wanted(k, 1)] })).toMatchObject({ verdict: "create" });
    expect(
      decideOne({ policies, desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 1)] }),
    ).toMatchObject({
      verdict: "keep",
      reason: "create-only",
    });
    expect(decideOne({ policies, desired: [wanted(k, 1)], recorded: [record(k, 1)] })).toMatchObject({
      verdict: "keep",
      reason: "create-only",
      result: undefined,
    });
  });

  it("the first match wins, property by property", () => {
    const policies = [
      { match: "setting:*", whenDeleted: "respect" as const },
      { match: "*", whenDeleted: "restore" as const, whenEdited: "keep" as const },
    ];
    expect(decideOne({ ...edited, policies })).toMatchObject({ reason: "user-modified" });
    expect(decideOne({ desired: [wanted(k, 1)], recorded: [record(k, 1)], policies })).toMatchObject({
      reason: "user-deleted",
    });
  });

  it("a star is a wildcard, \\* is a star, and nothing else is special", () => {
    const cases: [string, string, boolean][] = [
      ["*", "", true],
      ["hook:*", "hook:a", true],
      ["hook:*", "hooks:a", false],
      ["a*c", "abbbc", true],
      ["a*c", "abbbd", false],
      ["a\\*c", "a*c", true],
      ["a\\*c", "abc", false],
      ["a.c", "abc", false],
      ["permission:allow:Bash(\\*)", "permission:allow:Bash(*)", true],
      ["*a*a*a*a*a*b", "a".repeat(5000), false],
      ["hook:x\\:y", "hook:x\\:y", true],
    ];
    for (const [pattern, text, matches] of cases)
      expect([pattern, matchesPattern(pattern, text)]).toEqual([pattern, matches]);
  });

  it("--no-prune keeps what is no longer wanted, and its record", () => {
    const input = { recorded: [record(k, 1)], actual: [there(k, 1)], prune: false };
    expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "prune-off", recorded: "same" });
  });
});

describe("tombstones", () => {
  it("outlive the policy that made them, and an entry re-added by hand is the user's", () => {
    const input = { desired: [wanted(k, 1)], recorded: [record(k, 1, "deleted")] };
    expect(decideOne(input)).toMatchObject({ verdict: "keep", reason: "user-deleted", recorded: "same" });
    expect(decideOne({ ...input, actual: [there(k, 1)] })).toMatchObject({
      verdict: "keep",
      reason: "user-owned",
      recorded: "same",
    });
  });

  it("stay when the template drops the entry for a while", () => {
    expect(decideAll({ recorded: [record(k, 1, "deleted")] })).toEqual([]);
    expect(decideAll({ recorded: [record(k, 1, "deleted")], actual: [there(k, 1)] })).toEqual([]);
  });
});

describe("dedupe", () => {
  it("only copies equal to what was recorded go; the first stays", () => {
    const input = {
      desired: [wanted(k, 1)],
      recorded: [record(k, 1)],
      actual: [there(k, 1), there(k, 1), there(k, 2), there(k, 1)],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "dedupe", copies: 2, result: 1 });
  });

  it("nothing goes that is not on record, or has a comment in it", () => {
    expect(decideOne({ desired: [wanted(k, 1)], actual: [there(k, 1), there(k, 1)] })).toMatchObject({ copies: 0 });
    const commented = there(k, 1, { comments: [[]] });
    expect(
      decideOne({ desired: [wanted(k, 1)], recorded: [record(k, 1)], actual: [there(k, 1), commented] }),
    ).toMatchObject({
      verdict: "unchanged",
      copies: 0,
    });
  });

  it("together with an update: the first is updated, the copies go", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 1), there(k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "update", copies: 1, result: 2 });
  });
});

describe("several owners of one place", () => {
  it("different wishes are a conflict, and what is there stands", () => {
    const input = { desired: [wanted(k, 2)], actual: [there(k, 1)], claims: [claim("other", k, 1)] };
    expect(decideOne(input)).toMatchObject({
      verdict: "conflict",
      reason: "owners-differ",
      result: 1,
      recorded: "same",
    });
  });

  it("an upgrade of a shared value waits while another still claims the old one, and goes on when it does not", () => {
    const input = { desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [there(k, 1)] };
    expect(decideOne({ ...input, claims: [claim("other", k, 1)] })).toMatchObject({
      verdict: "conflict",
      reason: "owners-differ",
    });
    expect(decideOne({ ...input, claims: [claim("other", k, 2)] })).toMatchObject({ verdict: "update", result: 2 });
  });

  it("a wish that another owner is waiting to have granted is granted to both", () => {
    const input = { desired: [wanted(k, 2)], actual: [there(k, 1)], claims: [claim("other", k, 2, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "update", result: 2, recorded: { value: 2 } });
  });

  it("an entry stays while one claim stands", () => {
    const input = { recorded: [record(k, 1)], actual: [there(k, 1)], claims: [claim("other", k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "forget", reason: "shared", result: 1, recorded: "drop" });
  });

  it("equal wishes share an entry that the user changed", () => {
    const input = { desired: [wanted(k, 1)], actual: [there(k, 7)], claims: [claim("other", k, 1)] };
    expect(decideOne(input)).toMatchObject({ verdict: "adopt", result: 7, recorded: { value: 1 } });
  });
});

describe("comments and entries that can't be edited", () => {
  it("a comment inside makes it the user's: kept, not removed, not replaced", () => {
    const commented = there(k, [1], { comments: [[]] });
    expect(decideOne({ desired: [wanted(k, [1])], recorded: [record(k, [1])], actual: [commented] })).toMatchObject({
      reason: "user-modified",
    });
    expect(decideOne({ recorded: [record(k, [1])], actual: [commented] })).toMatchObject({
      reason: "obsolete-modified",
    });
    expect(decideOne({ desired: [wanted(k, [2])], recorded: [record(k, [1])], actual: [commented] })).toMatchObject({
      verdict: "conflict",
      result: [1],
    });
  });

  it("a comment in one field does not hold up another", () => {
    const commented = there(k, { l: [1], t: 1 }, { comments: [["l"]] });
    const input = {
      desired: [wanted(k, { l: [1], t: 2 })],
      recorded: [record(k, { l: [1], t: 1 })],
      actual: [commented],
    };
    expect(decideOne(input)).toMatchObject({ verdict: "merge", result: { l: [1], t: 2 } });
    const both = { ...input, desired: [wanted(k, { l: [2], t: 2 })] };
    expect(decideOne(both)).toMatchObject({ verdict: "conflict", result: { l: [1], t: 2 }, conflicts: ["l"] });
  });

  it("what is locked or blocked is kept, and blocks nobody else", () => {
    const locked = there(k, 1, { locked: "anchored" });
    expect(decideOne({ desired: [wanted(k, 2)], recorded: [record(k, 1)], actual: [locked] })).toMatchObject({
      verdict: "keep",
      reason: "locked",
      result: 1,
      recorded: "same",
    });
    expect(decideOne({ recorded: [record(k, 1)], actual: [locked] })).toMatchObject({
      verdict: "keep",
      reason: "locked",
      recorded: "same",
    });
    const blocked = wanted(k, 2, { blocked: "in the way" });
    expect(decideOne({ desired: [blocked] })).toMatchObject({ verdict: "keep", reason: "blocked", recorded: "same" });
    expect(decideOne({ desired: [blocked], recorded: [record(k, 1)] })).toMatchObject({
      verdict: "keep",
      reason: "blocked",
    });
    const decisions = decideAll({ desired: [blocked, wanted("setting:b", 1)] });
    expect(decisions.map((each) => each.outcome.verdict)).toEqual(["keep", "create"]);
  });
});
