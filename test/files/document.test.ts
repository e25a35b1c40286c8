import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { fileError } from "../../src/store/gate/store-error.ts";
import { flatHooks, hook, pack, verdicts, World } from "./world.ts";

const beat = "node ~/zylos/scripts/heartbeat.js";
const key = `hook:SessionStart:${beat}`;
const file = "app/config.json";

describe("the document's test matrix", () => {
  it("Idempotence test: a second run reports zero changes and leaves config and registry identical", async () => {
    const world = new World();
    const v1 = pack("1.0.0", { hooks: [hook("SessionStart", beat)], theme: "dark" });
    expect((await world.apply(v1)).changed).toBe(2);
    const before = world.snapshot();
    const again = await world.apply(v1);
    expect(again).toMatchObject({ changed: 0, summary: { unchanged: 2 } });
    expect(world.snapshot()).toEqual(before);
  });

  it("User-edit preservation test: a modified entry stays, and a warning is given", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat, { timeout: 5 })] }));
    world.edit(file, '"timeout": 5', '"timeout": 60');
    const document = await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat, { timeout: 5 })] }));
    expect(world.json(file).hooks[0].timeout).toBe(60);
    expect(document.diagnostics).toMatchObject([{ code: "user-modified", severity: "warning", key }]);
  });

  it("Reverse pass test: an entry that the new release lacks goes, from config and registry", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat), hook("Stop", "node ~/zylos/stop.js")] }));
    await world.apply(pack("1.1.0", { hooks: [hook("Stop", "node ~/zylos/stop.js")] }));
    expect(world.json(file).hooks).toEqual([hook("Stop", "node ~/zylos/stop.js")]);
    expect(Object.keys(world.registry().files[`~/${file}`].entries)).toEqual(["hook:Stop:node ~/zylos/stop.js"]);
  });

  it("Reverse pass with user edit test: a modified obsolete entry is not removed, and a warning is given", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat)], keep: 1 }));
    world.edit(file, `"command": "${beat}"`, `"command": "${beat}", "timeout": 9`);
    const document = await world.apply(pack("1.1.0", { keep: 1 }));
    expect(world.json(file).hooks).toEqual([hook("SessionStart", beat, { timeout: 9 })]);
    expect(document.diagnostics).toMatchObject([{ code: "obsolete-modified", severity: "warning", key }]);
    expect(document.diagnostics[0]!.message).toMatch(/no longer needs.*manual cleanup recommended/);
  });

  it("Skip-version upgrade test: all entries of the newest release are there", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat)] }));
    const newest = {
      hooks: ["a", "b", "c"].map((name) => hook("SessionStart", `node ~/zylos/${name}.js`)),
      theme: "light",
    };
    await world.apply(pack("1.3.0", newest));
    expect(world.json(file)).toEqual(newest);
  });

  it("Path variant test: the same entry with an absolute path is still one entry", async () => {
    const world = new World();
    const v1 = pack("1.0.0", { hooks: [hook("SessionStart", beat)] });
    await world.apply(v1);
    for (const spelling of [
      `node ${world.home}/zylos/scripts/heartbeat.js`,
      "node $HOME/zylos/scripts/heartbeat.js",
      'node "$' + '{HOME}/zylos/scripts/heartbeat.js"',
    ]) {
      world.write(file, { hooks: [hook("SessionStart", spelling)] });
      expect(await world.apply(v1)).toMatchObject({ changed: 0, summary: { unchanged: 1 } });
      expect(world.json(file).hooks).toEqual([hook("SessionStart", spelling)]);
    }
  });

  it("Missing registry test: what is there counts as the user's, what is missing is added", async () => {
    const world = new World();
    const v1 = pack("1.0.0", { hooks: [hook("SessionStart", beat)], theme: "dark" });
    await world.apply(v1);
    fs.rmSync(world.machine.stateDir, { recursive: true });
    world.edit(file, '"theme": "dark"', '"other": 1');
    const document = await world.apply(v1);
    expect(verdicts(document)).toEqual({ [key]: "keep user-owned", "setting:theme": "create" });
    expect(world.json(file)).toEqual({ hooks: [hook("SessionStart", beat)], other: 1, theme: "dark" });
  });
});

