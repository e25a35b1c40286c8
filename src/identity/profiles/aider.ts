import type { Profile } from "./profile.ts";

/** Options that may be given several times are lists of texts; a single one, written without a list, is a setting. */
export const aider: Profile = {
  name: "aider",
  title: "Aider",
  files: [".aider.conf.yml", ".aider.conf.yaml"],
  rules: [
    { type: "read", at: "read[]", key: ["value|path"] },
    { type: "file", at: "file[]", key: ["value|path"] },
    { type: "alias", at: "alias[]", key: ["value"] },
    { type: "lint-cmd", at: "lint-cmd[]", key: ["value|command"], pair: ["value|script"] },
    { type: "set-env", at: "set-env[]", key: ["value"] },
    { type: "api-key", at: "api-key[]", key: ["value"] },
  ],
  policies: [],
  startsDirectly: [],
  expandsVariables: [],
};
