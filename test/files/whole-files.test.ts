import fs from "node:fs";
import { expect, test } from "vitest";
import { DiskPack, there } from "./pack-on-disk.ts";
import { World } from "./world.ts";

const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 1]);
const otherPicture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 2]);

const ring = { target: "~/zylos/bin/ring", template: "bin/ring", strategy: "whole" };

test("a script is written with its execute bit, updated, and taken away with the folders made for it", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(
    { version: "1.0.0", files: [ring] },
    { "bin/ring": { text: "#!/bin/sh\necho ${HOME}\n", mode: 0o755 } },
  );
  const first = await pack.apply();
  expect(first.entries).toMatchObject([{ key: "file:ring", verdict: "create", file: world.at("zylos/bin/ring") }]);
  // Variables are nothing to a whole file.
  expect(there(world, "zylos/bin/ring")).toBe("755 #!/bin/sh\necho ${HOME}\n");
  expect((await pack.plan()).changed).toBe(0);
  pack.ship({ version: "2.0.0", files: [ring] }, { "bin/ring": { text: "#!/bin/sh\necho two\n", mode: 0o755 } });
  expect((await pack.apply()).summary).toEqual({ update: 1 });
  expect(there(world, "zylos/bin/ring")).toBe("755 #!/bin/sh\necho two\n");
  await world.uninstall();
  expect(there(world, "zylos")).toBe("nothing");
});

test("a mode is what the manifest says, as a number or a text, and 0644 otherwise", async () => {
  const world = new World();
  const files = [
    { ...ring, mode: "0700" },
    { target: "~/zylos/plain", template: "plain", strategy: "whole" },
    { target: "~/zylos/number", template: "plain", strategy: "whole", mode: 600 },
  ];
  await new DiskPack(world).ship({ version: "1", files }, { "bin/ring": "x", plain: "y" }).apply();
  expect([there(world, "zylos/bin/ring"), there(world, "zylos/plain"), there(world, "zylos/number")]).toEqual([
    "700 x",
    "644 y",
    "600 y",
  ]);
});

test.each(["0o777", "0o770", "0o755", "0755", "755", '"0o755"'])("mode: %s is octal in YAML", async (written) => {
  const world = new World();
  const manifest = `name: zylos\nversion: 1.0.0\nfiles:\n  - { ${JSON.stringify(ring).slice(1, -1)}, mode: ${written} }\n`;
  await new DiskPack(world).ship({}, { "stet.yaml": manifest, "bin/ring": "x" }).apply();
  expect(there(world, "zylos/bin/ring")).toBe(`${/[0-7]{3}(?="?$)/.exec(written)![0]} x`);
});

test.each([420, "9", "u+x", 77])("mode %s is refused with where the manifest says it", async (mode) => {
  const world = new World();
  const pack = new DiskPack(world).ship({ version: "1", files: [{ ...ring, mode }] }, { "bin/ring": "x" });
  await expect(pack.apply()).rejects.toThrow(/write octal digits in quotes/);
  expect(there(world, "zylos")).toBe("nothing");
});

test("a user's chmod is an edit: it stands when the content changes, and when nothing does", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(
    { version: "1", files: [ring] },
    { "bin/ring": { text: "one\n", mode: 0o755 } },
  );
  await pack.apply();
  fs.chmodSync(world.at("zylos/bin/ring"), 0o700);
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "keep", reason: "user-modified" }]);
  pack.ship({ version: "2", files: [ring] }, { "bin/ring": { text: "two\n", mode: 0o755 } });
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "merge" }]);
  expect(there(world, "zylos/bin/ring")).toBe("700 two\n");
  expect((await pack.plan()).changed).toBe(0);
});

