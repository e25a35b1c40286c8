import type { EvaluatedFile } from "../evaluate/evaluation.ts";
import { dropInsByUnit, type RuntimeUnit, runtimeUnits, unitBytes, unitsByPath } from "../evaluate/find-conflicts.ts";
import { type EffectiveUnit, effectiveUnit, effectiveValue } from "./effective-unit.ts";
import { isStartedByAnother, triggeredUnits, type WantedUnit } from "./unit-actions.ts";
import { isTemplate, parseUnitName, templateOf } from "./unit-kind.ts";

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
  const sources = [file, ...(parts.get(unit.name) ?? [])].map((part) => ({
    source: part.origin.at(-1)!,
    bytes: unitBytes(part, units),
  }));
  return effectiveUnit(unit, sources);
}

/** The unit that counts, of a file's name as people say it: `traefik.container`, `traefik.socket`. */
export function findUnit(
  files: readonly EvaluatedFile[],
  name: string,
): { readonly unit: RuntimeUnit; readonly effective: EffectiveUnit } | undefined {
  const wanted = parseUnitName(name);
  const unit = runtimeUnits(files).find(
    (each) => each.unit.name === name || (wanted !== undefined && each.unit.name === templateOf(wanted)),
  );
  return unit && { unit, effective: effectiveOf(unit, dropInsByUnit(files), unitsByPath(files)) };
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
