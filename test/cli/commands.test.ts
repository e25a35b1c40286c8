import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { Terminal, writePack } from "./terminal.ts";

const hook = (command: string, more: object = {}) => ({ event: "Stop", command, ...more });

/** Installed, edited by the user, and about to be upgraded: one entry of each kind. */
async function upgrading(): Promise<Terminal> {
  const terminal = new Terminal();
  writePack(terminal, "1.0.0", { theme: "dark", days: 30, old: 1, hooks: [hook("node ~/a.js", { timeout: 5 })] });
  await terminal.run("apply", "pack");
  terminal.write(
    "home/app/config.json",
    terminal.read("home/app/config.json").replace('"timeout": 5', '"timeout": 60').replace("dark", "solarized"),
  );
  writePack(terminal, "1.1.0", {
    theme: "light",
    days: 14,
    hooks: [hook("node ~/a.js", { timeout: 5 }), hook("node ~/b.js")],
  });
  return terminal;
}

describe("plan and apply", () => {
  it("plan --format markdown is for pull requests, json is --json, and anything else is a mistake", async () => {
    const terminal = await upgrading();
    const before = terminal.snapshot();
    const { code, out } = await terminal.run("plan", "pack", "--format", "markdown", "--diff");
    expect(code).toBe(0);
    expect(out).toMatch(/^### zylos 1\.0\.0 → 1\.1\.0\n\n\*\*Plan: /);
    expect(out).toContain("| ! | <code>setting:theme</code> | **needs you: you and zylos both changed it**");
    expect(out).toMatch(/```diff\n[\s\S]*```/);
    const json = await terminal.run("plan", "pack", "--format", "json");
    expect(json).toEqual(await terminal.run("plan", "pack", "--json"));
    expect((await terminal.run("plan", "pack", "--format", "text")).out).toMatch(/^zylos 1\.0\.0 → 1\.1\.0\n/);
    expect((await terminal.run("plan", "pack", "--format", "markdwon")).err).toBe(
      "stet: --format markdwon: use one of text, markdown, json (did you mean markdown?)\n",
    );
    expect((await terminal.run("plan", "pack", "--json", "--format", "markdown")).err).toMatch(/two formats/);
    expect((await terminal.run("plan", "--format", "markdown")).err).toMatch(/no manifest/);
    expect(terminal.snapshot()).toEqual(before);
  });

  it("plan says what would change and why, and writes nothing", async () => {
    const terminal = await upgrading();
    const before = terminal.snapshot();
    const { code, out } = await terminal.run("plan", "pack");
    expect(code).toBe(0);
    expect(out).toMatch(/^zylos 1\.0\.0 → 1\.1\.0\n\n~\/app\/config\.json/);
    expect(out).toMatch(/~ setting:days .*\n\s+30 → 14/);
    expect(out).toMatch(/- setting:old /);
    expect(out).toMatch(/\+ hook:Stop:node ~\/b\.js /);
    expect(out).toMatch(/= hook:Stop:node ~\/a\.js .*kept as you have it/);
    expect(out).toMatch(
      /! setting:theme .*needs you.*\n\s+yours "solarized" .*"light" .*"dark"\n.*stet resolve setting:theme --mine/,
    );
    expect(out).not.toContain("@@");
    expect(terminal.snapshot()).toEqual(before);
  });

  it("--diff shows the lines, --json one document and nothing else, -q nothing", async () => {
    const terminal = await upgrading();
    expect((await terminal.run("plan", "pack", "--diff")).out).toMatch(
      /\n\s*-\s+"days": 30,\n[^@]*\n\s*\+\s+"days": 14,\n/,
    );
    const { out, err } = await terminal.run("plan", "pack", "--json");
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      format_version: 1,
      name: "zylos",
      version: "1.1.0",
      from: "1.0.0",
      changed: 3,
      summary: { create: 1, update: 1, remove: 1, keep: 1, conflict: 1 },
      files: [
        { path: terminal.at("home/app/config.json"), action: "modify", diff: expect.stringContaining('+  "days": 14') },
      ],
    });
    expect(await terminal.run("plan", "pack", "-q")).toEqual({ code: 0, out: "", err: "" });
  });

  it("--exit-code is 2 while an apply would change files or records, and 0 afterwards", async () => {
    const terminal = await upgrading();
    expect((await terminal.run("plan", "pack", "--exit-code")).code).toBe(2);
    expect((await terminal.run("status", "--exit-code")).code).toBe(0);
    await terminal.run("apply", "pack");
    expect((await terminal.run("plan", "pack", "--exit-code")).code).toBe(0);
  });

  it("--strict is 3 while conflicts or kept edits remain, though everything else is done", async () => {
    const terminal = await upgrading();
    expect((await terminal.run("apply", "pack", "--strict", "-q")).code).toBe(3);
    expect(JSON.parse(terminal.read("home/app/config.json"))).toMatchObject({ days: 14, theme: "solarized" });
    await terminal.run("resolve", "setting:theme", "--theirs");
    await terminal.run("resolve", "hook:Stop:node ~/a.js", "--theirs");
    expect((await terminal.run("apply", "pack", "--strict")).code).toBe(0);
  });

  it("--dry-run is plan", async () => {
    const terminal = await upgrading();
    const before = terminal.snapshot();
    expect(await terminal.run("apply", "pack", "--dry-run", "--strict")).toEqual(await terminal.run("plan", "pack"));
    expect(terminal.snapshot()).toEqual(before);
  });

  it("--no-prune keeps what is no longer wanted, and its record", async () => {
    const terminal = await upgrading();
    const document = await terminal.json("apply", "pack", "--no-prune");
    expect(document.entries.find((entry: { key: string }) => entry.key === "setting:old")).toMatchObject({
      verdict: "keep",
      reason: "prune-off",
    });
    expect(JSON.parse(terminal.read("home/app/config.json")).old).toBe(1);
    expect((await terminal.json("apply", "pack")).summary.remove).toBe(1);
  });

  it("a second apply changes nothing: no byte, no time, no record", async () => {
    const terminal = await upgrading();
    await terminal.run("apply", "pack");
    const before = terminal.snapshot();
    expect((await terminal.json("apply", "pack")).changed).toBe(0);
    expect(terminal.snapshot()).toEqual(before);
  });

  it("what was there before stays the user's on every later run, and when the owner goes", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1, b: 2 });
    terminal.write("home/app/config.json", '{ "a": 1 }\n');
    for (const run of [1, 2, 3]) {
      const { entries } = await terminal.json("apply", "pack");
      expect(entries[0], `run ${run}`).toMatchObject({ key: "setting:a", verdict: "keep", reason: "user-owned" });
    }
    await terminal.run("uninstall", "zylos");
    expect(terminal.read("home/app/config.json")).toBe('{ "a": 1 }\n');
  });

  it("--set wins over the environment, which wins over the manifest", async () => {
    const terminal = new Terminal();
    terminal.write(
      "pack/stet.yaml",
      'name: z\nversion: "1"\nvars: { PLACE: ~/a }\nfiles:\n  - { target: "${PLACE}/c.json", template: c.json }\n',
    );
    terminal.write("pack/c.json", { at: "${PLACE}", literal: "$HOME ~ ${OTHER}" });
    await terminal.run("apply", "pack");
    expect(JSON.parse(terminal.read("home/a/c.json"))).toEqual({
      at: terminal.at("home/a"),
      literal: "$HOME ~ ${OTHER}",
    });
    terminal.env.PLACE = terminal.at("home/b");
    await terminal.run("apply", "pack", "--state-dir", terminal.at("home/s1"));
    expect(terminal.exists("home/b/c.json")).toBe(true);
    await terminal.run(
      "apply",
      "pack",
      "--state-dir",
      terminal.at("home/s2"),
      "--set",
      `PLACE=${terminal.at("home/c")}`,
    );
    expect(terminal.exists("home/c/c.json")).toBe(true);
  });

  it("HOME as a variable is the home that --home names, as ~ is", async () => {
    const terminal = new Terminal();
    terminal.write(
      "pack/stet.yaml",
      'name: z\nversion: "1"\nvars: { HOME: "~" }\nfiles:\n  - { target: "${HOME}/c.json", template: c.json }\n',
    );
    terminal.write("pack/c.json", { at: "${HOME}/x" });
    terminal.write("elsewhere/mine", "");
    await terminal.run("apply", "pack", "--home", terminal.at("elsewhere"));
    expect(JSON.parse(terminal.read("elsewhere/c.json"))).toEqual({ at: `${terminal.at("elsewhere")}/x` });
    expect(fs.readdirSync(terminal.home)).toEqual([]);
  });
});

