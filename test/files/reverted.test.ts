import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { hook, pack, verdicts, World } from "./world.ts";

const file = "app/config.json";
const v3 = pack("1.3.0", {
  theme: "dark",
  old: 1,
  env: { gone: 1 },
  hooks: [hook("Stop", "node ~/x.js", { t: 5 })],
  same: 1,
});
const v4 = pack("1.4.0", { theme: "light", fresh: 1, hooks: [hook("Stop", "node ~/x.js", { t: 9 })], same: 1 });
const told = ({ diagnostics }: { diagnostics: readonly { code: string; message: string }[] }) =>
  diagnostics.map(({ code }) => code);

async function upgraded(own = "{}\n"): Promise<{ world: World; then: string; now: string }> {
  const world = new World();
  world.write(file, own);
  await world.apply(v3);
  const then = world.read(file);
  await world.apply(v4);
  return { world, then, now: world.read(file) };
}

describe("a file as an earlier generation left it", () => {
  it("stays so, with one line that names the version and the command", async () => {
    const { world, then } = await upgraded();
    world.write(file, then);
    expect(await applyStable(world, v4)).toEqual({
      "hook:Stop:node ~/x.js": "keep reverted",
      "setting:fresh": "keep reverted",
      "setting:same": "unchanged",
      "setting:theme": "keep reverted",
    });
    expect(world.read(file)).toBe(then);
    const planned = await world.plan(v4);
    expect(told(planned)).toEqual(["reverted"]);
    expect(planned.diagnostics[0]!.message).toMatch(/is as 1\.3\.0 left it.*stet resolve .*config\.json'? --theirs/);
  });

  it("resolve FILE --theirs brings all of it up to date, and takes out what has been dropped since", async () => {
    const { world, then, now } = await upgraded('{ "own": 1 }\n');
    world.write(file, then);
    await world.apply(v4);
    await world.resolve(`~/${file}`, "theirs");
    expect(world.json(file)).toEqual(JSON.parse(now));
    expect(Object.values(await applyStable(world, v4))).toEqual(["unchanged", "unchanged", "unchanged", "unchanged"]);
    await world.uninstall();
    expect(world.json(file)).toEqual({ own: 1 });
  });

  it("an edit that was there then is an edit still, and stands", async () => {
    const world = new World();
    await world.apply(v3);
    world.edit(file, '"same": 1', '"same": 7');
    await world.apply(pack("1.3.1", { theme: "blue", old: 1, same: 1 }));
    const then = world.read(file);
    await world.apply(v4);
    world.write(file, then);
    expect(await applyStable(world, v4)).toMatchObject({
      "setting:same": "keep user-modified",
      "setting:theme": "keep reverted",
    });
    await world.resolve(`~/${file}`, "theirs");
    expect(world.json(file)).toMatchObject({ same: 7, theme: "light", fresh: 1 });
    expect(world.read(file)).not.toContain("old");
  });

  it("resolve FILE --mine accepts it as it is", async () => {
    const { world, then } = await upgraded();
    world.write(file, then);
    await world.resolve(`~/${file}`, "mine");
    expect(world.read(file)).toBe(then);
    expect(await applyStable(world, v4)).toMatchObject({ "setting:fresh": "keep user-deleted" });
    expect(world.read(file)).toBe(then);
  });

  const registry = ".local/state/stet/zylos/registry.json";

  /** Two machines with the same file; the records of the one that went on come to the other, and nothing else. */
  async function synced(own: string, ...before: object[]): Promise<World> {
    const [ahead, behind] = [new World(), new World()];
    for (const world of [ahead, behind]) {
      world.write(file, own);
      for (const release of [...before, v3]) await world.apply(release);
    }
    await ahead.apply(v4);
    fs.copyFileSync(ahead.at(registry), behind.at(registry));
    return behind;
  }

  it.each([
    ["in a file of the user's", [], '{ "own": 1, "env": { "mine": 1 } }\n'],
    ["after an upgrade", [pack("1.2.0", { old: 1, older: 1, theme: "blue" })], '{ "own": 1 }\n'],
  ])("records that came from another machine are told the same way, and resolved whole: %s", async (_, before, own) => {
    const behind = await synced(own, ...before);
    expect(told(await behind.plan(v4))).toEqual(["reverted"]);
    await behind.resolve(`~/${file}`, "theirs");
    expect(behind.json(file)).toEqual({
      ...JSON.parse(own),
      theme: "light",
      fresh: 1,
      hooks: [hook("Stop", "node ~/x.js", { t: 9 })],
      same: 1,
    });
  });

  it("where the history no longer keeps what was found, the line says what stays", async () => {
    const behind = await synced('{ "own": 1 }\n');
    fs.rmSync(behind.at(".local/state/stet/zylos/objects"), { recursive: true });
    const { diagnostics } = await behind.plan(v4);
    expect(diagnostics.map(({ message }) => message).join()).toMatch(
      /entries dropped since then stay, as nothing here says any more what 1\.3\.0 wrote$/,
    );
    await behind.resolve(`~/${file}`, "theirs");
    expect(behind.json(file)).toMatchObject({ own: 1, theme: "light", fresh: 1, old: 1 });
  });

  it("a rollback, an edit, or a file that has always been so is nothing of the kind", async () => {
    const { world } = await upgraded();
    world.edit(file, '"light"', '"sepia"');
    expect(verdicts(await world.plan(v4))).toMatchObject({ "setting:theme": "keep user-modified" });
    expect(told(await world.plan(v4))).toEqual(["user-modified"]);
    await world.rollback();
    expect((await world.status())[0]!.diagnostics.map(({ code }) => code)).not.toContain("reverted");
  });

  it("where only something was dropped since, resolve FILE --theirs takes it out as well", async () => {
    const world = new World();
    await world.apply(pack("1", { a: 1, b: 1 }));
    const then = world.read(file);
    await world.apply(pack("2", { a: 1 }));
    world.write(file, then);
    await world.resolve(`~/${file}`, "theirs");
    expect(world.json(file)).toEqual({ a: 1 });
  });
});
