import type { FileOrLink } from "../../core/content.ts";
import { addTo } from "../../core/lists.ts";
import { type Complain, complainTo, type HostDiagnostic } from "../diagnostics.ts";
import {
  findLayer,
  hostsFolder,
  isIgnorable,
  isNote,
  type RepositoryTree,
  refuseEntry,
  resolveEntry,
  servicesFolder,
} from "../repository/tree.ts";
import {
  isValidUnitName,
  laterRuntimeUnit,
  parseDropInFolder,
  parseUnitName,
  runtimeUnit,
  templateOf,
  type UnitName,
} from "../units/unit-kind.ts";
import { serviceNameIn } from "../units/unit-text.ts";
import { type DropIn, listDropInFolders, readBeside, readDropIns, refuseNoDropIn } from "./drop-in-files.ts";
import { deliveredFile, type LayerFile } from "./evaluation.ts";
import { readPayload } from "./payload.ts";

export interface BaseUnit {
  readonly unit: UnitName;
  readonly source: string;
  readonly content: FileOrLink;
  /** The unit's text, also where the file is a link to another one. */
  readonly bytes: Uint8Array;
  /**
   * What systemd will know it as, as far as the shared files say: one name, or two where that depends on podman's
   * version.
   */
  readonly runtimes: readonly string[];
}

