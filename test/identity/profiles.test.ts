import { describe, expect, it, test } from "vitest";
import type { Format, Node } from "../../src/formats/format.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { yaml } from "../../src/formats/yaml/yaml.ts";
import type { PathContext } from "../../src/identity/paths/path-context.ts";
import {
  profileFor,
  profileNamed,
  profileNames,
  profiles,
  rulesWithProfile,
} from "../../src/identity/profiles/index.ts";
import { identify } from "../../src/identity/rules/identify.ts";
import { compiled, jsonRoot } from "./documents.ts";
import { darwin, linux, machine, windows } from "./machines.ts";

const elsewhere = machine({
  env: { CLAUDE_CONFIG_DIR: "/srv/claude", CODEX_HOME: "~/dot/codex", OPENCODE_CONFIG: "/srv/oc.json" },
  links: { "/home/alice/.claude/settings.json": "/home/alice/dotfiles/claude.json" },
});

test.each<[string, PathContext, string | undefined]>([
  ["/home/alice/.claude/settings.json", linux, "claude-code"],
  ["~/.claude/settings.json", elsewhere, "claude-code"],
  ["/work/project/.claude/settings.local.json", linux, "claude-code"],
  ["/work/project/.mcp.json", linux, "claude-code"],
  ["/home/alice/.claude.json", linux, "claude-code"],
  ["/work/.claude.json", linux, undefined],
  ["/srv/claude/settings.json", elsewhere, "claude-code"],
  ["/srv/claude/settings.json", linux, undefined],
  ["/home/alice/.codex/config.toml", linux, "codex"],
  ["/home/alice/dot/codex/config.toml", elsewhere, "codex"],
  ["/home/alice/.gemini/settings.json", linux, "gemini"],
  ["/home/alice/.config/opencode/opencode.jsonc", linux, "opencode"],
  ["/srv/oc.json", elsewhere, "opencode"],
  ["/work/.cursor/hooks.json", linux, "cursor"],
  ["/work/.vscode/mcp.json", linux, "vscode"],
  ["/Users/alice/Library/Application Support/Code/User/settings.json", darwin, "vscode"],
  ["C:\\Users\\alice\\AppData\\Roaming\\code\\user\\settings.json", windows, "vscode"],
  ["C:\\Users\\alice\\.claude\\settings.json", windows, "claude-code"],
  ["/home/alice/.config/zed/settings.json", linux, "zed"],
  ["/work/.aider.conf.yml", linux, "aider"],
  ["/home/alice/.continue/config.yaml", linux, "continue"],
  ["/home/alice/.config/goose/config.yaml", linux, "goose"],
  ["/home/alice/.config/Claude/claude_desktop_config.json", linux, "claude-desktop"],
  ["/Users/alice/Library/Application Support/Claude/claude_desktop_config.json", darwin, "claude-desktop"],
  ["/home/alice/.codeium/windsurf/mcp_config.json", linux, "windsurf"],
  ["/home/alice/.copilot/mcp-config.json", linux, "copilot-cli"],
  [
    "/home/alice/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    linux,
    "cline",
  ],
  ["/work/.roo/mcp.json", linux, "roo"],
  ["/home/alice/.config/amp/settings.json", linux, "amp"],
  ["/work/.warp/.mcp.json", linux, "warp"],
  ["/home/alice/.junie/mcp/mcp.json", linux, "junie"],
  ["/work/.agents/mcp_config.json", linux, "antigravity"],
  ["/work/settings.json", linux, undefined],
  ["/work/my.claude/settings.json", linux, undefined],
  ["/work/xopencode.json", linux, undefined],
])("%s", (path, ctx, name) => {
  expect(profileFor(path, ctx)?.name).toBe(name);
});

