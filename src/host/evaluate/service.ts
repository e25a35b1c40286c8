import type { FileOrLink } from "../../core/content.ts";
import { addTo } from "../../core/lists.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import {
  findLayer,
  hostsFolder,
  isIgnorable,
  isNote,
  type RepositoryTree,
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
import {
  type BesideFile,
  type DropIn,
  listDropInFolders,
  notADropIn,
  readBeside,
  readDropIns,
} from "./drop-in-files.ts";
import { deliveredFile } from "./evaluation.ts";
import { type PayloadFile, readPayload } from "./payload.ts";

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
  readonly beside: readonly BesideFile[];
  readonly dropIns: readonly DropIn[];
  readonly payload: readonly PayloadFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

const knownFolders = new Set(["quadlet", "quadlet-overrides", "config"]);

function readService(tree: RepositoryTree, name: string): Service {
  const folder = serviceFolder(tree, name);
  const diagnostics: HostDiagnostic[] = [];
  for (const child of tree.names(folder)) {
    if (knownFolders.has(child) || isNote(child)) continue;
    const message = "is not part of a service: its folders are quadlet, quadlet-overrides and config";
    diagnostics.push(diagnose("unsupported-file", { file: `${folder}/${child}` }, message));
  }
  const [quadlet, overrides, config] = ["quadlet", "quadlet-overrides", "config"].map((each) =>
    findLayer(tree, `${folder}/${each}`, diagnostics),
  );
  const { units, beside } = quadlet === undefined ? { units: [], beside: [] } : readUnits(tree, quadlet, diagnostics);
  const dropIns = overrides === undefined ? [] : readBaseDropIns(tree, overrides, units, diagnostics);
  const payload = config === undefined ? [] : readOwnPayload(tree, config, name, diagnostics);
  return { name, units, beside, dropIns, payload, diagnostics };
}

/** The names of a service's units, without a look into them: enough to know whose a drop-in is. */
function unitNamesOf(tree: RepositoryTree, service: string): readonly string[] {
  const folder = findLayer(tree, `${serviceFolder(tree, service)}/quadlet`, []);
  return folder === undefined ? [] : tree.names(folder).filter((name) => parseUnitName(name) !== undefined);
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
  diagnostics: HostDiagnostic[],
): { readonly units: readonly BaseUnit[]; readonly beside: readonly BesideFile[] } {
  const units: BaseUnit[] = [];
  const beside: BesideFile[] = [];
  for (const name of tree.names(folder)) {
    if (isIgnorable(name)) continue;
    const source = `${folder}/${name}`;
    const unit = parseUnitName(name);
    if (parseDropInFolder(name).kind !== "none") {
      const message = "is a drop-in folder: those of a service belong in its quadlet-overrides folder";
      diagnostics.push(diagnose("unsupported-file", { file: source }, message));
    } else if (unit === undefined) beside.push(...readBeside(tree, folder, name, diagnostics));
    else if (!isValidUnitName(unit))
      diagnostics.push(diagnose("invalid-unit", { file: source }, "has a name that systemd takes for no unit"));
    else {
      const read = readUnit(tree, source, unit);
      if (read.kind === "refused") diagnostics.push(read.diagnostic);
      else units.push(read.unit);
    }
  }
  return { units, beside };
}

type ReadUnit =
  | { readonly kind: "read"; readonly unit: BaseUnit }
  | { readonly kind: "refused"; readonly diagnostic: HostDiagnostic };

function readUnit(tree: RepositoryTree, source: string, unit: UnitName): ReadUnit {
  const found = resolveEntry(tree, source);
  if (found.kind === "outside") {
    return {
      kind: "refused",
      diagnostic: diagnose("unsafe-path", { file: source }, `links to ${found.target}, outside the repository`),
    };
  }
  if (found.kind !== "file") {
    return {
      kind: "refused",
      diagnostic: diagnose(
        "unsupported-file",
        { file: source },
        "is no file: a unit is a plain file, or a link to one",
      ),
    };
  }
  const { bytes } = found.entry;
  const entry = tree.get(source);
  // `web@1.container -> web@.container` is how a template is instantiated: such a link has to stay one.
  const isInstance = entry?.kind === "symlink" && entry.target === templateOf(unit);
  const content: FileOrLink = isInstance ? { kind: "link", target: entry.target } : deliveredFile(bytes);
  const serviceName = serviceNameIn(unit, [bytes]);
  const runtimes = [runtimeUnit(unit, serviceName), laterRuntimeUnit(unit, serviceName)];
  return { kind: "read", unit: { unit, source, content, bytes, runtimes } };
}

function readBaseDropIns(
  tree: RepositoryTree,
  folder: string,
  units: readonly BaseUnit[],
  diagnostics: HostDiagnostic[],
): DropIn[] {
  const listed = listDropInFolders(tree, folder);
  diagnostics.push(...listed.diagnostics, ...listed.others.map((name) => notADropIn(folder, name)));
  const own = new Set(units.map((unit) => unit.unit.name));
  const generated = new Set(units.flatMap((unit) => unit.runtimes));
  return listed.folders.flatMap((found) => {
    if (!reaches(found.unit, own) && !reaches(found.unit, generated)) {
      const message = `changes ${found.unit.name}, which is no unit of this service`;
      diagnostics.push(diagnose("orphan-dropin", { file: found.source }, message));
      return [];
    }
    const read = readDropIns(tree, found);
    diagnostics.push(...read.diagnostics);
    return read.dropIns;
  });
}

/** Whether a drop-in of this name changes one of the units: by its own name, or as an instance of a template. */
export function reaches(target: UnitName, units: { has(name: string): boolean }): boolean {
  const template = templateOf(target);
  return units.has(target.name) || (template !== undefined && units.has(template));
}

/** Only `etc/<service>/…`: anything else a service wants to deliver is somebody else's place. */
function readOwnPayload(
  tree: RepositoryTree,
  folder: string,
  service: string,
  diagnostics: HostDiagnostic[],
): PayloadFile[] {
  const files: PayloadFile[] = [];
  for (const found of payloadRoots(tree, folder)) {
    if (found.service !== service) {
      const message = `would go to /${found.path}, but a service may only deliver files below /etc/${service}/`;
      diagnostics.push(diagnose("path-outside-service", { file: `${folder}/${found.path}` }, message));
      continue;
    }
    const read = readPayload(tree, folder, found.path);
    // One by one: a service may deliver more files than a call takes arguments.
    for (const file of read.files) files.push(file);
    for (const diagnostic of read.diagnostics) diagnostics.push(diagnostic);
  }
  return files;
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
