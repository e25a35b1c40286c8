/** The made-up framework and user of `stet demo`: two releases, and what the user does between them. */

const manifest = (version: string, more: string) => `name: zylos
version: ${version}
files:
  - target: ~/.zylos/config.jsonc
    template: config.jsonc
    rules:
      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event, "command|script"] }
policy:
  - { match: "hook:*", when-deleted: respect }
${more}`;

export const target = ".zylos/config.jsonc";

/** Each release is a folder with just what a framework would ship. */
export const releases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "zylos-1.2": {
    "stet.yaml": manifest("1.2.0", ""),
    "config.jsonc": `{
  "theme": "dark",
  "keepLogsForDays": 30,
  "hooks": [
    { "event": "SessionStart", "command": "node ~/zylos/heartbeat.js", "timeout": 5 },
    { "event": "Stop", "command": "node ~/zylos/chime.js" },
    { "event": "SessionStart", "command": "node ~/zylos/warm-up.js" },
    { "event": "ToolUse", "command": "node ~/zylos/format.js" },
    { "event": "ToolUse", "command": "node ~/zylos/count.js" }
  ]
}
`,
  },
  "zylos-1.4": {
    "stet.yaml": manifest(
      "1.4.0",
      `moved:
  - { from: "hook:SessionStart:node ~/zylos/warm-up.js", to: "hook:SessionStart:node ~/zylos/prepare.js" }
`,
    ),
    "config.jsonc": `{
  "theme": "dark",
  "keepLogsForDays": 14,
  "hooks": [
    { "event": "SessionStart", "command": "node ~/zylos/heartbeat.js", "timeout": 5, "async": true },
    { "event": "Stop", "command": "node ~/zylos/chime.js" },
    { "event": "SessionStart", "command": "node ~/zylos/prepare.js" },
    { "event": "ToolUse", "command": "node ~/zylos/guard.js" },
    { "event": "ToolUse", "command": "node ~/zylos/format.js" }
  ]
}
`,
  },
};

/** One thing the user does to the file, and how one sees in the file that it stands. */
export interface UserEdit {
  readonly what: string;
  /** Why it stands, said after the upgrade. */
  readonly why: string;
  change(text: string): string;
  stands(text: string): boolean;
}

export const userEdits: readonly UserEdit[] = [
  {
    what: "a longer timeout",
    why: "you changed that field; zylos changed another one of the same hook, and both are there",
    change: (text) => text.replace('"timeout": 5', '"timeout": 60'),
    stands: (text) => text.includes('"timeout": 60') && text.includes('"async": true'),
  },
  {
    what: "a comment",
    why: "whatever stet does not change keeps every byte",
    change: (text) => text.replace('  "theme"', '  // easier on my eyes\n  "theme"'),
    stands: (text) => text.includes('  // easier on my eyes\n  "theme"'),
  },
  {
    what: "a hook of your own",
    why: "nobody but you wrote it, so nobody else touches it",
    change: (text) => text.replace(/\n {2}\]/, ',\n    { "event": "Stop", "command": "~/bin/lights-off" }\n  ]'),
    stands: (text) => text.includes('{ "event": "Stop", "command": "~/bin/lights-off" }'),
  },
  {
    what: "a wrapped command",
    why: "it still runs zylos's script, so it is the same hook, with your change; it is not added twice",
    change: (text) => text.replace('"node ~/zylos/format.js"', '"nice node ~/zylos/format.js --quiet"'),
    stands: (text) => text.includes('"nice node ~/zylos/format.js --quiet"') && text.split("format.js").length === 2,
  },
  {
    what: "a deleted hook",
    why: "you took it out, and the framework asks to respect that (when-deleted: respect)",
    change: (text) => text.replace(/(?<=[[,])\s*\{[^{}]*chime\.js[^{}]*\},/, ""),
    stands: (text) => !text.includes("chime.js"),
  },
];
