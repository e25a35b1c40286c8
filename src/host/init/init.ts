import { posix } from "node:path";
import type { FileOrLink } from "../../core/content.ts";
import { renderDiagnostic } from "../../core/diagnostic.ts";
import { printableLine } from "../../report/colour.ts";
import { maskLines } from "../../report/mask/lines.ts";
import type { HostDiagnostic } from "../diagnostics.ts";
import { evaluateFor } from "../evaluate/evaluate.ts";
import { deliveredFile, type EvaluatedHost, type Layout, systemLayout } from "../evaluate/evaluation.ts";
import { openCatalog } from "../evaluate/service.ts";
import { isSafeName } from "../repository/host-declaration.ts";
import { hostsFolder, repositoryTree, servicesFolder, type TreeEntry } from "../repository/tree.ts";
import { referencesOf } from "../units/references.ts";
import { parseUnitName, runtimeUnit } from "../units/unit-kind.ts";
import { effectiveUnit } from "../units/unit-text.ts";
import type { Collected, CollectedUnit, LeftOut } from "./collect.ts";

/** A new repository, and what the host that it is for would get from it. */
export interface FirstRepository {
  /** By path in the repository. */
  readonly files: ReadonlyMap<string, FileOrLink>;
  readonly services: readonly string[];
  /** Services that the host does not get: with them it would be refused. */
  readonly unselected: readonly Unselected[];
  readonly leftOut: readonly LeftOut[];
  readonly evaluation: EvaluatedHost;
}

/** A service of the repository that no host selects yet, and what is wrong with it. */
export interface Unselected {
  readonly service: string;
  readonly diagnostics: readonly HostDiagnostic[];
}

/** A repository of services and one host, from units as they lie somewhere. Evaluated, it gives the same bytes. */
export function firstRepository(collected: Collected, host: string, layout: Layout = systemLayout): FirstRepository {
  const leftOut = [...collected.leftOut];
  const units = withoutDoubles(collected.units, leftOut);
  const services = assignServices(units);
  const files = new Map<string, FileOrLink>();
  for (const unit of units) {
    const folder = `${servicesFolder}/${services.get(unit)!}`;
    files.set(`${folder}/quadlet/${unit.unit.name}`, unit.content);
    for (const [path, content] of filesBeside(unit, collected)) files.set(`${folder}/quadlet/${path}`, content);
  }
  addDropIns(collected, units, services, files, leftOut);
  const names = [
    ...new Set([...services.values(), ...addPayload(collected, new Set(services.values()), units, files)]),
  ].sort();
  const taken = new Set([...files.values()]);
  for (const [path, content] of collected.others)
    if (!taken.has(content)) {
      const isMisnamed = parseUnitName(posix.basename(path)) !== undefined;
      leftOut.push({ path, why: isMisnamed ? "has a name that systemd takes for no unit" : "no unit names it" });
    }
  return { ...selectServices(files, names, host, layout), files, leftOut };
}

/** The host gets what it can have: a service with an error would keep it from getting anything at all. */
function selectServices(
  files: Map<string, FileOrLink>,
  names: readonly string[],
  host: string,
  layout: Layout,
): Pick<FirstRepository, "services" | "unselected" | "evaluation"> {
  const unselected: Unselected[] = [];
  for (;;) {
    const services = names.filter((name) => unselected.every(({ service }) => service !== name));
    files.set(`${hostsFolder}/${host}/host.yaml`, deliveredFile(Buffer.from(declaration(host, services, unselected))));
    const evaluation = evaluateFor(openCatalog(repositoryTree([...files].map(asEntry))), host, layout);
    const broken = services.flatMap((service): Unselected[] => {
      const diagnostics = evaluation.diagnostics.filter(
        ({ file, severity }) => severity === "error" && file?.startsWith(`${servicesFolder}/${service}/`),
      );
      return diagnostics.length === 0 ? [] : [{ service, diagnostics }];
    });
    if (broken.length === 0) return { services, unselected, evaluation };
    // What is broken in itself goes first: it may be what others are in conflict with.
    const hopeless = broken.filter(({ diagnostics }) => diagnostics.some(({ code }) => code !== "path-conflict"));
    unselected.push(...(hopeless.length > 0 ? hopeless : broken.slice(0, 1)));
  }
}

