import { describe, expect, it } from "vitest";
import { applyStable, packOf } from "./stable.ts";
import { hook, pack, World } from "./world.ts";

const file = "app/config.json";
const policy = (...policies: object[]) => ({ policy: policies });

describe("a manifest's policies", () => {
  it("ignore: a field is the user's, in every comparison, and what the owner wants of it is still on record", async () => {
    const world = new World();
    const ignore = policy({ match: "hook:*", ignore: ["timeout"] });
    const v1 = pack("1", { hooks: [hook("S", "x", { timeout: 1 })] }, ignore);
    await applyStable(world, v1);
    world.edit(file, '"timeout": 1', '"timeout": 9');
    expect(await applyStable(world, v1)).toEqual({ "hook:S:x": "unchanged" });
    expect(await applyStable(world, pack("2", { hooks: [hook("S", "x", { timeout: 2, a: 1 })] }, ignore))).toEqual({
      "hook:S:x": "update",
    });
    expect(world.json(file).hooks).toEqual([hook("S", "x", { timeout: 9, a: 1 })]);
    expect(await applyStable(world, pack("3", { hooks: [hook("S", "x", { timeout: 2, a: 1 })] }))).toEqual({
      "hook:S:x": "keep user-modified",
    });
    expect(await applyStable(world, pack("4", { hooks: [] }, ignore))).toEqual({
      "hook:S:x": "keep obsolete-modified",
    });
    expect(world.json(file).hooks).toEqual([hook("S", "x", { timeout: 9, a: 1 })]);
    world.edit(file, '"timeout": 9', '"timeout": 2');
    expect(await applyStable(world, pack("5", { hooks: [] }, ignore))).toEqual({ "hook:S:x": "remove" });
    expect(world.exists(file)).toBe(false);
  });

  it("create-only: written once, then never updated or restored", async () => {
    const world = new World();
    const once = policy({ match: "setting:a", "create-only": true });
    await applyStable(world, pack("1", { a: 1, b: 1 }, once));
    expect(await applyStable(world, pack("2", { a: 2, b: 1 }, once))).toMatchObject({
      "setting:a": "keep create-only",
    });
    world.write(file, { b: 1 });
    expect(await applyStable(world, pack("3", { a: 3, b: 1 }, once))).toMatchObject({
      "setting:a": "keep create-only",
    });
    expect(world.json(file)).toEqual({ b: 1 });
  });

  it("when-edited: keep leaves an edit without a conflict, overwrite does not leave it", async () => {
    const world = new World();
    const both = policy(
      { match: "setting:keep", "when-edited": "keep" },
      { match: "setting:over", "when-edited": "overwrite" },
    );
    await applyStable(world, pack("1", { keep: 1, over: 1 }, both));
    world.write(file, { keep: 7, over: 7 });
    expect(await applyStable(world, pack("2", { keep: 2, over: 2 }, both))).toEqual({
      "setting:keep": "keep user-modified",
      "setting:over": "update",
    });
    expect(world.json(file)).toEqual({ keep: 7, over: 2 });
  });

  it("when-present: adopt takes over what was there, and its value counts as the user's edit", async () => {
    const world = new World();
    world.write(file, { a: 5, b: 1 });
    const adopt = policy({ match: "*", "when-present": "adopt" });
    expect(await applyStable(world, pack("1", { a: 1, b: 1 }, adopt))).toEqual({
      "setting:a": "adopt",
      "setting:b": "adopt",
    });
    expect(await applyStable(world, pack("2", { a: 2, b: 2 }, adopt))).toEqual({
      "setting:a": "conflict both-changed",
      "setting:b": "update",
    });
    expect(world.json(file)).toEqual({ a: 5, b: 2 });
  });

  it("the first match counts, property by property; a star is a wildcard and \\* a star", async () => {
    const world = new World();
    const rules = policy(
      { match: "setting:x\\*", "when-deleted": "respect" },
      { match: "setting:x*", "when-deleted": "restore", "when-edited": "overwrite" },
      { match: "*", "when-edited": "keep" },
    );
    await applyStable(world, pack("1", { "x*": 1, xy: 1, z: 1 }, rules));
    world.write(file, { z: 5 });
    expect(await applyStable(world, pack("2", { "x*": 2, xy: 2, z: 2 }, rules))).toEqual({
      "setting:x*": "keep user-deleted",
      "setting:xy": "restore",
      "setting:z": "keep user-modified",
    });
  });

  it("file: narrows a policy to one target, however that is spelt", async () => {
    const world = new World();
    const manifest = (version: string) => ({
      name: "zylos",
      version,
      vars: { APP: "~/app" },
      files: ["~/a.json", "${APP}/b.json"].map((target) => ({ target, template: { k: 1 } })),
      policy: [
        { match: "*", file: "~/a.json", "when-deleted": "respect" },
        { match: "*", file: "${APP}/b.json", "when-edited": "overwrite" },
      ],
    });
    await applyStable(world, manifest("1"));
    for (const name of ["a.json", "app/b.json"]) world.write(name, {});
    await applyStable(world, manifest("2"));
    expect([world.json("a.json"), world.json("app/b.json")]).toEqual([{}, { k: 1 }]);
    world.write("app/b.json", { k: 9 });
    await applyStable(world, manifest("3"));
    expect(world.json("app/b.json")).toEqual({ k: 1 });
  });
});

