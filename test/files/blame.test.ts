import { expect, it } from "vitest";
import { blameLines } from "../../src/files/blame/blame.ts";
import { flatHooks, hook, pack, World } from "./world.ts";

const file = "app/config.json";

/** Owner and text of each line, as the report pairs them. */
async function owners(world: World, name = file): Promise<string[]> {
  const { lines } = await blameLines(world.at(name), [world.machine]);
  return lines.map(({ owner, text }) => `${owner} | ${text.trim()}`);
}

it("names the owner with the version that last wrote each entry, and who made what stands around it", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark", env: { A: "1" } }));
  await world.apply(pack("1.1.0", { theme: "light", env: { A: "1" } }));
  expect(await owners(world)).toEqual([
    "zylos@1.0.0 | {",
    'zylos@1.1.0 | "theme": "light",',
    'zylos@1.0.0 | "env": {',
    'zylos@1.0.0 | "A": "1"',
    "zylos@1.0.0 | }",
    "zylos@1.0.0 | }",
  ]);
});

it("leaves to the user what was there before, and to nobody what no owner knows", async () => {
  const world = new World();
  world.write(file, '{\n  // mine\n  "theme": "dark",\n  "own": 1\n}\n');
  await world.apply(pack("1.0.0", { theme: "light", added: true }));
  expect(await owners(world)).toEqual([
    "unmanaged | {",
    "unmanaged | // mine",
    'you | "theme": "dark",',
    'zylos@1.0.0 | "added": true,',
    'unmanaged | "own": 1',
    "unmanaged | }",
  ]);
});

it("goes field by field inside an entry: changed, added and commented parts are the user's", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { hooks: [hook("Stop", "node ~/stop.js", { timeout: 5 })] }));
  world.edit(file, '"timeout": 5', '// slow disk\n      "timeout": 9,\n      "note": "x"');
  expect((await owners(world)).filter((line) => !/[\]{}[]/.test(line))).toEqual([
    'zylos@1.0.0 | "event": "Stop",',
    'zylos@1.0.0 | "command": "node ~/stop.js",',
    "you | // slow disk",
    'you-over-zylos | "timeout": 9,',
    'you | "note": "x"',
  ]);
});

it("says of an entry that was handed over that it is the user's", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { theme: "dark", other: 1 }));
  await world.disown("setting:theme");
  expect(await owners(world)).toContain('you | "theme": "dark",');
  expect(await owners(world)).toContain('zylos@1.0.0 | "other": 1');
});

it("names all owners of a shared entry", async () => {
  const world = new World();
  const other = {
    name: "other",
    version: "9",
    files: [{ target: `~/${file}`, template: { theme: "dark" }, rules: flatHooks }],
  };
  await world.apply(pack("1.0.0", { theme: "dark" }));
  await world.apply(other);
  expect(await owners(world)).toContain('other@9, zylos@1.0.0 | "theme": "dark"');
});

it("tells the lines of a block and its markers from those around it", async () => {
  const world = new World();
  world.write(".bashrc", "alias a=b\n");
  const files = [{ target: "~/.bashrc", template: "one\ntwo\nthree\n", strategy: "block" }];
  await world.apply({ name: "zylos", version: "1.0.0", files });
  world.edit(".bashrc", "two\n", "zwei\nmore\n");
  expect((await owners(world, ".bashrc")).map((line) => line.replace(/BEGIN.*|END.*/, "…"))).toEqual([
    "unmanaged | alias a=b",
    "unmanaged | ",
    "zylos@1.0.0 | # …",
    "zylos@1.0.0 | one",
    "you-over-zylos | zwei",
    "you | more",
    "zylos@1.0.0 | three",
    "zylos@1.0.0 | # …",
  ]);
});

it("compares a whole text line by line, whatever its line ends", async () => {
  const world = new World();
  const files = [{ target: "~/CLAUDE.md", template: "# Rules\n\nbe kind\n" }];
  await world.apply({ name: "zylos", version: "1.0.0", files });
  world.write("CLAUDE.md", "# Rules\r\n\r\nbe quick\r\nbe kind\r\n");
  expect(await owners(world, "CLAUDE.md")).toEqual([
    "zylos@1.0.0 | # Rules",
    "zylos@1.0.0 | ",
    "you | be quick",
    "zylos@1.0.0 | be kind",
  ]);
});

it("reads YAML, TOML and dotenv alike", async () => {
  const world = new World();
  const files = [
    { target: "~/a.yaml", template: "a: 1\nb:\n  c: 2\n" },
    { target: "~/a.toml", template: "a = 1\n\n[b]\nc = 2\n" },
    { target: "~/.env", template: "A=1\nB=2\n" },
  ];
  world.write(".env", "MINE=1\n");
  await world.apply({ name: "zylos", version: "1.0.0", files });
  world.edit("a.yaml", "c: 2", "c: 3");
  world.edit("a.toml", "c = 2", "c = 3");
  world.edit(".env", "B=2", "B=3");
  for (const [name, changed] of [
    ["a.yaml", "c: 3"],
    ["a.toml", "c = 3"],
    [".env", "B=3"],
  ] as const) {
    const lines = await owners(world, name);
    expect(lines.filter((line) => line.startsWith("you"))).toEqual([`you-over-zylos | ${changed}`]);
    expect(lines.filter((line) => line.startsWith("zylos@1.0.0 | ") && !line.endsWith("| ")).length).toBeGreaterThan(0);
  }
  expect(await owners(world, ".env")).toContain("unmanaged | MINE=1");
});

it("finds the file through links, and says so when there is none", async () => {
  const world = new World();
  world.write("dotfiles/config.json", "{}\n");
  world.write("app/.keep", "");
  const { symlinkSync } = await import("node:fs");
  symlinkSync(world.at("dotfiles/config.json"), world.at(file));
  await world.apply(pack("1.0.0", { theme: "dark" }));
  expect(await owners(world, "dotfiles/config.json")).toContain('zylos@1.0.0 | "theme": "dark"');
  await expect(blameLines(world.at("nothing"), [world.machine])).rejects.toThrow(/nothing: there is no such file/);
});
