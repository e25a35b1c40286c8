// The agents and editors whose files stet knows, one profile each; those that have nothing but servers are in
// mcp-clients.ts.
import type { Rule } from "../rules/rule.ts";
import type { Profile } from "./index.ts";

/**
 * Hooks in groups by matcher, as Claude Code made them and others took them over: `hooks.Stop[0].hooks[0]`. A handler
 * is a command, or an address, a tool of a server, a prompt; under another condition (`if`) it is another handler.
 */
const nestedHooks: Rule = {
  type: "hook",
  at: "hooks.{event}[].hooks[]",
  key: ["event", "matcher|matcher", ["command|command", "url", "server+tool", "prompt"], "if?"],
  pair: ["event", ["command|script", "url", "server+tool", "prompt"]],
};

export const claudeCode: Profile = {
  name: "claude-code",
  title: "Claude Code",
  files: [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    "~/.claude.json",
    "$CLAUDE_CONFIG_DIR/settings.json",
    "$CLAUDE_CONFIG_DIR/settings.local.json",
    "$CLAUDE_CONFIG_DIR/.claude.json",
    "claude-code/managed-settings.json",
    "ClaudeCode/managed-settings.json",
    "managed-settings.d/*.json",
  ],
  rules: [
    nestedHooks,
    { type: "directory", at: "permissions.additionalDirectories[]", key: ["value|path"] },
    { type: "permission", at: "permissions.{list}[]", key: ["list", "value"] },
    { type: "server", at: "mcpServers.{name}", key: ["name"] },
    { type: "marketplace", at: "extraKnownMarketplaces.{name}", key: ["name"] },
    { type: "server-approval", at: "enabledMcpjsonServers[]", key: ["value"] },
    { type: "server-rejection", at: "disabledMcpjsonServers[]", key: ["value"] },
  ],
  policies: [
    { match: "permission:allow:*", "when-deleted": "respect" },
    { match: "directory:*", "when-deleted": "respect" },
    { match: "server-approval:*", "when-deleted": "respect" },
  ],
  startsDirectly: ["server"],
  expandsVariables: ["server"],
  expands: "`${VAR}` and `${VAR:-default}` in the servers of `.mcp.json`",
  sources: [
    "https://code.claude.com/docs/en/settings",
    "https://code.claude.com/docs/en/hooks",
    "https://code.claude.com/docs/en/mcp",
  ],
};

export const codex: Profile = {
  name: "codex",
  title: "Codex",
  files: [".codex/config.toml", ".codex/hooks.json", "$CODEX_HOME/config.toml", "$CODEX_HOME/hooks.json"],
  rules: [
    // Which hooks are trusted is stored by position: an insertion anywhere else would move that trust to a stranger.
    { ...nestedHooks, position: "end" },
    { type: "server", at: "mcp_servers.{name}", key: ["name"] },
    { type: "profile", at: "profiles.{name}", key: ["name"] },
    { type: "provider", at: "model_providers.{name}", key: ["name"] },
    { type: "project", at: "projects.{folder}", key: ["folder|path"] },
    { type: "plugin", at: "plugins.{name}", key: ["name"] },
  ],
  // A project's entry says whether its folder is trusted.
  policies: [{ match: "project:*", "when-deleted": "respect" }],
  startsDirectly: ["server"],
  expandsVariables: [],
  sources: ["https://developers.openai.com/codex/config-reference", "https://developers.openai.com/codex/hooks"],
};

export const gemini: Profile = {
  name: "gemini",
  title: "Gemini CLI",
  files: [".gemini/settings.json"],
  rules: [
    { type: "disabled-hook", at: "hooks.disabled[]", key: ["value"] },
    {
      type: "hook",
      at: "hooks.{event}[].hooks[]",
      // A handler is switched off by its name, so the name is what it is.
      key: ["event", "matcher|matcher", ["name", "command|command"]],
      pair: ["event", "command|script"],
    },
    { type: "server", at: "mcpServers.{name}", key: ["name"] },
    { type: "permission", at: "tools.{list}[]", key: ["list", "value"] },
  ],
  policies: [{ match: "permission:allowed:*", "when-deleted": "respect" }],
  startsDirectly: ["server"],
  expandsVariables: ["server"],
  expands: "`$VAR` and `${VAR}` in all of `settings.json`",
  sources: ["https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md"],
};

export const opencode: Profile = {
  name: "opencode",
  title: "OpenCode",
  files: ["opencode.json", "opencode.jsonc", "$OPENCODE_CONFIG"],
  rules: [
    { type: "server", at: "mcp.{name}", key: ["name"] },
    { type: "provider", at: "provider.{name}", key: ["name"] },
    { type: "agent", at: "agent.{name}", key: ["name"] },
    { type: "command", at: "command.{name}", key: ["name"] },
    { type: "plugin", at: "plugin[]", key: ["value|package"] },
    { type: "instruction", at: "instructions[]", key: ["value|path"] },
  ],
  // Permissions are a map here; a line that somebody took out may have allowed something.
  policies: [{ match: "setting:permission.*", "when-deleted": "respect" }],
  startsDirectly: ["server"],
  expandsVariables: [],
  expands: "`{env:VAR}` and `{file:path}`",
  sources: ["https://opencode.ai/docs/config", "https://opencode.ai/docs/mcp-servers"],
};

