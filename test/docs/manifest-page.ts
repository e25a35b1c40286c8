import fs from "node:fs";
import path from "node:path";

/** One key of the schema, by its path: `files[].target`. */
export interface Key {
  readonly path: string;
  readonly isRequired: boolean;
  readonly kind: string;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

const root = path.resolve(import.meta.dirname, "../..");

/** Every key that the schema of `stet.yaml` knows. Made by the build, from the schema that the program itself uses. */
export function keysOfManifest(): Key[] {
  const schema = JSON.parse(fs.readFileSync(path.join(root, "dist/stet.schema.json"), "utf8")) as Schema;
  return keysBelow(schema, "");
}

function keysBelow(schema: Schema, at: string): Key[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]): Key[] => [
    { path: `${at}${name}`, isRequired: schema.required?.includes(name) ?? false, kind: kindOf(value) },
    ...keysBelow(value, `${at}${name}.`),
  ]);
  const any =
    typeof schema.additionalProperties === "object" ? keysBelow(schema.additionalProperties, `${at}NAME.`) : [];
  const items = schema.items ? keysBelow(schema.items, at.replace(/\.$/, "[].")) : [];
  return [...own, ...any, ...items, ...(schema.anyOf ?? []).flatMap((each) => keysBelow(each, at))];
}

function kindOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((each) => `\`${each}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(kindOf))].join(" or ");
  if (schema.type === "array") return schema.items ? `list of ${kindOf(schema.items)}` : "list";
  return { string: "text", object: "map", number: "number", boolean: "true or false" }[schema.type ?? ""] ?? "anything";
}

/** What each key means. A key without a line here fails the test. */
const about: Readonly<Record<string, string>> = {
  name: "The owner: its records are kept under this name.",
  version: "The release. Put it in quotes if YAML would read it as a number.",
  scope: "Where it is installed: in the user's home (default), or in each project separately.",
  vars: "Variables for targets and templates, `${NAME}`. `--set` wins over the environment, which wins over the value here; if the name looks secret, the environment is read only with `--from-env NAME`. A value that begins with `~` is a path, written absolutely. `${HOME}` is always defined; in targets, so are `${XDG_CONFIG_HOME}`, `${XDG_DATA_HOME}` and `${XDG_STATE_HOME}`. Any other `${…}` is written as it stands; `$${NAME}` writes `${NAME}`.",
  "vars.NAME.linux": "The value on Linux.",
  "vars.NAME.darwin": "The value on macOS.",
  "vars.NAME.win32": "The value on Windows.",
  "vars.NAME.default":
    "The value everywhere else. A variable without one (`{}`) may get its value from `--set` or the environment. If it has none, whatever names it in a server's `env` and `headers` is left out, and anything else that names it is an error.",
  files: "What is shipped, and where it goes.",
  "files[].target":
    "Where the file goes: below `~`, absolute, or below the project. A target that ends with a slash is a folder.",
  "files[].template": "A file or folder beside the manifest.",
  "files[].link": "Instead of a template: what a symbolic link points to.",
  "files[].format": "How to read the file. Default: by the target's extension.",
  "files[].strategy":
    "`entries` (default for documents): entry by entry. `block`: a marked section. `merge` (default for text): merged by line. `whole` (default for what is not UTF-8): kept or replaced as a whole.",
  "files[].profile":
    "The runtime that the file belongs to. Default: by the target's path. See [profiles](profiles.md).",
  "files[].rules": "How to tell two entries of a list or map apart.",
  "files[].rules[].type": "The type of these entries: the first part of their keys.",
  "files[].rules[].at": "Where they are: `name[]` walks a list, `{name}` a map, `[]` a list at the root.",
  "files[].rules[].key":
    "The parts that make two entries the same: captures, fields, or `value`, each read as `|path`, `|command` or `|script` if you say so.",
  "files[].rules[].pair": "A weaker key, by which stet finds an edited entry again.",
  "files[].rules[].position": "`end`: new items go to the end of their list.",
  "files[].rules[].single": "The list may also be written as a single value.",
  "files[].in": "For a file with several YAML documents: fields that tell this document from the others.",
  "files[].only-if": "Write only if the target, or its folder, is already there.",
  "files[].os": "Only on these systems.",
  "files[].mode":
    "Permissions, in octal. Default: 0644 with the template's execute bits. A mode that you gave stays when the content changes. In a project only the execute bit counts as an edit, as in Git.",
  "files[].include": "For a folder: only files that match one of these globs.",
  "files[].exclude": "For a folder: no files that match one of these globs.",
  servers: "MCP servers, once for every runtime under `runtimes`.",
  "servers.NAME.command": "The command that starts it.",
  "servers.NAME.args": "Its arguments.",
  "servers.NAME.env": "Environment variables to start it with. One that names a variable without a value is left out.",
  "servers.NAME.url": "Instead of a command: its address.",
  "servers.NAME.headers":
    "HTTP headers to send with every request. One that names a variable without a value is left out.",
  "servers.NAME.inputs":
    "Secrets that the runtime asks the user for: the question for each NAME that the fields above use as `${input:NAME}`. Only VS Code asks. Other runtimes do not get such a server, and the plan says so.",
  hooks: "Hooks, declared once for every runtime that has them.",
  "hooks[].event": "The event, as Claude Code calls it.",
  "hooks[].matcher": "Only for tools that match this.",
  "hooks[].command": "The command to run.",
  "hooks[].timeout": "How long it may take, in seconds.",
  instructions: "A text file beside the manifest, which becomes a marked section in the instructions of every runtime.",
  runtimes: "Names of [profiles](profiles.md), `claude-code-managed`, or `all-installed`.",
  earlier:
    "By version: a folder with what an earlier release shipped, laid out like this one. By it, stet recognises installations from before there were records.",
  "earlier.NAME.from": "The folder with what the release shipped.",
  "earlier.NAME.when": "How to recognise that the release was installed. Default: by its entries.",
  "earlier.NAME.when.exists": "A path that is there exactly if the release was installed.",
  moved: "Entries that now have another key.",
  "moved[].from": "The old key.",
  "moved[].to": "The new one.",
  "moved[].file": "Only in this target.",
  policy:
    "What happens to entries whose key matches. For each property the first rule that sets it wins; the user's own `policy.yaml` comes first.",
  "policy[].match": "A pattern over keys: `*` matches any text, `\\*` a star.",
  "policy[].file": "Only in this target.",
  "policy[].when-deleted": "If the user deleted it: `restore` (default) puts it back, `respect` leaves it out.",
  "policy[].when-edited": "If the user edited it: `merge` (default), `keep` the user's value, or `overwrite` it.",
  "policy[].when-present": "If it was there first: `keep` (default) it as the user's, or `adopt` it.",
  "policy[].ignore": "Fields that belong to the user.",
  "policy[].create-only": "Write it once; never update it or put it back.",
  "policy[].on-uninstall": "If the user edited it: `keep` (default) or `remove` it on uninstall.",
};

/** By section: manifests that use its keys. A test installs each of them, twice, and takes it out again. */
const examples: Readonly<Record<string, readonly string[]>> = {
  name: [
    `name: zylos
version: 1.4.0
scope: user
vars:
  ZYLOS_HOME: ~/zylos
  PREFIX: { linux: "", darwin: "", win32: "& ", default: "" }
files:
  - target: \${ZYLOS_HOME}/config.json
    template: templates/config.json
`,
  ],
  files: [
    `name: zylos
version: 1.4.0
files:
  - target: ~/.claude/settings.json
    template: templates/settings.json
    profile: claude-code
    only-if: parent-exists
  - target: ~/app/settings
    template: templates/config.json
    format: json
    os: [linux, darwin, win32]
    rules:
      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event, "command|script"], position: end }
      - { type: reader, at: "read[]", key: ["value|path"], single: true }
  - target: ~/app/web.yaml
    template: templates/web.yaml
    in: { kind: Deployment, metadata.name: web }
  - target: ~/.bashrc
    template: templates/bashrc
    strategy: block
`,
    `name: zylos
version: 1.4.0
files:
  - target: ~/.claude/agents/
    template: agents/
    include: ["**/*.md"]
    exclude: ["drafts/**"]
  - target: ~/zylos/bin/ring
    template: bin/ring
    strategy: whole
    mode: "0755"
  - target: ~/zylos/current
    link: releases/1.4.0
`,
  ],
  servers: [
    `name: zylos
