import { basename, dirname, join, relative, sep } from "node:path";
import { type Machine, xdgFolder } from "../../engine/machine.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import { type ProfileName, profileFor } from "../../identity/profiles/index.ts";
import type { Reader } from "../../store/gate/gate.ts";
import type { OwnedPlace } from "../places/record-places.ts";
import type { Finding } from "./doctor.ts";

/** Whether the managed file is the one the runtime reads, and whether it heeds what is in it. */
export function runtimeFindings(owned: OwnedPlace, machine: Machine): Finding[] {
  return [...siblings(owned, machine), ...otherFolder(owned, machine), ...disabledHooks(owned)];
}

const spellings: readonly (readonly string[])[] = [
  ["json", "jsonc", "json5"],
  ["yaml", "yml"],
];

/** `x.json` beside `x.jsonc`: runtimes read one of them, or both in an order of their own. */
function siblings({ owner, place }: OwnedPlace, { gate }: Machine): Finding[] {
  const dot = place.path.lastIndexOf(".");
  const [stem, extension] = [place.path.slice(0, dot), place.path.slice(dot + 1)];
  if (basename(stem) === "") return [];
  const others = spellings.find((names) => names.includes(extension))?.filter((name) => name !== extension) ?? [];
  return others
    .map((name) => `${stem}.${name}`)
    .filter((path) => gate.stat(path) !== undefined)
    .map((path) => ({
      code: "shadowed-file",
      severity: "warning",
      owner,
      file: place.path,
      message: `${path} is beside it, and the runtime may read that one instead`,
      fix: "keep one of them, and make that one the target",
    }));
}

/** Variables that move a runtime's whole config folder. */
const movedFolders: Readonly<Partial<Record<ProfileName, { readonly variable: string; readonly folder: string }>>> = {
  "claude-code": { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  codex: { variable: "CODEX_HOME", folder: ".codex" },
};

function otherFolder({ owner, place, state }: OwnedPlace, machine: Machine): Finding[] {
  const profile = profileFor(place.path, state.context);
  const moved = profile && movedFolders[profile.name];
  const set = moved && machine.env[moved.variable];
  if (!moved || !set) return [];
  const same = (a: string, b: string) => canonicalPath(a, state.context) === canonicalPath(b, state.context);
  if (!same(dirname(place.path), join(machine.home, moved.folder)) || same(set, join(machine.home, moved.folder)))
    return [];
  const message = `$${moved.variable} is ${set}, so ${profile.title} does not read this file`;
  const fix = `make \${${moved.variable}}/${basename(place.path)} the target, or unset the variable`;
  return [{ code: "other-config-folder", severity: "warning", owner, file: place.path, message, fix }];
}

/** Claude Code's switch that makes every hook do nothing. */
function disabledHooks({ owner, place, planned }: OwnedPlace): Finding[] {
  const hooks = planned.decisions.filter(({ type, actual }) => type === "hook" && actual).length;
  if (hooks === 0 || !/"disableAllHooks"\s{0,8}:\s{0,8}true/.test(planned.text ?? "")) return [];
  const message = `disableAllHooks is true, so none of the ${hooks} managed hooks runs`;
  return [
    {
      code: "hooks-disabled",
      severity: "warning",
      owner,
      file: place.path,
      message,
      fix: "remove disableAllHooks, or set it to false",
    },
  ];
}

/** A target that another tool writes, too: the two would undo each other's work. */
export function otherToolFindings({ owner, place, planned }: OwnedPlace, machine: Machine): Finding[] {
  const found = nixOf(place.path, machine) ?? chezmoiOf(place.path, machine) ?? headerOf(planned.text ?? "");
  if (found === undefined) return [];
  return [{ code: "managed-elsewhere", severity: "warning", owner, file: place.path, ...found }];
}

type Told = Pick<Finding, "message" | "fix">;

function nixOf(path: string, { gate }: Machine): Told | undefined {
  const real = gate.realPath(path);
  if (!real.startsWith("/nix/store/")) return undefined;
  return {
    message: `it is a link into ${real}, which Nix manages and nobody else can write`,
    fix: "declare these entries in your Nix configuration",
  };
}

function chezmoiOf(path: string, machine: Machine): Told | undefined {
  const inside = relative(machine.home, path);
  if (inside === "" || inside.startsWith("..")) return undefined;
  const source = join(xdgFolder("DATA", machine), "chezmoi");
  const found = chezmoiSource(machine.gate, source, inside.split(sep));
  if (found === undefined) return undefined;
  return {
    message: `chezmoi manages it too (${found})`,
    fix: "run chezmoi re-add after each apply, or make it a modify_ template there",
  };
}

/**
 * The source of a path in chezmoi's folder, whose names carry attributes: `private_dot_config`, `settings.json.tmpl`.
 */
function chezmoiSource(reader: Reader, folder: string, names: readonly string[]): string | undefined {
  const [name, ...rest] = names;
  const entry = reader.list(folder)?.find((each) => chezmoiName(each) === name);
  if (entry === undefined) return undefined;
  return rest.length === 0 ? join(folder, entry) : chezmoiSource(reader, join(folder, entry), rest);
}

const attributes =
  /^(?:create|encrypted|empty|exact|executable|external|literal|modify|once|onchange|private|readonly|remove|symlink)_/;

function chezmoiName(entry: string): string {
  let name = entry;
  while (attributes.test(name)) name = name.replace(attributes, "");
  return name.replace(/^dot_/, ".").replace(/\.(?:tmpl|age|asc)$/, "");
}

/** What tools write at the top of files they own. */
function headerOf(text: string): Told | undefined {
  const tool =
    /(Ansible) managed|managed by (Puppet|Ansible|Chef|Salt|Home Manager)|generated by (Chef|Home Manager)/i.exec(
      text.slice(0, 1000),
    );
  const name = tool?.slice(1).find((each) => each !== undefined);
  if (name === undefined) return undefined;
  return {
    message: `its first lines say that ${name} manages it`,
    fix: `declare these entries in ${name}, or take the file out of it`,
  };
}