export const cursor: Profile = {
  name: "cursor",
  title: "Cursor",
  files: [".cursor/hooks.json", ".cursor/mcp.json", ".cursor/cli.json", "~/.cursor/cli-config.json"],
  rules: [
    {
      type: "hook",
      at: "hooks.{event}[]",
      key: ["event", "matcher|matcher", ["command|command", "prompt"]],
      pair: ["event", ["command|script", "prompt"]],
    },
    { type: "server", at: "mcpServers.{name}", key: ["name"] },
    { type: "permission", at: "permissions.{list}[]", key: ["list", "value"] },
  ],
  policies: [{ match: "permission:allow:*", "when-deleted": "respect" }],
  startsDirectly: ["server"],
  expandsVariables: ["server"],
  expands: "`${env:NAME}`, `${userHome}`, `${workspaceFolder}` in servers",
  sources: ["https://cursor.com/docs/context/mcp", "https://cursor.com/docs/agent/hooks"],
};

/** The editors that keep VS Code's folder for a user's own settings. */
const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/** Settings need no rule: `editor.fontSize` is one name with a dot in it, and `[python]` a map of such names. */
export const vscode: Profile = {
  name: "vscode",
  title: "VS Code",
  files: [
    ".vscode/settings.json",
    ".vscode/mcp.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/extensions.json",
    ".vscode-server/data/Machine/settings.json",
    ...editors.flatMap((editor) => [
      `${editor}/User/settings.json`,
      `${editor}/User/mcp.json`,
      `${editor}/User/tasks.json`,
    ]),
  ],
  rules: [
    { type: "server", at: "servers.{name}", key: ["name"] },
    { type: "input", at: "inputs[]", key: ["id"] },
    { type: "task", at: "tasks[]", key: ["label"] },
    { type: "launch", at: "configurations[]", key: ["name"] },
    { type: "recommendation", at: "recommendations[]", key: ["value"] },
  ],
  policies: [],
  startsDirectly: ["server"],
  expandsVariables: ["server", "task", "launch", "setting"],
  expands: "`${env:NAME}`, `${input:ID}`, `${workspaceFolder}`",
  sources: [
    "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
    "https://code.visualstudio.com/docs/reference/variables-reference",
  ],
};

export const zed: Profile = {
  name: "zed",
  title: "Zed",
  files: [".zed/settings.json", "zed/settings.json", "Zed/settings.json"],
  rules: [
    { type: "server", at: "context_servers.{name}", key: ["name"] },
    { type: "agent", at: "agent_servers.{name}", key: ["name"] },
  ],
  policies: [],
  startsDirectly: ["server"],
  expandsVariables: [],
  sources: [
    "https://zed.dev/docs/ai/mcp",
    "https://github.com/zed-industries/zed/blob/main/crates/settings_content/src/project.rs",
  ],
};

/** Options that may be given several times are lists of texts, or a single text. */
export const aider: Profile = {
  name: "aider",
  title: "Aider",
  files: [".aider.conf.yml", ".aider.conf.yaml"],
  rules: [
    { type: "read", at: "read[]", single: true, key: ["value|path"] },
    { type: "file", at: "file[]", single: true, key: ["value|path"] },
    { type: "alias", at: "alias[]", single: true, key: ["value"] },
    { type: "lint-cmd", at: "lint-cmd[]", single: true, key: ["value|command"], pair: ["value|script"] },
    { type: "set-env", at: "set-env[]", single: true, key: ["value"] },
    { type: "api-key", at: "api-key[]", single: true, key: ["value"] },
  ],
  policies: [],
  startsDirectly: [],
  expandsVariables: [],
  sources: ["https://aider.chat/docs/config/aider_conf.html"],
};

export const continueDev: Profile = {
  name: "continue",
  title: "Continue",
  files: [
    ".continue/config.yaml",
    ".continue/config.yml",
    ".continue/mcpServers/*.yaml",
    ".continue/mcpServers/*.json",
  ],
  rules: [
    { type: "model", at: "models[]", key: [["name", "uses"]] },
    { type: "context", at: "context[]", key: [["provider", "uses"]] },
    { type: "server", at: "mcpServers[]", key: [["name", "uses"]] },
    { type: "prompt", at: "prompts[]", key: [["name", "uses"]] },
    { type: "doc", at: "docs[]", key: [["name", "uses"]] },
    { type: "rule", at: "rules[]", key: [["value", "name", "uses"]] },
  ],
  policies: [],
  startsDirectly: ["server"],
  expandsVariables: [],
  expands: "`${{ secrets.NAME }}` in all of it",
  sources: ["https://docs.continue.dev/reference", "https://docs.continue.dev/customize/deep-dives/mcp"],
};

export const goose: Profile = {
  name: "goose",
  title: "Goose",
  files: ["goose/config.yaml", "goose/config/config.yaml"],
  rules: [{ type: "extension", at: "extensions.{name}", key: ["name"] }],
  policies: [],
  startsDirectly: ["extension"],
  expandsVariables: [],
  sources: [
    "https://block.github.io/goose/docs/guides/config-files",
    "https://block.github.io/goose/docs/guides/using-goosehints",
    "https://github.com/block/goose/blob/main/crates/goose/src/agents/extension.rs",
    "https://github.com/block/goose/blob/main/crates/goose/src/hints/load_hints.rs",
  ],
};