version: 1.4.0
servers:
  memory: { command: node, args: ["/opt/memory.js"], env: { LEVEL: info } }
  docs: { url: "https://docs.example/mcp", headers: { X-Team: a } }
hooks:
  - { event: PreToolUse, matcher: Bash, command: /opt/guard.sh, timeout: 10 }
instructions: AGENTS.md
runtimes: [claude-code, cursor]
`,
    `name: zylos
version: 1.4.0
servers:
  issues: { url: "https://issues.example/mcp", headers: { Authorization: "Bearer \${input:token}" }, inputs: { token: The token of your account } }
runtimes: [vscode]
`,
  ],
  earlier: [
    `name: zylos
version: 1.4.0
vars: { ZYLOS_HOME: ~/zylos }
files:
  - { target: "\${ZYLOS_HOME}/config.json", template: templates/config.json }
earlier:
  "1.2.0": releases/1.2
  "1.0.0": { from: releases/1.0, when: { exists: "\${ZYLOS_HOME}/VERSION" } }
moved:
  - { from: "setting:volume", to: "setting:loudness", file: "\${ZYLOS_HOME}/config.json" }
`,
  ],
  policy: [
    `name: zylos
version: 1.4.0
files:
  - { target: ~/app/config.json, template: templates/config.json }
policy:
  - { match: "setting:theme", file: ~/app/config.json, when-edited: keep, when-present: adopt, on-uninstall: remove }
  - { match: "setting:*", when-deleted: respect, create-only: true }
  - { match: "hook:*", ignore: [timeout] }
`,
  ],
};

const sections: Readonly<Record<string, { readonly title: string; readonly tops: readonly string[] }>> = {
  name: { title: "Who, and which release", tops: ["name", "version", "scope", "vars"] },
  files: { title: "Files, folders and links", tops: ["files"] },
  servers: { title: "Once for every runtime", tops: ["servers", "hooks", "instructions", "runtimes"] },
  earlier: { title: "What came before", tops: ["earlier", "moved"] },
  policy: { title: "What happens to entries", tops: ["policy"] },
};

/** The text of `docs/manifest.md`. */
export function manifestPage(): string {
  const keys = keysOfManifest();
  const parts = Object.entries(sections).map(([id, { title, tops }]) => {
    const own = keys.filter(({ path: key }) => tops.includes(key.split(/[.[]/)[0]!));
    const rows = own.map(({ path: key, kind, isRequired }) => {
      const text = about[key];
      if (text === undefined) throw new Error(`${key} is not explained in test/docs/manifest-page.ts`);
      return `| \`${key}\`${isRequired ? " *" : ""} | ${kind} | ${text.replaceAll("|", "\\|")} |`;
    });
    const shown = examples[id]!.map((example) => `\`\`\`yaml\n${example}\`\`\`\n`);
    return `## ${title}\n\n| key | value | meaning |\n|---|---|---|\n${rows.join("\n")}\n\n${shown.join("\n")}`;
  });
  return `${introduction}\n${parts.join("\n")}`;
}

const introduction = `# stet.yaml

<!-- Made from the schema by a test; change the texts in test/docs/manifest-page.ts, then run: npx vitest run test/docs/manifest-page.test.ts -u -->

Every key of a manifest. \`NAME\` stands for a name that you choose, \`[]\` for the items of a list; keys with * are required. The schema ships
with the package (\`dist/stet.schema.json\`), for editors. The examples are installed by a test.
`;

/** Keys that were explained and are in no schema any more, and keys that no example of their section shows. */
export function staleOrUnshown(): { readonly stale: string[]; readonly unshown: string[] } {
  const keys = keysOfManifest().map(({ path: key }) => key);
  const shown = (key: string) => {
    const [id] = Object.entries(sections).find(([, { tops }]) => tops.includes(key.split(/[.[]/)[0]!))!;
    const name = key.split(".").at(-1)!.replace("[]", "");
    return examples[id]!.some((example) => new RegExp(`(?:^|[\\s{,])${name}:`, "m").test(example));
  };
  return { stale: Object.keys(about).filter((key) => !keys.includes(key)), unshown: keys.filter((key) => !shown(key)) };
}

export const allExamples: readonly string[] = Object.values(examples).flat();