test("a mode that the owner changes is written, and one that both changed is a conflict", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(
    { version: "1", files: [ring] },
    { "bin/ring": { text: "one\n", mode: 0o644 } },
  );
  await pack.apply();
  pack.ship({ version: "2", files: [ring] }, { "bin/ring": { text: "one\n", mode: 0o755 } });
  const changed = await pack.apply();
  expect(changed.summary).toEqual({ update: 1 });
  expect(changed.files).toMatchObject([{ action: "modify", diff: "old mode 644\nnew mode 755\n" }]);
  expect(there(world, "zylos/bin/ring")).toBe("755 one\n");
  fs.chmodSync(world.at("zylos/bin/ring"), 0o600);
  pack.ship({ version: "3", files: [{ ...ring, mode: "0711" }] }, { "bin/ring": { text: "one\n", mode: 0o755 } });
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "conflict", reason: "both-changed" }]);
  expect(there(world, "zylos/bin/ring")).toBe("600 one\n");
  await world.resolve("file:ring", "theirs");
  expect(there(world, "zylos/bin/ring")).toBe("711 one\n");
});

test("any bytes: created, updated, kept where the user changed them, and put back", async () => {
  const world = new World();
  const logo = { target: "~/zylos/logo.png", template: "logo.png" };
  const pack = new DiskPack(world).ship({ version: "1", files: [logo] }, { "logo.png": picture });
  await pack.apply();
  expect(fs.readFileSync(world.at("zylos/logo.png"))).toEqual(picture);
  expect(world.registry().files["~/zylos/logo.png"].entries["file:logo.png"].value).toMatchObject({
    mode: "0644",
    sha256: expect.any(String),
  });
  pack.ship({ version: "2", files: [logo] }, { "logo.png": otherPicture });
  await pack.apply();
  expect(fs.readFileSync(world.at("zylos/logo.png"))).toEqual(otherPicture);
  fs.writeFileSync(world.at("zylos/logo.png"), Buffer.from([0xff, 7]));
  pack.ship({ version: "3", files: [logo] }, { "logo.png": picture });
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "conflict", reason: "both-changed" }]);
  expect(fs.readFileSync(world.at("zylos/logo.png"))).toEqual(Buffer.from([0xff, 7]));
  fs.rmSync(world.at("zylos/logo.png"));
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "restore" }]);
  expect(fs.readFileSync(world.at("zylos/logo.png"))).toEqual(picture);
});

test("a user's own file at the place of a whole file stands", async () => {
  const world = new World();
  world.write("zylos/bin/ring", "mine\n");
  const pack = new DiskPack(world).ship({ version: "1", files: [ring] }, { "bin/ring": "ours\n" });
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "keep", reason: "user-owned" }]);
  expect(world.read("zylos/bin/ring")).toBe("mine\n");
});

test("a link is made, moved to another release, kept where the user points it elsewhere, and taken away", async () => {
  const world = new World();
  const link = (version: string) => ({ version, files: [{ target: "~/zylos/current", link: `releases/${version}` }] });
  const pack = new DiskPack(world).ship(link("1.4.0"));
  expect((await pack.apply()).entries).toMatchObject([{ key: "file:current", verdict: "create" }]);
  expect(there(world, "zylos/current")).toBe("-> releases/1.4.0");
  expect((await pack.plan()).changed).toBe(0);
  await pack.ship(link("1.5.0")).apply();
  expect(there(world, "zylos/current")).toBe("-> releases/1.5.0");
  fs.rmSync(world.at("zylos/current"));
  fs.symlinkSync("/elsewhere", world.at("zylos/current"));
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "keep", reason: "user-modified" }]);
  fs.rmSync(world.at("zylos/current"));
  fs.symlinkSync("releases/1.5.0", world.at("zylos/current"));
  await world.uninstall();
  expect(there(world, "zylos")).toBe("nothing");
});

test("what stands at a file's place through a link is followed, and the link stays", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship({ version: "1", files: [ring] }, { "bin/ring": "one\n" });
  await pack.apply();
  fs.renameSync(world.at("zylos/bin/ring"), world.at("dotfiles-ring"));
  fs.symlinkSync(world.at("dotfiles-ring"), world.at("zylos/bin/ring"));
  await pack.ship({ version: "2", files: [ring] }, { "bin/ring": "two\n" }).apply();
  expect(there(world, "zylos/bin/ring")).toBe(`-> ${world.at("dotfiles-ring")}`);
  expect(there(world, "dotfiles-ring")).toBe("644 two\n");
});

