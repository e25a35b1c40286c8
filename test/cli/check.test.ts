import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Machine } from "../../src/engine/machine.ts";
import { checkPack, type Homes } from "../../src/files/check/check.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { Terminal, writePack } from "./terminal.ts";

const hook = (command: string) => ({ event: "Stop", command });

function goodPack(): Terminal {
  const terminal = new Terminal();
  writePack(
    terminal,
    "1.4.0",
    { theme: "light", hooks: [hook("node ~/a.js"), hook("node ~/c.js")] },
    'earlier:\n  "1.2.0": releases/1.2\n',
  );
  terminal.write("pack/releases/1.2/config.json", { theme: "dark", hooks: [hook("node ~/a.js"), hook("node ~/b.js")] });
  return terminal;
}

describe("stet check", () => {
  it("tries install, upgrades with and without records, a second run and uninstall, and says that all is well", async () => {
    const { code, out, err } = await goodPack().run("check", "pack");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/✓ upgrade from 1\.2\.0 in an empty home/);
    expect(out).toMatch(/✓ upgrade from 1\.2\.0 beside a user's own entries/);
    expect(out).toMatch(/✓ upgrade from 1\.2\.0 where nothing was recorded/);
    expect(out).toContain("The pack is in order. 6 trials");
  });

  it.each(["user-framework", "project-framework", "five-runtimes"])(
    "finds examples/%s in order, also beside a user's own files",
    async (name) => {
      const { code, out } = await new Terminal().run("check", path.resolve("examples", name));
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("The pack is in order.") });
    },
  );

  it("tries every format, strategy and profile that a pack may use", async () => {
    const terminal = new Terminal();
    const files = {
      "~/.claude/settings.json": {
        hooks: { Stop: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] },
        permissions: { allow: ["Bash(ls:*)"] },
      },
      "~/z/c.jsonc": '{ "a": { "b": [1, 2] } }\n',
      "~/z/c.yaml": "a: 1\nb:\n  c: [1, 2]\n",
      "~/z/c.toml": 'a = 1\n[b]\nc = "x"\n',
      "~/z/.env": "A=1\nB='two words'\n",
      "~/z/notes.md": "# Notes\n",
    };
    const rows = Object.keys(files).map((target, i) => `  - { target: "${target}", template: t${i} }\n`);
    terminal.write(
      "pack/stet.yaml",
      `name: zylos\nversion: "1"\nfiles:\n${rows.join("")}  - { target: ~/.bashrc, template: rc, strategy: block }\n`,
    );
    Object.values(files).forEach((template, i) => {
      terminal.write(`pack/t${i}`, template);
    });
    terminal.write("pack/rc", "export A=1\n");
    const report = await terminal.json("check", "pack");
    expect(report.trials).toEqual(report.trials.map(({ name }: { name: string }) => ({ name, findings: [] })));
    expect(report.passed).toBe(true);
  });

  it("knows a release by its own manifest, also where that spells a target otherwise", async () => {
    const terminal = goodPack();
    terminal.write(
      "pack/releases/1.2/stet.yaml",
      "name: zylos\nversion: 1.2.0\nvars: { APP: ~/app }\nfiles:\n" +
        "  - target: '${APP}/config.json'\n    template: config.json\n" +
        "    rules: [{ type: hook, at: 'hooks[]', key: [event, command|command] }]\n" +
        "  - { target: ~/app/old.json, template: old.json }\n",
    );
    terminal.write("pack/releases/1.2/old.json", { from: "here" });
    const report = await terminal.json("check", "pack");
    const notes = report.trials.at(-1);
    expect(notes.name).toBe("upgrade from 1.2.0 where nothing was recorded, run twice");
    // Nothing in them is only this owner's: they are noted, each with how to tell.
    expect(notes.findings.map(({ code, file }: { code: string; file: string }) => [code, file])).toEqual([
      ["not-recognised", "~/app/config.json"],
      ["not-recognised", "~/app/old.json"],
    ]);
    terminal.write(
      "pack/stet.yaml",
      terminal
        .read("pack/stet.yaml")
        .replace("releases/1.2", "{ from: releases/1.2, when: { exists: ~/app/VERSION } }"),
    );
    expect(
      (await terminal.json("check", "pack")).trials.flatMap(({ findings }: { findings: { code: string }[] }) =>
        findings.filter(({ code }) => code !== "script-not-shipped"),
      ),
    ).toEqual([]);
  });

  it("says what is wrong with the manifest once, and tries nothing further", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", '{ "a": 1,, }');
    const { code, out } = await terminal.run("check", "pack");
    expect(code).toBe(1);
    expect(out).toMatch(/✗ the manifest\n {6}.*pack\/config\.json:1:10: /);
    expect(out).toContain("1 trial");
  });

  it("finds a move that leads nowhere", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 }, "moved:\n  - { from: 'setting:b', to: 'setting:c' }\n");
    const report = await terminal.json("check", "pack");
    expect(report.trials[0].findings).toMatchObject([{ code: "stray-move", key: "setting:c" }]);
    expect(report.passed).toBe(false);
  });

  it("never goes near files outside its temporary homes", async () => {
    const terminal = new Terminal({ APP: "/nowhere" });
    terminal.write("outside.json", '{ "mine": 1 }');
    terminal.write(
      "pack/stet.yaml",
      `name: zylos\nversion: "1"\nvars: { APP: ~/app }\nfiles:\n  - { target: "${terminal.at("outside.json")}", template: t }\n  - { target: "\${APP}/a.json", template: t }\n`,
    );
    terminal.write("pack/t", { a: 1 });
    const report = await terminal.json("check", "pack");
    expect(report.trials[0].findings).toMatchObject([{ code: "not-tried", severity: "info" }]);
    expect(report.passed).toBe(true);
    expect(terminal.read("outside.json")).toBe('{ "mine": 1 }');
    expect(fs.readdirSync(terminal.home)).toEqual([]);
  });
});

