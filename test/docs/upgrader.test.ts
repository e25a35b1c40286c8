import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";

const program = path.resolve(import.meta.dirname, "../../examples/upgrader/chime.mjs");

/** `import "stet"` finds the package itself, as built: a package may import itself by name. */
function chime(terminal: Terminal, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, HOME: terminal.home },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("the example installs, upgrades and uninstalls itself, and what its user wrote stands", () => {
  const terminal = new Terminal();
  const config = "home/.chime/config.json";
  expect(chime(terminal, "install", "1.0.0")).toEqual({
    status: 0,
    stdout: "chime 1.0.0: 4 entries changed\n",
    stderr: "",
  });
  terminal.write(
    config,
    terminal.read(config).replace('"volume": 3', '"volume": 1').replace('"sound"', '"mine": true,\n  "sound"'),
  );

  const upgraded = chime(terminal, "install");
  expect(upgraded.stdout).toMatch(
    /^chime 1\.1\.0 \(was 1\.0\.0\): 4 entries changed\n {2}you and chime both changed setting:volume; your value stays; .*chime config resolve/,
  );
  expect(JSON.parse(terminal.read(config))).toEqual({
    volume: 1,
    mine: true,
    sound: "gong",
    hooks: [
      { event: "Stop", command: "node ~/.chime/play.js" },
      { event: "Error", command: "node ~/.chime/play.js --loud" },
    ],
  });
  expect(chime(terminal, "install").stdout).toMatch(/: 0 entries changed\n/);
  expect(chime(terminal, "config", "status").stdout).toMatch(/needs you\s+setting:volume/);

  expect(chime(terminal, "uninstall")).toMatchObject({ status: 0, stdout: "chime is gone: 3 entries taken out\n" });
  expect(JSON.parse(terminal.read(config))).toEqual({ volume: 1, mine: true });
  expect(chime(terminal, "uninstall")).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^chime: nothing is installed under the name chime; see: chime config status\n$/),
  });
});

it("without a user it leaves nothing behind", () => {
  const terminal = new Terminal();
  chime(terminal, "install", "1.0.0");
  chime(terminal, "install");
  chime(terminal, "uninstall");
  expect(fs.existsSync(terminal.at("home/.chime"))).toBe(false);
});
