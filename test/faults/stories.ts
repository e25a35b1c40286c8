import fs from "node:fs";
import path from "node:path";
import type { Place } from "./place.ts";

/** What a person does to a file between a crash and the next run; undefined where there is nothing to do it to. */
export interface Edit {
  readonly file: string;
  /** Words that only this edit writes: they must not get lost. */
  readonly words: string;
  change(text: string): string | undefined;
}

/** A command, what it finds, and what people may do meanwhile. Each touches three files or more, and the registry. */
export interface Story {
  readonly name: string;
  /** The files that the command changes, creates or removes. */
  readonly files: readonly string[];
  readonly edits: readonly Edit[];
  /** Makes what the command finds, in an empty place. */
  layOut(place: Place): Promise<void>;
  argv(place: Place): readonly string[];
  /** How the command says, as an error, that what it is to do was done before. */
  readonly doneBefore?: RegExp;
}

const settings = "home/dotfiles/settings.json";
const env = "home/.env";
const cache = "home/app/cache.yaml";
const limits = "home/new/deep/limits.toml";

/** Replaces a text that an edit knows; undefined where it is not there. */
const put = (from: RegExp, to: string) => (text: string) => (from.test(text) ? text.replace(from, to) : undefined);
/** A person's own line at the end. */
const append = (line: string) => (text: string) => `${text}${line}\n`;

const fileEdits: readonly Edit[] = [
  { file: settings, words: "// mine, and later", change: put(/\/\/ mine/, "// mine, and later") },
  { file: env, words: "LATER=1", change: append("LATER=1") },
  { file: settings, words: '"light, I said"', change: put(/"dark"/, '"light, I said"') },
  { file: cache, words: "mine: true", change: append("mine: true") },
  { file: settings, words: '"my own version"', change: put(/"\d\.0"/, '"my own version"') },
  { file: limits, words: "# mine", change: append("# mine") },
  { file: env, words: "ZYLOS_LEVEL=99", change: put(/ZYLOS_LEVEL=\d/, "ZYLOS_LEVEL=99") },
];

function release(place: Place, version: "1.0" | "2.0"): string {
  const second = version === "2.0";
  const templates: Record<string, string> = {
    "settings.json": JSON.stringify({
      theme: "dark",
      env: { ZYLOS: version, ...(second ? {} : { OLD: "1" }) },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "node ~/x.js", timeout: second ? 2 : 1 }] }] },
      ...(second ? { statusLine: { type: "command", command: "zylos status" } } : {}),
    }),
    env: `ZYLOS_LEVEL=${second ? 2 : 1}\n`,
    ...(second ? { "limits.toml": '[limits]\nopen = 3\nname = "z"\n' } : { "cache.yaml": "cache:\n  size: 1\n" }),
  };
  const targets: Record<string, string> = {
    "settings.json": "~/.claude/settings.json",
    env: "~/.env",
    "cache.yaml": "~/app/cache.yaml",
    "limits.toml": "~/new/deep/limits.toml",
  };
  const folder = `pack-${version}`;
  for (const [name, text] of Object.entries(templates)) place.write(`${folder}/${name}`, text);
  const files = Object.keys(templates).map((name) => `  - { target: ${targets[name]}, template: ${name} }\n`);
  place.write(`${folder}/stet.yaml`, `name: zylos\nversion: "${version}"\nfiles:\n${files.join("")}`);
  return place.at(folder);
}

/** A person's files: one is a link into a folder of their own, one only they may read. */
function ownFiles(place: Place): void {
  place.write(settings, '{\n  // mine\n  "model": "opus", "list": [1,\n 2]\n}\n');
  fs.mkdirSync(place.at("home/.claude"));
  fs.symlinkSync("../dotfiles/settings.json", place.at("home/.claude/settings.json"));
  place.write(env, "# mine too\nTOKEN='t'\n");
  fs.chmodSync(place.at(env), 0o600);
}

