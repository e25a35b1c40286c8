import { describe, expect, it } from "vitest";
import { claudeCode } from "../../src/identity/profiles/agents.ts";
import { groupIdentity } from "../../src/identity/rules/groups.ts";
import { identify, identifyUnderRules, settingFinder } from "../../src/identity/rules/identify.ts";
import type { Rule } from "../../src/identity/rules/rule.ts";
import { compiled, guarded, jsonRoot } from "./documents.ts";
import { linux, machine } from "./machines.ts";

const flat: Rule[] = [
  { type: "hook", at: "hooks[]", key: ["event", "command|command"], pair: ["event", "command|script"] },
  { type: "permission", at: "permissions.{list}[]", key: ["list", "value|path"] },
];

function keysIn(text: string, rules: readonly Rule[], ctx = linux): string[] {
  return identify(jsonRoot(text), compiled(rules), ctx).entries.map(({ key }) => key);
}

describe("a template", () => {
  it("is its rules' entries, and every other leaf as a setting, in order", () => {
    const text = `{
      "model": "opus", // comment
      "hooks": [ { "event": "SessionStart", "command": "/usr/bin/node $HOME/zylos/beat.js", "timeout": 5 } ],
      "env": { "A": "1", "a.b": "2", "": null },
      "permissions": { "allow": ["~/a", "/home/alice/b"], "defaultMode": "ask" },
      "empty": {}, "plain": [1, 2], "maps": [{ "a": 1 }], "on": false,
    }`;
    expect(keysIn(text, flat)).toEqual([
      "setting:model",
      "hook:SessionStart:node ~/zylos/beat.js",
      "setting:env.A",
      'setting:env."a.b"',
      'setting:env.""',
      "permission:allow:~/a",
      "permission:allow:~/b",
      "setting:permissions.defaultMode",
      "setting:empty",
      "setting:plain",
      "setting:maps",
      "setting:on",
    ]);
  });

  it("says which lists would be one value although they hold more than texts", () => {
    const { entries } = identify(jsonRoot('{ "a": [{}], "b": [1], "c": [[1]], "d": [] }'), compiled([]), linux);
    expect(entries.filter((entry) => entry.listWithoutRule).map(({ key }) => key)).toEqual(["setting:a", "setting:c"]);
  });

  it("gives each entry what comparing, recording and placing need", () => {
    const linked = machine({ links: { "/home/alice/zylos": "/data/zylos" } });
    const text =
      '{ "hooks": { "Stop": [ { "matcher": "", "hooks": [ { "type": "command", "command": "node \\"$HOME/zylos/x.js\\" -q" } ] } ] } }';
    const [entry] = identify(jsonRoot(text), compiled(claudeCode.rules), linked).entries;
    expect(entry).toMatchObject({
      type: "hook",
      key: "hook:Stop:*:node ~/zylos/x.js -q",
      match: "hook:Stop:*:node /data/zylos/x.js -q",
      pair: "hook:Stop:/data/zylos/x.js",
      source: { event: "Stop", matcher: "*", command: "node ~/zylos/x.js -q" },
      path: ["hooks", "Stop", 0, "hooks", 0],
      steps: [{ depth: 0, pathIndex: 2, identity: "group:matcher:*" }],
      listWithoutRule: false,
    });
    expect(entry?.node.value()).toEqual({ type: "command", command: 'node "$HOME/zylos/x.js" -q' });
  });

  it("says what it can't name, and does not lose it", () => {
    const text = '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command" } ] }, { "matcher": "Bash" }, "text" ] } }';
    const { entries, unidentified } = identify(jsonRoot(text), compiled(claudeCode.rules), linux);
    expect(entries).toEqual([]);
    expect(unidentified.map(({ path, missing }) => [path.join("."), missing])).toEqual([
      ["hooks.Stop.0.hooks.0", "command or url or server+tool or prompt"],
      ["hooks.Stop.1", "hooks"],
      ["hooks.Stop.2", "hooks"],
    ]);
  });

  it("does not take a matcher it can't read for none", () => {
    const text =
      '{ "hooks": { "Stop": [ { "matcher": { "tool": "x" }, "hooks": [ { "command": "a" } ] }, { "matcher": null, "hooks": [ { "command": "a" } ] } ] } }';
    const { entries, unidentified } = identify(jsonRoot(text), compiled(claudeCode.rules), linux);
    expect(entries.map(({ key, path }) => [key, path[2]])).toEqual([["hook:Stop:*:a", 1]]);
    expect(unidentified.map(({ missing }) => missing)).toEqual(["matcher"]);
  });

  it("keeps commands, addresses and prompts that read the same apart", () => {
    const handlers =
      '{ "command": "x" }, { "url": "x" }, { "prompt": "x" }, { "server": "a", "tool": "b" }, { "server": "a+b", "tool": "" }';
    expect(keysIn(`{ "hooks": { "Stop": [ { "hooks": [${handlers}] } ] } }`, claudeCode.rules)).toEqual([
      "hook:Stop:*:x",
      "hook:Stop:*:url=x",
      "hook:Stop:*:prompt=x",
      "hook:Stop:*:server+tool=a+b",
      "hook:Stop:*:server+tool=a\\\\+b+",
    ]);
  });

  it("leaves what belongs to a group to the group", () => {
    const text =
      '{ "hooks": { "Stop": [ { "matcher": "a", "sequential": true, "more": [1], "hooks": [ { "command": "x" } ] } ] } }';
    expect(keysIn(text, claudeCode.rules)).toEqual(["hook:Stop:a:x"]);
  });

  it("has no settings inside what a rule took", () => {
    expect(keysIn('{ "mcpServers": { "a": { "env": { "X": "1" } }, "b": {} } }', claudeCode.rules)).toEqual([
      "server:a",
      "server:b",
    ]);
    expect(keysIn('{ "mcpServers": {}, "permissions": { "allow": [] } }', claudeCode.rules)).toEqual([]);
  });

  it("asks rules in order, and the next where one can't name an item", () => {
    const both: Rule[] = [
      { type: "flat", at: "hooks.{event}[]", key: ["event", "command"] },
      { type: "nested", at: "hooks.{event}[].hooks[]", key: ["event", "command"] },
    ];
    const text =
      '{ "hooks": { "Stop": [ { "command": "a", "hooks": [ { "command": "b" } ] }, { "hooks": [ { "command": "c" } ] } ] } }';
    expect(keysIn(text, both)).toEqual(["flat:Stop:a", "nested:Stop:c"]);
  });

  it("reads names that objects inherit like any other", () => {
    expect(keysIn('{ "__proto__": 1, "constructor": { "toString": 2 } }', flat)).toEqual([
      "setting:__proto__",
      "setting:constructor.toString",
    ]);
    expect(keysIn('{ "permissions": { "__proto__": ["a"] } }', flat)).toEqual(["permission:__proto__:a"]);
  });
});

