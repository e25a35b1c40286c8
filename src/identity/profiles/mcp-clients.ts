import type { Rule } from "../rules/rule.ts";
import type { Profile, ProfileName } from "./profile.ts";

/** Runtimes of whose files the servers are what others write into; everything else in them is settings. */
function client(name: ProfileName, title: string, files: readonly string[], more: Partial<Profile> = {}): Profile {
  return {
    name,
    title,
    files,
    rules: [server],
    policies: [],
    startsDirectly: ["server"],
    expandsVariables: [],
    ...more,
  };
}

const server: Rule = { type: "server", at: "mcpServers.{name}", key: ["name"] };
const codeStorage = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"].map(
  (editor) => `${editor}/User/globalStorage`,
);

export const claudeDesktop = client("claude-desktop", "Claude Desktop", ["Claude/claude_desktop_config.json"]);
export const windsurf = client("windsurf", "Windsurf", [
  ".codeium/windsurf/mcp_config.json",
  ".codeium/mcp_config.json",
]);
export const copilotCli = client(
  "copilot-cli",
  "GitHub Copilot CLI",
  [".copilot/mcp-config.json", ".copilot/config.json", ".github/mcp.json"],
  {
    rules: [server, { type: "folder", at: "trusted_folders[]", key: ["value|path"] }],
    policies: [{ match: "folder:*", "when-deleted": "respect" }],
    expandsVariables: ["server"],
  },
);
export const cline = client("cline", "Cline", [
  ...codeStorage.map((folder) => `${folder}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`),
  ".cline/data/settings/cline_mcp_settings.json",
]);
export const roo = client("roo", "Roo Code", [
  ".roo/mcp.json",
  ...codeStorage.map((folder) => `${folder}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`),
]);
export const amp = client("amp", "Amp", ["amp/settings.json", ".amp/settings.json"], {
  rules: [{ type: "server", at: '"amp.mcpServers".{name}', key: ["name"] }],
  expandsVariables: ["server"],
});
export const warp = client("warp", "Warp", [".warp/.mcp.json"]);
export const junie = client("junie", "Junie", [".junie/mcp/mcp.json"]);
