import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { applySaved } from "../../src/engine/apply.ts";
import { readSavedPlan, renderSavedPlan, sealKey } from "../../src/engine/saved-plan.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { planPack } from "../../src/files/plan.ts";
import { resolveConflict } from "../../src/files/settle.ts";
import { applyStable, packOf } from "./stable.ts";
import { hook, pack, verdicts, World } from "./world.ts";

const file = "app/config.json";
const two = (version: string, template: object) => ({
  name: "zylos",
  version,
  files: ["~/a.json", "~/b.json"].map((target) => ({ target, template })),
});

async function states(world: World): Promise<string[]> {
  const [document] = await world.status();
  return document!.entries.map(
    ({ file, key, verdict, reason }) => `${file.slice(-6)} ${key.slice(8)} ${reason ?? verdict}`,
  );
}

describe("settling", () => {
  it("touches each key only in the file it was named in", async () => {
    const world = new World();
    for (const name of ["a.json", "b.json"]) world.write(name, { k1: 0, k2: 0 });
    await world.apply(two("1", { k1: 1, k2: 1 }));
    await world.adopt("~/a.json#setting:k1", "~/b.json#setting:k2");
    expect(await states(world)).toEqual([
      "a.json k1 user-modified",
      "a.json k2 user-owned",
      "b.json k1 user-owned",
      "b.json k2 user-modified",
    ]);
  });

  it("of a file settles what is in conflict, and nothing else, however many entries it has", async () => {
    const world = new World();
    world.write("one.json", { theme: "mine" });
    await world.apply(packOf("~/one.json", "1", { theme: "dark" }));
    await world.resolve("~/one.json", "theirs");
    expect(world.json("one.json")).toEqual({ theme: "mine" });
  });

  it("takes a file as a person in its folder would name it", async () => {
    const world = new World();
    await world.apply(pack("1", { a: 1, b: 1 }));
    world.write(file, { a: 7, b: 7 });
    await world.apply(pack("2", { a: 2, b: 2 }));
    await resolveConflict({ text: "config.json", folder: world.at("app") }, "theirs", world.machine);
    expect(world.json(file)).toEqual({ a: 2, b: 2 });
    world.write(file, { a: 8, b: 2 });
    await world.apply(pack("3", { a: 3, b: 2 }));
    await resolveConflict({ text: "./config.json#setting:a", folder: world.at("app") }, "mine", world.machine);
    expect(await applyStable(world, pack("3", { a: 3, b: 2 }))).toEqual({
      "setting:a": "keep user-modified",
      "setting:b": "unchanged",
    });
  });

  it("of a part that fits several entries changes nothing and lists them", async () => {
    const world = new World();
    await world.apply(pack("1", { alpha: 1, alphabet: 1 }));
    await expect(world.disown("alph")).rejects.toThrow(/could mean .*setting:alpha.*setting:alphabet/);
    await expect(world.disown("nothing-like-it")).rejects.toThrow(/no entry on record is called/);
  });

  it("brings a deleted entry back on adopt, and keeps a disowned one out of every run until then", async () => {
    const world = new World();
    const v1 = pack("1", { a: 1, b: 1 });
    await world.apply(v1);
    await world.disown("setting:a");
    world.write(file, { b: 1 });
    expect(await applyStable(world, v1)).toEqual({ "setting:a": "keep disowned", "setting:b": "unchanged" });
    await world.adopt("setting:a");
    expect(world.json(file)).toEqual({ a: 1, b: 1 });
    expect(await applyStable(world, v1)).toEqual({ "setting:a": "unchanged", "setting:b": "unchanged" });
  });

  it("remembers a respected deletion beyond the policy that made it, until the entry is adopted", async () => {
    const world = new World();
    const respect = { policy: [{ match: "*", "when-deleted": "respect" }] };
    await world.apply(pack("1", { a: 1, b: 1 }, respect));
    world.write(file, { b: 1 });
    expect(await applyStable(world, pack("2", { a: 2, b: 1 }, respect))).toMatchObject({
      "setting:a": "keep user-deleted",
    });
    expect(await applyStable(world, pack("3", { a: 3, b: 1 }))).toMatchObject({ "setting:a": "keep user-deleted" });
    await applyStable(world, pack("4", { b: 1 }));
    expect(await applyStable(world, pack("5", { a: 5, b: 1 }))).toMatchObject({ "setting:a": "keep user-deleted" });
    world.write(file, { a: 9, b: 1 });
    expect(await applyStable(world, pack("5", { a: 5, b: 1 }))).toMatchObject({ "setting:a": "keep user-owned" });
    await world.adopt("setting:a");
    expect(await applyStable(world, pack("5", { a: 5, b: 1 }))).toMatchObject({ "setting:a": "keep user-modified" });
  });

  it("puts an entry that comes back from the records where its runtime wants it", async () => {
    const world = new World();
    const target = ".codex/config.toml";
    await world.apply(
      packOf(`~/${target}`, "1", { hooks: { Stop: [{ hooks: [{ type: "command", command: "a" }] }] } }),
    );
    const ours = world.read(target);
    world.write(target, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n');
    const [document] = await world.status();
    await world.adopt(document!.entries[0]!.key);
    expect(ours).toContain('"a"');
    expect(world.read(target).indexOf('"a"')).toBeGreaterThan(world.read(target).indexOf('"mine"'));
  });
});

describe("a saved plan", () => {
  async function save(world: World, manifest: object): Promise<string> {
    const planned = await planPack(readPack(world.machine.gate, manifest), world.machine);
    const { gate, stateDir } = world.machine;
    world.write("saved.plan", renderSavedPlan(planned, undefined, sealKey(gate, stateDir)));
    return world.at("saved.plan");
  }
  const noPack = () => Promise.reject(new Error("sealed here: nobody plans again"));
  const applyFile = async ({ machine }: World, path: string) =>
    (await applySaved(machine, (await readSavedPlan(machine, path, noPack))!)).document;

  it("does what applying would have done", async () => {
    const world = new World();
    world.write("a.json", '\uFEFF{ "big": 12345678901234567890 }\r\n');
    const path = await save(world, two("1", { k: 1, text: "é\u0000\n" }));
    expect(world.exists("b.json")).toBe(false);
    expect(verdicts(await applyFile(world, path))).toMatchObject({ "setting:k": "create" });
    expect(await applyStable(world, two("1", { k: 1, text: "é\u0000\n" }))).toEqual({
      "setting:k": "unchanged",
      "setting:text": "unchanged",
    });
    expect(world.read("a.json")).toMatch(/^\uFEFF\{ "big": 12345678901234567890, .*\}\r\n$/);
  });

  it.each([
    ["the file it changes", (world: World) => world.write("a.json", { k: 1, mine: 1 })],
    ["a file it leaves alone", (world: World) => world.write("b.json", { k: 9 })],
    ["the records", (world: World) => world.disown("~/b.json#setting:k")],
  ])("is refused once %s changed", async (_, change) => {
    const world = new World();
    await world.apply(two("1", { k: 1 }));
    world.write("a.json", { k: 1, mine: 0 });
    const manifest = {
      ...two("2", { k: 1 }),
      files: [
        { target: "~/a.json", template: { k: 2 } },
        { target: "~/b.json", template: { k: 1 } },
      ],
    };
    const path = await save(world, manifest);
    await change(world);
    const before = world.snapshot();
    await expect(applyFile(world, path)).rejects.toThrow(/out of date: .*(a\.json|b\.json|registry\.json).* changed/);
    expect(world.snapshot()).toEqual(before);
  });

  it.each([
    ["half a file", (text: string) => text.slice(0, 200)],
    ["no transaction", () => '{"stet_plan": 1, "document": {}}'],
    ["a change without an end", (text: string) => text.replace(/"after": \{[^}]*\}/, '"after": 5')],
    ["a path with dots", (text: string) => text.replace(/"real": "[^"]*"/, '"real": "/etc/../etc/passwd"')],
    ["a newer format", (text: string) => text.replace('"stet_plan": 1', '"stet_plan": 2')],
    ["another state directory", (text: string) => text.replace(/"stateDir": "[^"]*"/, '"stateDir": "/tmp"')],
    [
      "a name that is a path",
      (text: string) => text.replace(/"name": "zylos",\s+"changes"/, '"name": "../x", "changes"'),
    ],
  ])("with %s is refused in one line", async (_, spoil) => {
    const world = new World();
    const path = await save(world, two("1", { k: 1 }));
    fs.writeFileSync(path, spoil(fs.readFileSync(path, "utf8")));
    await expect(applyFile(world, path)).rejects.toThrow(
      /^[^\n]*saved\.plan: [^\n]+; (plan again|pass --state-dir[^\n]+)/,
    );
    expect(world.exists("a.json")).toBe(false);
  });
});

describe("templates given as data", () => {
  it.each([
    ["a date", { a: new Date(0) }, /a is a Date/],
    ["no number", { a: [Number.NaN] }, /a\.0 is NaN/],
    ["a function", { a: { b: () => 1 } }, /a\.b is function/],
    ["a hole in a list", { a: [undefined] }, /a\.0 is undefined/],
    ["a list for a root", [1], /a template must hold a map/],
    ["text for a root", "5", /a template must hold a map/],
  ])("with %s are refused", async (_, template, message) => {
    await expect(new World().apply(packOf("~/a.json", "1", template))).rejects.toThrow(message as RegExp);
  });

  it("nested without end are refused, and not with a stack", async () => {
    const circle: Record<string, unknown> = {};
    circle.a = circle;
    await expect(new World().apply(packOf("~/a.json", "1", circle))).rejects.toThrow(
      /nested more than 1000 levels deep/,
    );
  });

  it("may hold what JSON leaves out or can't count", async () => {
    const world = new World();
    await applyStable(world, packOf("~/a.json", "1", { a: undefined, b: 12345678901234567890n }));
    expect(world.read("a.json")).toBe('{\n  "b": 12345678901234567890\n}\n');
  });
});

it("an owner can't have the name of one of stet's own files", async () => {
  for (const name of ["lock", "journal.json"]) {
    await expect(new World().apply({ ...pack("1", { hooks: [hook("S", "x")] }), name })).rejects.toThrow(
      /choose another/,
    );
  }
});