describe("a target", () => {
  it("is what rules find: twins too, nothing they can't name, no settings", () => {
    const text =
      '{ "x": 1, "permissions": { "deny": ["a", {}, null, "./a", 5] }, "hooks": [ { "event": "E" }, 3, { "event": "E", "command": "c" } ] }';
    const entries = identifyUnderRules(jsonRoot(text), compiled(flat), linux);
    expect(entries.map(({ key, path }) => [key, path.join(".")])).toEqual([
      ["permission:deny:a", "permissions.deny.0"],
      ["permission:deny:a", "permissions.deny.3"],
      ["permission:deny:5", "permissions.deny.4"],
      ["hook:E:c", "hooks.2"],
    ]);
  });

  it("of the wrong shape has no entries", () => {
    for (const text of [
      "[]",
      "1",
      '{ "hooks": {}, "permissions": [] }',
      '{ "hooks": null, "permissions": { "allow": "x" } }',
    ]) {
      expect(identifyUnderRules(jsonRoot(text), compiled(flat), linux)).toEqual([]);
    }
  });

  it("is read only where rules lead, and never as a whole", () => {
    const value = { history: { big: [1, 2] }, hooks: [{ event: "E", command: "c", payload: { deep: [1] } }] };
    const root = guarded(value, ["history", "history.big", "hooks.0.payload"]);
    expect(identifyUnderRules(root, compiled(flat), linux).map(({ key }) => key)).toEqual(["hook:E:c"]);
  });
});

describe("a group", () => {
  const rules = compiled(claudeCode.rules);
  const rule = rules.byType.get("hook");
  const identity = (text: string, depth = 0) => rule && groupIdentity(rule, depth, jsonRoot(text), linux);

  it("without a matcher, with an empty one and with a star is the same group", () => {
    expect(
      new Set(["{}", '{ "matcher": "" }', '{ "matcher": "*", "hooks": [] }'].map((text) => identity(text))).size,
    ).toBe(1);
    expect(identity('{ "matcher": "Bash" }')).not.toBe(identity("{}"));
  });
  it("is no group where the rule has none", () => {
    expect(identity("{}", 1)).toBeUndefined();
    expect(identity("[]")).toBeUndefined();
  });
});

describe("a setting", () => {
  const find = settingFinder(jsonRoot('{ "a": { "b.c": { "d": [1], "g": 2 } }, "e": 5 }'));
  const valueAt = (...names: string[]) => find(names)?.value();

  it("is found by its names, also right after another in the same map", () => {
    expect(valueAt("a", "b.c", "d")).toEqual([1]);
    expect(valueAt("a", "b.c", "g")).toBe(2);
    expect(valueAt("a", "b.c")).toEqual({ d: [1], g: 2 });
    expect(valueAt("e")).toBe(5);
  });
  it("is missing below the deepest map that is there, and below what is no map", () => {
    expect([valueAt("a", "x", "y"), valueAt("a", "x", "z"), valueAt("x")]).toEqual([undefined, undefined, undefined]);
    expect([valueAt("e", "f"), valueAt("a", "b.c", "d", "0")]).toEqual([undefined, undefined]);
  });
});