describe("the user's own policy.yaml", () => {
  const write = (world: World, text: string) => world.write(".config/stet/policy.yaml", text);

  it("is asked before the manifest, for the owner and file it names", async () => {
    const world = new World();
    write(world, '- { match: "setting:*", owner: zylos, file: "~/app/config.json", when-deleted: respect }\n');
    const restore = policy({ match: "*", "when-deleted": "restore" });
    const other = { ...packOf("~/app/config.json", "1", { o: 1 }, restore), name: "other" };
    await applyStable(world, pack("1", { a: 1 }, restore));
    await applyStable(world, other);
    world.write(file, {});
    expect(await applyStable(world, pack("1", { a: 1 }, restore))).toEqual({ "setting:a": "keep user-deleted" });
    expect(await applyStable(world, other)).toEqual({ "setting:o": "restore" });
  });

  it("counts wherever XDG_CONFIG_HOME puts it, and as a map with policy", async () => {
    const world = new World({ env: { XDG_CONFIG_HOME: "/nowhere" } });
    const elsewhere = new World({ home: world.home, env: { XDG_CONFIG_HOME: world.at("cfg") } });
    elsewhere.write("cfg/stet/policy.yaml", 'policy:\n  - { match: "*", create-only: true }\n');
    await applyStable(elsewhere, pack("1", { a: 1 }));
    expect(await applyStable(elsewhere, pack("2", { a: 2 }))).toEqual({ "setting:a": "keep create-only" });
    expect(await applyStable(world, pack("2", { a: 2 }))).toEqual({ "setting:a": "update" });
  });

  it.each(["${HOME}/app/config.json", "${XDG_CONFIG_HOME}/../app/config.json"])(
    "names files as targets do, by the home and the specification's folders: %s",
    async (named) => {
      const world = new World();
      write(world, `- { match: "setting:*", file: "${named}", when-deleted: respect }\n`);
      await applyStable(world, pack("1", { a: 1 }));
      world.write(file, {});
      expect(await applyStable(world, pack("1", { a: 1 }))).toEqual({ "setting:a": "keep user-deleted" });
      expect(await world.status()).toMatchObject([{ entries: [{ reason: "user-deleted" }] }]);
    },
  );

  it.each([
    [
      "a variable of a manifest's",
      '- match: "*"\n  file: "${ZYLOS_HOME}/x"\n',
      /policy\.yaml:2:10: file: \$\{ZYLOS_HOME\} is not defined here; write the path, or one of \$\{XDG_CONFIG_HOME\}/,
    ],
    ["an unknown key", '- { match: "*", when-delete: respect }\n', /policy\.yaml:1:17: unknown key/],
    ["no match", "- { when-deleted: respect }\n", /policy\.yaml:1:\d+: .*match is missing/],
    [
      "a value that does not exist",
      '- match: "*"\n  when-deleted: maybe\n',
      /policy\.yaml:2:3: .*must be one of restore, respect/,
    ],
    ["no YAML", "- [\n", /policy\.yaml:\d:\d: /],
  ])("with %s is refused with its place, and nothing is touched", async (_, text, message) => {
    const world = new World();
    write(world, text);
    await expect(world.apply(pack("1", { a: 1 }))).rejects.toThrow(message);
    expect(world.exists(file)).toBe(false);
  });
});
