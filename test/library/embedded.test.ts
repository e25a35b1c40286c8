import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { PseudoTerminal } from "../cli/pseudo-terminal.ts";
import { slowDisk } from "../cli/slow-disk.ts";

const root = path.resolve(import.meta.dirname, "../..");
let program: string;

beforeAll(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-embedded-"));
  fs.mkdirSync(path.join(folder, "node_modules"));
  for (const name of fs.readdirSync(path.join(root, "node_modules")))
    fs.symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  program = path.join(folder, "chime.mjs");
  const { options } = await import(path.join(root, "examples/embedded/build.mjs"));
  // The sources, not what was last built of them.
  const alias = { stet: path.join(root, "src/index.ts") };
  // The build sees to this: packages that we bundle ask for Node's own modules by `require`.
  const js =
    'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';
  await build({ ...options, outfile: program, alias, banner: { js } });
  return () => fs.rmSync(folder, { recursive: true, force: true });
});

function home(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-embedded-home-")));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function chime(at: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "config", ...args], {
    cwd: at,
    env: { PATH: process.env.PATH, HOME: at },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("is one file that needs no template, installs, and leaves no trace", () => {
  const at = home();
  fs.writeFileSync(path.join(at, ".bashrc"), "alias a=b\n");
  expect(chime(at, "apply")).toMatchObject({ status: 0, stderr: "" });
  const settings = JSON.parse(fs.readFileSync(path.join(at, ".claude/settings.json"), "utf8"));
  expect(settings.hooks.SessionStart[0].hooks[0].command).toBe(`node ${at}/chime/hooks/ring.js`);
  expect(fs.readFileSync(path.join(at, ".bashrc"), "utf8")).toContain("# BEGIN CHIME MANAGED");
  expect(chime(at, "apply").stdout).toContain("Nothing to change.");
  expect(chime(at, "blame", ".bashrc").stdout).toContain("chime@1.0.0");
  expect(chime(at, "uninstall", "chime").status).toBe(0);
  expect(fs.readdirSync(at).sort()).toEqual([".bashrc", ".local"]);
  expect(fs.readFileSync(path.join(at, ".bashrc"), "utf8")).toBe("alias a=b\n");
});

it("speaks of itself, in help, hints and mistakes", () => {
  const at = home();
  expect(chime(at, "apply", "--set", "CHIME_HOME=/opt/chime").status).toBe(0);
  const file = path.join(at, ".claude/settings.json");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"timeout": 10', '"timeout": 99'));
  const said = [
    chime(at, "plan", "--set", "CHIME_HOME=/opt/chime"),
    chime(at, "status"),
    chime(at, "explain", "ring.js"),
    chime(at, "doctor"),
    chime(at, "help"),
    chime(at, "plan", "--help"),
    chime(at, "resolve"),
    chime(at, "nothing"),
    chime(at, "uninstall", "nobody"),
  ].map(({ stdout, stderr }) => stdout + stderr);
  expect(said[0]).toContain("chime config resolve");
  expect(said.join("")).not.toMatch(
    /\bstet (?:plan|apply|status|resolve|adopt|disown|explain|uninstall|help)\b|^stet:/m,
  );
});

it("shows under its own name that it is at work, although it is one file", async () => {
  const at = home();
  const disk = slowDisk(at);
  const env = { HOME: at, NO_COLOR: "1", NODE_OPTIONS: disk.options };
  const terminal = new PseudoTerminal([process.execPath, program, "config", "apply"], env);
  await terminal.until(/ chime config apply … \d+ s/);
  disk.answer();
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).toMatch(/^chime 1\.0\.0\n/);
});
