import { basename, dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { expandHome, type Machine, pathContext } from "../../engine/machine.ts";
import { portablePath } from "../../identity/paths/paths.ts";
import { profileFor, profiles } from "../../identity/profiles/index.ts";
import type { Strategy } from "../../readings/reading-data.ts";
import { decodeText } from "../../readings/text-reading.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { makeFolders } from "../../store/records/state-dir.ts";
import { type FirstTemplate, firstTemplate } from "./template.ts";

export interface InitOptions {
  /** Where the pack goes: `stet.yaml` and `templates/`. */
  readonly folder: string;
  /** The owner's name; default: the folder's. */
  readonly name?: string | undefined;
}

export interface FirstPack {
  readonly name: string;
  readonly manifest: string;
  readonly files: readonly FirstFile[];
}

/** One line of a first manifest, and what its author should know of it. */
export interface FirstFile extends Pick<FirstTemplate, "leftOut" | "notes"> {
  readonly target: string;
  /** A file of the pack, or a folder of it; undefined for a link. */
  readonly template?: string | undefined;
  readonly link?: string | undefined;
  /** The runtime whose file it is, as recognised by its path. */
  readonly profile?: string | undefined;
  readonly strategy?: Strategy | undefined;
  /** As a manifest writes it. */
  readonly mode?: string | undefined;
}

/**
 * A first manifest and templates from files as they are. Writes only new files, and none if one of them is there
 * already.
 */
export async function initPack(
  paths: readonly string[],
  machine: Machine,
  { folder, name }: InitOptions,
): Promise<FirstPack> {
  const owner = name ?? ownerNameFor(folder);
  const context = pathContext(machine, []);
  const names = new Set<string>();
  const templates = new Map<string, NewFile>();
  const files: FirstFile[] = [];
  for (const given of paths) {
    const path = expandHome(given, machine.home);
    const bytes = machine.gate.read(path);
    if (bytes === undefined)
      throw new InputError({ code: "no-file", message: "there is no such file to begin from", file: path });
    const profile = profileFor(path, context);
    const template = await firstTemplate({ path, text: decodeText(bytes, path), profile, context });
    const file = templateName(path, names);
    templates.set(file, { bytes: Buffer.from(template.text), mode: 0o666 });
    const { leftOut, notes } = template;
    files.push({ target: portablePath(path, context), template: file, profile: profile?.name, leftOut, notes });
  }
  return writePack({ name: owner, scope: "user", files, templates }, folder, machine);
}

export interface NewFile {
  readonly bytes: Uint8Array;
  /** What the user's mask leaves of it. */
  readonly mode: number;
}

/** A pack that is not on disk yet: its manifest, and its templates by their names in it. */
export interface DraftPack {
  readonly name: string;
  readonly scope: "user" | "project";
  readonly vars?: Readonly<Record<string, string>> | undefined;
  readonly files: readonly FirstFile[];
  readonly templates: ReadonlyMap<string, NewFile>;
}

export function writePack(draft: DraftPack, folder: string, { gate, program }: Machine): FirstPack {
  const { name, files, templates } = draft;
  const manifest = join(folder, "stet.yaml");
  const text: NewFile = { bytes: Buffer.from(manifestText(draft, program)), mode: 0o666 };
  const named = [...templates].map(([file, content]) => [join(folder, file), content] as const);
  writeNew(gate, new Map([[manifest, text], ...named]));
  return { name, manifest, files };
}

/** Config files of runtimes that are on this machine: what `init` could begin from. */
export function knownFiles(machine: Machine): string[] {
  const patterns = profiles.flatMap(({ files }) => files).filter((pattern) => !pattern.startsWith("$"));
  const paths = patterns.map((pattern) => (pattern.startsWith("~") ? pattern : `~/${pattern}`));
  return [...new Set(paths)].filter((path) => machine.gate.stat(expandHome(path, machine.home)) !== undefined);
}

export function ownerNameFor(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return name === "" ? "my-config" : name;
}

/** `templates/settings.json`; the folder's name joins in where two files are called alike. */
export function templateName(path: string, taken: Set<string>): string {
  const plain = basename(path).replace(/^\.+/, "") || "file";
  const parent = basename(dirname(path)).replace(/^\.+/, "");
  const candidates = [
    plain,
    `${parent}-${plain}`,
    ...Array.from({ length: taken.size + 1 }, (_, i) => `${i + 2}-${plain}`),
  ];
  const name = candidates.find((each) => !taken.has(each))!;
  taken.add(name);
  return `templates/${name}`;
}

function writeNew(gate: Gate, files: ReadonlyMap<string, NewFile>): void {
  for (const path of files.keys()) {
    if (gate.stat(path) !== undefined)
      throw new InputError({
        code: "already-there",
        message: "this is already there, and init overwrites nothing; name another --dir",
        file: path,
      });
  }
  const written: string[] = [];
  try {
    for (const [path, { bytes, mode }] of files) {
      refuseForeignLinks(gate, path);
      makeFolders(gate, gate.realPath(dirname(path)), 0o777);
      gate.createFile(path, bytes, { like: undefined, mode: mode & ~gate.umask });
      written.push(path);
    }
  } catch (error) {
    // Half a pack is none.
    for (const path of written) gate.remove(path);
    throw error;
  }
}

/** `stet.yaml` as a person would write it, with a word on what to do next. */
function manifestText({ name, scope, vars = {}, files }: DraftPack, program: string): string {
  const entries = files.map(({ target, template, link, profile, strategy, mode }) => {
    const fields = { template, link, profile, strategy, mode };
    const lines = Object.entries(fields).flatMap(([field, value]) =>
      value === undefined ? [] : [`    ${field}: ${scalar(value)}\n`],
    );
    return `  - target: ${scalar(target)}\n${lines.join("")}`;
  });
  const variables = Object.entries(vars).map(([variable, value]) => `  ${variable}: ${scalar(value)}\n`);
  return `# What ${name} wants in its users' files. See what it would do: ${program} plan .
name: ${scalar(name)}
version: "0.1.0"
${scope === "project" ? "scope: project\n" : ""}${variables.length === 0 ? "" : `vars:\n${variables.join("")}`}files:
${entries.join("")}`;
}

/** A plain word where YAML reads it as just that text, else in quotes. */
function scalar(text: string): string {
  return /^(?:~?\/|\.?[a-z])[\w./-]*$/i.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
