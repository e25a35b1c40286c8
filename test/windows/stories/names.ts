import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Box } from "../box.ts";

/** Claude Code's settings with one hook. */
const hooked = (command: string) => ({
  hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
});

const target = "~/.claude/settings.json";

/** Installs a hook, lets the user spell it otherwise, and returns what a second run makes of it. */
async function respelt(shipped: string, written: (home: string) => string) {
  const box = new Box();
  const pack = box.pack("1.0.0", { [target]: hooked(shipped) });
  await box.ok("apply", pack);
  const file = box.mine(".claude/settings.json");
  box.write(file, hooked(written(box.home)));
  const before = box.read(file);
  const plan = await box.json("apply", pack);
  expect(box.read(file)).toBe(before);
  return plan.summary;
}

describe("a hook is the same hook however its path is spelt", () => {
  const spellings: Readonly<Record<string, (home: string) => string>> = {
    "~": () => "node ~/zylos/beat.js",
    "%USERPROFILE%": () => 'node "%USERPROFILE%\\zylos\\beat.js"',
    "%userprofile%": () => 'node "%userprofile%/zylos/beat.js"',
    "$env:USERPROFILE": () => 'node "$env:USERPROFILE\\zylos\\beat.js"',
    "${env:USERPROFILE}": () => 'node "${env:USERPROFILE}/zylos/beat.js"',
    $HOME: () => 'node "$HOME/zylos/beat.js"',
    "the drive": (home) => `node "${home}\\zylos\\beat.js"`,
    "the drive in the other case": (home) => `node "${home.charAt(0).toLowerCase()}${home.slice(1)}\\zylos\\beat.js"`,
    "the drive with /": (home) => `node "${home.replaceAll("\\", "/")}/zylos/beat.js"`,
    "Git Bash": (home) => `node "/c${home.slice(2).replaceAll("\\", "/")}/zylos/beat.js"`,
    "another case": (home) => `node "${home.toUpperCase()}\\ZYLOS\\Beat.js"`,
    "a long path's prefix": (home) => `node "\\\\?\\${home}\\zylos\\beat.js"`,
    "node.exe": () => 'node.exe "%USERPROFILE%\\zylos\\beat.js"',
  };
  for (const [name, written] of Object.entries(spellings))
    it(name, async () => {
      expect(await respelt("node ~/zylos/beat.js", written)).toEqual({ unchanged: 1 });
    });

  it("a share is the same share in any case", async () => {
    expect(await respelt("node //server/tools/beat.js", () => 'node "\\\\SERVER\\tools\\beat.js"')).toEqual({
      unchanged: 1,
    });
  });
});

describe("names that Windows keeps for itself", () => {
  for (const name of [
    "CON",
    "NUL",
    "aux.txt",
    "com1.json",
    "lpt9",
    "PRN ",
    "a.",
    "a ",
    "settings.json:hidden",
    "what?.json",
    "NUL.tar.gz",
  ])
    it(`${JSON.stringify(name)} is refused before anything is written`, async () => {
      const box = new Box();
      const pack = box.pack("1.0.0", { "~/app/first.txt": "first\n", [`~/app/${name}`]: "x\n" });
      for (const command of ["plan", "apply"]) {
        const { code, err } = await box.run(command, pack);
        expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/stet\.yaml:\d+:\d+.*(device|Windows)/) });
      }
      expect(box.exists(box.mine("app"))).toBe(false);
      // An owner's records are a folder of that name.
      if (/^[a-z0-9.]+$/i.test(name) && !name.endsWith(".")) {
        const { code } = await box.run("apply", box.pack("1.0.0", { "~/app/x.txt": "x\n" }, { name: `${name}` }));
        expect(code).toBe(1);
      }
    });

  for (const name of ["console.log", "nullable.json", "auxiliary", "COM10.txt", "lpt.md", ".aux"])
    it(`${name} is a name as any other`, async () => {
      const box = new Box();
      await box.ok("apply", box.pack("1.0.0", { [`~/app/${name}`]: '{"a":1}\n' }));
      expect(fs.readdirSync(box.at(box.mine("app")))).toEqual([name]);
    });
});

describe("paths past 260 characters", () => {
  const deep = Array.from({ length: 12 }, (_, i) => `a folder with a rather long name ${i}`).join("/");

  it("a target", async () => {
    const box = new Box();
    const file = `${box.mine(deep)}/config.json`;
    expect(box.at(file).length).toBeGreaterThan(400);
    box.write(file, '{ "mine": 1 }\r\n');
    const pack = (version: string, theme: string) => box.pack(version, { [`~/${deep}/config.json`]: { theme } });
    await box.ok("apply", pack("1.0.0", "dark"));
    box.edit(file, '"mine": 1', '"mine": 2');
    await box.ok("apply", pack("2.0.0", "light"));
    expect(JSON.parse(box.read(file))).toEqual({ mine: 2, theme: "light" });
    await box.ok("rollback");
    expect(JSON.parse(box.read(file))).toEqual({ mine: 2, theme: "dark" });
    await box.ok("uninstall", "zylos");
    expect(box.read(file)).toBe('{ "mine": 2 }\r\n');
  });

  it("a target in folders that are made and go again, and a state directory", async () => {
    const box = new Box();
    const stateDir = path.join(box.home, "state", deep);
    await box.ok("apply", box.pack("1.0.0", { [`~/${deep}/config.json`]: { theme: "dark" } }), "--state-dir", stateDir);
    expect(JSON.parse(box.read(`${box.mine(deep)}/config.json`))).toEqual({ theme: "dark" });
    expect(await box.ok("status", "--state-dir", stateDir)).toContain("config.json");
    await box.ok("uninstall", "zylos", "--state-dir", stateDir);
    expect(box.exists(box.mine(deep.split("/")[0]!))).toBe(false);
  });
});
