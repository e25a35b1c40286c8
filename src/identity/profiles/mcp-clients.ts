import type { Rule } from "../rules/rule.ts";
import type { Profile, ProfileName } from "./index.ts";

/** Runtimes of whose files the servers are what others write into; everything else in them is settings. */
function client(
  name: ProfileName,
  title: string,
  files: readonly string[],
  more: Partial<Profile> & Pick<Profile, "sources">,
): Profile {
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

export const claudeDesktop = client("claude-desktop", "Claude Desktop", ["Claude/claude_desktop_config.json"], {
  note: "There are official builds for macOS and Windows; on Linux this is where unofficial ones look. A build from Microsoft's store may read another file, in a folder of its package: name that as a target of its own.",
  sources: ["https://modelcontextprotocol.io/docs/develop/connect-local-servers"],
});
export const windsurf = client(
  "windsurf",
  "Windsurf",
  [".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json"],
  {
    expands: "`${env:NAME}` and `${file:PATH}` in servers",
    sources: ["https://docs.windsurf.com/windsurf/cascade/mcp", "https://docs.windsurf.com/plugins/cascade/mcp"],
  },
);
/** Hooks stand in lists by event; a handler has a line for each shell. */
const shellHook: Rule = {
  type: "hook",
  at: "hooks.{event}[]",
  key: ["event", "matcher|matcher", ["bash|command", "powershell", "command|command", "prompt", "url"]],
  pair: ["event", ["bash|script", "powershell", "command|script", "prompt", "url"]],
};
const copilotFiles = ["mcp-config.json", "settings.json", "config.json", "hooks/*.json"];
export const copilotCli = client(
  "copilot-cli",
  "GitHub Copilot CLI",
  [
    ...copilotFiles.map((file) => `.copilot/${file}`),
    ...copilotFiles.slice(0, 3).map((file) => `$COPILOT_HOME/${file}`),
    ".github/mcp.json",
    ".github/hooks/*.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
  ],
  {
    rules: [
      server,
      shellHook,
      { type: "folder", at: "trusted_folders[]", key: ["value|path"] },
      { type: "folder", at: "trustedFolders[]", key: ["value|path"] },
    ],
    policies: [{ match: "folder:*", "when-deleted": "respect" }],
    expandsVariables: ["server"],
    migrates: [{ from: ".copilot/config.json", to: "settings.json" }],
    sources: [
      "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
      "https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference",
      "https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference",
    ],
  },
);
export const cline = client(
  "cline",
  "Cline",
  [
    ...codeStorage.map((folder) => `${folder}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`),
    ".cline/data/settings/cline_mcp_settings.json",
  ],
  {
    sources: [
      "https://docs.cline.bot/mcp/configuring-mcp-servers",
      "https://github.com/cline/cline/blob/main/src/services/mcp/schemas.ts",
    ],
  },
);
export const roo = client(
  "roo",
  "Roo Code",
  [".roo/mcp.json", ...codeStorage.map((folder) => `${folder}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`)],
  {
    expands: "`${env:NAME}` in `args`",
    sources: [
      "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
      "https://docs.roocode.com/features/custom-instructions",
    ],
  },
);
export const amp = client(
  "amp",
  "Amp",
  ["amp/settings.json", "amp/settings.jsonc", ".amp/settings.json", ".amp/settings.jsonc"],
  {
    rules: [{ type: "server", at: '"amp.mcpServers".{name}', key: ["name"] }],
    expandsVariables: ["server"],
    sources: ["https://ampcode.com/manual", "https://ampcode.com/cli-settings.schema.json"],
  },
);
export const warp = client("warp", "Warp", [".warp/.mcp.json", ".agents/.mcp.json"], {
  sources: ["https://docs.warp.dev/agent-platform/capabilities/mcp"],
});
export const junie = client("junie", "Junie", [".junie/mcp/mcp.json"], {
  note: "Servers with a `url` are for Junie CLI. Of the plugin in IDEs, which reads the same file, JetBrains' help says that it only starts servers by a command.",
  sources: [
    "https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html",
    "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html",
  ],
});
export const antigravity = client(
  "antigravity",
  "Antigravity",
  [".gemini/config/mcp_config.json", ".gemini/antigravity/mcp_config.json", ".agents/mcp_config.json"],
  {
    note: "The IDE, the app and the CLI share `~/.gemini/config/mcp_config.json` since version 2.0. Earlier releases of the IDE read `~/.gemini/antigravity/mcp_config.json`: name that as a target of its own. Its hooks are not written: no documentation of Google's that says how they look was at hand.",
    sources: [
      "https://docs.cloudbees.com/docs/cloudbees-unify/latest/unify-ai/how-to-guides/connect-google-antigravity",
      "https://firebase.google.com/docs/ai-assistance/gcli-extension",
      "https://docs.rs/crate/agent-config/0.3.0/source/docs/agents/antigravitycli.md",
    ],
  },
);
