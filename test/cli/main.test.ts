import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { Shell } from "./shell.ts";
import { Terminal } from "./terminal.ts";

describe("help", () => {
  it.each(Object.keys(commands))("%s: usage first, an example, and the summary of the overview", async (name) => {
    const shell = new Shell();
    const help = await shell.ok(name, "--help");
    expect(help).toMatch(new RegExp(`^usage: stet ${name}\\b`));
    const { command } = await commands[name]!.load();
    expect(command.name).toBe(name);
    expect(help).toMatch(/\nexample: .*stet /);
  });

  it("speaks in the words of the program it is part of", async () => {
    const shell = new Shell();
    shell.program = "zylos config";
    for (const name of Object.keys(commands))
      expect(await shell.ok(name, "--help")).not.toMatch(/\bstet (?:plan|apply|status|history|adopt)\b/);
    expect(await shell.ok("help")).toContain("usage: zylos config COMMAND");
    expect((await shell.run("nothing")).err).toBe(
      "zylos config: there is no command nothing; see: zylos config help\n",
    );
    expect((await shell.run("status", "--wrong")).err).toContain("see: zylos config status --help");
  });
});

describe("a mistake of our own", () => {
  function broken() {
    const terminal = new Terminal();
    terminal.env = new Proxy<Record<string, string>>({}, { get: () => expect.fail("not meant\nto happen") });
    return terminal;
  }

  it("is told in one line, with what to do, and in a document for who wants one", async () => {
    const { code, out, err } = await broken().run("status");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^stet: .*\(not meant\).* with -v .*\n$/);
    expect(JSON.parse((await broken().run("status", "--json")).out).diagnostics).toMatchObject([
      { code: "internal-error" },
    ]);
  });

  it("shows where it was for who looks for it", async () => {
    await expect(broken().run("status", "-v")).rejects.toThrow("not meant");
  });
});

describe("options that every command takes", () => {
  it("may stand before it as well", async () => {
    const shell = new Shell();
    const pack = shell.pack("1.0.0", { "~/a.json": { a: 1 } });
    const place = ["--home", shell.at("other"), `--state-dir=${shell.at("state")}`];
    const behind = await shell.run("plan", pack, "--exit-code", "--json", ...place);
    expect(behind.code).toBe(2);
    expect(await shell.run("--json", ...place, "plan", pack, "--exit-code")).toEqual(behind);
    expect(await shell.run(...place, "plan", pack, "--json", "--exit-code")).toEqual(behind);
    const check = ["host", "check", "--repo", shell.at("nowhere")];
    expect(await shell.run("--json", ...check)).toEqual(await shell.run(...check, "--json"));
  });

  it("leave the call for help, and mistakes, as they are", async () => {
    const shell = new Shell();
    expect(await shell.run("--no-color", "--help")).toEqual(await shell.run("--help"));
    expect((await shell.run("-q", "nothing")).err).toBe("stet: there is no command nothing; see: stet help\n");
    expect((await shell.run("--frob", "plan")).err).toBe("stet: there is no option --frob; see: stet help\n");
  });
});

describe("a word that is no command", () => {
  it("leads to the one that was meant", async () => {
    const shell = new Shell();
    const told = async (...words: string[]) => (await shell.run(...words)).err;
    expect(await told("aply")).toBe("stet: there is no command aply (did you mean apply?); see: stet help\n");
    expect(await told("install")).toBe("stet: there is no command install; use: stet apply DIR\n");
    expect(await told("help", "statsu")).toBe(
      "stet: there is no command statsu (did you mean status?); see: stet help\n",
    );
    expect(await told("undo")).toContain("stet rollback");
    expect(await told("list")).toContain("stet status");
    expect(await told("host", "aply")).toContain("did you mean apply?");
    expect(await told("status", "--jsn")).toContain("(did you mean --json?)");
  });
});