async function install(place: Place, ...versions: readonly ("1.0" | "2.0")[]): Promise<void> {
  ownFiles(place);
  for (const version of ["1.0", "2.0"] as const) release(place, version);
  for (const version of versions) await place.ok(["apply", place.at(`pack-${version}`)]);
}

const container = "root/etc/containers/systemd/web.container";
const added = "root/etc/containers/systemd/new.container";
const dropped = "root/etc/containers/systemd/old.container";
const config = "root/etc/web/a";

const hostEdits: readonly Edit[] = [
  { file: container, words: "# by hand", change: append("# by hand") },
  { file: config, words: "in haste", change: append("in haste") },
  { file: dropped, words: "# still mine", change: append("# still mine") },
  { file: added, words: "# tuned", change: append("# tuned") },
  { file: "root/etc/web/own", words: "not stet's", change: append("not stet's") },
];

const repositories: Readonly<Record<"before" | "after", Readonly<Record<string, string>>>> = {
  before: {
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
    "services/web/quadlet/web.container": "[Container]\nImage=a.b/c:1\n",
    "services/web/quadlet/old.container": "[Container]\nImage=a.b/c\n",
    "services/web/config/etc/web/a": "1\n",
  },
  after: {
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
    "services/web/quadlet/web.container": "[Container]\nImage=a.b/c:2\n",
    "services/web/quadlet/new.container": "[Container]\nImage=a.b/c\n",
    "services/web/config/etc/web/a": "2\n",
  },
};

function hostCommand(place: Place, repository: "before" | "after"): string[] {
  return ["host", "apply", "--repo", place.at(repository), "--host", "box", "--root", place.at("root")];
}

async function installHost(place: Place, ...states: readonly ("before" | "after")[]): Promise<void> {
  for (const [name, files] of Object.entries(repositories))
    for (const [file, text] of Object.entries(files)) place.write(path.join(name, file), text);
  place.write("root/etc/web/own", "the host's own\n");
  for (const state of states) await place.ok(hostCommand(place, state));
}

/** Once it has gone back for good, the same words mean one more step: then they have to say where to. */
function unlessBack(place: Place, journal: string, file: string, text: string): string[] {
  return place.read(journal) === undefined && place.read(file)?.includes(text) ? ["--to", "1"] : [];
}

export const stories: readonly Story[] = [
  {
    name: "files: a first install",
    files: [settings, env, cache],
    edits: fileEdits,
    layOut: (place) => install(place),
    argv: (place) => ["apply", place.at("pack-1.0")],
  },
  {
    name: "files: an upgrade",
    files: [settings, env, cache, limits],
    edits: fileEdits,
    layOut: (place) => install(place, "1.0"),
    argv: (place) => ["apply", place.at("pack-2.0")],
  },
  {
    name: "files: a rollback",
    files: [settings, env, cache, limits],
    edits: fileEdits,
    layOut: (place) => install(place, "1.0", "2.0"),
    argv: (place) => [
      "rollback",
      "zylos",
      ...unlessBack(place, "state/journal.json", "state/zylos/registry.json", '"version": "1.0"'),
    ],
  },
  {
    name: "files: an uninstall",
    files: [settings, env, limits],
    edits: fileEdits,
    layOut: (place) => install(place, "1.0", "2.0"),
    argv: () => ["uninstall", "zylos"],
    doneBefore: /nothing is installed under the name zylos/,
  },
  {
    name: "host: an apply",
    files: [container, config, added, dropped],
    edits: hostEdits,
    layOut: (place) => installHost(place, "before"),
    argv: (place) => hostCommand(place, "after"),
  },
  {
    name: "host: a rollback",
    files: [container, config, added, dropped],
    edits: hostEdits,
    layOut: (place) => installHost(place, "before", "after"),
    argv: (place) => [
      "host",
      "rollback",
      "--root",
      place.at("root"),
      ...unlessBack(place, "state/host/journal.json", dropped, "Image"),
    ],
  },
];
