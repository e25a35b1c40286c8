import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { flatHooks, hook, pack, verdicts, World } from "./world.ts";

const file = "app/config.json";
const beat = "node ~/zylos/beat.js";

describe("what was there before", () => {
  it("stays the user's, until adopted: then it is kept current, and a difference counts as an edit", async () => {
    const world = new World();
    world.write(file, { theme: "dark", mode: "mine" });
    const v1 = pack("1.0.0", { theme: "dark", mode: "ours" });
    expect(verdicts(await world.apply(v1))).toEqual({
      "setting:theme": "keep user-owned",
      "setting:mode": "keep user-owned",
    });
    await world.adopt("setting:theme", "setting:mode");
    expect(world.json(file)).toEqual({ theme: "dark", mode: "mine" });
    expect(verdicts(await world.apply(pack("2.0.0", { theme: "light", mode: "ours" })))).toEqual({
      "setting:theme": "update",
      "setting:mode": "keep user-modified",
    });
    expect(world.json(file)).toEqual({ theme: "light", mode: "mine" });
  });

  it("when-present: adopt takes it without asking", async () => {
    const world = new World();
    world.write(file, { theme: "dark" });
    const policy = [{ match: "*", "when-present": "adopt" }];
    expect(verdicts(await world.apply(pack("1.0.0", { theme: "dark" }, { policy })))).toEqual({
      "setting:theme": "adopt",
    });
    await world.apply(pack("2.0.0", { theme: "light" }, { policy }));
    expect(world.json(file)).toEqual({ theme: "light" });
  });
});

describe("dotfiles and registries that travel", () => {
  it("a registry and a file synced from another home still match, absolute paths in them too", async () => {
    const [alice, bob] = [new World(), new World()];
    const v1 = pack("1.0.0", { hooks: [hook("Stop", beat)], theme: "dark" });
    await alice.apply(v1);
    alice.edit(file, "~/zylos", `${alice.home}/zylos`);
    alice.edit(file, "dark", "sepia");
    fs.cpSync(alice.home, bob.home, { recursive: true });
    bob.edit(file, alice.home, bob.home);
    expect(await bob.apply(v1)).toMatchObject({ changed: 0, summary: { unchanged: 1, keep: 1 } });
    const document = await bob.apply(pack("2.0.0", { hooks: [hook("Stop", beat, { timeout: 3 })], theme: "dark" }));
    expect(verdicts(document)).toEqual({ [`hook:Stop:${beat}`]: "update", "setting:theme": "keep user-modified" });
    expect(bob.json(file).hooks).toHaveLength(1);
  });

  it("a linked dotfile is written through: the link stays, and nothing is left beside the file or the link", async () => {
    const world = new World();
    const original = '{\n  "own": 1\n}\n';
    world.write("dotfiles/app/config.json", original);
    fs.mkdirSync(world.at("app"));
    fs.symlinkSync("../dotfiles/app/config.json", world.at(file));
    fs.chmodSync(world.at("dotfiles/app/config.json"), 0o640);
    await world.apply(pack("1.0.0", { theme: "dark" }));
    await world.apply(pack("2.0.0", { theme: "light" }));
    await world.rollback();
    expect(fs.readlinkSync(world.at(file))).toBe("../dotfiles/app/config.json");
    expect(fs.statSync(world.at("dotfiles/app/config.json")).mode & 0o777).toBe(0o640);
    expect(world.json("dotfiles/app/config.json")).toEqual({ own: 1, theme: "dark" });
    expect(Object.keys(world.snapshot("dotfiles")).sort()).toEqual(["dotfiles/app", "dotfiles/app/config.json"]);
    expect(fs.readdirSync(world.at("app"))).toEqual(["config.json"]);
    await world.uninstall();
    expect(world.read("dotfiles/app/config.json")).toBe(original);
  });

  it("a whole folder that is a link works alike, for two owners that name it differently", async () => {
    const world = new World();
    world.write("dotfiles/app/config.json", "{}\n");
    fs.symlinkSync(world.at("dotfiles/app"), world.at("app"));
    await world.apply(pack("1.0.0", { theme: "dark" }));
    const real = [{ target: "~/dotfiles/app/config.json", template: { theme: "dark", b: 1 }, rules: flatHooks }];
    expect(verdicts(await world.apply({ name: "other", version: "1", files: real }))).toEqual({
      "setting:b": "create",
      "setting:theme": "adopt",
    });
    await world.uninstall();
    expect(world.json(file)).toEqual({ theme: "dark", b: 1 });
    await world.uninstall("other");
    expect(world.read(file)).toBe("{}\n");
    expect(fs.readdirSync(world.at("dotfiles/app"))).toEqual(["config.json"]);
  });
});