/** What is not selected stands there as well, to be selected once it is repaired. */
function declaration(host: string, services: readonly string[], unselected: readonly Unselected[]): string {
  const list =
    services.length === 0 ? "services: []\n" : `services:\n${services.map((name) => `  - ${name}\n`).join("")}`;
  const rest = unselected.map(
    ({ service, diagnostics }) => `  # - ${service}   ${printableLine(maskLines(renderDiagnostic(diagnostics[0]!)))}\n`,
  );
  return `host: ${host}\n${list}${rest.join("")}`;
}

function asEntry([path, content]: readonly [string, FileOrLink]): [string, TreeEntry] {
  if (content.kind === "link") return [path, { kind: "symlink", target: content.target }];
  return [path, { kind: "file", bytes: content.bytes, executable: (content.mode & 0o111) !== 0 }];
}

/**
 * On a host all units stand in one folder, so that of two with one name only one can be there: the one that is less
 * deep in folders.
 */
function withoutDoubles(units: readonly CollectedUnit[], leftOut: LeftOut[]): CollectedUnit[] {
  const first = new Map<string, CollectedUnit>();
  const depth = ({ folder }: CollectedUnit) => (folder === "" ? 0 : folder.split("/").length);
  for (const unit of [...units].sort((a, b) => depth(a) - depth(b))) {
    const known = first.get(unit.unit.name);
    if (known === undefined) first.set(unit.unit.name, unit);
    else {
      const why = Buffer.compare(known.bytes, unit.bytes) === 0 ? "is the same as" : "has the name of another unit:";
      leftOut.push({
        path: posix.join(unit.folder, unit.unit.name),
        why: `${why} ${posix.join(known.folder, unit.unit.name)}`,
      });
    }
  }
  return [...first.values()];
}

/** What a unit names by a relative path, where it stands in the folder that was looked through. */
function filesBeside({ unit, folder, bytes }: CollectedUnit, { others }: Collected): [string, FileOrLink][] {
  const effective = effectiveUnit(unit, [{ source: unit.name, bytes }]);
  return referencesOf(unit, effective).flatMap(({ kind, name }): [string, FileOrLink][] => {
    const path = posix.normalize(name);
    if (kind !== "path" || name.startsWith("/") || name.includes("%") || path.startsWith("..") || path === ".")
      return [];
    const at = posix.join(folder, path);
    return [...others].flatMap(([other, content]): [string, FileOrLink][] => {
      if (other !== at && !other.startsWith(`${at.replace(/\/$/, "")}/`)) return [];
      return [[folder === "" ? other : other.slice(folder.length + 1), content]];
    });
  });
}

function addDropIns(
  { dropIns }: Collected,
  units: readonly CollectedUnit[],
  services: ReadonlyMap<CollectedUnit, string>,
  files: Map<string, FileOrLink>,
  leftOut: LeftOut[],
): void {
  const owners = new Map<string, string>();
  for (const unit of units)
    for (const name of [runtimeUnit(unit.unit, undefined), unit.unit.name]) owners.set(name, services.get(unit)!);
  for (const { unit, folder, name, bytes } of dropIns) {
    const owner = owners.get(unit.name);
    const path = posix.join(folder, `${unit.name}.d`, name);
    if (owner === undefined) leftOut.push({ path, why: `there is no ${unit.name}` });
    else files.set(`${servicesFolder}/${owner}/quadlet-overrides/${unit.name}.d/${name}`, deliveredFile(bytes));
  }
}

/**
 * Trees like `traefik/etc/traefik/traefik.yml`: what goes to /etc/NAME is the payload of the service NAME, if units use
 * it.
 */
function addPayload(
  { others }: Collected,
  services: ReadonlySet<string>,
  units: readonly CollectedUnit[],
  files: Map<string, FileOrLink>,
): Set<string> {
  const text = units.map(({ bytes }) => Buffer.from(bytes).toString("utf8")).join("\n");
  const added = new Set<string>();
  for (const [path, content] of others) {
    const found = /(?:^|\/)(?:etc|\.config)\/([^/]+)\/(.+)$/.exec(path);
    const [, name = "", rest = ""] = found ?? [];
    if (name === "" || name === "containers" || name === "systemd" || !isSafeName(name)) continue;
    if (!services.has(name) && !text.includes(`/etc/${name}/`) && !text.includes(`/.config/${name}/`)) continue;
    files.set(`${servicesFolder}/${name}/config/etc/${name}/${rest}`, content);
    added.add(name);
  }
  return added;
}

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
function assignServices(units: readonly CollectedUnit[]): Map<CollectedUnit, string> {
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
  const name = (at > 0 ? unit.stem.slice(0, at) : unit.stem).replaceAll("\\", "-").replace(/^[.-]+/, "");
  return isSafeName(name) ? name : "units";
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