test("a link to a file of the same pack is a place of its own, in every run and for every owner", async () => {
  const world = new World();
  const files = [ring, { target: "~/zylos/now", link: "bin/ring" }];
  const pack = new DiskPack(world).ship({ version: "1", files }, { "bin/ring": "one\n" });
  await pack.apply();
  expect(await pack.apply()).toMatchObject({ changed: 0, summary: { unchanged: 2 } });
  await new DiskPack(world, "other")
    .ship({ name: "other", version: "1", files: [ring] }, { "bin/ring": "one\n" })
    .apply();
  pack.ship({ version: "2", files: [ring, { ...ring, target: "~/zylos/now" }] }, { "bin/ring": "one\n" });
  expect(await pack.apply()).toMatchObject({ summary: { unchanged: 1, update: 1 } });
  expect([there(world, "zylos/bin/ring"), there(world, "zylos/now")]).toEqual(["644 one\n", "644 one\n"]);
  await world.uninstall();
  expect([there(world, "zylos/bin/ring"), there(world, "zylos/now")]).toEqual(["644 one\n", "nothing"]);
});

test("scripts come before the entries that point at them, and go after them", async () => {
  const world = new World();
  const settings = { target: "~/.claude/settings.json", template: "settings.json" };
  const manifest = { version: "1", files: [settings, ring, { target: "~/zylos/now", link: "bin" }] };
  const shipped = {
    "settings.json": JSON.stringify({ statusLine: { command: "~/zylos/bin/ring" } }),
    "bin/ring": "x\n",
  };
  const pack = new DiskPack(world).ship(manifest, shipped);
  const order: string[] = [];
  const { gate } = world.machine;
  const note = <T>(move: (from: string, to: string) => T) => {
    return (from: string, to: string) => {
      order.push(to.replace(`${world.home}/`, ""));
      return move(from, to);
    };
  };
  Object.assign(world.machine, {
    gate: { ...gate, place: note(gate.place), exchange: note(gate.exchange), rename: note(gate.rename) },
  });
  await pack.apply();
  const files = (names: readonly string[]) => names.filter((name) => !name.includes("state"));
  expect(files(order)).toEqual(["zylos/bin/ring", "zylos/now", ".claude/settings.json"]);
  order.length = 0;
  await world.uninstall();
  expect(files(order).map((name) => name.replace(/[^/]*$/, ""))).toEqual([".claude/", "zylos/", "zylos/bin/"]);
  order.length = 0;
  await world.rollback();
  expect(files(order)).toEqual(["zylos/bin/ring", "zylos/now", ".claude/settings.json"]);
  order.length = 0;
  await world.rollback("zylos", 0);
  expect(files(order).map((name) => name.replace(/[^/]*$/, ""))).toEqual([".claude/", "zylos/", "zylos/bin/"]);
});

test("rollback gives bytes, modes and links back", async () => {
  const world = new World();
  const files = (version: string) => [ring, { target: "~/zylos/current", link: `releases/${version}` }];
  const pack = new DiskPack(world).ship(
    { version: "1", files: files("1") },
    { "bin/ring": { text: "one\n", mode: 0o755 } },
  );
  await pack.apply();
  await pack.ship({ version: "2", files: files("2") }, { "bin/ring": { text: "two\n", mode: 0o644 } }).apply();
  await world.rollback();
  expect([there(world, "zylos/bin/ring"), there(world, "zylos/current")]).toEqual(["755 one\n", "-> releases/1"]);
});

