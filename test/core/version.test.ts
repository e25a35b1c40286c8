import { describe, expect, it } from "vitest";
import { isOlder } from "../../src/core/version.ts";

/** Each is older than all that follow. The middle is the example of semver.org, § 11. */
const ascending = [
  "0.9",
  "1.0.0-alpha",
  "1.0.0-alpha.0",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0-rc.9",
  "1.0.0-rc.10",
  "1.0.0",
  "1.0.0.1",
  "1.0.2",
  "v1.0.10",
  "1.2",
  "1.10.0",
  "2026.01.09",
  "2026.1.17",
];

describe("the order of versions", () => {
  it("is that of Semantic Versioning", () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) expect([a, b, isOlder(a, b)]).toEqual([a, b, i < j]);
    }
  });

  it("knows no difference between what says the same", () => {
    for (const [a, b] of [
      ["1.0", "1.0.0"],
      ["1.0.0+linux", "1.0.0+darwin"],
      ["v2", "2.0.0.0"],
    ] as const) {
      expect([isOlder(a, b), isOlder(b, a)]).toEqual([false, false]);
    }
  });

  it("says of a version that it can't read neither the one nor the other", () => {
    for (const strange of ["", "nightly", "1.0.0-", "1..2", "1.0.0 beta?", "99999999999999999999.0.0"]) {
      expect([isOlder(strange, "1.0.0"), isOlder("1.0.0", strange)]).toEqual([false, false]);
    }
  });
});