describe("the document's failure taxonomy", () => {
  it("Silent user edit overwrite: an upgrade never writes over an edit", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { theme: "dark" }));
    world.edit(file, "dark", "solarized");
    const document = await world.apply(pack("2.0.0", { theme: "light" }));
    expect(world.json(file).theme).toBe("solarized");
    expect(verdicts(document)).toEqual({ "setting:theme": "conflict both-changed" });
  });

  it("Duplicate accumulation: however often it runs, under whatever spelling, an entry is there once", async () => {
    const world = new World();
    for (const version of ["1.0.0", "1.1.0", "1.2.0"]) {
      await world.apply(pack(version, { hooks: [hook("SessionStart", beat)] }));
      world.edit(file, "~/", "$HOME/");
      await world.apply(pack(version, { hooks: [hook("SessionStart", beat)] }));
      expect(world.json(file).hooks).toHaveLength(1);
      world.edit(file, "$HOME/", "~/");
    }
  });

  it("Non-idempotent re-run: each kind of change is stable when run again", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1, b: { c: 1 }, l: [1], hooks: [hook("Stop", "x"), hook("Start", "y")] }));
    world.edit(file, '"a": 1', '"a": 5');
    const v2 = pack("2.0.0", { a: 2, b: { c: 2, d: 3 }, hooks: [hook("Start", "y", { t: 1 }), hook("New", "z")] });
    await world.apply(v2);
    const before = world.snapshot();
    expect((await world.apply(v2)).changed).toBe(0);
    expect(world.snapshot()).toEqual(before);
  });

  it("Orphaned framework entries: what several releases dropped is gone", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1, b: 1, hooks: [hook("Stop", "x")] }));
    await world.apply(pack("1.1.0", { b: 1 }));
    await world.apply(pack("1.2.0", { c: 1 }));
    expect(world.json(file)).toEqual({ c: 1 });
  });

  it("Missing entry after skip-upgrade: nothing depends on the releases in between", async () => {
    const releases = [
      { a: 1 },
      { a: 2, b: 1, hooks: [hook("S", "x")] },
      { b: 2, c: 3, hooks: [hook("S", "x", { t: 1 }), hook("T", "y")] },
    ];
    const [stepping, skipping] = [new World(), new World()];
    for (const [i, release] of releases.entries()) await stepping.apply(pack(`1.${i}.0`, release));
    await skipping.apply(pack("1.0.0", releases[0]!));
    await skipping.apply(pack("1.2.0", releases[2]!));
    expect(skipping.json(file)).toEqual(stepping.json(file));
  });

  it("Collision false-positive: heartbeat.js is not heartbeat-v2.js", async () => {
    const world = new World();
    world.write(file, { hooks: [hook("SessionStart", "node ~/zylos/scripts/heartbeat-v2.js")] });
    await world.apply(pack("1.0.0", { hooks: [hook("SessionStart", beat)] }));
    expect(world.json(file).hooks).toHaveLength(2);
    await world.uninstall();
    expect(world.json(file).hooks).toEqual([hook("SessionStart", "node ~/zylos/scripts/heartbeat-v2.js")]);
  });

  it("Partial write on crash: what can't be written leaves every file as it was", async () => {
    const world = new World();
    await world.apply({
      ...pack("1.0.0", {}),
      files: [
        { target: "~/a.json", template: { x: 1 } },
        { target: "~/b.json", template: { x: 1 } },
      ],
    });
    const full = () => {
      throw fileError("write", "~/a.json", Object.assign(new Error("no space"), { code: "ENOSPC" }));
    };
    const failing = { ...world.machine.gate, rename: full };
    Object.assign(world.machine, { gate: failing });
    const v2 = {
      ...pack("2.0.0", {}),
      files: [
        { target: "~/a.json", template: { x: 2 } },
        { target: "~/b.json", template: { x: 2 } },
      ],
    };
    await expect(world.apply(v2)).rejects.toThrow(/no space is left/);
    expect([world.json("a.json"), world.json("b.json")]).toEqual([{ x: 1 }, { x: 1 }]);
  });

  it("Registry/config desync: an entry deleted by hand is put back, or forgotten once it is obsolete", async () => {
    const world = new World();
    await world.apply(pack("1.0.0", { a: 1, b: 2 }));
    world.write(file, { b: 2 });
    expect(verdicts(await world.plan(pack("1.0.0", { a: 1, b: 2 })))).toEqual({
      "setting:a": "restore",
      "setting:b": "unchanged",
    });
    const document = await world.apply(pack("1.1.0", { b: 2 }));
    expect(verdicts(document)).toEqual({ "setting:a": "forget", "setting:b": "unchanged" });
    expect(document.diagnostics).toEqual([]);
  });

  it("Cross-platform path mismatch: a template with ~ fits any home, and a registry moves with it", async () => {
    const [alice, bob] = [new World(), new World()];
    const v1 = pack("1.0.0", { hooks: [hook("SessionStart", beat)] });
    await alice.apply(v1);
    alice.write(file, { hooks: [hook("SessionStart", `node ${alice.home}/zylos/scripts/heartbeat.js`)] });
    fs.cpSync(alice.home, bob.home, { recursive: true });
    expect(await bob.apply(v1)).toMatchObject({ changed: 0, summary: { unchanged: 1 } });
    expect(bob.json(file).hooks).toHaveLength(1);
  });
});

it("the document's permission entries by path", async () => {
  const world = new World();
  const template = { permissions: { allow: ["~/zylos/data"] } };
  world.write(file, { permissions: { allow: [`${world.home}/zylos/data`] } });
  await world.apply({
    name: "zylos",
    version: "1",
    files: [{ target: `~/${file}`, template, rules: flatHooks }],
    policy: [{ match: "*", "when-present": "adopt" }],
  });
  expect(world.json(file).permissions.allow).toHaveLength(1);
});