/** A shared service as the catalogue has it: the same for every host that selects it. */
export interface Service {
  readonly name: string;
  readonly units: readonly BaseUnit[];
  /** Files among the units: delivered where a unit names them. */
  readonly beside: readonly LayerFile[];
  readonly dropIns: readonly DropIn[];
  readonly payload: readonly LayerFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

const serviceFolders = ["quadlet", "quadlet-overrides", "config"] as const;

function readService(tree: RepositoryTree, name: string): Service {
  const folder = serviceFolder(tree, name);
  const diagnostics: HostDiagnostic[] = [];
  const complain = complainTo(diagnostics);
  const others = tree.names(folder).filter((child) => !serviceFolders.some((each) => each === child) && !isNote(child));
  for (const child of others) {
    const message = "is not part of a service: its folders are quadlet, quadlet-overrides and config";
    complain("unsupported-file", `${folder}/${child}`, message);
  }
  const layer = (each: (typeof serviceFolders)[number]) => findLayer(tree, `${folder}/${each}`, complain);
  const { units, beside } = readUnits(tree, layer("quadlet"), complain);
  const dropIns = readBaseDropIns(tree, layer("quadlet-overrides"), units, complain);
  return { name, units, beside, dropIns, payload: readOwnPayload(tree, layer("config"), name, complain), diagnostics };
}

/** The names of a service's units, without a look into them: enough to know whose a drop-in is. */
function unitNamesOf(tree: RepositoryTree, service: string): readonly string[] {
  const folder = findLayer(tree, `${serviceFolder(tree, service)}/quadlet`, () => {});
  return tree.names(folder).filter((name) => parseUnitName(name) !== undefined);
}

/** A service may be a link to another one. */
function serviceFolder(tree: RepositoryTree, name: string): string {
  const folder = `${servicesFolder}/${name}`;
  const found = resolveEntry(tree, folder);
  return found.kind === "folder" ? found.path : folder;
}

function readUnits(
  tree: RepositoryTree,
  folder: string,
  complain: Complain,
): { readonly units: readonly BaseUnit[]; readonly beside: readonly LayerFile[] } {
  const units: BaseUnit[] = [];
  const beside: LayerFile[] = [];
  for (const name of tree.names(folder)) {
    if (isIgnorable(name)) continue;
    const source = `${folder}/${name}`;
    const unit = parseUnitName(name);
    if (parseDropInFolder(name).kind !== "none") {
      const message = "is a drop-in folder: those of a service belong in its quadlet-overrides folder";
      complain("unsupported-file", source, message);
    } else if (unit === undefined) beside.push(...readBeside(tree, folder, name, complain));
    else if (!isValidUnitName(unit))
      complain("invalid-unit", source, "has a name that systemd does not accept for a unit");
    else units.push(...readUnit(tree, source, unit, complain));
  }
  return { units, beside };
}

function readUnit(tree: RepositoryTree, source: string, unit: UnitName, complain: Complain): BaseUnit[] {
  const found = resolveEntry(tree, source);
  if (found.kind !== "file") {
    refuseEntry(found, source, "is not a file: a unit is a plain file, or a link to one", complain);
    return [];
  }
  const { bytes } = found.entry;
  const entry = tree.get(source);
  // `web@1.container -> web@.container` is how a template is instantiated: such a link has to stay one.
  const isInstance = entry?.kind === "symlink" && entry.target === templateOf(unit);
  const content: FileOrLink = isInstance ? { kind: "link", target: entry.target } : deliveredFile(bytes);
  const serviceName = serviceNameIn(unit, [bytes]);
  const runtimes = [runtimeUnit(unit, serviceName), laterRuntimeUnit(unit, serviceName)];
  return [{ unit, source, content, bytes, runtimes }];
}

function readBaseDropIns(
  tree: RepositoryTree,
  folder: string,
  units: readonly BaseUnit[],
  complain: Complain,
): DropIn[] {
  const { folders, others } = listDropInFolders(tree, folder, complain);
  for (const name of others) refuseNoDropIn(folder, name, complain);
  const own = new Set(units.flatMap(({ unit, runtimes }) => [unit.name, ...runtimes]));
  return folders.flatMap((found) => {
    if (reaches(found.unit, own)) return readDropIns(tree, found, complain);
    complain("orphan-dropin", found.source, `changes ${found.unit.name}, which is not a unit of this service`);
    return [];
  });
}

/** Whether a drop-in of this name changes one of the units: by its own name, or as an instance of a template. */
export function reaches(target: UnitName, units: { has(name: string): boolean }): boolean {
  const template = templateOf(target);
  return units.has(target.name) || (template !== undefined && units.has(template));
}

/** Only `etc/<service>/…`: anything else a service wants to deliver is somebody else's place. */
function readOwnPayload(tree: RepositoryTree, folder: string, service: string, complain: Complain): LayerFile[] {
  return payloadRoots(tree, folder).flatMap((found) => {
    if (found.service === service) return readPayload(tree, folder, found.path, complain);
    const message = `would go to /${found.path}, but a service may only deliver files below /etc/${service}/`;
    complain("path-outside-service", `${folder}/${found.path}`, message);
    return [];
  });
}

export interface PayloadRoot {
  /** `etc/<service>`, or the first part that does not fit that. */
  readonly path: string;
  /** Undefined where the path belongs to no service. */
  readonly service: string | undefined;
}

/** The `etc/<name>` folders below a config folder, and whatever else is there. */
export function payloadRoots(tree: RepositoryTree, folder: string): readonly PayloadRoot[] {
  return tree
    .names(folder)
    .filter((top) => !isIgnorable(top))
    .flatMap((top): PayloadRoot[] => {
      if (top !== "etc" || !tree.isFolder(`${folder}/etc`)) return [{ path: top, service: undefined }];
      return tree
        .names(`${folder}/etc`)
        .filter((name) => !isIgnorable(name))
        .flatMap((name): PayloadRoot[] => {
          if (name === tmpfilesFolder) return tmpfilesRoots(tree, `${folder}/etc/${name}`);
          const isFolder =
            resolveEntry(tree, `${folder}/etc/${name}`).kind === "folder" ||
            tree.get(`${folder}/etc/${name}`)?.kind === "symlink";
          return [{ path: `etc/${name}`, service: isFolder ? name : undefined }];
        });
    });
}

const tmpfilesFolder = "tmpfiles.d";

/**
 * Beside its own folder, a service may have one file that says how its files are protected:
 * `etc/tmpfiles.d/<service>.conf`.
 */
function tmpfilesRoots(tree: RepositoryTree, folder: string): PayloadRoot[] {
  const names = tree.names(folder).filter((name) => !isIgnorable(name));
  return names.map((name) => ({
    path: `etc/${tmpfilesFolder}/${name}`,
    service: name.endsWith(".conf") ? name.slice(0, -5) : undefined,
  }));
}

/** A repository, opened: its services are read once, and only those that somebody selects. */
export interface Catalog {
  readonly tree: RepositoryTree;
  /** The names in `hosts/`, in byte order. */
  readonly hosts: readonly string[];
  readonly services: readonly string[];
  service(name: string): Service | undefined;
  /** The services, selected or not, that have a unit of this name. */
  ownersOf(unit: string): readonly string[];
}

export function openCatalog(tree: RepositoryTree): Catalog {
  const foldersIn = (folder: string): string[] =>
    tree
      .names(folder)
      .filter((name) => !name.startsWith(".") && resolveEntry(tree, `${folder}/${name}`).kind === "folder");
  const services = foldersIn(servicesFolder);
  const known = new Set(services);
  const read = new Map<string, Service>();
  let owners: Map<string, string[]> | undefined;
  return {
    tree,
    services,
    hosts: foldersIn(hostsFolder),
    service(name) {
      if (!known.has(name)) return undefined;
      const service = read.get(name) ?? readService(tree, name);
      read.set(name, service);
      return service;
    },
    ownersOf(unit) {
      owners ??= indexUnits(tree, services);
      return owners.get(unit) ?? [];
    },
  };
}

function indexUnits(tree: RepositoryTree, services: readonly string[]): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const service of services) for (const unit of unitNamesOf(tree, service)) addTo(owners, unit, service);
  return owners;
}
