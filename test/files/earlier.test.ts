import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { DiskPack } from "./pack-on-disk.ts";
import { applyStable } from "./stable.ts";
import { hook, pack, verdicts, World } from "./world.ts";

const file = "app/config.json";
const beat = "node ~/zylos/beat.js";
const vars = { ZYLOS_HOME: "~/zylos" };

/** What release 1.0 shipped: a hook that only zylos would write, and a setting that anybody might. */
const shipped = { theme: "dark", hooks: [hook("Stop", "node ${ZYLOS_HOME}/beat.js", { timeout: 5 })], old: 1 };
const installed = { theme: "dark", hooks: [hook("Stop", beat, { timeout: 5 })], old: 1 };
const earlier = { "1.0.0": { [`~/${file}`]: shipped } };
const v2 = (more: object = {}) =>
  pack(
    "2.0.0",
    { theme: "light", hooks: [hook("Stop", "node ${ZYLOS_HOME}/beat.js", { timeout: 9 })] },
    { vars, earlier, ...more },
  );

describe("an install from before there were records", () => {
  it("is recognised by an entry that only this framework would write, and is then kept current whole", async () => {
    const world = new World();
    world.write(file, { ...installed, own: 1 });
    expect(await applyStable(world, v2())).toEqual({
      [`hook:Stop:${beat}`]: "update earlier-release",
      "setting:theme": "update earlier-release",
      "setting:old": "remove earlier-release",
    });
    expect(world.json(file)).toEqual({ theme: "light", hooks: [hook("Stop", beat, { timeout: 9 })], own: 1 });
    expect(world.registry().files[`~/${file}`].entries["setting:theme"]).toMatchObject({ added_in_version: "1.0.0" });
    await world.uninstall();
    expect(world.json(file)).toMatchObject({ own: 1 });
    expect(world.read(file)).not.toMatch(/light|beat/);
  });

  it("not recognised, its values mean nothing: who never had the framework keeps what is theirs", async () => {
    for (const own of [
      { theme: "dark", old: 1 },
      { theme: "dark", old: 1, hooks: [hook("Stop", beat, { timeout: 60 })] },
      { theme: "dark", old: 1, hooks: [hook("Stop", "node ~/zylos-old/beat.js", { timeout: 5 })] },
    ]) {
      const world = new World();
      world.write(file, own);
      const { "setting:theme": theme, "setting:old": old } = await applyStable(world, v2());
      expect([theme, old]).toEqual(["keep user-owned", undefined]);
      expect(world.json(file)).toMatchObject(own.hooks ? { theme: "dark", old: 1 } : own);
      await world.uninstall();
      expect(world.json(file)).toMatchObject(own);
    }
  });

  it("the manifest's own test decides alone", async () => {
    const when = { exists: "${ZYLOS_HOME}/VERSION" };
    const tested = v2({ earlier: { "1.0.0": { from: earlier["1.0.0"], when } } });
    const world = new World();
    world.write(file, installed);
    expect(await applyStable(world, tested)).toMatchObject({ "setting:theme": "keep user-owned" });
    const other = new World();
    other.write(file, { theme: "dark", old: 1 });
    other.write("zylos/VERSION", "1.0.0\n");
    expect(await applyStable(other, tested)).toEqual({
      [`hook:Stop:${beat}`]: "restore earlier-release",
      "setting:theme": "update earlier-release",
      "setting:old": "remove earlier-release",
    });
  });

  it("what is missing was deleted by the user", async () => {
    const respect = { policy: [{ match: "*", "when-deleted": "respect" }] };
    const world = new World();
    world.write(file, { hooks: installed.hooks });
    expect(await applyStable(world, v2(respect))).toMatchObject({ "setting:theme": "keep user-deleted" });
    expect(world.read(file)).not.toContain("light");
    const restoring = new World();
    restoring.write(file, { hooks: installed.hooks });
    const { diagnostics } = await restoring.apply(v2());
    expect(diagnostics.map(({ code, key }) => [code, key])).toContainEqual(["restored", "setting:theme"]);
  });

  it("of several releases, the one that fits best tells what is missing: what came later is new", async () => {
    const both = { ...earlier, "1.1.0": { [`~/${file}`]: { ...shipped, later: 1 } } };
    const v3 = pack("3.0.0", { theme: "light", later: 2 }, { vars, earlier: both });
    const world = new World();
    world.write(file, installed);
    expect(await applyStable(world, v3)).toMatchObject({
      "setting:later": "create",
      "setting:theme": "update earlier-release",
    });
    const newer = new World();
    newer.write(file, { ...installed, later: 1 });
    expect(await applyStable(newer, v3)).toMatchObject({ "setting:later": "update earlier-release" });
  });

  it("a person's comment in such an entry stands, and does not end the program", async () => {
    const world = new World();
    const text = `{\n  "hooks": [{ "event": "Stop", "command": "${beat}", "timeout": 5 }],\n  "list": [ /* why */ 1]\n}\n`;
    world.write("app/config.jsonc", text);
    const files = (template: object) => [
      { target: "~/app/config.jsonc", template, rules: (v2() as { files: { rules: object[] }[] }).files[0]!.rules },
    ];
    const before = { hooks: shipped.hooks, list: [1] };
    const release = (template: object) => ({
      name: "zylos",
      version: "2.0.0",
      vars,
      files: files(template),
      earlier: { "1.0.0": { "~/app/config.jsonc": before } },
    });
    expect(await applyStable(world, release({ hooks: shipped.hooks, list: [2] }))).toMatchObject({
      "setting:list": "conflict both-changed",
    });
    expect(world.read("app/config.jsonc")).toBe(text);
    const dropping = new World();
    dropping.write("app/config.jsonc", text);
    expect(await applyStable(dropping, release({ hooks: shipped.hooks }))).toMatchObject({
      "setting:list": "keep obsolete-modified",
    });
    expect(dropping.read("app/config.jsonc")).toBe(text);
  });

  it("a hook whose command the user wrapped is that hook, edited", async () => {
    const world = new World();
    world.write(file, { ...installed, hooks: [hook("Stop", `nice ${beat}`, { timeout: 5 }), hook("Start", beat)] });
    const shippedBoth = { ...shipped, hooks: [...shipped.hooks, hook("Start", "node ${ZYLOS_HOME}/beat.js")] };
    const release = pack("2.0.0", shippedBoth, { vars, earlier: { "1.0.0": { [`~/${file}`]: shippedBoth } } });
    expect(await applyStable(world, release)).toMatchObject({ [`hook:Stop:${beat}`]: "keep user-modified" });
    expect(world.json(file).hooks).toHaveLength(2);
  });

  it("where there are records, what an earlier release shipped is looked for no more", async () => {
    const world = new World();
    world.write(file, installed);
    await world.apply(v2());
    world.edit(file, '"theme": "light"', '"theme": "light",\n  "old": 1');
    await applyStable(world, v2());
    expect(world.json(file).old).toBe(1);
  });

  it("a block and a whole text are recognised by their very content", async () => {
    const texts = (version: string, rc: string, notes: string) => ({
      name: "zylos",
      version,
      files: [
        { target: "~/.rc", template: rc, strategy: "block" },
        { target: "~/NOTES.md", template: notes, strategy: "merge" },
      ],
    });
    const before = { "1.0.0": { "~/.rc": "export A=1\n", "~/NOTES.md": "# Notes\n" } };
    const world = new World();
    await world.apply(texts("1.0.0", "export A=1\n", "# Notes\n"));
    const [rc, notes] = [world.read(".rc"), world.read("NOTES.md")];
    const fresh = new World();
    fresh.write(".rc", rc);
    fresh.write("NOTES.md", notes);
    await applyStable(fresh, { ...texts("2.0.0", "export A=2\n", "# Notes, again\n"), earlier: before });
    expect([fresh.read(".rc"), fresh.read("NOTES.md")]).toEqual([rc.replace("=1", "=2"), "# Notes, again\n"]);
    await fresh.uninstall();
    expect(fresh.exists("NOTES.md")).toBe(false);
    const mine = new World();
    mine.write("NOTES.md", "# Notes\nmine\n");
    await applyStable(mine, { ...texts("2.0.0", "export A=2\n", "# Notes, again\n"), earlier: before });
    expect(mine.read("NOTES.md")).toBe("# Notes\nmine\n");
  });
});

