import { addTo } from "../../core/lists.ts";
import { type Complain, complainTo, diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { findLayer, hostsFolder, isNote, type RepositoryTree } from "../repository/tree.ts";
import {
  compareBytes,
  parseDropInFolder,
  parseUnitName,
  runtimeUnit,
  templateOf,
  type UnitName,
} from "../units/unit-kind.ts";
import {
  type DropIn,
  type DropInFolder,
  listDropInFolders,
  readBeside,
  readDropIns,
  refuseNoDropIn,
} from "./drop-in-files.ts";
import { ancestorsOf, type LayerFile } from "./evaluation.ts";
import { readPayload } from "./payload.ts";
import { type Catalog, payloadRoots, reaches, type Service } from "./service.ts";

/** What one host puts over the services it selected, by service. */
export interface Overlay {
  readonly dropIns: ReadonlyMap<string, readonly DropIn[]>;
  readonly payload: ReadonlyMap<string, readonly LayerFile[]>;
  /** Files beside units, of whichever service names them. */
  readonly beside: readonly LayerFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

export function readOverlay(catalog: Catalog, host: string, selected: readonly Service[]): Overlay {
  const { tree } = catalog;
  const diagnostics: HostDiagnostic[] = [];
  const complain = complainTo(diagnostics);
  const folder = `${hostsFolder}/${host}`;
  refuseOthers(tree, folder, ["host.yaml", "overrides"], complain);
  const overrides = findLayer(tree, `${folder}/overrides`, complain);
  refuseOthers(tree, overrides, ["quadlet", "config"], complain);
  const [quadlet, config] = ["quadlet", "config"].map((each) => findLayer(tree, `${overrides}/${each}`, complain));
  return {
    ...readHostUnits(catalog, quadlet!, selected, complain),
    payload: readHostPayload(catalog, config!, selected, complain),
    diagnostics,
  };
}

function refuseOthers(tree: RepositoryTree, folder: string, known: readonly string[], complain: Complain): void {
  const message = `has no meaning here: only ${known.join(" and ")} belong in ${folder}/`;
  for (const name of tree.names(folder))
    if (!known.includes(name) && !isNote(name)) complain("unsupported-file", `${folder}/${name}`, message);
}

function readHostUnits(
  catalog: Catalog,
  folder: string,
  selected: readonly Service[],
  complain: Complain,
): Pick<Overlay, "dropIns" | "beside"> {
  const { tree } = catalog;
  const dropIns = new Map<string, DropIn[]>();
  const { folders, others } = listDropInFolders(tree, folder, complain);
  const ownerOf = indexSelected(selected);
  for (const found of folders) {
    const owner = ownerOf.get(found.unit.name) ?? ownerOf.get(templateOf(found.unit) ?? "");
    if (owner === undefined) refuseWithoutOwner(catalog, found, complain);
    else for (const dropIn of readDropIns(tree, found, complain)) addTo(dropIns, owner, dropIn);
  }
  const beside = others.flatMap((name) => {
    if (parseUnitName(name) === undefined && parseDropInFolder(name).kind === "none")
      return readBeside(tree, folder, name, complain);
    refuseNoDropIn(folder, name, complain);
    return [];
  });
  return { dropIns, beside };
}

/**
 * Every unit of the selected services by name, and the services that podman will generate from them: both can have
 * drop-ins.
 */
function indexSelected(selected: readonly Service[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const service of selected)
    for (const runtime of service.units.flatMap((unit) => unit.runtimes)) owners.set(runtime, service.name);
  for (const service of selected) for (const { unit } of service.units) owners.set(unit.name, service.name);
  return owners;
}

/**
 * For a service that this host did not select: passed over. For nothing at all: an error, most likely a typing mistake.
 */
function refuseWithoutOwner(catalog: Catalog, { unit, source }: DropInFolder, complain: Complain): void {
  const owners = ownersAnywhere(catalog, unit);
  const belongsTo = `${unit.name} belongs to ${owners.join(" and ")}`;
  if (owners.length === 0)
    complain("orphan-dropin", source, `changes ${unit.name}, which no service has: check the folder's name`);
  else complain("unselected-overlay", source, `is not used: ${belongsTo}, which this host does not select`);
}

function ownersAnywhere(catalog: Catalog, unit: UnitName): readonly string[] {
  const template = templateOf(unit);
  const direct = [...catalog.ownersOf(unit.name), ...(template ? catalog.ownersOf(template) : [])];
  if (direct.length > 0 || unit.type !== "service") return direct;
  return generators(unit.stem).flatMap((name) =>
    reaches(unit, new Set([runtimeUnit(parseUnitName(name)!, undefined)])) ? catalog.ownersOf(name) : [],
  );
}

/** The Quadlet files that would make `<stem>.service`. */
function generators(stem: string): string[] {
  const dash = stem.lastIndexOf("-");
  const typed = dash > 0 ? [`${stem.slice(0, dash)}.${stem.slice(dash + 1)}`] : [];
  return [`${stem}.container`, `${stem}.kube`, ...typed.filter((name) => parseUnitName(name)?.family === "quadlet")];
}

function readHostPayload(
  catalog: Catalog,
  folder: string,
  selected: readonly Service[],
  complain: Complain,
): Map<string, LayerFile[]> {
  const names = new Set(selected.map((service) => service.name));
  const byService = new Map<string, LayerFile[]>();
  for (const { path, service } of payloadRoots(catalog.tree, folder)) {
    const source = `${folder}/${path}`;
    if (service === undefined || !catalog.services.includes(service)) {
      const message = `would go to /${path}, which belongs to no service: files may only go below /etc/<service>/`;
      complain("path-outside-service", source, message);
    } else if (!names.has(service))
      complain("unselected-overlay", source, `is not used: this host does not select ${service}`);
    else for (const file of readPayload(catalog.tree, folder, path, complain)) addTo(byService, service, file);
  }
  return byService;
}

/** A drop-in under the name it gets on the host. `replaced` is the base file whose name it takes. */
export interface LayeredDropIn {
  readonly name: string;
  readonly dropIn: DropIn;
  readonly layer: "base" | "host";
  readonly replaced: DropIn | undefined;
}

/**
 * The drop-ins of one unit in the order in which podman or systemd will read them: the shared ones first, the host's
 * after them. Both programs sort by name alone, so a host's file whose name sorts too early gets one that does not. A
 * host's file of the same name replaces the shared one, and stands in its place. `along`: the names of shared drop-ins
 * in other folders that are read together with these.
 */
export function layerDropIns(
  base: readonly DropIn[],
  host: readonly DropIn[],
  along: readonly string[] = [],
): { dropIns: LayeredDropIn[]; diagnostics: HostDiagnostic[] } {
  const replacing = new Map(host.map((dropIn) => [dropIn.name, dropIn]));
  const shared = new Set(base.map((dropIn) => dropIn.name));
  const added = host.filter((dropIn) => !shared.has(dropIn.name)).sort((a, b) => compareBytes(a.name, b.name));
  const last = [...[...shared].filter((name) => !replacing.has(name)), ...along].sort(compareBytes).at(-1);
  const renames =
    last === undefined
      ? new Map<string, string>()
      : namesAfter(
          last,
          added.map((dropIn) => dropIn.name),
        );
  const dropIns = [
    ...base.map((dropIn) => sharedOrReplaced(dropIn, replacing.get(dropIn.name))),
    ...added.map(
      (dropIn): LayeredDropIn => ({
        name: renames.get(dropIn.name) ?? dropIn.name,
        dropIn,
        layer: "host",
        replaced: undefined,
      }),
    ),
  ].sort((a, b) => compareBytes(a.name, b.name));
  const renamed = added.filter((dropIn) => renames.has(dropIn.name));
  return { dropIns, diagnostics: renamed.map((dropIn) => tellRename(dropIn, renames.get(dropIn.name)!, last!)) };
}

/** A shared drop-in, or what the host puts in its place. */
function sharedOrReplaced(dropIn: DropIn, replacement: DropIn | undefined): LayeredDropIn {
  if (replacement === undefined) return { name: dropIn.name, dropIn, layer: "base", replaced: undefined };
  return { name: dropIn.name, dropIn: replacement, layer: "host", replaced: dropIn };
}

function tellRename(dropIn: DropIn, name: string, last: string): HostDiagnostic {
  return diagnose("renamed-dropin", dropIn.source, `is written as ${name} so that it is read after the shared ${last}`);
}

/**
 * New names for those that do not sort after `last`: `last` itself in front keeps them behind it and in their own order. If a
 * name that may stay would then come before a renamed one it should follow, all get new names. `names` are in byte
 * order.
 */
function namesAfter(last: string, names: readonly string[]): Map<string, string> {
  const early = names.filter((name) => compareBytes(name, last) <= 0);
  const later = names.filter((name) => compareBytes(name, last) > 0);
  const [lastEarly, firstLater] = [early.at(-1), later[0]];
  const overtaken =
    lastEarly !== undefined && firstLater !== undefined && compareBytes(firstLater, behind(last, lastEarly)) <= 0;
  return new Map((overtaken ? names : early).map((name) => [name, behind(last, name)]));
}

function behind(last: string, name: string): string {
  return `${last}-${name}`;
}

interface LayeredFile {
  readonly file: LayerFile;
  /** The shared file that the host's takes the place of. */
  readonly replaced: LayerFile | undefined;
}

/** Shared files with the host's over them: one of the same path replaces the whole file. Nothing is merged inside. */
export function layerFiles(base: readonly LayerFile[], host: readonly LayerFile[]): LayeredFile[] {
  const layered = new Map<string, LayeredFile>();
  for (const file of base) layered.set(file.path, { file, replaced: undefined });
  for (const file of host) layered.set(file.path, { file, replaced: layered.get(file.path)?.file });
  return [...layered.values()].sort((a, b) => compareBytes(a.file.path, b.file.path));
}

/** Complains about files where another layer needs a folder. */
export function refuseBlocked(layered: readonly LayeredFile[], complain: Complain): void {
  const byPath = new Map(layered.map(({ file }) => [file.path, file]));
  for (const { path, source } of byPath.values()) {
    const blocker = ancestorsOf(path).flatMap((folder) => byPath.get(folder) ?? [])[0];
    if (blocker === undefined) continue;
    const what = blocker.content.kind === "file" ? "file" : "link";
    complain("path-conflict", source, `needs a folder where ${blocker.source} puts a ${what}`);
  }
}
