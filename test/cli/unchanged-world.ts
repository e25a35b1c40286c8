import { expect } from "vitest";
import { answerUnchanged, type FastPathContext } from "../../src/cli/fast-path/fast-path.ts";
import { sha256 } from "../../src/store/gate/content.ts";
import { Terminal } from "./terminal.ts";

/** A home with two owners, every format and everything that planning can look at; all of it applied. */
export async function unchangedWorld(): Promise<Terminal> {
  const terminal = new Terminal({ TOOLS: "/opt/tools" });
  terminal.build = "a build";
  terminal.write("home/.claude/settings.json", {
    theme: "dark",
    hooks: { Stop: [{ hooks: [{ type: "command", command: "node ~/own.js" }] }] },
  });
  terminal.write("home/.bashrc", "alias ll='ls -l'\n");
  terminal.write("home/scripts/beat.js", "// runs\n");
  terminal.write("home/.config/stet/policy.yaml", 'policy:\n  - { match: "setting:port", when-deleted: respect }\n');
  writeFirstPack(terminal);
  terminal.write(
    "other/stet.yaml",
    "name: other\nversion: 2.0.0\nfiles:\n  - { target: ~/app/config.yaml, template: config.yaml }\n",
  );
  terminal.write("other/config.yaml", "shared: 1\nmine: 2\n");
  for (const pack of ["pack", "other"]) expect((await terminal.run("apply", pack)).code).toBe(0);
  return terminal;
}

function writeFirstPack(terminal: Terminal): void {
  terminal.write(
    "pack/stet.yaml",
    `name: zylos
version: 1.1.0
vars:
  APP: ~/app
  TOOLS: ~/tools
files:
  - { target: ~/.claude/settings.json, template: settings.json }
  - { target: "\${APP}/config.yaml", template: config.yaml }
  - { target: "\${APP}/config.toml", template: config.toml }
  - { target: "\${APP}/.env", template: env }
  - { target: ~/.bashrc, template: bashrc, strategy: block }
  - { target: "\${APP}/NOTES.md", template: notes.md }
  - { target: ~/.cursor/mcp.json, template: mcp.json, only-if: exists }
  - { target: ~/.codex/config.toml, template: config.toml, only-if: parent-exists }
earlier:
  "1.0.0": releases/1.0
policy:
  - { match: "hook:*", when-deleted: respect }
`,
  );
  const command = "node ~/scripts/beat.js --at $XDG_RUNTIME_DIR/beat";
  terminal.write("pack/settings.json", {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
    env: { API_TOKEN: "sk-very-secret-1" },
  });
  terminal.write("pack/config.yaml", "shared: 1\nport: 80\n");
  terminal.write("pack/config.toml", 'tools = "${TOOLS}/bin"\n[a]\nb = 1\n');
  terminal.write("pack/env", "TOKEN=abc\n");
  terminal.write("pack/bashrc", "export ZYLOS=1\n");
  terminal.write("pack/notes.md", "# Notes\n\nOne.\n");
  terminal.write("pack/mcp.json", { mcpServers: { zylos: { command: "zylos-mcp" } } });
  terminal.write("pack/releases/1.0/env", "TOKEN=old\n");
}

/** What the fast path says; undefined where it leaves the answer to the long one. */
export function fastPath(terminal: Terminal, argv: readonly string[], given: Partial<FastPathContext> = {}) {
  const { build, env, folder: cwd } = terminal;
  const userId = process.geteuid!();
  return answerUnchanged(argv, {
    build: build!,
    env,
    cwd,
    platform: "linux",
    userId,
    hash: sha256,
    terminalColumns: () => undefined,
    ...given,
  });
}

/** Asks both ways. The short one may say nothing, but never anything else than the long one. */
export async function askBoth(terminal: Terminal, ...argv: string[]): Promise<"answered" | "left to the long way"> {
  const short = fastPath(terminal, argv);
  if (short === undefined) return "left to the long way";
  expect({ ...short, err: "" }).toEqual(await terminal.run(...argv));
  return "answered";
}
