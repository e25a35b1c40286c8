import { describe, expect, it } from "vitest";
import { closest, didYouMean } from "../../src/core/diagnostic.ts";

describe("what a word was probably meant to be", () => {
  const commands = ["plan", "apply", "status", "uninstall", "rollback"];

  it.each([
    ["aply", "apply"],
    ["stauts", "status"],
    ["PLAN", "plan"],
    ["unistall", "uninstall"],
    ["rolback", "rollback"],
  ])("%s: %s", (typed, meant) => {
    expect(closest(typed, commands)).toBe(meant);
  });

  it("nothing where nothing is near", () => {
    expect(closest("frobnicate", commands)).toBeUndefined();
    expect(closest("xy", commands)).toBeUndefined();
    expect(didYouMean("xy", commands)).toBe("");
  });
});
