import { posix } from "node:path";
import { renderDiagnostic } from "../../core/diagnostic.ts";
import { printableLine } from "../../report/colour.ts";
import { maskLines } from "../../report/mask/lines.ts";
import type { HostDiagnostic } from "../diagnostics.ts";
import { openCatalog } from "../evaluate/catalog.ts";
import { evaluateFor } from "../evaluate/evaluate.ts";
import { type DeliveredContent, type EvaluatedHost, type Layout, systemLayout } from "../evaluate/evaluation.ts";
import { isSafeName } from "../repository/host-declaration.ts";
import { hostsFolder, servicesFolder } from "../repository/repository-names.ts";
import { repositoryTree, type TreeEntry } from "../repository/tree.ts";
import { effectiveUnit } from "../units/effective-unit.ts";
import { referencesOf } from "../units/references.ts";
import { runtimeUnit } from "../units/unit-kind.ts";
import type { Collected, CollectedUnit, LeftOut } from "./collect.ts";
import { assignServices } from "./services.ts";

/** A new repository, and what the host that it is for would get from it. */
export interface FirstRepository {
  /** By path in the repository. */
  readonly files: ReadonlyMap<string, DeliveredContent>;
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
  const files = new Map<string, DeliveredContent>();
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
    if (!taken.has(content)) leftOut.push({ path, why: "no unit names it" });
  return { ...selectServices(files, names, host, layout), files, leftOut };
}

/** The host gets what it can have: a service with an error would keep it from getting anything at all. */
function selectServices(
  files: Map<string, DeliveredContent>,
  names: readonly string[],
  host: string,
  layout: Layout,
): Pick<FirstRepository, "services" | "unselected" | "evaluation"> {
  const unselected: Unselected[] = [];
  for (;;) {
    const services = names.filter((name) => unselected.every(({ service }) => service !== name));
    files.set(`${hostsFolder}/${host}/host.yaml`, textFile(declaration(host, services, unselected)));
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

function textFile(text: string): DeliveredContent {
  return { kind: "file", bytes: Buffer.from(text), executable: false };
}

function asEntry([path, content]: readonly [string, DeliveredContent]): [string, TreeEntry] {
  return [path, content];
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
function filesBeside({ unit, folder, bytes }: CollectedUnit, { others }: Collected): [string, DeliveredContent][] {
  const effective = effectiveUnit(unit, [{ source: unit.name, bytes }]);
  return referencesOf(unit, effective).flatMap(({ kind, name }): [string, DeliveredContent][] => {
    const path = posix.normalize(name);
    if (kind !== "path" || name.startsWith("/") || name.includes("%") || path.startsWith("..") || path === ".")
      return [];
    const at = posix.join(folder, path);
    return [...others].flatMap(([other, content]): [string, DeliveredContent][] => {
      if (other !== at && !other.startsWith(`${at.replace(/\/$/, "")}/`)) return [];
      return [[folder === "" ? other : other.slice(folder.length + 1), content]];
    });
  });
}

function addDropIns(
  { dropIns }: Collected,
  units: readonly CollectedUnit[],
  services: ReadonlyMap<CollectedUnit, string>,
  files: Map<string, DeliveredContent>,
  leftOut: LeftOut[],
): void {
  const owners = new Map<string, string>();
  for (const unit of units)
    for (const name of [runtimeUnit(unit.unit, undefined), unit.unit.name]) owners.set(name, services.get(unit)!);
  for (const { unit, folder, name, bytes } of dropIns) {
    const owner = owners.get(unit.name);
    const path = posix.join(folder, `${unit.name}.d`, name);
    if (owner === undefined) leftOut.push({ path, why: `there is no ${unit.name}` });
    else
      files.set(`${servicesFolder}/${owner}/quadlet-overrides/${unit.name}.d/${name}`, {
        kind: "file",
        bytes,
        executable: false,
      });
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
  files: Map<string, DeliveredContent>,
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
