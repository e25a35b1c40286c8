import { nestedHooks } from "./nested-hooks.ts";
import type { Profile } from "./profile.ts";

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
