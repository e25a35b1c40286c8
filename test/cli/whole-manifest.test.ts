import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal } from "./terminal.ts";

/** Everything that a manifest can say, in one: what is right for one of its files must not be held against another. */
const manifest = `name: zylos
version: 1.4.0
vars:
  ZYLOS_HOME: ~/zylos
files:
  - target: ~/.claude/settings.json
    template: templates/settings.json
    profile: claude-code
    only-if: exists
  - target: \${ZYLOS_HOME}/config.json
    template: templates/config.json
    rules:
      - { type: hook,       at: "hooks[]",              key: [event, "command|command"], pair: [event, "command|script"] }
      - { type: permission, at: "permissions.{list}[]", key: [list, "value|path"] }
  - target: \${ZYLOS_HOME}/.env
    template: templates/env
  - target: ~/.bashrc
    template: templates/bashrc
    strategy: block
  - target: \${ZYLOS_HOME}/CLAUDE.md
    template: templates/CLAUDE.md
    strategy: merge
earlier:
  "1.2.0": releases/1.2
moved:
  - { from: "hook:SessionStart:node ~/zylos/scripts/beat.js", to: "hook:SessionStart:node ~/zylos/scripts/heartbeat.js" }
policy:
  - { match: "hook:*", when-deleted: respect, ignore: [timeout] }
  - { match: "setting:env.*", when-edited: keep }
`;

function withPack(): Terminal {
  const terminal = new Terminal();
  const hook = (script: string) => ({
    event: "SessionStart",
    command: `node ~/zylos/scripts/${script}.js`,
    timeout: 5,
  });
  terminal.write("pack/stet.yaml", manifest);
  terminal.write("pack/templates/settings.json", { env: { ZYLOS_LOG: "info" } });
  terminal.write("pack/templates/config.json", { hooks: [hook("heartbeat")], permissions: { allow: ["~/zylos"] } });
  terminal.write("pack/templates/env", "ZYLOS_PORT=4100\n");
  terminal.write("pack/templates/bashrc", "export ZYLOS=1\n");
  terminal.write("pack/templates/CLAUDE.md", "# zylos\n");
  terminal.write("pack/releases/1.2/templates/config.json", { hooks: [hook("beat")] });
  terminal.write("home/.claude/settings.json", "{}");
  return terminal;
}

describe("a manifest that says everything at once", () => {
  it("is in order, installs, and gives every byte back", async () => {
    const terminal = withPack();
    expect((await terminal.run("check", "pack")).code).toBe(0);
    expect((await terminal.json("apply", "pack")).summary).toEqual({ create: 6 });
    expect((await terminal.json("apply", "pack")).changed).toBe(0);
    await terminal.run("uninstall", "zylos");
    expect(terminal.read("home/.claude/settings.json")).toBe("{}");
    expect(fs.readdirSync(terminal.home).sort()).toEqual([".claude", ".local"]);
  });

  it("renames where the key can stand, also in what an earlier release installed before there were records", async () => {
    const terminal = withPack();
    terminal.write("home/zylos/config.json", terminal.read("pack/releases/1.2/templates/config.json"));
    expect((await terminal.json("apply", "pack")).summary.move).toBe(1);
    expect(JSON.parse(terminal.read("home/zylos/config.json")).hooks).toMatchObject([
      { command: "node ~/zylos/scripts/heartbeat.js" },
    ]);
  });
});

describe("a move that can't be one", () => {
  const files = "files:\n  - { target: ~/a.json, template: a.json }\n  - { target: ~/b.json, template: a.json }\n";
  const moved = (move: string) => `name: z\nversion: "1"\n${files}moved:\n  - ${move}\n`;

  it.each([
    [
      "in any file",
      '{ from: "hook:a", to: "hook:b" }',
      /pack\/stet\.yaml:7:3: moved: "hook:a": no rule makes entries of type hook/,
    ],
    [
      "in the file that it names",
      '{ from: "setting:a", to: "hook:b", file: ~/b.json }',
      /pack\/stet\.yaml:7:3: moved: "hook:b"/,
    ],
  ])("%s is refused where it stands", async (_, move, line) => {
    const terminal = new Terminal();
    terminal.write("pack/stet.yaml", moved(move));
    terminal.write("pack/a.json", { a: 1 });
    const { code, err } = await terminal.run("apply", "pack");
    expect([code, err]).toEqual([1, expect.stringMatching(line)]);
    expect(fs.readdirSync(terminal.home)).toEqual([]);
  });
});
