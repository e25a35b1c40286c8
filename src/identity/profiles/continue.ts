import type { Profile } from "./profile.ts";

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
