import { posix } from "node:path";
import { isSafeName } from "../repository/host-declaration.ts";
import { effectiveUnit } from "../units/effective-unit.ts";
import { referencesOf } from "../units/references.ts";
import { runtimeUnit } from "../units/unit-kind.ts";
import type { CollectedUnit } from "./collect.ts";

/** Folders that say what is in them, not what it is for. */
const structural = new Set([
  ...[
    ".config",
    "dot_config",
    "private_dot_config",
    "config",
    "etc",
    "home",
    "root",
    "src",
    "files",
    "containers",
    "systemd",
  ],
  ...["system", "user", "users", "quadlet", "quadlets", "units", "services", "apps", "stacks", "containers.systemd"],
]);

/**
 * Which service each unit becomes a part of: by the folders they are sorted into, else by their names and what they
 * use.
 */
export function assignServices(units: readonly CollectedUnit[]): Map<CollectedUnit, string> {
  const byFolder = new Map(units.map((unit) => [unit, folderName(unit.folder, commonFolder(units))]));
  const folders = new Set(byFolder.values());
  if (
    folders.size > 1 ||
    (folders.size === 1 && !folders.has(undefined) && units.length > 0 && isAboutFolder(units, byFolder))
  )
    return new Map([...byFolder].map(([unit, name]) => [unit, name ?? stemOf(unit)]));
  return byName(units);
}

/** One folder alone is a service only where its units are called like it. */
function isAboutFolder(
  units: readonly CollectedUnit[],
  byFolder: ReadonlyMap<CollectedUnit, string | undefined>,
): boolean {
  return units.some((unit) => byFolder.get(unit) === stemOf(unit));
}

/**
 * The folder that all units are below. Where that is the folder of all of them, it may be their service, and counts as
 * not common.
 */
function commonFolder(units: readonly CollectedUnit[]): readonly string[] {
  const [first = [], ...rest] = units.map(({ folder }) => folder.split("/"));
  let length = first.length;
  for (const segments of rest)
    while (length > 0 && !first.slice(0, length).every((segment, i) => segments[i] === segment)) length--;
  return first.slice(
    0,
    rest.every((segments) => segments.length === length) && length === first.length ? length - 1 : length,
  );
}

function folderName(folder: string, common: readonly string[]): string | undefined {
  const below = folder === "" ? [] : folder.split("/").slice(common.length);
  return below.find((segment) => !structural.has(segment.toLowerCase()) && isSafeName(segment));
}

function stemOf({ unit }: CollectedUnit): string {
  const at = unit.stem.indexOf("@");
  return (at > 0 ? unit.stem.slice(0, at) : unit.stem).replaceAll("\\", "-");
}

/**
 * Units that are called alike and use each other belong together: `immich.pod` and `immich-server.container`. What only
 * one service uses goes with it; what several use, or nobody, is a service of its own.
 */
function byName(units: readonly CollectedUnit[]): Map<CollectedUnit, string> {
  const uses = usesBetween(units);
  const stems = new Set(units.map(stemOf));
  const services = new Map<CollectedUnit, string>();
  for (const unit of units) services.set(unit, prefixAmong(stemOf(unit), stems) ?? stemOf(unit));
  for (const [unit, used] of uses) {
    const prefix = commonPrefix(
      services.get(unit)!,
      used.map((other) => services.get(other)!),
    );
    if (prefix !== undefined)
      for (const each of [unit, ...used]) services.set(each, shorter(services.get(each)!, prefix));
  }
  for (const unit of units) {
    const users = new Set(
      units.filter((other) => uses.get(other)?.includes(unit)).map((other) => services.get(other)!),
    );
    const isAlone = units.filter((other) => services.get(other) === services.get(unit)).length === 1;
    if (users.size === 1 && isAlone && !runs(unit)) services.set(unit, [...users][0]!);
  }
  return services;
}

function runs({ unit }: CollectedUnit): boolean {
  return ["container", "kube", "pod", "service"].includes(unit.type);
}

/** `immich` for `immich-server`, where there is a unit of that name. */
function prefixAmong(stem: string, stems: ReadonlySet<string>): string | undefined {
  for (let end = stem.indexOf("-"); end > 0; end = stem.indexOf("-", end + 1))
    if (stems.has(stem.slice(0, end))) return stem.slice(0, end);
  return undefined;
}

function commonPrefix(name: string, others: readonly string[]): string | undefined {
  const prefix = name.split("-")[0]!;
  const alike = others.filter((other) => other !== name && other.split("-")[0] === prefix);
  return alike.length > 0 && prefix !== "" ? prefix : undefined;
}

function shorter(name: string, prefix: string): string {
  return name.startsWith(`${prefix}-`) ? prefix : name;
}

/** Which units each unit names, also as the services that podman makes of them. */
function usesBetween(units: readonly CollectedUnit[]): Map<CollectedUnit, CollectedUnit[]> {
  const known = new Map(
    units.flatMap((unit) => [unit.unit.name, runtimeUnit(unit.unit, undefined)].map((name) => [name, unit] as const)),
  );
  return new Map(
    units.map((unit) => {
      const effective = effectiveUnit(unit.unit, [{ source: unit.unit.name, bytes: unit.bytes }]);
      const words = effective.sections.flatMap(({ name, lines }) =>
        name === "Unit" ? lines.flatMap(({ value }) => value.split(/\s+/)) : [],
      );
      const named = referencesOf(unit.unit, effective).flatMap(({ kind, name }) => (kind === "unit" ? [name] : []));
      return [
        unit,
        [...named, ...words].flatMap((name) => known.get(posix.basename(name)) ?? []).filter((other) => other !== unit),
      ];
    }),
  );
}