describe("saved plans", () => {
  it("are applied to just what they saw", async () => {
    const terminal = await upgrading();
    await terminal.run("plan", "pack", "--out", "saved.plan");
    expect(fs.statSync(terminal.at("saved.plan")).mode & 0o777).toBe(0o600);
    // The pack may be gone by then.
    fs.rmSync(terminal.at("pack"), { recursive: true });
    const { code, out } = await terminal.run("apply", "saved.plan");
    expect(code).toBe(0);
    expect(out).toContain(
      "1 added, 1 updated, 1 removed, 1 kept as you have it, 1 needs you.\nto decide: stet review\n",
    );
    expect(JSON.parse(terminal.read("home/app/config.json"))).toMatchObject({ days: 14 });
  });

  it("are refused when the file, or the records, changed since", async () => {
    for (const file of ["home/app/config.json", "home/.local/state/stet/zylos/registry.json"]) {
      const terminal = await upgrading();
      await terminal.run("plan", "pack", "--out", "saved.plan");
      terminal.write(file, `${terminal.read(file)}\n`);
      const before = terminal.snapshot();
      const { code, out, err } = await terminal.run("apply", "saved.plan");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(
        /^stet: this plan is out of date: [^\n]* changed since it was made; nothing was changed; plan again\n$/,
      );
      expect(terminal.snapshot()).toEqual(before);
    }
  });

  it("are refused where they are not plans of this stet", async () => {
    const terminal = await upgrading();
    terminal.write("saved.plan", '{ "stet_plan": 2 }');
    expect(await terminal.run("apply", "saved.plan")).toMatchObject({
      code: 1,
      err: expect.stringContaining("not a plan that this stet can apply"),
    });
  });
});

