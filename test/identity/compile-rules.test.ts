import { expect, it, test } from "vitest";
import { compileRules, parseRulePath } from "../../src/identity/rules/compile-rules.ts";
import type { Rule } from "../../src/identity/rules/rule.ts";

const good: Rule = {
  type: "hook",
  at: "hooks[]",
  key: ["event", "command|command"],
  pair: ["event", "command|script"],
};

test.each<[string, unknown[]]>([
  ["hooks[]", [{ kind: "name", name: "hooks" }, { kind: "items" }]],
  [
    "mcpServers.{name}",
    [
      { kind: "name", name: "mcpServers" },
      { kind: "capture", name: "name" },
    ],
  ],
  [
    "hooks.{event}[].hooks[]",
    [
      { kind: "name", name: "hooks" },
      { kind: "capture", name: "event" },
      { kind: "items" },
      { kind: "name", name: "hooks" },
      { kind: "items" },
    ],
  ],
  ['"a.b"[]."{c}"', [{ kind: "name", name: "a.b" }, { kind: "items" }, { kind: "name", name: "{c}" }]],
  ["a[][]", [{ kind: "name", name: "a" }, { kind: "items" }, { kind: "items" }]],
])("the path %s", (text, steps) => {
  expect(parseRulePath(text)).toEqual(steps);
});

test.each<[string, Partial<Rule>, string]>([
  ["no path", { at: "" }, "a name is missing"],
  ["text behind a list at the root", { at: "[]a" }, "a dot or [] is expected"],
  ["a path with a hole", { at: "a..b" }, "a name is missing"],
  ["an open brace", { at: "a.{b" }, "a { is not closed"],
  ["an odd capture", { at: "a.{b c}" }, "named by a word"],
  ["a capture called value", { at: "a.{value}" }, "can't be named value"],
  ["a capture twice", { at: "{a}.{a}" }, "captured twice"],
  ["half a list", { at: "a[.b" }, "a dot or [] is expected"],
  ["text behind a list", { at: "a[]b" }, "a dot or [] is expected"],
  ["an open quote", { at: '"a' }, "not closed"],
  ["an unknown normaliser", { key: ["command|shell"] }, "known are path, command, script, matcher, package"],
  ["two normalisers", { key: ["command|command|script"] }, "only one normaliser"],
  ["an unknown capture", { key: ["{event}"] }, "captures no {event}"],
  ["an empty part", { key: [""] }, "a part is"],
  ["no alternatives", { key: [[]] }, "alternatives is empty"],
  ["a part behind one that may be missing", { key: ["if?", "event"] }, "a part that may be missing must come last"],
  ["a question in a name", { key: ["i?f"] }, "a part is"],
  ["no key", { key: [] }, "at least one part"],
  ["a wrong pair", { pair: ["x|y"] }, "no normaliser y"],
  ["a type with a colon", { type: "a:b" }, "a type is one word"],
  ["the type of what no rule covers", { type: "setting" }, "choose another name"],
])("%s is refused, with the rule's text", (_name, change, why) => {
  const result = compileRules([good, { ...good, type: "other", ...change }]);
  if (result.kind !== "malformed") throw new Error("it was accepted");
  expect(result.index).toBe(1);
  expect(result.message).toContain(why);
  expect(result.message).toContain(JSON.stringify({ ...good, type: "other", ...change }));
});

it("refuses two ways of making keys of one type", () => {
  const result = compileRules([good, { ...good, at: "more[]", key: ["command|command"] }]);
  expect(result).toMatchObject({
    kind: "malformed",
    index: 1,
    message: expect.stringContaining("give one of them its own type"),
  });
  expect(compileRules([good, { ...good, at: "more[]" }]).kind).toBe("compiled");
});
