import { describe, expect, it, test } from "vitest";
import type { Value } from "../../src/core/value.ts";
import { equalValues } from "../../src/core/value.ts";
import type { PathContext } from "../../src/identity/paths/path-context.ts";
import { claudeCode, cursor, opencode } from "../../src/identity/profiles/agents.ts";
import { identify, keysFrom, keysFromText, normaliseValue, portableValue } from "../../src/identity/rules/identify.ts";
import { compiled, jsonRoot } from "./documents.ts";
import { linux, machine } from "./machines.ts";

const rules = compiled(claudeCode.rules);
const linked = machine({ links: { "/home/alice/zylos": "/data/v1" } });
const rePointed = machine({ links: { "/home/alice/zylos": "/data/v2" } });
const moved = machine({ home: "/root", formerHomes: ["/home/alice"] });

function hook(command: string, ctx: PathContext) {
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
  const entry = identify(jsonRoot(text), rules, ctx).entries[0];
  if (entry === undefined) throw new Error("no entry");
  return entry;
}

describe("a record", () => {
  it.each([
    ["the same machine", linux, linux],
    ["a link that was re-pointed", linked, rePointed],
    ["a home that moved", linux, moved],
    ["a home on Windows before", machine({ platform: "win32", home: "C:\\Users\\alice" }), linux],
  ])("finds its entry again: %s", (_name, before, after) => {
    const { source, key } = hook('/usr/bin/node "$HOME/zylos/x.js"', before);
    const today = hook("node ~/zylos/x.js", after);
    expect(keysFrom("hook", source, rules, after)).toEqual({ key, match: today.match, pair: today.pair });
  });

  it("is not found where the rules have changed", () => {
    expect(keysFrom("hook", { event: "Stop" }, rules, linux)).toBeUndefined();
    expect(keysFrom("gone", { event: "Stop" }, rules, linux)).toBeUndefined();
    expect(keysFrom("setting", {}, rules, linux)).toBeUndefined();
  });

  it("of a setting is its path", () => {
    const keys = keysFrom("setting", { path: 'env."a.b"' }, rules, linux);
    expect(keys).toEqual({ key: 'setting:env."a.b"', match: 'setting:env."a.b"', pair: undefined });
  });
});

test.each([
  ["hook:Stop:*:node /home/alice/zylos/x.js", "hook:Stop:*:node ~/zylos/x.js", "hook:Stop:*:node /data/v1/x.js"],
  ["hook:Stop:*:url=https\\://x.org", "hook:Stop:*:url=https\\://x.org", "hook:Stop:*:url=https\\://x.org"],
  ["hook:Stop::x", "hook:Stop:*:x", "hook:Stop:*:x"],
  ["permission:allow:Bash(a\\:*)", "permission:allow:Bash(a\\:*)", "permission:allow:Bash(a\\:*)"],
  ['setting:env."a.b"', 'setting:env."a.b"', 'setting:env."a.b"'],
  ['setting:"env"."A"', "setting:env.A", "setting:env.A"],
  ["setting:a:b", "setting:a\\:b", "setting:a\\:b"],
])("the key %s, as a person writes it", (text, key, match) => {
  expect(keysFromText(text, rules, linked)).toMatchObject({ kind: "keys", key, match });
});

test.each([
  ["hook", "a key reads type:part"],
  ["hook:Stop:x", "has 3 to 4 parts, but this one has 2"],
  ["gone:x", "no rule makes entries of type gone"],
  ["setting:a..b", "not the path of a setting"],
])("%s is no key", (text, why) => {
  expect(keysFromText(text, rules, linux)).toMatchObject({ kind: "malformed", message: expect.stringContaining(why) });
});

describe("values are equal", () => {
  const equal = (type: string, a: Value, b: Value, ctx = linked, among = rules) =>
    equalValues(normaliseValue(type, a, among, ctx), normaliseValue(type, b, among, ctx));

  it("when only the spelling of a path or the order of fields differs", () => {
    expect(
      equal(
        "hook",
        { command: "node ~/zylos/x.js", timeout: 5 },
        { timeout: 5, command: '/usr/bin/node "/data/v1/x.js"' },
      ),
    ).toBe(true);
    expect(equal("directory", "~/zylos/", "/data/v1")).toBe(true);
  });
  it("but not when anything else does", () => {
    expect(equal("hook", { command: "node ~/x.js", timeout: 5 }, { command: "node ~/x.js", timeout: 6 })).toBe(false);
    expect(equal("hook", { command: "node ~/x.js" }, { command: "node ~/x.js -q" })).toBe(false);
    expect(equal("hook", { command: "x", note: "~/a" }, { command: "x", note: "/home/alice/a" })).toBe(false);
    expect(equal("server", { command: "~/a" }, { command: "/home/alice/a" })).toBe(false);
    expect(equal("setting", "~/a", "/home/alice/a")).toBe(false);
  });
  it("when one has a matcher for everything and the other none", () => {
    const flat = compiled(cursor.rules);
    expect(equal("hook", { command: "x", matcher: "*" }, { command: "x" }, linux, flat)).toBe(true);
    expect(equal("hook", { command: "x", matcher: "a" }, { command: "x" }, linux, flat)).toBe(false);
  });
  it("not when the version of a package differs: that is a change, of the same entry", () => {
    const among = compiled(opencode.rules);
    expect(equal("plugin", "a@1", "a@2", linux, among)).toBe(false);
  });
});

it("the value to be hashed does not depend on the home or on links", () => {
  const value = { type: "command", command: 'node "$HOME/zylos/x.js"' };
  const hashed = [linux, linked, rePointed, moved].map((ctx) =>
    JSON.stringify(portableValue("hook", value, rules, ctx)),
  );
  expect(new Set(hashed)).toEqual(new Set(['{"type":"command","command":"node ~/zylos/x.js"}']));
});
