import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { findProject, inProject, type Machine } from "../../engine/machine.ts";
import { ownersOf } from "../../engine/records.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import type { Pack } from "../../files/manifest/pack.ts";
import { entriesOfFile, matching, type Query, unknownOwner } from "../../files/places/find-entries.ts";
import { machineForPack } from "../../files/project.ts";
import { generationNumbers } from "../../store/records/generations.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { machineOf } from "../shell/options.ts";

/** The project that a command works in: as `--project` says, else the one around the current folder. */
function projectOf(values: CommonValues, machine: Machine, io: Io): string | undefined {
  if (values.project === undefined) return findProject(machine.gate, io.cwd, machine.home);
  const root = resolve(io.cwd, values.project);
  if (machine.gate.stat(machine.gate.realPath(root))?.kind === "folder") return root;
  throw new InputError({ code: "no-project", message: `--project ${values.project}: there is no such folder` });
}

/** Where a pack is installed; `machine`: the user's. */
export function instanceFor(pack: Pack, machine: Machine, values: CommonValues, io: Io): Machine {
  return machineForPack(pack, machine, pack.scope === "project" ? projectOf(values, machine, io) : undefined);
}

/**
 * Where a saved plan was made: in the project around us, or for the user. Whether it can be believed is asked later.
 */
export function instanceOfPlan(file: string, user: Machine, values: CommonValues, io: Io): Machine {
  const root = projectOf(values, user, io);
  if (root === undefined || user.gate.stat(user.gate.realPath(file))?.kind !== "file") return user;
  const project = inProject(user, root);
  const text = user.gate.read(file)?.toString("utf8") ?? "";
  return text.includes(JSON.stringify(project.stateDir)) ? project : user;
}

/** Where records may be that a command works from: the project's first, then the user's. */
export function instancesOf(values: CommonValues, io: Io): readonly Machine[] {
  const machine = machineOf(values, io);
  const root = projectOf(values, machine, io);
  const project = root === undefined ? undefined : inProject(machine, root);
  return project !== undefined && ownersOf(project).length > 0 ? [project, machine] : [machine];
}

/** The owner a command is about, and where it is: the one named, or the only one there is. */
export function ownerArgument(
  name: string | undefined,
  values: CommonValues,
  io: Io,
): { readonly name: string; readonly machine: Machine } {
  const found = instancesOf(values, io).flatMap((machine) =>
    ownersOf(machine).map((owner) => ({ name: owner, machine })),
  );
  if (name !== undefined)
    return found.find((each) => each.name === name) ?? { name, machine: formerly(name, found, values, io) };
  if (found.length === 1) return found[0]!;
  const message =
    found.length === 0
      ? nothingInstalled(io.program)
      : `there are several owners; name one of them: ${found.map((each) => each.name).join(", ")}`;
  throw new InputError({ code: "which-owner", message });
}

export function nothingInstalled(program: string): string {
  return `nothing is installed; to see what a pack would change: ${program} plan DIR`;
}

/** Where an owner has a history, if nowhere any records: it was uninstalled there. */
function formerly(
  name: string,
  installed: readonly { readonly machine: Machine }[],
  values: CommonValues,
  io: Io,
): Machine {
  const machine = machineOf(values, io);
  const root = projectOf(values, machine, io);
  const project = root === undefined ? undefined : inProject(machine, root);
  const had = (each: Machine) => generationNumbers(machine.gate, each.stateDir, name).length > 0;
  if (project !== undefined && had(project)) return project;
  if (had(machine)) return machine;
  throw unknownOwner(
    name,
    machine,
    installed.map((each) => each.machine),
  );
}

/** Where an entry is on record that a person names; the user's where it is nowhere. */
export function instanceWith(query: Query, values: CommonValues, io: Io): Machine {
  const instances = instancesOf(values, io);
  const has = (machine: Machine) => matching(machine, query).length > 0 || entriesOfFile(machine, query).length > 0;
  return instances.find(has) ?? instances.at(-1)!;
}

/** Queries by where their entries are on record. */
export function byInstance(
  queries: readonly Query[],
  values: CommonValues,
  io: Io,
): readonly (readonly [Machine, readonly Query[]])[] {
  const groups = new Map<string, [Machine, Query[]]>();
  for (const query of queries) {
    const machine = instanceWith(query, values, io);
    const group = groups.get(machine.stateDir) ?? [machine, []];
    group[1].push(query);
    groups.set(machine.stateDir, group);
  }
  return [...groups.values()];
}

/** `--set NAME=VALUE`, as often as wanted. */
export function variablesFrom(settings: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    (settings ?? []).map((setting) => {
      const at = setting.indexOf("=");
      if (at <= 0) throw new InputError({ code: "usage", message: `--set ${setting}: write --set NAME=VALUE` });
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}

/** The pack a command is about: the one named, the embedding program's, or the one here. */
export function packFromArgument(argument: string | undefined, values: CommonValues, machine: Machine, io: Io): Pack {
  const vars = variablesFrom(values.set);
  const fromEnv = values["from-env"] ?? [];
  if (argument === undefined && io.manifest)
    return { ...io.manifest, given: { ...io.manifest.given, ...vars }, fromEnv: [...io.manifest.fromEnv, ...fromEnv] };
  const path = resolve(io.cwd, argument ?? ".");
  if (argument !== undefined && ownersOf(machine).includes(argument) && machine.gate.stat(path) === undefined) {
    const message = `${argument} is installed, but a new version comes from its pack: name the folder with its stet.yaml`;
    throw new InputError({ code: "no-manifest", message, file: path });
  }
  return readPack(machine.gate, path, { vars, fromEnv });
}
