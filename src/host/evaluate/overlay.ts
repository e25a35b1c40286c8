import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { hostsFolder, isNote } from "../repository/repository-names.ts";
import { findLayer } from "../repository/tree.ts";
import { parseDropInFolder, parseUnitName, runtimeUnit, templateOf, type UnitName } from "../units/unit-kind.ts";
import { type BesideFile, readBeside } from "./beside.ts";
import type { Catalog } from "./catalog.ts";
import { type DropIn, type DropInFolder, listDropInFolders, notADropIn, readDropIns } from "./drop-in-files.ts";
import { type PayloadFile, readPayload } from "./payload.ts";
import { payloadRoots, reaches, type Service } from "./service.ts";

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
        `means nothing here: only ${known.join(" and ")} belong into ${folder}/`,
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
    const known = byService.get(owner) ?? [];
    for (const dropIn of read.dropIns) known.push(dropIn);
    byService.set(owner, known);
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
      byService.set(service, [...(byService.get(service) ?? []), ...read.files]);
    }
  }
  return byService;
}