describe("a file that only an earlier release shipped", () => {
  const gone = "app/old.json";
  const before = { "1.0.0": { [`~/${gone}`]: { theme: "dark", hooks: [{ run: "node ${ZYLOS_HOME}/beat.js" }] } } };
  const release = pack("2.0.0", { a: 1 }, { vars, earlier: before });
  const then = { theme: "dark", hooks: [{ run: beat.replace("~", "${HOME}") }] };
  const thenOf = (world: World) => JSON.parse(JSON.stringify(then).replace("${HOME}", world.home));

  it("goes, where nobody touched it", async () => {
    const world = new World();
    world.write(gone, thenOf(world));
    expect(await applyStable(world, release)).toEqual({
      "setting:a": "create",
      "setting:hooks": "remove earlier-release",
      "setting:theme": "remove earlier-release",
    });
    expect(world.exists(gone)).toBe(false);
  });

  it("keeps what a person wrote into it, and stays for that", async () => {
    const world = new World();
    world.write(gone, { ...thenOf(world), theme: "mine", own: 1 });
    await applyStable(world, release);
    expect(world.json(gone)).toEqual({ theme: "mine", own: 1 });
  });

  it("stays where nothing shows that the release was installed, and afterwards whoever writes it", async () => {
    const world = new World();
    world.write(gone, { theme: "dark" });
    await applyStable(world, release);
    expect(world.json(gone)).toEqual({ theme: "dark" });
    world.write(gone, thenOf(world));
    await applyStable(world, release);
    expect(world.json(gone)).toEqual(thenOf(world));
  });

  it("is found by the release's own manifest and variables, with its folders, blocks and whole files", async () => {
    const world = new World();
    const disk = new DiskPack(world);
    const old = {
      name: "zylos",
      version: "1.0.0",
      vars: { OLD: "~/old" },
      files: [
        { target: "${OLD}/bin/", template: "bin/" },
        { target: "~/.rc", template: "rc", strategy: "block" },
        { target: "${HOME}/app/config.json", template: "config.json" },
      ],
      servers: { memory: { command: "node", args: ["${OLD}/mcp.js"] } },
      runtimes: ["cursor"],
    };
    const shippedThen = {
      "bin/a": "a\n",
      "bin/b": "b\n",
      rc: "export A=1\n",
      "config.json": '{ "x": "${OLD}/x", "y": 1 }\n',
    };
    await disk.ship(old, shippedThen).apply();
    fs.rmSync(world.at(".local"), { recursive: true });
    world.write("old/bin/b", "mine\n");
    const today = {
      name: "zylos",
      version: "2.0.0",
      files: [{ target: "~/app/config.json", template: "config.json" }],
      earlier: { "1.0.0": "1.0" },
    };
    const releases = Object.fromEntries(Object.entries(shippedThen).map(([name, text]) => [`1.0/${name}`, text]));
    disk.ship(today, { "config.json": '{ "y": 2 }\n', ...releases, "1.0/stet.yaml": JSON.stringify(old) });
    await disk.apply();
    expect((await disk.plan()).changed).toBe(0);
    expect(world.json("app/config.json")).toEqual({ y: 2 });
    expect([world.exists("old/bin/a"), world.read("old/bin/b"), world.exists(".rc")]).toEqual([false, "mine\n", false]);
    expect(world.exists(".cursor/mcp.json")).toBe(false);
  });
});

describe("where nothing is on record and much of it is there", () => {
  const codes = ({ diagnostics }: { diagnostics: readonly { code: string }[] }) => diagnostics.map(({ code }) => code);

  it("one line says so, and names the command", async () => {
    const world = new World();
    world.write(file, { a: 1, b: 2, own: 1 });
    const v1 = pack("1", { a: 1, b: 2, c: 3, d: 4 });
    const { diagnostics } = await world.plan(v1);
    expect(diagnostics).toMatchObject([
      { code: "stands-already", severity: "info", message: expect.stringContaining("stet adopt --all") },
    ]);
    await world.apply(v1);
    expect(codes(await world.plan(v1))).toEqual([]);
    await world.adopt();
    expect(verdicts(await world.apply(v1))).toMatchObject({ "setting:a": "unchanged", "setting:b": "unchanged" });
  });

  it("less than half is nothing to speak of", async () => {
    const world = new World();
    world.write(file, { a: 1 });
    expect(codes(await world.plan(pack("1", { a: 1, b: 2, c: 3 })))).toEqual([]);
  });
});
