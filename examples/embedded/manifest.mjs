// What chime wants in other people's files. Templates are part of the program: data for structured files, texts for the rest.
const settings = {
  env: { CHIME_HOME: "${CHIME_HOME}" },
  hooks: { SessionStart: [{ hooks: [{ type: "command", command: "node ${CHIME_HOME}/hooks/ring.js", timeout: 10 }] }] },
};

const shellLines = 'export PATH="$PATH:${CHIME_HOME}/bin"\n';

export const manifest = {
  name: "chime",
  version: "1.0.0",
  vars: { CHIME_HOME: "~/chime" },
  files: [
    { target: "~/.claude/settings.json", template: settings },
    { target: "~/.bashrc", template: shellLines, strategy: "block" },
  ],
  policy: [{ match: "hook:*", "when-deleted": "respect" }],
};
