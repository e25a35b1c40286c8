import { posix } from "node:path";
import { addTo, groupBy } from "../../core/lists.ts";
import type { EvaluatedFile, Layout } from "../evaluate/evaluation.ts";
import {
  dropInsByUnit,
  partsOf,
  type RuntimeUnit,
  runtimeUnits,
  unitBytes,
  unitsByPath,
} from "../evaluate/find-conflicts.ts";
import { isStartedByAnother, runsPrograms, triggeredUnits, type WantedUnit } from "./unit-actions.ts";
import { isTemplate, parseUnitName, templateOf } from "./unit-kind.ts";
import { type EffectiveUnit, effectiveUnit, effectiveValue } from "./unit-text.ts";

/** Every unit of the desired state with what its text says about how it wants to be run. */
export function wantedUnits(files: readonly EvaluatedFile[]): readonly WantedUnit[] {
  const known = knownUnits.get(files) ?? describeUnits(files);
  knownUnits.set(files, known);
  return known;
}

/** A plan asks several times; evaluated files never change. */
const knownUnits = new WeakMap<readonly EvaluatedFile[], readonly WantedUnit[]>();

function describeUnits(files: readonly EvaluatedFile[]): WantedUnit[] {
  const [parts, units] = [dropInsByUnit(files), unitsByPath(files)];
  const described = runtimeUnits(files).map((unit) => describe(unit, effectiveOf(unit, parts, units)));
  const triggered = triggeredUnits(described);
  return described.map((unit) => ({
    ...unit,
    runs: isStartedByAnother(unit, triggered) ? undefined : unit.runs,
    // Made when somebody asks: to hold them all takes more memory than everything else of a large host.
    get effective() {
      return effectiveOf(unit, parts, units);
    },
  }));
}

type DescribedUnit = Omit<WantedUnit, "effective">;

function describe(unit: RuntimeUnit, effective: EffectiveUnit): DescribedUnit {
  const install = effective.sections.find(({ name }) => name === "Install");
  const installed = (install?.lines ?? []).some((line) => line.value !== "" && line.key !== "DefaultInstance");
  const instance = installed ? effectiveValue(effective, "Install", "DefaultInstance")?.value : undefined;
  const runs = !isTemplate(unit.unit)
    ? unit.runtime
    : instance
      ? unit.runtime.replace("@.", `@${instance}.`)
      : undefined;
  const check = effectiveValue(effective, "Container", "HealthCmd")?.value;
  const health = unit.unit.type === "container" && check !== undefined && check !== "" && check !== "none";
  return { ...unit, installed, triggers: triggersOf(unit, effective), runs, health };
}

/** `web.socket` starts web.service unless it says otherwise. */
function triggersOf({ unit }: RuntimeUnit, effective: EffectiveUnit): string[] {
  const named = { socket: ["Socket", "Service"], timer: ["Timer", "Unit"], path: ["Path", "Unit"] }[
    unit.type as "socket" | "timer" | "path"
  ];
  if (unit.family !== "native" || named === undefined) return [];
  return [effectiveValue(effective, named[0]!, named[1]!)?.value || `${unit.stem}.service`];
}

function effectiveOf(
  { file, unit }: RuntimeUnit,
  parts: ReadonlyMap<string, readonly EvaluatedFile[]>,
  units: ReadonlyMap<string, EvaluatedFile>,
): EffectiveUnit {
  const sources = partsOf(file, unit, parts).map((part) => ({
    source: part.origin.at(-1)!,
    bytes: unitBytes(part, units),
  }));
  return effectiveUnit(unit, sources);
}

/**
 * The unit that counts, of a file's name as people say it: `traefik.container`, `traefik.socket`. An instance need have no file
 * of its own.
 */
export function findUnit(
  files: readonly EvaluatedFile[],
  name: string,
): { readonly unit: RuntimeUnit; readonly effective: EffectiveUnit } | undefined {
  const unit = parseUnitName(name);
  const find = (wanted: string | undefined) => runtimeUnits(files).find((each) => each.unit.name === wanted);
  const template = unit && templateOf(unit);
  const found = find(name) ?? find(template);
  if (unit === undefined || found === undefined) return undefined;
  const instance = unit.stem.slice(unit.stem.indexOf("@") + 1);
  const runtime = found.unit.name === name ? found.runtime : found.runtime.replace("@.", `@${instance}.`);
  const effective = effectiveOf({ ...found, unit }, dropInsByUnit(files), unitsByPath(files));
  return { unit: { ...found, unit, runtime }, effective };
}

/** The runtime unit that each file is about: a unit's own, its drop-ins', and drop-ins of a generated service. */
export function runtimeByPath(files: readonly EvaluatedFile[]): ReadonlyMap<string, string> {
  const known = knownRuntimes.get(files) ?? findRuntimes(files);
  knownRuntimes.set(files, known);
  return known;
}

const knownRuntimes = new WeakMap<readonly EvaluatedFile[], ReadonlyMap<string, string>>();

function findRuntimes(files: readonly EvaluatedFile[]): Map<string, string> {
  const units = runtimeUnits(files);
  const byName = new Map(units.map((unit) => [unit.unit.name, unit.runtime]));
  const runtimes = new Set(units.map((unit) => unit.runtime));
  const found = new Map<string, string>();
  for (const file of files) {
    if (file.unit === undefined) continue;
    const runtime =
      byName.get(file.unit.name) ??
      (runtimes.has(file.unit.name) ? file.unit.name : byName.get(templateOf(file.unit) ?? ""));
    if (runtime !== undefined) found.set(file.path, runtime);
  }
  return found;
}

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
  const programs = groupBy(
    wanted.filter(({ unit }) => runsPrograms(unit)),
    ({ file }) => file.service,
  );
  for (const { path, service } of changed) {
    const named = waysTo(path, posix.join(layout.configFolder, service)).flatMap((way) => users.get(way) ?? []);
    const units = named.length > 0 ? named : (programs.get(service) ?? []);
    for (const unit of units) if (!using.has(unit.runtime)) using.set(unit.runtime, path);
  }
  return using;
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
  for (const unit of wanted) for (const path of pathsNamed(unit, delivered, layout)) addTo(users, path, unit);
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
    if (content?.kind === "link") add(posix.resolve(posix.dirname(path), content.target));
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
