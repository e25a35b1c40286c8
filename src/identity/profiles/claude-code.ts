import { nestedHooks } from "./nested-hooks.ts";
import type { Profile } from "./profile.ts";

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
