import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { applyStable, packOf } from "./stable.ts";
import { hook, pack, World } from "./world.ts";

const section = "~/app/config.json";
const registryFile = ".local/state/stet/zylos/registry.json";

// biome-ignore lint/suspicious/noExplicitAny: damage has no type
type Damage = (registry: any) => void;
const damages: [string, Damage][] = [
  ["no way to read a file", (r) => delete r.files[section].reading],
  ["a format nobody knows", (r) => Object.assign(r.files[section].reading, { format: "xml" })],
  ["rules that are none", (r) => Object.assign(r.files[section].reading, { rules: [5] })],
  ["a place that is none", (r) => Object.assign(r.files[section].entries["setting:a.b"], { location: 5 })],
  ["key parts that are no text", (r) => Object.assign(r.files[section].entries["hook:S:x"].source, { event: 5 })],
  ["a state nobody knows", (r) => Object.assign(r.files[section].entries["setting:a.b"], { state: "weird" })],
  ["folders that are no text", (r) => Object.assign(r.files[section], { created: { folders: [5] } })],
  ["wishes that are none", (r) => Object.assign(r.files[section], { wanted: { x: 5 } })],
  ["containers that are none", (r) => Object.assign(r.files[section], { containers: { ".a": 5 } })],
  ["homes that are no text", (r) => Object.assign(r, { homes: [5] })],
  ["a relative file", (r) => Object.assign(r.files, { "x.json": r.files[section] })],
  ["a newer format", (r) => Object.assign(r, { format_version: 2, files: "elsewhere" })],
];

describe("a registry with", () => {
  it.each(damages)("%s is refused in one line, and nothing is rewritten", async (_, damage) => {
    const world = new World();
    await world.apply(pack("1", { hooks: [hook("S", "x")], a: { b: 1 } }));
    const registry = world.registry();
    damage(registry);
    world.write(registryFile, registry);
    const before = world.snapshot();
    for (const run of [() => world.status(), () => world.uninstall(), () => world.adopt()]) {
      await expect(run()).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(/^[^\n]*registry\.json[^\n]*$/),
      });
    }
    expect(world.snapshot()).toEqual(before);
  });

  it("fields that a later release added keeps them", async () => {
    const world = new World();
    await world.apply(pack("1", { a: { b: 1 }, c: 1 }));
    const registry = world.registry();
    registry.future = { x: 1 };
    registry.files[section].future = [1];
    registry.files[section].entries["setting:a.b"].future = "y";
    world.write(registryFile, registry);
    await applyStable(world, pack("2", { a: { b: 2 }, c: 1 }));
    expect(world.registry()).toMatchObject({ version: "2", future: { x: 1 }, files: { [section]: { future: [1] } } });
    expect(world.registry().files[section].entries["setting:a.b"]).toMatchObject({ value: 2, future: "y" });
  });
});

describe("a target that is", () => {
  const written = (world: World, file: string) => {
    world.write(file, "{}");
    return world.at(file);
  };
  const cases: [string, RegExp, (world: World, path: string) => void][] = [
    ["a folder", /it is a folder/, (_, path) => fs.mkdirSync(path)],
    ["a FIFO", /it is a FIFO/, (_, path) => execFileSync("mkfifo", [path])],
    ["a device", /it is a device/, (_, path) => fs.symlinkSync("/dev/null", path)],
    ["a circle of links", /lead in a circle/, (_, path) => fs.symlinkSync("t.json", path)],
    ["a link into nowhere", /there is no folder/, (_, path) => fs.symlinkSync("nowhere/t.json", path)],
    ["read-only", /it is read-only/, (_, path) => fs.writeFileSync(path, "{}", { mode: 0o444 })],
    [
      "not UTF-8",
      /t\.json:2:3: this is not UTF-8/,
      (_, path) => fs.writeFileSync(path, Buffer.from([0x7b, 0x0a, 0x20, 0x20, 0xff, 0x7d])),
    ],
    ["a list", /t\.json:1:1: this file holds a list/, (_, path) => fs.writeFileSync(path, "[]")],
    ["half a file", /t\.json:2:8: /, (_, path) => fs.writeFileSync(path, '{\n  "a": ')],
    ["one of two names of a file", /it has 2 names/, (world, path) => fs.linkSync(written(world, "other"), path)],
  ];

  it.each(cases)(
    "%s is refused in one line, and the other files of the pack are not touched",
    async (_, message, prepare) => {
      const world = new World();
      prepare(world, world.at("t.json"));
      const files = ["~/a.json", "~/t.json", "~/z.json"].map((target) => ({ target, template: { a: 1 } }));
      await expect(world.apply({ name: "zylos", version: "1", files })).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(new RegExp(`^[^\\n]*${message.source}[^\\n]*$`)),
      });
      expect([world.exists("a.json"), world.exists("z.json"), world.exists(registryFile)]).toEqual([
        false,
        false,
        false,
      ]);
    },
  );

  it("a link into a folder of dotfiles stays a link, and the file behind it changes", async () => {
    const world = new World();
    world.write("dotfiles/settings.json", '{ "mine": 1 }\n');
    fs.chmodSync(world.at("dotfiles/settings.json"), 0o640);
    fs.symlinkSync("dotfiles/settings.json", world.at("t.json"));
    await applyStable(world, packOf("~/t.json", "1", { a: 1 }));
    expect(fs.readlinkSync(world.at("t.json"))).toBe("dotfiles/settings.json");
    expect(world.read("dotfiles/settings.json")).toBe('{ "mine": 1, "a": 1 }\n');
    expect(fs.statSync(world.at("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
    fs.rmSync(world.at("t.json"));
    world.write("elsewhere/settings.json", world.read("dotfiles/settings.json"));
    fs.symlinkSync("elsewhere/settings.json", world.at("t.json"));
    expect(await applyStable(world, packOf("~/t.json", "1", { a: 1 }))).toEqual({ "setting:a": "unchanged" });
    await world.uninstall();
    expect(world.read("elsewhere/settings.json")).toBe('{ "mine": 1 }\n');
  });

  it("a link to nothing yet makes the file there", async () => {
    const world = new World();
    fs.symlinkSync("real.json", world.at("t.json"));
    await applyStable(world, packOf("~/t.json", "1", { a: 1 }));
    expect([fs.readlinkSync(world.at("t.json")), world.json("real.json")]).toEqual(["real.json", { a: 1 }]);
    await world.uninstall();
    expect([fs.readlinkSync(world.at("t.json")), world.exists("real.json")]).toEqual(["real.json", false]);
  });
});

describe("homes", () => {
  it("that are links, or move, or are synced, still hold the same entries", async () => {
    const world = new World();
    const command = "node ~/zylos/x.js";
    const manifest = pack("1", { hooks: [hook("S", command)] });
    await applyStable(world, manifest);
    const linked = `${world.home}-link`;
    fs.symlinkSync(world.home, linked);
    const through = new World({ home: linked });
    expect(await applyStable(through, manifest)).toEqual({ [`hook:S:${command}`]: "unchanged" });
    through.edit("app/config.json", "~/zylos", `${linked}/zylos`);
    expect(await applyStable(world, manifest)).toEqual({ [`hook:S:${command}`]: "unchanged" });
    fs.rmSync(linked);
    const moved = new World();
    fs.cpSync(world.home, moved.home, { recursive: true });
    expect(await applyStable(moved, manifest)).toEqual({ [`hook:S:${command}`]: "unchanged" });
    expect(moved.json("app/config.json").hooks).toHaveLength(1);
  });
});
