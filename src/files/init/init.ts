import { basename, dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { expandHome, type Machine, pathContext } from "../../engine/machine.ts";
import { portablePath } from "../../identity/paths/paths.ts";
import { profileFor, profiles } from "../../identity/profiles/index.ts";
import { decodeText } from "../../readings/text.ts";
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

export interface FirstFile extends Pick<FirstTemplate, "leftOut" | "notes"> {
  readonly target: string;
  readonly template: string;
  /** The runtime whose file it is, as recognised by its path. */
  readonly profile: string | undefined;
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
  const texts = new Map<string, string>();
  const files: FirstFile[] = [];
  for (const given of paths) {
    const path = expandHome(given, machine.home);
    const bytes = machine.gate.read(path);
    if (bytes === undefined)
      throw new InputError({ code: "no-file", message: "there is no such file to begin from", file: path });
    const profile = profileFor(path, context);
    const template = await firstTemplate({ path, text: decodeText(bytes, path), profile, context });
    const file = templateName(path, names);
    texts.set(join(folder, file), template.text);
    const { leftOut, notes } = template;
    files.push({ target: portablePath(path, context), template: file, profile: profile?.name, leftOut, notes });
  }
  const manifest = join(folder, "stet.yaml");
  const needsHome = [...texts.values()].some((text) => text.includes("${HOME}"));
  writeNew(
    machine.gate,
    new Map([[manifest, manifestText({ name: owner, files, needsHome, program: machine.program })], ...texts]),
  );
  return { name: owner, manifest, files };
}

/** Config files of runtimes that are on this machine: what `init` could begin from. */
export function knownFiles(machine: Machine): string[] {
  const patterns = profiles.flatMap(({ files }) => files).filter((pattern) => !pattern.startsWith("$"));
  const paths = patterns.map((pattern) => (pattern.startsWith("~") ? pattern : `~/${pattern}`));
  return [...new Set(paths)].filter((path) => machine.gate.stat(expandHome(path, machine.home)) !== undefined);
}

function ownerNameFor(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return name === "" ? "my-config" : name;
}

/** `templates/settings.json`; the folder's name joins in where two files are called alike. */
function templateName(path: string, taken: Set<string>): string {
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

function writeNew(gate: Gate, texts: ReadonlyMap<string, string>): void {
  for (const path of texts.keys()) {
    if (gate.stat(path) !== undefined)
      throw new InputError({
        code: "already-there",
        message: "it is there already, and init overwrites nothing; name another --dir",
        file: path,
      });
  }
  const written: string[] = [];
  try {
    for (const [path, text] of texts) {
      refuseForeignLinks(gate, path);
      makeFolders(gate, gate.realPath(dirname(path)), 0o777);
      gate.createFile(path, Buffer.from(text), { like: undefined, mode: 0o666 & ~gate.umask });
      written.push(path);
    }
  } catch (error) {
    // Half a pack is none.
    for (const path of written) gate.remove(path);
    throw error;
  }
}

/** What a first manifest is made of. */
interface FirstManifest {
  readonly name: string;
  readonly files: readonly {
    readonly target: string;
    readonly template: string;
    readonly profile: string | undefined;
  }[];
  /** Whether a template uses the home as a variable. */
  readonly needsHome: boolean;
  readonly program: string;
}

/** `stet.yaml` as a person would write it, with a word on what to do next. */
function manifestText({ name, files, needsHome, program }: FirstManifest): string {
  const entries = files.map(({ target, template, profile }) =>
    [
      `  - target: ${scalar(target)}`,
      `    template: ${scalar(template)}`,
      ...(profile === undefined ? [] : [`    profile: ${profile}`]),
    ].join("\n"),
  );
  return `# What ${name} wants in its users' files. See what it would do: ${program} plan .
name: ${scalar(name)}
version: "0.1.0"
${needsHome ? 'vars:\n  HOME: "~" # the environment\'s wins\n' : ""}files:
${entries.join("\n")}
`;
}

/** A plain word where YAML reads it as just that text, else in quotes. */
function scalar(text: string): string {
  return /^(?:~\/|\/|[a-z])[\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
