import { posix } from "node:path";
import type { EvaluatedFile, Layout } from "../evaluate/evaluation.ts";
import { runsPrograms, type WantedUnit } from "./unit-actions.ts";

/** A delivered file that is no unit, and changes. */
export interface ChangedFile {
  readonly path: string;
  readonly service: string;
}

/**
 * The units that have to be restarted for changed files, each with the path of one: those that mount or name the file
 * or a folder it lies in, of whatever service. For a file that no unit names, all of its own service.
 */
export function unitsUsing(
  changed: readonly ChangedFile[],
  wanted: readonly WantedUnit[],
  files: readonly EvaluatedFile[],
  layout: Layout,
): Map<string, string> {
  const using = new Map<string, string>();
  if (changed.length === 0) return using;
  const users = indexUsers(wanted, files, layout);
  const programs = programsByService(wanted);
  for (const { path, service } of changed) {
    const named = waysTo(path, posix.join(layout.configFolder, service)).flatMap((way) => users.get(way) ?? []);
    const units = named.length > 0 ? named : (programs.get(service) ?? []);
    for (const unit of units) if (!using.has(unit.runtime)) using.set(unit.runtime, path);
  }
  return using;
}

function programsByService(wanted: readonly WantedUnit[]): Map<string, WantedUnit[]> {
  const programs = new Map<string, WantedUnit[]>();
  for (const unit of wanted) {
    if (!runsPrograms(unit.unit)) continue;
    const known = programs.get(unit.file.service);
    if (known === undefined) programs.set(unit.file.service, [unit]);
    else known.push(unit);
  }
  return programs;
}

/**
 * A file, and the folders it lies in up to its service's own: who mounts all of `/etc` does not use every file in it.
 */
function waysTo(path: string, top: string): string[] {
  const ways = [path];
  for (let at = posix.dirname(path); at === top || at.startsWith(`${top}/`); at = posix.dirname(at)) ways.push(at);
  return ways;
}

/** Every path that a unit names, with the units that do. */
function indexUsers(
  wanted: readonly WantedUnit[],
  files: readonly EvaluatedFile[],
  layout: Layout,
): Map<string, WantedUnit[]> {
  const delivered = new Map(files.map((file) => [file.path, file]));
  const users = new Map<string, WantedUnit[]>();
  for (const unit of wanted) {
    for (const path of pathsNamed(unit, delivered, layout)) {
      const known = users.get(path);
      if (known === undefined) users.set(path, [unit]);
      else known.push(unit);
    }
  }
  return users;
}

function pathsNamed(unit: WantedUnit, delivered: ReadonlyMap<string, EvaluatedFile>, layout: Layout): Set<string> {
  const folder = posix.dirname(unit.file.path);
  const named = new Set<string>();
  const add = (path: string) => {
    if (named.has(path)) return;
    named.add(path);
    const content = delivered.get(path)?.content;
    // Whoever mounts a link sees what it leads to.
    if (content?.kind === "symlink") add(posix.resolve(posix.dirname(path), content.target));
  };
  for (const { lines } of unit.effective.sections) {
    for (const { key, value } of lines) {
      for (const path of pathsIn(value, folder, delivered, layout)) {
        add(path);
        // A pod's YAML mounts files of the host by their paths.
        if (key === "Yaml")
          for (const inside of pathsIn(textOf(delivered.get(path)), folder, delivered, layout)) add(inside);
      }
    }
  }
  return named;
}

/** The absolute paths in a text, and the names of delivered files beside a unit. */
function pathsIn(
  text: string,
  folder: string,
  delivered: ReadonlyMap<string, EvaluatedFile>,
  layout: Layout,
): string[] {
  return text.split(/[\s:=,;"']+/).flatMap((word) => {
    const name = word
      .replace(/^[-+!@|]+/, "")
      .replace(/^%E(?=\/)/, layout.configFolder)
      .replace(/^%h(?=\/)/, layout.home ?? "%h");
    if (name.startsWith("/")) return [posix.normalize(name).replace(/(?<=.)\/$/, "")];
    const beside = name === "" ? folder : posix.join(folder, name);
    return delivered.has(beside) ? [beside] : [];
  });
}

function textOf(file: EvaluatedFile | undefined): string {
  return file?.content.kind === "file" ? Buffer.from(file.content.bytes).toString("utf8") : "";
}
