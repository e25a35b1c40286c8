import type { Profile } from "./profile.ts";

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
