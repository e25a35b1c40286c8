import { describe, expect, it } from "vitest";
import { paint } from "../../src/report/colour.ts";
import { planText } from "../../src/report/plan-text.ts";
import { applyStable } from "./stable.ts";
import { flatHooks, hook, pack, verdicts, World } from "./world.ts";

const settings = ".claude/settings.json";
const guard = (more: object = {}) => ({ type: "command", command: "~/guard.sh", ...more });
const claude = (version: string, ...hooks: object[]) => ({
  name: "zylos",
  version,
  files: [{ target: `~/${settings}`, template: { hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } } }],
});
const inFile = (...hooks: object[]) => ({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } });
const text = (document: Parameters<typeof planText>[0]) =>
  planText(document, {
    paint: paint(false),
    verbose: false,
    diff: false,
    tense: "plan",
    program: "stet",
    home: "/home",
  });

describe("the condition of a hook is a part of its key where it has one", () => {
  const key = "hook:PreToolUse:Bash:~/guard.sh";

  it("so that a pack may ship one command under two conditions", async () => {
    const world = new World();
    const both = claude("1", guard({ if: "Bash(git *)" }), guard({ if: "Bash(rm *)" }), guard());
    await applyStable(world, both);
    expect(world.json(settings)).toEqual(inFile(guard({ if: "Bash(git *)" }), guard({ if: "Bash(rm *)" }), guard()));
    expect(Object.keys(world.registry().files[`~/${settings}`].entries).sort()).toEqual([
      key,
      `${key}:Bash(git *)`,
      `${key}:Bash(rm *)`,
    ]);
    await world.uninstall();
    expect(world.exists(settings)).toBe(false);
  });

  it("so that a user's own hook beside ours is no copy of it", async () => {
    const world = new World();
    world.write(settings, inFile(guard({ if: "Bash(rm *)" })));
    await applyStable(world, claude("1", guard()));
    expect(world.json(settings)).toEqual(inFile(guard({ if: "Bash(rm *)" }), guard()));
    await world.uninstall();
    expect(world.json(settings)).toEqual(inFile(guard({ if: "Bash(rm *)" })));
  });

  it("and adding one to ours is an edit, that stands", async () => {
    const world = new World();
    await applyStable(world, claude("1", guard({ timeout: 5 })));
    world.write(settings, inFile(guard({ timeout: 5, if: "Bash(git *)" })));
    expect(verdicts(await world.plan(claude("1", guard({ timeout: 5 }))))).toEqual({ [key]: "keep user-modified" });
    await applyStable(world, claude("2", guard({ timeout: 9 })));
    expect(world.json(settings)).toEqual(inFile(guard({ timeout: 9, if: "Bash(git *)" })));
  });

  it("also in records that were written before it counted", async () => {
    const world = new World();
    await applyStable(world, claude("1", guard({ if: "Bash(git *)" })));
    const registry = world.registry();
    const { entries } = registry.files[`~/${settings}`];
    const { [`${key}:Bash(git *)`]: record } = entries;
    delete record.source.if;
    registry.files[`~/${settings}`].entries = { [key]: record };
    world.write(".local/state/stet/zylos/registry.json", registry);
    expect(verdicts(await world.apply(claude("2", guard({ if: "Bash(git *)", timeout: 1 }))))).toEqual({
      [`${key}:Bash(git *)`]: "update",
    });
    expect(world.json(settings)).toEqual(inFile(guard({ if: "Bash(git *)", timeout: 1 })));
  });

  it("is named on the command line like any part", async () => {
    const world = new World();
    await applyStable(world, claude("1", guard({ if: "Bash(git *)" }), guard()));
    await world.disown(`${key}:Bash(git *)`);
    expect(verdicts(await world.plan(claude("1", guard({ if: "Bash(git *)" }), guard())))).toEqual({
      [key]: "unchanged",
      [`${key}:Bash(git *)`]: "keep disowned",
    });
  });
});

describe("of two entries with one key, only what equals the record is a copy", () => {
  const file = "app/config.json";
  const x = (more: object = {}) => hook("Stop", "node x.js", more);

  it("one that the user wrote above ours, or below, stands beside it through upgrades and uninstall", async () => {
    for (const hooks of [
      [x({ timeout: 1 }), x()],
      [x(), x({ timeout: 1 })],
    ]) {
      const world = new World();
      await world.apply(pack("1", { hooks: [x()] }));
      world.write(file, { hooks });
      expect(await applyStable(world, pack("1", { hooks: [x()] }))).toEqual({ "hook:Stop:node x.js": "unchanged" });
      await applyStable(world, pack("2", { hooks: [x({ quiet: true })] }));
      expect(world.json(file).hooks).toContainEqual(x({ timeout: 1 }));
      expect(world.json(file).hooks).toContainEqual(x({ quiet: true }));
      await world.uninstall();
      expect(world.json(file)).toEqual({ hooks: [x({ timeout: 1 })] });
    }
  });

  it("no copy goes while the entry itself is kept", async () => {
    const world = new World();
    const kept = { policy: [{ match: "hook:*", "create-only": true }] };
    await world.apply(pack("1", { hooks: [x()] }, kept));
    world.write(file, { hooks: [x(), x()] });
    expect(await applyStable(world, pack("2", { hooks: [x({ quiet: true })] }, kept))).toEqual({
      "hook:Stop:node x.js": "keep create-only",
    });
    expect(world.json(file)).toEqual({ hooks: [x(), x()] });
  });

  it("each copy that goes is said in the report, whatever else happens to the entry", async () => {
    const world = new World();
    await world.apply(pack("1", { hooks: [x()] }));
    world.write(file, { hooks: [x(), x()] });
    const said = "1 further copy of hook:Stop:node x.js taken out";
    expect(text(await world.plan(pack("1", { hooks: [x()] })))).toContain(said);
    expect(text(await world.plan(pack("2", { hooks: [x({ quiet: true })] })))).toContain(said);
    expect(text(await world.plan(pack("2", {})))).toContain(said);
    await world.apply({
      ...pack("1", {}),
      name: "other",
      files: [{ target: `~/${file}`, template: { hooks: [x()] }, rules: flatHooks }],
    });
    world.write(file, { hooks: [x(), x()] });
    expect(text(await world.plan(pack("2", {})))).toContain(said);
  });
});
