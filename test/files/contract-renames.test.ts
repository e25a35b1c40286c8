import { describe, expect, it } from "vitest";
import { applyStable, nestedHook, packOf } from "./stable.ts";
import { hook, pack, World } from "./world.ts";

const file = "app/config.json";
const settings = ".claude/settings.json";
const claude = (version: string, template: object, more: object = {}) =>
  packOf(`~/${settings}`, version, template, more);

describe("an entry that its owner renames and the user has changed", () => {
  const renamed = { moved: [{ from: "hook:S:node ~/x.js", to: "hook:S:node ~/y.js" }] };

  it("stays one entry when both gave it another command, until somebody settles it", async () => {
    const world = new World();
    await applyStable(world, pack("1.0.0", { hooks: [hook("S", "node ~/x.js")] }));
    world.edit(file, "node ~/x.js", "nice node ~/x.js -q");
    for (const version of ["2.0.0", "2.0.1"]) {
      const decided = await applyStable(world, pack(version, { hooks: [hook("S", "node ~/y.js", { t: 1 })] }, renamed));
      expect(decided).toEqual({ "hook:S:node ~/y.js": "conflict both-changed" });
      expect(world.json(file).hooks).toEqual([hook("S", "nice node ~/x.js -q", { t: 1 })]);
    }
  });

  it.each([
    ["mine", [hook("S", "nice node ~/x.js -q", { t: 1 })], "keep user-deleted"],
    ["theirs", [hook("S", "node ~/y.js", { t: 1 })], "unchanged"],
  ] as const)("is one entry after resolve --%s too", async (choice, hooks, verdict) => {
    const world = new World();
    await world.apply(pack("1.0.0", { hooks: [hook("S", "node ~/x.js")] }));
    world.edit(file, "node ~/x.js", "nice node ~/x.js -q");
    const v2 = pack("2.0.0", { hooks: [hook("S", "node ~/y.js", { t: 1 })] }, renamed);
    await world.apply(v2);
    await world.resolve("hook:S:node ~/y.js", choice);
    expect(await applyStable(world, v2)).toEqual({ "hook:S:node ~/y.js": verdict });
    expect(world.json(file).hooks).toEqual(hooks);
  });

  it("goes to its new event although another of its fields is in conflict", async () => {
    const world = new World();
    const moved = { moved: [{ from: "hook:Stop:*:node ~/x.js", to: "hook:SubagentStop:*:node ~/x.js" }] };
    await applyStable(world, claude("1.0.0", nestedHook("Stop", undefined, { command: "node ~/x.js", timeout: 1 })));
    world.edit(settings, '"timeout": 1', '"timeout": 9');
    const v2 = claude("2.0.0", nestedHook("SubagentStop", undefined, { command: "node ~/x.js", timeout: 2 }), moved);
    expect(await applyStable(world, v2)).toEqual({ "hook:SubagentStop:*:node ~/x.js": "conflict both-changed" });
    expect(world.json(settings)).toEqual(nestedHook("SubagentStop", undefined, { command: "node ~/x.js", timeout: 9 }));
  });

  it("takes an edited setting along to another map", async () => {
    const world = new World();
    await applyStable(world, pack("1.0.0", { a: { x: 1 }, b: { z: 1 } }));
    world.edit(file, '"x": 1', '"x": 9');
    const moved = { moved: [{ from: "setting:a.x", to: "setting:b.y" }] };
    await applyStable(world, pack("2.0.0", { b: { z: 1, y: 1 } }, moved));
    expect(world.json(file)).toEqual({ b: { z: 1, y: 9 } });
    expect(await applyStable(world, pack("3.0.0", { b: { z: 1, y: 3 } }, moved))).toMatchObject({
      "setting:b.y": "conflict both-changed",
    });
  });

  it("is renamed from what an earlier release installed before there were records", async () => {
    const world = new World();
    world.write(file, { hooks: [hook("S", "node ~/x.js")], mine: 1 });
    const earlier = {
      earlier: {
        "1.0.0": { from: { [`~/${file}`]: { hooks: [hook("S", "node ~/x.js")] } }, when: { exists: "~/app" } },
      },
    };
    const decided = await applyStable(
      world,
      pack("2.0.0", { hooks: [hook("S", "node ~/y.js")] }, { ...renamed, ...earlier }),
    );
    expect(decided).toEqual({ "hook:S:node ~/y.js": "move renamed" });
    expect(world.json(file)).toEqual({ hooks: [hook("S", "node ~/y.js")], mine: 1 });
  });

  it("is renamed only in the file that the move names", async () => {
    const world = new World();
    const files = (template: object) => ["~/a.json", "~/b.json"].map((target) => ({ target, template }));
    const owner = { name: "zylos", moved: [{ from: "setting:old", to: "setting:new", file: "~/a.json" }] };
    await applyStable(world, { ...owner, version: "1", files: files({ old: 1 }) });
    for (const name of ["a.json", "b.json"]) world.edit(name, "1", "7");
    await applyStable(world, { ...owner, version: "2", files: files({ new: 1 }) });
    expect(world.json("a.json")).toEqual({ new: 7 });
    expect(world.json("b.json")).toEqual({ old: 7, new: 1 });
  });
});

describe("a user who changes only the matcher of a hook", () => {
  const installed = nestedHook("PreToolUse", "Bash", { command: "node ~/x.js" });
  const edited = nestedHook("PreToolUse", "Bash|Edit", { command: "node ~/x.js" });

  it("has edited it: it is kept and told, and uninstalling leaves it", async () => {
    const world = new World();
    await applyStable(world, claude("1.0.0", installed));
    world.edit(settings, '"Bash"', '"Bash|Edit"');
    const document = await world.apply(claude("1.0.0", installed));
    expect(document.diagnostics).toMatchObject([{ code: "user-modified", severity: "warning" }]);
    await world.uninstall();
    expect(world.json(settings)).toEqual(edited);
  });

  it("gets the owner's changes of other parts in the place they chose", async () => {
    const world = new World();
    await applyStable(world, claude("1.0.0", installed));
    world.edit(settings, '"Bash"', '"Bash|Edit"');
    await applyStable(world, claude("2.0.0", nestedHook("PreToolUse", "Bash", { command: "node ~/x.js --new" })));
    expect(world.json(settings)).toEqual(nestedHook("PreToolUse", "Bash|Edit", { command: "node ~/x.js --new" }));
  });

  it("finds it back in the owner's place under when-edited: overwrite", async () => {
    const world = new World();
    await applyStable(world, claude("1.0.0", installed));
    world.edit(settings, '"Bash"', '"Bash|Edit"');
    await applyStable(world, claude("1.0.1", installed, { policy: [{ match: "hook:*", "when-edited": "overwrite" }] }));
    expect(world.json(settings).hooks.PreToolUse.at(-1)).toEqual({
      matcher: "Bash",
      hooks: [{ type: "command", command: "node ~/x.js" }],
    });
    expect(JSON.stringify(world.json(settings)).split("x.js")).toHaveLength(2);
  });
});
