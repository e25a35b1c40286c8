import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { verdicts, World } from "./world.ts";

const release = (version: string, file: object, template: object = { a: 1, b: 1 }) => ({
  name: "zylos",
  version,
  files: [
    { target: "~/app/config.json", template, ...file },
    { target: "~/other.json", template: { c: 1 } },
  ],
});

describe("a condition that no longer holds", () => {
  it("os: the file's entries are no longer wanted, like those of a template that dropped them", async () => {
    const world = new World();
    world.write("app/config.json", '{ "own": 1 }\n');
    await world.apply(release("1", {}));
    world.edit("app/config.json", '"b": 1', '"b": 2');
    const narrowed = release("2", { os: ["win32"] });
    expect(verdicts(await world.plan(narrowed, { prune: false }))).toMatchObject({ "setting:a": "keep prune-off" });
    expect(await applyStable(world, narrowed)).toEqual({
      "setting:a": "remove",
      "setting:b": "keep obsolete-modified",
      "setting:c": "unchanged",
    });
    expect(world.json("app/config.json")).toEqual({ own: 1, b: 2 });
    await world.uninstall();
    expect(world.exists("other.json")).toBe(false);
  });

  it("os: what was found and adopted is given back", async () => {
    const world = new World();
    world.write("app/config.json", '{ "a": 0 }\n');
    const policy = [{ match: "*", "when-present": "adopt", "when-edited": "overwrite" }];
    await world.apply({ ...release("1", {}), policy });
    expect(world.json("app/config.json")).toEqual({ a: 1, b: 1 });
    await world.apply({ ...release("2", { os: ["darwin"] }), policy });
    expect(world.read("app/config.json")).toBe('{ "a": 0 }\n');
  });

  it("only-if: exists: a file that is gone is forgotten, and one that comes back is new", async () => {
    const world = new World();
    world.write("app/config.json", "{}\n");
    const v1 = release("1", { "only-if": "exists" });
    await world.apply(v1);
    fs.rmSync(world.at("app"), { recursive: true });
    expect(await applyStable(world, v1)).toEqual({
      "setting:a": "forget",
      "setting:b": "forget",
      "setting:c": "unchanged",
    });
    expect(world.exists("app")).toBe(false);
    expect(Object.keys(world.registry().files)).toEqual(["~/other.json"]);
    world.write("app/config.json", "{}\n");
    expect(await applyStable(world, v1)).toMatchObject({ "setting:a": "create", "setting:b": "create" });
  });

  it("a file whose condition never held is not mentioned", async () => {
    const world = new World();
    expect(await applyStable(world, release("1", { os: ["win32"] }))).toEqual({ "setting:c": "create" });
    expect((await world.status())[0]!.files.map(({ path }) => path)).toEqual([world.at("other.json")]);
  });
});