test("a conflict of bytes is settled from the records alone, either way", async () => {
  const world = new World();
  const logo = { target: "~/zylos/logo.png", template: "logo.png" };
  const pack = new DiskPack(world).ship({ version: "1", files: [logo] }, { "logo.png": picture });
  await pack.apply();
  fs.writeFileSync(world.at("zylos/logo.png"), Buffer.from([0xff, 7]));
  await pack.ship({ version: "2", files: [logo] }, { "logo.png": otherPicture }).apply();
  await world.resolve("file:logo.png", "theirs");
  expect(fs.readFileSync(world.at("zylos/logo.png"))).toEqual(otherPicture);
  expect((await pack.plan()).changed).toBe(0);
});

test.each([
  ["bytes", Buffer.from([0xff, 1, 2]), picture],
  ["a text", Buffer.from("mine\n"), Buffer.from("ours\n")],
])("%s that stood there before are given back after they were adopted and replaced", async (_, mine, ours) => {
  const world = new World();
  fs.mkdirSync(world.at("zylos"));
  fs.writeFileSync(world.at("zylos/file"), mine, { mode: 0o640 });
  const pack = new DiskPack(world).ship(
    { version: "1", files: [{ target: "~/zylos/file", template: "file", strategy: "whole" }] },
    { file: ours },
  );
  expect((await pack.apply()).entries).toMatchObject([{ verdict: "keep", reason: "user-owned" }]);
  await world.adopt("file:file");
  expect(fs.readFileSync(world.at("zylos/file"))).toEqual(mine);
  await world.resolve("file:file", "theirs");
  expect(fs.readFileSync(world.at("zylos/file"))).toEqual(ours);
  await world.uninstall();
  expect(fs.readFileSync(world.at("zylos/file"))).toEqual(mine);
  expect(fs.statSync(world.at("zylos/file")).mode & 0o777).toBe(0o640);
});

test("a file between a link and a whole file: each release replaces what the one before made", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship({ version: "1", files: [{ target: "~/zylos/tool", link: "bin/tool" }] });
  await pack.apply();
  await pack
    .ship(
      { version: "2", files: [{ target: "~/zylos/tool", template: "tool", strategy: "whole" }] },
      { tool: "file\n" },
    )
    .apply();
  expect(there(world, "zylos/tool")).toBe("644 file\n");
  await pack.ship({ version: "3", files: [{ target: "~/zylos/tool", link: "bin/tool" }] }).apply();
  expect(there(world, "zylos/tool")).toBe("-> bin/tool");
  await world.rollback();
  expect(there(world, "zylos/tool")).toBe("644 file\n");
});

test("what was read as merged text and is a whole file from now on, and back", async () => {
  const world = new World();
  const notes = { target: "~/notes.md", template: "notes.md" };
  const pack = new DiskPack(world).ship({ version: "1", files: [notes] }, { "notes.md": "one\n" });
  await pack.apply();
  await pack.ship({ version: "2", files: [{ ...notes, strategy: "whole" }] }, { "notes.md": "two\n" }).apply();
  expect(world.read("notes.md")).toBe("two\n");
  await pack.ship({ version: "3", files: [notes] }, { "notes.md": "three\n" }).apply();
  expect(world.read("notes.md")).toBe("three\n");
  await world.uninstall();
  expect(there(world, "notes.md")).toBe("nothing");
});

test.each([
  ["a whole file", { strategy: "whole" }],
  ["a file of entries", {}],
])("rollback leaves the mode that a user gave %s", async (_, how) => {
  const world = new World();
  const file = { target: "~/zylos/config.json", template: "config.json", ...how };
  const pack = new DiskPack(world).ship({ version: "1", files: [file] }, { "config.json": '{ "a": 1 }\n' });
  await pack.apply();
  await pack.ship({ version: "2", files: [file] }, { "config.json": '{ "a": 2 }\n' }).apply();
  fs.chmodSync(world.at("zylos/config.json"), 0o600);
  await world.rollback();
  expect(world.json("zylos/config.json")).toEqual({ a: 1 });
  expect(fs.statSync(world.at("zylos/config.json")).mode & 0o777).toBe(0o600);
});
