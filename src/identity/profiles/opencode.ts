import type { Profile } from "./profile.ts";

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
