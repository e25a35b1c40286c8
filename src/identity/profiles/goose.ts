import type { Profile } from "./profile.ts";

export const goose: Profile = {
  name: "goose",
  title: "Goose",
  files: ["goose/config.yaml", "goose/config/config.yaml"],
  rules: [{ type: "extension", at: "extensions.{name}", key: ["name"] }],
  policies: [],
  startsDirectly: ["extension"],
  expandsVariables: [],
};