describe("every profile", () => {
  it("is there under its name, with rules that hold", () => {
    expect(profiles.map(({ name }) => name)).toEqual([...profileNames]);
    for (const profile of profiles) {
      expect(profileNamed(profile.name)).toBe(profile);
      expect(compiled(profile.rules).rules).toHaveLength(profile.rules.length);
    }
    expect(profileNamed("nobody")).toBeUndefined();
  });
  it("that grants something does not grant it again after a person took it away", () => {
    for (const profile of profiles.filter(({ rules }) => rules.some(({ type }) => type === "permission"))) {
      expect(profile.policies).toContainEqual({
        match: expect.stringMatching(/^permission:allow(ed)?:\*$/),
        "when-deleted": "respect",
      });
    }
  });
  it("gives way to a manifest's own rules, type by type", () => {
    const own = { type: "hook", at: "hooks[]", key: ["event", "command|command"] };
    const rules = rulesWithProfile([own], profileNamed("claude-code"));
    expect(rules.filter(({ type }) => type === "hook")).toEqual([own]);
    expect(rules.some(({ type }) => type === "permission")).toBe(true);
    expect(rulesWithProfile([own], undefined)).toEqual([own]);
  });
});

function keys(name: string, root: Node): readonly string[] {
  const { entries, unidentified } = identify(root, compiled(profileNamed(name)?.rules ?? []), linux);
  expect(unidentified).toEqual([]);
  return entries.map(({ key }) => key);
}

function rootOf(format: Format, text: string): Node {
  const result = format.read(text);
  if (result.kind !== "read") throw new Error(result.message);
  return result.document.root;
}

