import { expect, it } from "vitest";
import { storyOf } from "../../src/files/explain.ts";
import { flatHooks, hook, pack, World } from "./world.ts";

const file = "app/config.json";
const one = async (world: World, text: string, owner?: string) => (await storyOf({ text, owner }, world.machine))[0]!;

it("shows the three values of a conflict, what becomes of it, and every change with its date", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark" }));
  await world.apply(pack("1.1.0", { theme: "dim" }));
  world.edit(file, "dim", "sepia");
  await world.apply(pack("2.0.0", { theme: "light" }));
  const explained = await one(world, "theme");
  expect(explained).toMatchObject({
    owner: "zylos",
    version: "2.0.0",
    key: "setting:theme",
    verdict: "conflict",
    reason: "both-changed",
  });
  expect([explained.wanted, explained.recorded?.value, explained.actual]).toEqual(["light", "dim", "sepia"]);
  expect(explained.history.map(({ version, note, change, value }) => `${version} ${note} ${change} ${value}`)).toEqual([
    "1.0.0 apply added dark",
    "1.1.0 apply updated dim",
    "2.0.0 apply waiting light",
  ]);
  expect(explained.history[0]!.time).toMatch(/^2026-01-01T00:00:\d\d/);
});

it("names the policies that hold, and whose they are", async () => {
  const world = new World();
  world.write(".config/stet/policy.yaml", "- { match: 'hook:*', when-deleted: respect }\n");
  const policy = [{ match: "hook:Stop:*", "when-edited": "keep" }];
  await world.apply(pack("1.0.0", { hooks: [hook("Stop", "x")] }, { policy }));
  const { rulings, rule } = await one(world, "hook:Stop");
  expect(rulings.filter(({ from }) => from !== "default")).toEqual([
    { property: "when-deleted", value: "respect", from: "your policy", match: "hook:*" },
    { property: "when-edited", value: "keep", from: "the pack or its profile", match: "hook:Stop:*" },
  ]);
  expect(rule).toMatchObject(flatHooks[0]!);
});

it("follows an entry through handing over, taking back and removal", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark", other: 1 }));
  await world.disown("setting:theme");
  await world.adopt("setting:theme");
  expect((await one(world, "setting:theme")).history.map(({ note, change }) => `${note} ${change}`)).toEqual([
    "apply added",
    "disown handed-over",
    "adopt taken-back",
  ]);
});

it("explains an entry once for each of its owners", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark" }));
  await world.apply({
    name: "other",
    version: "9",
    files: [{ target: `~/${file}`, template: { theme: "dark" }, rules: flatHooks }],
  });
  const both = await storyOf({ text: "setting:theme" }, world.machine);
  expect(both.map(({ owner, others }) => [owner, others])).toEqual([
    ["other", ["zylos"]],
    ["zylos", ["other"]],
  ]);
  expect((await storyOf({ text: "setting:theme", owner: "other" }, world.machine)).map(({ owner }) => owner)).toEqual([
    "other",
  ]);
});

it("goes on where a part of the history is damaged", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark" }));
  await world.apply(pack("1.1.0", { theme: "dim" }));
  const objects = Object.keys(world.snapshot(".local/state/stet/zylos/objects"));
  for (const object of objects) world.write(object, "damaged");
  expect((await one(world, "theme")).history.map(({ change }) => change)).toContain("unreadable");
});

it("asks for more where a part of a key means several entries", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a1: 1, a2: 2 }));
  await expect(storyOf({ text: "setting:a" }, world.machine)).rejects.toThrow(/could mean .*setting:a1.*setting:a2/);
});