describe("without a pack", () => {
  it("plan and the bare name say what is installed; scripts are told of the mistake", async () => {
    const shell = new Shell();
    expect(await shell.ok()).toMatch(/^Keeps configuration current/);
    expect(await shell.ok("plan")).toContain("nothing is installed");
    await shell.ok("apply", shell.pack("1.0.0", { "~/a.json": { a: 1 } }));
    const status = await shell.ok("status");
    const next = "to install or upgrade a pack: stet plan DIR\nall commands: stet help\n";
    expect(await shell.ok()).toBe(`${status}\n${next}`);
    expect(await shell.ok("plan")).toBe(`${status}\n${next}`);
    for (const option of ["--exit-code", "--json", "--out=plan.json"])
      expect((await shell.run("plan", option)).code).toBe(1);
  });
});

describe("help of one command", () => {
  it("is its own, also below host and toolset", async () => {
    const shell = new Shell();
    expect(await shell.ok("host", "apply", "--help")).toMatch(/^usage: stet host apply\n/);
    expect(await shell.ok("help", "toolset", "run")).toMatch(/^usage: stet toolset run/);
    expect(await shell.ok("help", "blame")).toBe(await shell.ok("blame", "--help"));
  });
});

describe("wrong words lead to the right ones", () => {
  const told = async (shell: Shell, ...argv: string[]) => {
    const { code, err } = await shell.run(...argv);
    expect(code).toBe(1);
    return err.trim();
  };

  it.each([
    ["install", "stet apply DIR"],
    ["remove", "stet uninstall NAME"],
    ["undo", "stet rollback"],
    ["list", "stet status"],
    ["version", "stet --version"],
    ["conflicts", "stet review"],
    ["edit", "stet resolve KEY --edit"],
    ["who", "stet who-runs"],
  ])("%s", async (word, right) => {
    expect(await told(new Shell(), word)).toBe(`stet: there is no command ${word}; use: ${right}`);
  });

  it("diff alone names the plan's", async () => {
    expect(await told(new Shell(), "diff")).toBe(
      "stet: name two files: stet diff A B; to see what a pack would change: stet plan DIR --diff",
    );
    expect(await told(new Shell(), "diff", "pack")).toMatch(/what a pack would change: stet plan pack --diff$/);
  });

  it("keys, by the whole or a part, and owners", async () => {
    const shell = new Shell();
    await shell.ok("apply", shell.pack("1.0.0", { "~/app.json": { volume: 3, env: { COLOUR: "blue" } } }));
    const meant = (text: string, key: string) =>
      `stet: no entry on record is called ${text} (did you mean ${key}?); to list them: stet status -v`;
    expect(await told(shell, "explain", "setting:volumme")).toBe(meant("setting:volumme", "setting:volume"));
    expect(await told(shell, "disown", "voulme")).toBe(meant("voulme", "setting:volume"));
    expect(await told(shell, "resolve", "~/app.json#COLOR", "--mine")).toBe(
      meant("~/app.json#COLOR", "setting:env.COLOUR"),
    );
    expect(await told(shell, "explain", "quite another")).not.toContain("did you mean");
    expect(await told(shell, "explain", "why is my volume so low")).toBe(
      meant("'why is my volume so low'", "setting:volume"),
    );
    expect(await told(shell, "explain", "volume", "--owner")).toBe(
      "stet: --owner needs a value: --owner NAME; see: stet explain --help",
    );
    for (const command of ["status", "history", "rollback", "uninstall", "review"])
      expect(await told(shell, command, "zilos")).toBe(
        "stet: nothing is installed under the name zilos (did you mean zylos?); see: stet status",
      );
    expect(await told(shell, "explain", "volume", "--owner", "zylo")).toMatch(/did you mean zylos\?/);
  });

  it("an owner that was uninstalled still has a history", async () => {
    const shell = new Shell();
    await shell.ok("apply", shell.pack("1.0.0", { "~/app.json": { volume: 3 } }));
    await shell.ok("uninstall", "zylos");
    expect(await shell.ok("history", "zylos")).toMatch(/uninstall/);
  });
});
