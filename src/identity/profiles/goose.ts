import type { Profile } from "./profile.ts";

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
    "https://github.com/block/goose/blob/main/crates/goose/src/agents/extension.rs",
  ],
};
