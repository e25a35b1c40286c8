import { addTo } from "../../core/lists.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { findLayer, hostsFolder, isNote } from "../repository/tree.ts";
import {
  compareBytes,
  parseDropInFolder,
  parseUnitName,
  runtimeUnit,
  templateOf,
  type UnitName,
} from "../units/unit-kind.ts";
import {
  type BesideFile,
  type DropIn,
  type DropInFolder,
  listDropInFolders,
  notADropIn,
  readBeside,
  readDropIns,
} from "./drop-in-files.ts";
import { type PayloadFile, readPayload } from "./payload.ts";
import { type Catalog, payloadRoots, reaches, type Service } from "./service.ts";

/** What one host puts over the services it selected, by service. */
export interface Overlay {
  readonly dropIns: ReadonlyMap<string, readonly DropIn[]>;
  readonly payload: ReadonlyMap<string, readonly PayloadFile[]>;
  /** Files beside units, of whichever service names them. */
  readonly beside: readonly BesideFile[];
  readonly diagnostics: readonly HostDiagnostic[];
}

export function readOverlay(catalog: Catalog, host: string, selected: readonly Service[]): Overlay {
  const folder = `${hostsFolder}/${host}`;
  const diagnostics = strangersIn(catalog, folder, ["host.yaml", "overrides"]);
  const overrides = findLayer(catalog.tree, `${folder}/overrides`, diagnostics);
  if (overrides === undefined) return { dropIns: new Map(), payload: new Map(), beside: [], diagnostics };
  diagnostics.push(...strangersIn(catalog, overrides, ["quadlet", "config"]));
  const quadlet = findLayer(catalog.tree, `${overrides}/quadlet`, diagnostics);
  const config = findLayer(catalog.tree, `${overrides}/config`, diagnostics);
  const { dropIns, beside } =
    quadlet === undefined ? { dropIns: new Map(), beside: [] } : readHostUnits(catalog, quadlet, selected, diagnostics);
  return {
    dropIns,
    beside,
    payload: config === undefined ? new Map() : readHostPayload(catalog, config, selected, diagnostics),
    diagnostics,
  };
}

function strangersIn(catalog: Catalog, folder: string, known: readonly string[]): HostDiagnostic[] {
  return catalog.tree
    .names(folder)
    .filter((name) => !known.includes(name) && !isNote(name))
    .map((name) =>
      diagnose(
        "unsupported-file",
        { file: `${folder}/${name}` },
        `means nothing here: only ${known.join(" and ")} belong in ${folder}/`,
      ),
    );
}