/** Homes on a disk where something is wrong. */
function homesWith(fault: (gate: Gate, home: string) => Gate): Homes {
  return {
    async use(trial) {
      const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-check-test-")));
      onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
      const home = path.join(folder, "home");
      fs.mkdirSync(home);
      const gate = fault(diskGate(), home);
      const machine: Machine = {
        home,
        stateDir: path.join(folder, "state"),
        env: {},
        platform: "linux",
        program: "stet",
        gate,
        now: () => new Date(0),
      };
      return trial({ machine, forget: () => fs.rmSync(machine.stateDir, { recursive: true, force: true }) });
    },
  };
}

describe("what check must notice", () => {
  const pack = readPack(diskGate(), {
    name: "zylos",
    version: "1",
    files: [{ target: "~/a.json", template: { a: 1 } }],
  });
  const codes = async (homes: Homes) => {
    const { trials } = await checkPack(pack, [], homes);
    return trials.map(({ findings }) => [...new Set(findings.map((finding) => finding.code))]);
  };

  it("an uninstall that leaves something behind", async () => {
    const littering = (gate: Gate, home: string): Gate => ({
      ...gate,
      rename(from, to) {
        gate.rename(from, to);
        if (to.startsWith(home)) fs.writeFileSync(path.join(home, "a.json.orig"), "");
      },
    });
    expect(await codes(homesWith(littering))).toEqual([[], ["not-given-back"], []]);
  });

  it("a second run that writes", async () => {
    let runs = 0;
    const restless = (gate: Gate, home: string): Gate => ({
      ...gate,
      read(file) {
        if (file === path.join(home, "a.json")) fs.writeFileSync(path.join(home, "a.json.seen"), String(runs++));
        return gate.read(file);
      },
    });
    const [, empty] = await codes(homesWith(restless));
    expect(empty).toEqual(["not-idempotent", "not-given-back"]);
  });
});

describe("releases from before there were records", () => {
  const release = (earlier: string): Terminal => {
    const terminal = new Terminal();
    writePack(terminal, "1.4.0", { theme: "light", hooks: [hook("node ~/a.js")] }, earlier);
    terminal.write("pack/releases/1.2/config.json", { theme: "dark", old: 1, hooks: [hook("node ~/b.js")] });
    return terminal;
  };

  it("are tried both ways where the manifest says how to tell: installed here, and never installed", async () => {
    const terminal = release('earlier:\n  "1.2.0": { from: releases/1.2, when: { exists: ~/zylos/VERSION } }\n');
    const { code, out } = await terminal.run("check", "pack");
    expect(out).toMatch(/✓ upgrade from 1\.2\.0 where nothing was recorded/);
    expect(out).toMatch(/✓ a user's own values as in 1\.2\.0, which was never installed/);
    expect(code).toBe(0);
  });

  it("are not tried as never installed where another release recognises the same values", async () => {
    const both = '  "1.2.0": { from: releases/1.2, when: { exists: ~/zylos/VERSION } }\n  "1.1.0": releases/1.1\n';
    const terminal = new Terminal();
    const own = { theme: "dark", hooks: [hook("node ${ZYLOS_HOME}/a.js")] };
    writePack(terminal, "1.4.0", { theme: "light" }, `vars: { ZYLOS_HOME: ~/zylos }\nearlier:\n${both}`);
    for (const version of ["1.1", "1.2"]) terminal.write(`pack/releases/${version}/config.json`, own);
    const report = await terminal.json("check", "pack");
    expect(report.trials.map(({ name }: { name: string }) => name).join("\n")).not.toContain("never installed");
    expect(report.passed).toBe(true);
  });

  it("are noted where nothing tells", async () => {
    const report = await release('earlier:\n  "1.2.0": releases/1.2\n').json("check", "pack");
    const codes = report.trials.flatMap(({ findings }: { findings: { code: string; severity: string }[] }) =>
      findings.map(({ code: each, severity }) => [each, severity]),
    );
    expect(report.passed).toBe(true);
    expect(codes.filter(([code]: string[]) => code !== "script-not-shipped")).toEqual([["not-recognised", "info"]]);
  });
});
