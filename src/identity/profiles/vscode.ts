import type { Profile } from "./profile.ts";

/** The editors that keep VS Code's folder for a user's own settings. */
const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/** Settings need no rule: `editor.fontSize` is one name with a dot in it, and `[python]` a map of such names. */
export const vscode: Profile = {
  name: "vscode",
  title: "VS Code",
  files: [
    ".vscode/settings.json",
    ".vscode/mcp.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".vscode/extensions.json",
    ".vscode-server/data/Machine/settings.json",
    ...editors.flatMap((editor) => [
      `${editor}/User/settings.json`,
      `${editor}/User/mcp.json`,
      `${editor}/User/tasks.json`,
    ]),
  ],
  rules: [
    { type: "server", at: "servers.{name}", key: ["name"] },
    { type: "input", at: "inputs[]", key: ["id"] },
    { type: "task", at: "tasks[]", key: ["label"] },
    { type: "launch", at: "configurations[]", key: ["name"] },
    { type: "recommendation", at: "recommendations[]", key: ["value"] },
  ],
  policies: [],
  startsDirectly: ["server"],
  expandsVariables: ["server", "task", "launch", "setting"],
  expands: "`${env:NAME}`, `${input:ID}`, `${workspaceFolder}`",
  sources: [
    "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
    "https://code.visualstudio.com/docs/reference/variables-reference",
  ],
};