function readHostUnits(
  catalog: Catalog,
  folder: string,
  selected: readonly Service[],
  diagnostics: HostDiagnostic[],
): Pick<Overlay, "dropIns" | "beside"> {
  const byService = new Map<string, DropIn[]>();
  const listed = listDropInFolders(catalog.tree, folder);
  diagnostics.push(...listed.diagnostics);
  const ownerOf = indexSelected(selected);
  for (const found of listed.folders) {
    const owner = ownerOf.get(found.unit.name) ?? ownerOf.get(templateOf(found.unit) ?? "");
    if (owner === undefined) {
      diagnostics.push(withoutOwner(catalog, found));
      continue;
    }
    const read = readDropIns(catalog.tree, found);
    diagnostics.push(...read.diagnostics);
    for (const dropIn of read.dropIns) addTo(byService, owner, dropIn);
  }
  const beside = listed.others.flatMap((name) => {
    if (parseUnitName(name) === undefined && parseDropInFolder(name).kind === "none")
      return readBeside(catalog.tree, folder, name, diagnostics);
    diagnostics.push(notADropIn(folder, name));
    return [];
  });
  return { dropIns: byService, beside };
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
function withoutOwner(catalog: Catalog, { unit, source }: DropInFolder): HostDiagnostic {
  const owners = ownersAnywhere(catalog, unit);
  if (owners.length === 0) {
    return diagnose(
      "orphan-dropin",
      { file: source },
      `changes ${unit.name}, which no service has: check the folder's name`,
    );
  }
  const message = `is not used: ${unit.name} belongs to ${owners.join(" and ")}, which this host does not select`;
  return diagnose("unselected-overlay", { file: source }, message);
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
  diagnostics: HostDiagnostic[],
): Map<string, PayloadFile[]> {
  const names = new Set(selected.map((service) => service.name));
  const known = new Set(catalog.services);
  const byService = new Map<string, PayloadFile[]>();
  for (const { path, service } of payloadRoots(catalog.tree, folder)) {
    const place = { file: `${folder}/${path}` };
    if (service === undefined || !known.has(service)) {
      diagnostics.push(
        diagnose(
          "path-outside-service",
          place,
          `would go to /${path}, which belongs to no service: only /etc/<service>/ is ours`,
        ),
      );
    } else if (!names.has(service)) {
      diagnostics.push(diagnose("unselected-overlay", place, `is not used: this host does not select ${service}`));
    } else {
      const read = readPayload(catalog.tree, folder, path);
      diagnostics.push(...read.diagnostics);
      for (const file of read.files) addTo(byService, service, file);
    }
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
 * host's file of the same name replaces the shared one, and stands in its place.
 */
export function layerDropIns(
  base: readonly DropIn[],
  host: readonly DropIn[],
): { dropIns: LayeredDropIn[]; diagnostics: HostDiagnostic[] } {
  const replacing = new Map(host.map((dropIn) => [dropIn.name, dropIn]));
  const shared = new Set(base.map((dropIn) => dropIn.name));
  const added = host.filter((dropIn) => !shared.has(dropIn.name)).sort((a, b) => compareBytes(a.name, b.name));
  const last = [...shared]
    .filter((name) => !replacing.has(name))
    .sort(compareBytes)
    .at(-1);
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
  return diagnose(
    "renamed-dropin",
    { file: dropIn.source },
    `is written as ${name}, so that it is read after the shared ${last}`,
  );
}

/**
 * New names for those that sort before `last`: `last` itself in front keeps them behind it and in their own order. If a
 * name that may stay would then come before a renamed one it should follow, all get new names. `names` are in byte
 * order.
 */
function namesAfter(last: string, names: readonly string[]): Map<string, string> {
  const early = names.filter((name) => compareBytes(name, last) < 0);
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
  readonly path: string;
  readonly file: PayloadFile;
  readonly replaced: PayloadFile | undefined;
}

/**
 * Shared payload with the host's over it: a file of the same path replaces the whole file, other files join. Nothing is
 * merged inside.
 */
export function layerPayload(
  base: readonly PayloadFile[],
  host: readonly PayloadFile[],
): { files: LayeredFile[]; diagnostics: HostDiagnostic[] } {
  const layered = new Map<string, LayeredFile>();
  for (const file of base) layered.set(file.path, { path: file.path, file, replaced: undefined });
  for (const file of host) layered.set(file.path, { path: file.path, file, replaced: layered.get(file.path)?.file });
  const files = [...layered.values()].sort((a, b) => compareBytes(a.path, b.path));
  return { files, diagnostics: files.flatMap((file) => blockedBy(file, layered)) };
}

/** A file where another layer needs a folder. */
function blockedBy(file: LayeredFile, all: ReadonlyMap<string, LayeredFile>): HostDiagnostic[] {
  for (let end = file.path.lastIndexOf("/"); end > 0; end = file.path.lastIndexOf("/", end - 1)) {
    const blocker = all.get(file.path.slice(0, end));
    if (!blocker) continue;
    const message = `needs a folder where ${blocker.file.source} puts a ${blocker.file.content.kind === "file" ? "file" : "link"}`;
    return [diagnose("path-conflict", { file: file.file.source }, message)];
  }
  return [];
}