describe("a real file of", () => {
  it("Claude Code", () => {
    const text = `{
      // my settings
      "$schema": "https://json.schemastore.org/claude-code-settings.json",
      "env": { "ANTHROPIC_MODEL": "opus" }, "enabledPlugins": { "lint@market": true },
      "permissions": { "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)"], "deny": [], "defaultMode": "plan", "additionalDirectories": ["/home/alice/docs/"] },
      "hooks": {
        "PreToolUse": [
          { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/.claude/lint.sh", "timeout": 5 } ] },
          { "matcher": "", "hooks": [ { "type": "http", "url": "http://localhost:1/x" } ] }
        ],
        "Stop": [ { "hooks": [ { "type": "prompt", "prompt": "Done?" }, { "type": "command", "command": "/usr/bin/node /home/alice/z.js" } ] } ]
      },
      "statusLine": { "type": "command", "command": "~/status.sh" }, "enabledMcpjsonServers": ["db"],
      "mcpServers": { "git.hub": { "command": "npx", "args": ["-y", "gh"] } },
    }`;
    expect(keys("claude-code", jsonRoot(text))).toEqual([
      "setting:$schema",
      "setting:env.ANTHROPIC_MODEL",
      "setting:enabledPlugins.lint@market",
      "permission:allow:Bash(npm run test\\:*)",
      "permission:allow:Read(~/.zshrc)",
      "setting:permissions.defaultMode",
      "directory:~/docs",
      "hook:PreToolUse:Edit|Write:$CLAUDE_PROJECT_DIR/.claude/lint.sh",
      "hook:PreToolUse:*:url=http\\://localhost\\:1/x",
      "hook:Stop:*:prompt=Done?",
      "hook:Stop:*:node ~/z.js",
      "setting:statusLine.type",
      "setting:statusLine.command",
      "server-approval:db",
      "server:git.hub",
    ]);
  });

  it("Codex", () => {
    const text = `model = "gpt" # mine
notify = ["python3", "~/n.py"]
[features]
hooks = true
[mcp_servers.docs]
command = "npx"
[mcp_servers.docs.env]
A = "1"
[projects."/home/alice/work"]
trust_level = "trusted"
[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "python3 ~/a.py"
[[hooks.Stop.hooks]]
type = "command"
command = "/usr/bin/python3 '/home/alice/my b.py'"
`;
    expect(keys("codex", rootOf(toml, text))).toEqual([
      "setting:model",
      "setting:notify",
      "setting:features.hooks",
      "server:docs",
      "project:~/work",
      "hook:Stop:*:python3 ~/a.py",
      "hook:Stop:*:python3 ~/'my b.py'",
    ]);
    expect(compiled(profileNamed("codex")?.rules ?? []).byType.get("hook")?.position).toBe("end");
  });

  it("Gemini CLI", () => {
    const text = `{ "hooks": { "disabled": ["old"], "BeforeTool": [ { "matcher": "write_file", "sequential": true, "hooks": [
      { "name": "scan", "type": "command", "command": "~/scan.sh", "timeout": 5000 }, { "type": "command", "command": "$HOME/b.sh" } ] } ] },
      "tools": { "allowed": ["run_shell_command(git)"], "sandbox": "docker" }, "mcpServers": { "a": {} }, "ui": { "theme": "x" } }`;
    expect(keys("gemini", jsonRoot(text))).toEqual([
      "disabled-hook:old",
      "hook:BeforeTool:write_file:scan",
      "hook:BeforeTool:write_file:command=~/b.sh",
      "permission:allowed:run_shell_command(git)",
      "setting:tools.sandbox",
      "server:a",
      "setting:ui.theme",
    ]);
  });

  it("OpenCode", () => {
    const text = `{ "plugin": ["@me/a@1.2", ["b@2", { "x": 1 }], "./local.ts", "file:///home/alice/p.js"], "instructions": ["./docs/a.md", "~/b.md"],
      "mcp": { "s": { "type": "local", "command": ["npx", "s"] } }, "permission": { "edit": "ask", "bash": { "git push": "deny", "*": "allow" } }, "agent": { "r": { "model": "m" } } }`;
    expect(keys("opencode", jsonRoot(text))).toEqual([
      "plugin:@me/a",
      "plugin:b",
      "plugin:./local.ts",
      "plugin:file\\:///home/alice/p.js",
      "instruction:docs/a.md",
      "instruction:~/b.md",
      "server:s",
      "setting:permission.edit",
      "setting:permission.bash.git push",
      "setting:permission.bash.*",
      "agent:r",
    ]);
  });

  it("Cursor", () => {
    const text =
      '{ "version": 1, "hooks": { "stop": [ { "command": "./a.sh" }, { "command": "./a.sh", "matcher": "X" } ] }, "mcpServers": { "a": { "url": "u" } } }';
    expect(keys("cursor", jsonRoot(text))).toEqual([
      "setting:version",
      "hook:stop:*:./a.sh",
      "hook:stop:X:./a.sh",
      "server:a",
    ]);
  });

  it("VS Code", () => {
    const settings =
      '{ "editor.fontSize": 12, // big\n "[python]": { "editor.tabSize": 4, }, "files.exclude": { "**/.git": true }, }';
    expect(keys("vscode", jsonRoot(settings))).toEqual([
      'setting:"editor.fontSize"',
      'setting:[python]."editor.tabSize"',
      'setting:"files.exclude"."**/.git"',
    ]);
    const servers = '{ "servers": { "a": { "command": "x" } }, "inputs": [ { "id": "key", "type": "promptString" } ] }';
    expect(keys("vscode", jsonRoot(servers))).toEqual(["server:a", "input:key"]);
  });

  it("Zed", () => {
    const text = '{ "theme": "x", "context_servers": { "a": { "command": "x" } }, "agent_servers": { "b": {} } }';
    expect(keys("zed", jsonRoot(text))).toEqual(["setting:theme", "server:a", "agent:b"]);
  });

  it("Aider", () => {
    const text = "model: sonnet\nread: [CONVENTIONS.md, ./docs/b.md]\nlint-cmd:\n- 'python: ruff'\nfile: one.py\n";
    expect(keys("aider", rootOf(yaml, text))).toEqual([
      "setting:model",
      "read:CONVENTIONS.md",
      "read:docs/b.md",
      "lint-cmd:python\\: ruff",
      "setting:file",
    ]);
  });

  it("Continue", () => {
    const text =
      "name: x\nmodels:\n  - name: A\n    provider: p\n  - uses: me/b\ncontext:\n  - provider: code\nrules:\n  - Be brief\n  - uses: me/r\n";
    expect(keys("continue", rootOf(yaml, text))).toEqual([
      "setting:name",
      "model:A",
      "model:uses=me/b",
      "context:code",
      "rule:Be brief",
      "rule:uses=me/r",
    ]);
  });

  it("Goose", () => {
    const text = "GOOSE_MODEL: m\nextensions:\n  dev:\n    enabled: true\n    envs: {}\n";
    expect(keys("goose", rootOf(yaml, text))).toEqual(["setting:GOOSE_MODEL", "extension:dev"]);
  });
});
