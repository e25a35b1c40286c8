import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Shell } from "./shell.ts";
import { Terminal, writePack } from "./terminal.ts";

const config = "~/config.json";

describe("FILE#KEY", () => {
  it("names the file as the shell does: with the home, from the folder one is in, or from the root", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.run("apply", "pack");
    for (const file of [
      "~/app/config.json",
      "home/app/config.json",
      "./home/app/config.json",
      terminal.at("home/app/config.json"),
    ]) {
      for (const command of ["explain", "disown", "adopt"]) {
        const { code, err } = await terminal.run(command, `${file}#setting:a`);
        expect([command, file, code, err]).toEqual([command, file, 0, ""]);
      }
    }
  });
});

it("a number that no double holds is told as it was written, by every command that tells values", async () => {
  const terminal = new Terminal();
  writePack(terminal, "1.0.0", '{ "big": 12345678901234567890 }');
  await terminal.run("apply", "pack");
  for (const argv of [["plan", "pack"], ["status"], ["explain", "big"]])
    expect((await terminal.run(...argv, "--json")).out).toMatch(/: 12345678901234567890\b/);
});

describe("exit codes", () => {
  it("plan --exit-code: 2 for a change of files, 2 for a change of records only, 0 when in sync", async () => {
    const shell = new Shell();
    const [v1, v2] = [shell.pack("1.0", { [config]: { a: 1 } }), shell.pack("2.0", { [config]: { a: 1 } })];
    expect((await shell.run("plan", v1, "--exit-code")).code).toBe(2);
    expect((await shell.run("plan", v1)).code).toBe(0);
    await shell.ok("apply", v1);
    expect((await shell.run("plan", v1, "--exit-code")).code).toBe(0);
    const records = await shell.run("plan", v2, "--exit-code", "--json");
    expect([records.code, JSON.parse(records.out).changed]).toEqual([2, 0]);
    await shell.ok("apply", v2);
    expect((await shell.run("plan", v2, "--exit-code")).code).toBe(0);
  });

  it("apply --strict: 3 while a conflict or a kept edit remains, although it is done", async () => {
    const shell = new Shell();
    const v1 = shell.pack("1.0", { [config]: { a: 1, b: 1 } });
    expect((await shell.run("apply", v1, "--strict")).code).toBe(0);
    shell.write("config.json", { a: 9, b: 1 });
    expect((await shell.run("apply", v1, "--strict")).code).toBe(3);
    const v2 = shell.pack("2.0", { [config]: { a: 2, b: 2 } });
    expect((await shell.run("apply", v2, "--strict")).code).toBe(3);
    expect(JSON.parse(shell.read("config.json"))).toEqual({ a: 9, b: 2 });
    await shell.ok("resolve", "setting:a", "--theirs");
    expect((await shell.run("apply", v2, "--strict")).code).toBe(0);
  });

  it.each([
    ["no manifest", ["apply", "nowhere"], /^stet: \S+nowhere\S*: there is no manifest here, and no such folder; .*\n$/],
    ["an unknown option", ["plan", "--wat"], /^stet: Unknown option '--wat'; see: stet plan --help\n$/],
    ["an unknown command", ["wat"], /^stet: there is no command wat; see: stet help\n$/],
    ["a variable without a value", ["plan", ".", "--set", "X"], /^stet: --set X: write --set NAME=VALUE\n$/],
    [
      "an owner nobody knows",
      ["uninstall", "nobody"],
      /^stet: nothing is installed under the name nobody; see: stet status\n$/,
    ],
    ["no owner at all", ["rollback"], /^stet: nothing is installed; to see what a pack would change: stet plan DIR\n$/],
  ])(
    "1 and one line on stderr for %s; with --json also the document, with the reason in it",
    async (_, argv, message) => {
      const plain = await new Shell().run(...argv);
      expect([plain.code, plain.out, plain.err]).toEqual([1, "", expect.stringMatching(message as RegExp)]);
      const { code, out, err } = await new Shell().run(...argv, "--json");
      expect([code, err]).toEqual([1, expect.stringMatching(message as RegExp)]);
      const { diagnostics, ...nothing } = JSON.parse(out);
      expect(nothing).toEqual({ format_version: 1, changed: 0, summary: {}, entries: [], files: [] });
      expect(diagnostics).toEqual([expect.objectContaining({ severity: "error", code: expect.any(String) })]);
      expect(err).toContain(diagnostics[0].message);
    },
  );
});