describe("secrets", () => {
  const secret = "hunter2-hunter2";
  async function withSecret(): Promise<Terminal> {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", {
      env: { API_KEY: "old-secret-value" },
      servers: { github: { token: "old-secret-value" } },
    });
    await terminal.run("apply", "pack");
    writePack(terminal, "1.1.0", { env: { API_KEY: secret }, servers: { github: { token: secret } } });
    return terminal;
  }

  it("are masked in texts, diffs and JSON", async () => {
    const terminal = await withSecret();
    for (const options of [[], ["--diff"], ["--json"], ["-v"]]) {
      const { out } = await terminal.run("plan", "pack", ...options);
      expect(out.includes("***")).toBe(options.includes("--diff") || options.includes("--json"));
      expect(out).not.toMatch(/hunter2|old-secret/);
    }
    for (const command of ["apply", "status", "history"]) {
      const { out } = await terminal.run(command, ...(command === "apply" ? ["pack", "--diff"] : []));
      expect(out).not.toMatch(/hunter2|old-secret/);
    }
  });

  it("are shown when asked for, and never masked in files and saved plans", async () => {
    const terminal = await withSecret();
    expect((await terminal.run("plan", "pack", "--diff", "--show-secrets")).out).toContain(secret);
    await terminal.run("plan", "pack", "--out", "saved.plan");
    expect(terminal.read("saved.plan")).toContain(secret);
    await terminal.run("apply", "saved.plan");
    expect(JSON.parse(terminal.read("home/app/config.json")).env.API_KEY).toBe(secret);
  });
});

describe("the contract's command table", () => {
  const table = [
    "plan",
    "apply",
    "check",
    "status",
    "blame",
    "explain",
    "resolve",
    "adopt",
    "disown",
    "history",
    "rollback",
    "uninstall",
    "watch",
    "init",
    "doctor",
    "demo",
    "host",
    "toolset",
  ];

  it("is there, and each command helps", async () => {
    expect(Object.keys(commands)).toEqual(expect.arrayContaining(table));
    const terminal = new Terminal();
    for (const name of Object.keys(commands)) {
      const { code, out, err } = await terminal.run(name, "--help");
      expect({ code, err }, name).toEqual({ code: 0, err: "" });
      expect(out, name).toMatch(new RegExp(`^usage: stet ${name}\\b`));
      if (name !== "host" && name !== "toolset") expect(out, name).toMatch(/\nexamples?: /);
    }
    expect((await terminal.run()).out).toContain("stet demo");
  });

  it("settles, remembers, goes back and leaves", async () => {
    const terminal = await upgrading();
    await terminal.run("apply", "pack");
    expect((await terminal.run("status")).out).toMatch(/needs you\s+setting:theme/);
    expect((await terminal.run("resolve", "setting:theme", "--mine")).code).toBe(0);
    expect((await terminal.run("status")).out).not.toMatch(/needs you\s+setting:theme/);
    expect((await terminal.run("disown", "setting:days")).code).toBe(0);
    expect((await terminal.run("adopt", "setting:days")).code).toBe(0);
    expect((await terminal.run("history", "zylos")).out).toContain("1.1.0");
    expect((await terminal.run("rollback", "zylos", "--to", "1")).code).toBe(0);
    expect((await terminal.run("uninstall", "zylos")).code).toBe(0);
    expect((await terminal.run("status")).out).toContain("nothing is installed");
  });
});

describe("the program itself", () => {
  const bin = path.resolve(import.meta.dirname, "../../bin/stet.cjs");
  const stet = (terminal: Terminal, ...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args], {
      cwd: terminal.folder,
      env: { PATH: process.env.PATH, HOME: terminal.home },
      encoding: "utf8",
    });

  it("says its version", () => {
    const { version } = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8"));
    expect(execFileSync(process.execPath, [bin, "--version"], { encoding: "utf8" })).toBe(`${version}\n`);
  });

  it("passes exit codes and streams on", () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    const planned = stet(terminal, "plan", "pack", "--exit-code", "--json");
    expect([planned.status, planned.stderr, JSON.parse(planned.stdout).changed]).toEqual([2, "", 1]);
    terminal.write("pack/config.json", "{");
    const refused = stet(terminal, "apply", "pack", "--json");
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^stet: [^\n]*pack\/config\.json:1:2: [^\n]*\n$/),
    ]);
    expect(JSON.parse(refused.stdout)).toMatchObject({ changed: 0, diagnostics: [{ line: 1, column: 2 }] });
  });

  it("is content when its reader has seen enough", () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name${i}`, i])));
    const command = `"${process.execPath}" "${bin}" plan pack --json; echo "exit $?" >&2`;
    const { stderr } = spawnSync("sh", ["-c", `(${command}) | head -c 100 > /dev/null`], {
      cwd: terminal.folder,
      env: { PATH: process.env.PATH, HOME: terminal.home },
      encoding: "utf8",
    });
    expect(stderr).toBe("exit 0\n");
  });
});
