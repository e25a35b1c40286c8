import type { Profile } from "./profile.ts";

/** Options that may be given several times are lists of texts, or a single text. */
export const aider: Profile = {
  name: "aider",
  title: "Aider",
  files: [".aider.conf.yml", ".aider.conf.yaml"],
  rules: [
    { type: "read", at: "read[]", single: true, key: ["value|path"] },
    { type: "file", at: "file[]", single: true, key: ["value|path"] },
    { type: "alias", at: "alias[]", single: true, key: ["value"] },
    { type: "lint-cmd", at: "lint-cmd[]", single: true, key: ["value|command"], pair: ["value|script"] },
    { type: "set-env", at: "set-env[]", single: true, key: ["value"] },
    { type: "api-key", at: "api-key[]", single: true, key: ["value"] },
  ],
  policies: [],
  startsDirectly: [],
  expandsVariables: [],
  sources: ["https://aider.chat/docs/config/aider_conf.html"],
};
