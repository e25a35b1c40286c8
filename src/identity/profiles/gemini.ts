import type { Profile } from "./profile.ts";

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
