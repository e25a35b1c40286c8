import type { Profile } from "./profile.ts";

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
