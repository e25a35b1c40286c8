import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import { inProject, type Machine, pathContext } from "../engine/machine.ts";
import { hidesValue, projectPaths } from "../engine/records.ts";
import { substitute, type Variables, variablesIn } from "../readings/template.ts";
import type { Reader } from "../store/gate/gate.ts";
import { isProjectPath, parseProjectRecords, projectRecordsPath } from "../store/records/project-records.ts";
import { inMemory, mergeConflictedRecords, renderProjectRecords } from "../store/records/project-registry.ts";
import { ownersIn, readRegistry } from "../store/records/registry.ts";
import { writeAtomically } from "../store/transaction/atomic.ts";
import type { Pack, PackFile } from "./manifest/pack.ts";
import { namesInFile, substituteTarget } from "./manifest/variables.ts";

/** The machine that a pack is installed on: the user's, or a project's. */
export function machineForPack(pack: Pack, machine: Machine, project: string | undefined): Machine {
  if (pack.scope !== "project") return machine;
  if (project !== undefined) return inProject(machine, project);
  const message = `${pack.name} is installed per project, and there is no project here; go to a folder with .git or .stet, or name one with --project DIR`;
  throw new InputError({ code: "no-project", message });
}

/** Where a file of a project's pack goes. What leads out of the project is refused, also by a link. */
export function projectTarget(
  { target, template }: PackFile,
  variables: Variables,
  root: string,
  reader: Reader,
): string {
  const below = substituteTarget(target, variables);
  const parts = below.split(/[\\/]/);
  const isBelow = !isAbsolute(below) && !/^[~$]|^[A-Za-z]:/.test(below) && !parts.includes("..");
  if (!isBelow) {
    const message = `target ${target}: a pack of scope project is installed inside the project, so write its targets relative to it, such as .claude/settings.json, without .. and ~`;
    throw new InputError({ code: "not-in-project", message });
  }
  if (parts[0] === ".git" || parts[0] === ".stet")
    throw new InputError({ code: "unsafe-path", message: `target ${target}: no pack may write into ${parts[0]}` });
  const path = join(root, below);
  if (!isProjectPath(relative(root, path).split(sep).join("/"))) {
    const message = `target ${target}: some systems do not allow this name; avoid \\, : and control characters, a dot or blank at the end, and .git`;
    throw new InputError({ code: "unsafe-path", message });
  }
  const isInside = (real: string) => `${real}${sep}`.startsWith(`${reader.realPath(root)}${sep}`);
  if (template.kind === "link") {
    // The link itself is what is written: where a user points it is nobody's business.
    const folder = reader.realPath(dirname(path));
    const leads = substitute(template.target, variables);
    if (isAbsolute(leads) || leads.startsWith("~") || !isInside(resolve(folder, leads))) {
      const message = `target ${target}: its link leads to ${leads}, out of the project; point it at something in the project, by a relative path`;
      throw new InputError({ code: "not-in-project", message });
    }
    if (isInside(folder)) return path;
  } else if (isInside(reader.realPath(path))) return path;
  const message = "a link here leads out of the project, and a pack of scope project writes nothing outside it";
  throw new InputError({ code: "unsafe-path", message, file: path });
}

/** What of a file would come out otherwise on a colleague's machine; undefined where nothing would. */
export function machineDependence(file: PackFile, pack: Pack, { env }: Pick<Machine, "env">): string | undefined {
  if (file.os !== undefined) return "os";
  for (const name of [...variablesIn(file.target).map((each) => each.name), ...namesInFile(file)]) {
    if (name === "HOME") return `\${${name}}`;
    if (!Object.hasOwn(pack.vars, name) || Object.hasOwn(pack.given, name)) continue;
    if (Object.hasOwn(env, name) && env[name] !== undefined) return `\${${name}}, which the environment sets`;
    const fallback = pack.vars[name]!;
    if (typeof fallback !== "string")
      return `\${${name}}, which ${Object.keys(fallback).length === 0 ? "has no value here" : "differs by platform"}`;
    if (fallback.startsWith("~")) return `\${${name}}, which is a path below the home`;
  }
  return undefined;
}

export function dependsOnMachine(file: PackFile, what: string): InputError {
  const message = `${file.target} depends on the machine (${what}), but a project's files are shared, so colleagues would undo each other's runs; let Git ignore the target, or ship the same for everybody`;
  return new InputError({ code: "machine-dependent", message });
}

/** Merges both sides of a project's records that Git left in conflict. False where there is no conflict. */
export function mergeProjectRecords(machine: Machine, root: string, name: string): boolean {
  const path = projectRecordsPath(root, name);
  const text = machine.gate.read(path)?.toString("utf8");
  if (text === undefined) throw new InputError({ code: "no-file", message: "there is no such file", file: path });
  if (!/^<{7}(?: |$)/m.test(text)) return false;
  const paths = projectPaths(root, pathContext(machine, []));
  const both = mergeConflictedRecords(text, (side) => parseProjectRecords(machine.gate, root, side, name));
  const merged = renderProjectRecords(inMemory(both, paths), paths, hidesValue);
  writeAtomically(machine.gate, path, Buffer.from(merged ?? ""), 0o644);
  return true;
}

/** Every place on this machine that something is installed in: those `here`, and each project that a run knew. */
export function allInstances(machine: Machine, here: readonly Machine[]): Machine[] {
  const known = projectsOf(machine).flatMap(({ root, isThere }) => (isThere ? [inProject(machine, root)] : []));
  const instances = new Map([...here, machine, ...known].map((each) => [each.stateDir, each]));
  return [...instances.values()];
}

/** Projects that the state directory remembers, gone ones included. */
export function projectsOf({
  gate,
  stateDir,
}: Machine): { readonly root: string; readonly folder: string; readonly isThere: boolean }[] {
  const projects = join(stateDir, "projects");
  return (gate.list(projects) ?? []).flatMap((hash) => {
    const folder = join(projects, hash);
    const [owner] = ownersIn(gate, folder);
    const root = owner === undefined ? undefined : readRegistry(gate, folder, owner)?.registry.project;
    return root === undefined ? [] : [{ root, folder, isThere: gate.stat(gate.realPath(root))?.kind === "folder" }];
  });
}
