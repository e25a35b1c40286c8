import fs from "node:fs";
import { expect, it } from "vitest";
import { Shell } from "./shell.ts";

const settings = {
  env: { EDITOR: "vi", API_TOKEN: "hunter2" },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "curl --token hunter2 x" }] }] },
  theme: "dark",
};

it("makes a pack that this very home has nothing to change for", async () => {
  const shell = new Shell();
  shell.write(".claude/settings.json", { ...settings, statusLine: { command: `${shell.home}/line.sh` } });
  shell.write(".bashrc", "alias a=b\n");
  const before = shell.read(".claude/settings.json");
  await shell.ok("init", "~/.claude/settings.json", "~/.bashrc", "--dir", "pack");
  expect(shell.read("pack/stet.yaml")).toBe(`# What pack wants in its users' files. See what it would do: stet plan .
name: pack
version: "0.1.0"
files:
  - target: ~/.claude/settings.json
    template: templates/settings.json
    profile: claude-code
  - target: ~/.bashrc
    template: templates/bashrc
`);
  const plan = await shell.json("plan", "pack");
  expect(plan.changed).toBe(0);
  expect(plan.entries.map((entry: { reason: string }) => entry.reason)).toEqual(Array(4).fill("user-owned"));
  expect(shell.read(".claude/settings.json")).toBe(before);
});

it("leaves secrets out of the templates, and says which", async () => {
  const shell = new Shell();
  shell.write(".claude/settings.json", settings);
  const text = await shell.ok("init", "~/.claude/settings.json", "--dir", "pack");
  expect(text).toContain("left out, because it looks secret:");
  expect(text).toContain("setting:env.API_TOKEN");
  const template = shell.read("pack/templates/settings.json");
  expect(template).not.toContain("hunter2");
  expect(JSON.parse(template)).toMatchObject({ env: { EDITOR: "vi" }, theme: "dark" });
});

it("overwrites nothing, and leaves no half of a pack", async () => {
  const shell = new Shell();
  shell.write("a.json", { a: 1 });
  shell.write("pack/templates/a.json", "mine");
  const { code, err } = await shell.run("init", "a.json", "--dir", "pack");
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/templates\/a\.json: this is already there, and init overwrites nothing/),
  ]);
  expect(shell.read("pack/templates/a.json")).toBe("mine");
  expect(fs.existsSync(shell.at("pack/stet.yaml"))).toBe(false);
});

it("tells files of one name apart, and takes names that need quotes", async () => {
  const shell = new Shell();
  shell.write("one/config.json", { a: 1 });
  shell.write("two/config.json", { b: 1 });
  shell.write("three: x/config.json", { c: 1 });
  await shell.ok(
    "init",
    "one/config.json",
    "two/config.json",
    "three: x/config.json",
    "--dir",
    "pack",
    "--name",
    "Zylos.x",
  );
  const plan = await shell.json("plan", "pack");
  expect([plan.name, plan.entries.map(({ key }: { key: string }) => key).sort()]).toEqual([
    "Zylos.x",
    ["setting:a", "setting:b", "setting:c"],
  ]);
});

it("refuses what does not parse, and names files it could begin from", async () => {
  const shell = new Shell();
  shell.write(".claude/settings.json", "{ not json");
  expect(await shell.run("init", "~/.claude/settings.json")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/settings\.json:1:\d+: /),
  });
  expect((await shell.run("init")).err).toContain("here are ~/.claude/settings.json");
  expect((await shell.run("init", "~/nothing")).err).toContain("there is no such file to begin from");
});