describe("a manifest that is wrong", () => {
  const cases: [string, string, RegExp][] = [
    ["an unknown key", "name: z\nversion: '1'\nfiles: []\nfile: []\n", /stet\.yaml:4:1: unknown key file/],
    [
      "a number for a version",
      "name: z\nversion: 1.4\nfiles: []\n",
      /stet\.yaml:2:1: version: must be a text; put it in quotes/,
    ],
    ["a name with a slash", "name: ../z\nversion: '1'\nfiles: []\n", /stet\.yaml:1:1: name: /],
    [
      "a template outside its folder",
      "name: z\nversion: '1'\nfiles:\n  - { target: ~/a.json, template: ../../etc/passwd }\n",
      /lies outside the folder/,
    ],
    [
      "a template that is not there",
      "name: z\nversion: '1'\nfiles:\n  - { target: ~/a.json, template: no.json }\n",
      /no\.json: the manifest names this template/,
    ],
    [
      "a relative target",
      "name: z\nversion: '1'\nfiles:\n  - { target: a.json, template: t.json }\n",
      /target a\.json is not absolute/,
    ],
    [
      "an undefined variable",
      "name: z\nversion: '1'\nfiles:\n  - { target: '${X}/a.json', template: t.json }\n",
      /\$\{X\} is not defined/,
    ],
    [
      "a profile nobody knows",
      "name: z\nversion: '1'\nfiles:\n  - { target: ~/a.json, template: t.json, profile: wat }\n",
      /there is no profile wat/,
    ],
    [
      "one target twice",
      "name: z\nversion: '1'\nfiles:\n  - { target: ~/a.json, template: t.json }\n  - { target: $HOME/../{HOME}/a.json, template: t.json }\n",
      /two files of the manifest have the target/,
    ],
    ["broken YAML", "name: [\n", /stet\.yaml:\d+:\d+: /],
  ];

  it.each(cases)("with %s is refused in one line with its place, and nothing is touched", async (_, text, message) => {
    const shell = new Shell();
    shell.write("pack/stet.yaml", text.replace("$HOME/../{HOME}", `~/../${path.basename(shell.home)}`));
    shell.write("pack/t.json", { a: 1 });
    const { code, err } = await shell.run("apply", "pack");
    expect([code, err]).toEqual([1, expect.stringMatching(message)]);
    expect(err.split("\n")).toHaveLength(2);
    expect(fs.readdirSync(shell.home)).toEqual(["pack"]);
  });
});

it("variables: --set wins over the environment, which wins over the manifest; every other dollar is text", async () => {
  const shell = new Shell();
  shell.write(
    "pack/stet.yaml",
    "name: z\nversion: '1'\nvars: { DIR: ~/d, NAME: default }\nfiles:\n  - { target: '${DIR}/${XDG_CONFIG_HOME}.json', template: t.json }\n",
  );
  shell.write("pack/t.json", '{ "a": "${NAME} $HOME ~ ${HOME} $NAME", "${NAME}": 1 }');
  const target = async (...more: string[]) => (await shell.json("plan", "pack", ...more)).files[0].path;
  const wanted = async (...more: string[]) =>
    (await shell.json("plan", "pack", ...more)).entries.map((entry: { key: string; desired: unknown }) => [
      entry.key,
      entry.desired,
    ]);
  expect(await target()).toBe(path.join(shell.home, "d", `${shell.home}/.config.json`));
  expect(await wanted()).toContainEqual(["setting:a", `default $HOME ~ ${shell.home} $NAME`]);
  shell.env.NAME = "env";
  expect(await wanted()).toContainEqual(["setting:env", 1]);
  expect(await wanted("--set", "NAME=set=1")).toContainEqual(["setting:set=1", 1]);
  expect((await shell.run("plan", "pack", "--set", "NOPE=1")).err).toMatch(/declares no such variable/);
});

it("a second apply leaves every file, the registry and the rest of the state as they are, mtimes included", async () => {
  const shell = new Shell();
  const v1 = shell.pack("1.0", {
    [config]: { a: { b: [1] } },
    "~/AGENTS.md": "x\n",
    "~/.env": "A=1\n",
    "~/c.toml": "[t]\nx = 1\n",
  });
  await shell.ok("apply", v1);
  const before = snapshot(shell.home);
  expect(await shell.json("apply", v1)).toMatchObject({ changed: 0, summary: { unchanged: 4 } });
  for (const command of [["plan", v1], ["status"], ["history"], ["apply", v1, "--dry-run"]]) await shell.ok(...command);
  expect(snapshot(shell.home)).toEqual(before);
});

function snapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const status = fs.lstatSync(path.join(folder, name), { bigint: true });
    seen[name] =
      `${status.ino} ${status.mode} ${status.mtimeNs} ${status.isFile() ? fs.readFileSync(path.join(folder, name), "base64") : ""}`;
  }
  return seen;
}

const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

it("--json shows a number as it is written, whatever a double would make of it", async () => {
  const shell = new Shell();
  shell.write("config.json", '{ "a": 1 }\n');
  const v1 = shell.pack("1.0", {
    [config]: '{ "big": 12345678901234567890, "small": 1.5, "n": [0.10000000000000000001] }',
  });
  const { out } = await shell.run("plan", v1, "--json");
  expect(out).toContain('"desired": 12345678901234567890');
  expect(out.replaceAll(/\s/g, "")).toContain('"result":[0.10000000000000000001]');
  expect(JSON.parse(out).entries).toHaveLength(3);
});

describe.runIf(canMount)("a disk that is full", () => {
  it("leaves everything as it was, and says so in one line", async () => {
    const shell = new Shell();
    fs.mkdirSync(shell.at("small"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", shell.at("small")]);
    try {
      const target = "~/small/config.json";
      await shell.ok("apply", shell.pack("1.0", { [target]: { a: 1 }, [config]: { a: 1 } }));
      const before = [shell.read("small/config.json"), shell.read("config.json")];
      const { code, err } = await shell.run(
        "apply",
        shell.pack("2.0", { [target]: { a: "x".repeat(400_000) }, [config]: { a: 2 } }),
      );
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^stet: \S+small\/config\.json: can't write it: no space is left.*\n$/),
      ]);
      expect([shell.read("small/config.json"), shell.read("config.json")]).toEqual(before);
      expect(fs.readdirSync(shell.at("small"))).toEqual(["config.json"]);
    } finally {
      execFileSync("umount", [shell.at("small")]);
    }
  });
});
