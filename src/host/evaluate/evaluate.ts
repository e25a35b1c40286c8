import { getOrMake, groupBy } from "../../core/lists.ts";
import { type Complain, complainTo, diagnose, diagnosticsInOrder, type HostDiagnostic } from "../diagnostics.ts";
import { isSafeName, readHostDeclaration } from "../repository/host-declaration.ts";
import { hostsFolder, resolveEntry, servicesFolder } from "../repository/tree.ts";
import { checkPart, checkUnit, type UnitPart } from "../units/check-unit.ts";
import type { Reference } from "../units/references.ts";
import { compareBytes, dropInsOf, parseUnitName, templateOf, type UnitName } from "../units/unit-kind.ts";
import { type DropIn, isNamed } from "./drop-in-files.ts";
import { deliveredFile, type EvaluatedFile, type EvaluatedHost, type LayerFile, type Layout } from "./evaluation.ts";
import { findConflicts, missingReferences, plainCredentials, unsatisfied } from "./find-conflicts.ts";
import { type LayeredDropIn, layerDropIns, layerFiles, readOverlay, refuseBlocked } from "./overlay.ts";
import { applyTmpfiles } from "./payload.ts";
import type { BaseUnit, Catalog, Service } from "./service.ts";

/**
 * The desired state of one host. Reads the catalogue and nothing else: no clock, no machine, and the same answer every
 * time.
 */
export function evaluateFor(catalog: Catalog, host = "", layout: Layout): EvaluatedHost {
  const diagnostics: HostDiagnostic[] = [];
  const services = selectServices(catalog, host, complainTo(diagnostics));
  if (services === undefined) return { host, services: [], files: [], diagnostics: diagnosticsInOrder(diagnostics) };
  const overlay = readOverlay(catalog, host, services);
  const evaluated = services.map((service) => {
    const own = {
      dropIns: overlay.dropIns.get(service.name) ?? [],
      payload: overlay.payload.get(service.name) ?? [],
      beside: overlay.beside,
    };
    const isShared = own.dropIns.length + own.payload.length + own.beside.length === 0;
    return isShared ? evaluateShared(service, layout) : evaluateService(service, own, layout);
  });
  const files = evaluated.flatMap((service) => service.files).sort((a, b) => compareBytes(a.path, b.path));
  const open = evaluated.flatMap((service) => service.open);
  const all = [
    ...diagnostics,
    ...overlay.diagnostics,
    ...evaluated.flatMap((service) => service.diagnostics),
    ...(evaluated.every(({ isRead }) => isRead) ? unusedBeside(overlay.beside, files) : []),
    ...missingReferences(open, { catalog, files, layout }),
    ...findConflicts(files, layout),
  ];
  return { host, services: services.map(({ name }) => name), files, diagnostics: diagnosticsInOrder(all) };
}

/** The services that a host's declaration names; undefined where there is none that could be read. */
function selectServices(catalog: Catalog, host: string, complain: Complain): Service[] | undefined {
  const { hosts, tree } = catalog;
  const file = `${hostsFolder}/${host}/host.yaml`;
  const isKnown = isSafeName(host) && hosts.includes(host);
  const found = isKnown ? resolveEntry(tree, file) : undefined;
  if (host === "")
    complain("no-host-identity", undefined, "this machine has no host name; give one with --host or STET_HOST");
  else if (!isKnown) {
    const known = hosts.length > 0 ? `known are ${hosts.join(", ")}` : "there is no hosts/<host>/ at all";
    const message = `the repository has no host ${JSON.stringify(host)}: ${known} (choose one with --host)`;
    complain("unknown-host", hostsFolder, message);
  } else if (found?.kind !== "file") complain("invalid-host-yaml", file, "is missing: it must say host: and services:");
  else {
    const selected = readHostDeclaration(new TextDecoder().decode(found.entry.bytes), file, host, complain);
    return selected?.flatMap(({ name, line, column }) => {
      const service = catalog.service(name);
      if (service !== undefined) return [service];
      const isSubmodule = tree.get(`${servicesFolder}/${name}`)?.kind === "submodule";
      const why = isSubmodule ? "is a submodule, which is never looked into" : "is not there";
      complain("unknown-service", { file, line, column }, `selects ${name}, but ${servicesFolder}/${name}/ ${why}`);
      return [];
    });
  }
  return undefined;
}

interface EvaluatedService {
  /** Whether every unit could be read: else nobody knows which files they name. */
  readonly isRead: boolean;
  readonly files: readonly EvaluatedFile[];
  /** What its units need and the service itself does not bring. */
  readonly open: readonly Reference[];
  readonly diagnostics: readonly HostDiagnostic[];
}

/** What one host puts over one service. */
interface ServiceOverlay {
  readonly dropIns: readonly DropIn[];
  readonly payload: readonly LayerFile[];
  /** Not all need be for this service. */
  readonly beside: readonly LayerFile[];
}

const nothing: ServiceOverlay = { dropIns: [], payload: [], beside: [] };

const shared = new WeakMap<Service, WeakMap<Layout, EvaluatedService>>();

/**
 * A service that a host takes as it is looks the same on all of them: a check of a thousand hosts evaluates it once.
 */
function evaluateShared(service: Service, layout: Layout): EvaluatedService {
  const known = getOrMake(shared, service, () => new WeakMap<Layout, EvaluatedService>());
  return getOrMake(known, layout, () => evaluateService(service, nothing, layout));
}

function evaluateService(service: Service, overlay: ServiceOverlay, layout: Layout): EvaluatedService {
  const diagnostics = [...service.diagnostics];
  const complain = complainTo(diagnostics);
  const layered = layerByUnit(service.dropIns, overlay.dropIns, diagnostics);
  const checked = service.units.map((unit) => checkUnit(unit.unit, servicePartsOf(unit, layered)));
  diagnostics.push(...checked.flatMap((unit) => unit.diagnostics));
  const references = checked.flatMap((unit) => unit.references ?? []);
  const isRead = checked.every((unit) => unit.references !== undefined);
  const own = new Set(service.units.map((unit) => unit.unit.name));
  // Drop-ins of an instance or of a generated service: there is no file of ours under them, but they must be readable.
  for (const [name, dropIns] of layered)
    if (!own.has(name)) diagnostics.push(...dropIns.flatMap(({ dropIn }) => checkPart(dropIn.unit, dropIn)));
  const files: EvaluatedFile[] = [
    ...service.units.map((unit) => evaluateUnit(service.name, unit, layout)),
    ...[...layered.values()].flat().map((dropIn) => evaluateDropIn(service.name, dropIn, layout)),
    ...evaluateBeside(service, overlay.beside, references, layout, isRead ? complain : () => {}),
    ...evaluatePayload(service, overlay.payload, layout, complain),
  ];
  diagnostics.push(...plainCredentials(references, files));
  return { files, open: unsatisfied(references, files, layout), isRead, diagnostics };
}

/**
 * The files that units of the service name, with the host's in place of the shared ones. A shared file that nobody
 * names is refused.
 */
function evaluateBeside(
  { name: service, beside }: Service,
  host: readonly LayerFile[],
  references: readonly Reference[],
  layout: Layout,
  complain: Complain,
): EvaluatedFile[] {
  for (const file of beside) if (!isNamed(file.path, references)) complain(...unnamed(file));
  return layerFiles(beside, host)
    .filter(({ file }) => isNamed(file.path, references))
    .map(({ file, replaced }): EvaluatedFile => {
      const path = `${layout.quadletFolder}/${file.path}`;
      const origin = originOf(file, replaced);
      return { path, kind: "quadlet-file", service, origin, content: file.content, unit: undefined };
    });
}

/** Where a file comes from, lowest layer first. */
function originOf(file: { readonly source: string }, replaced: { readonly source: string } | undefined): string[] {
  return replaced === undefined ? [file.source] : [replaced.source, file.source];
}

/** A host's file that no unit of the selected services names. */
function unusedBeside(beside: readonly LayerFile[], files: readonly EvaluatedFile[]): HostDiagnostic[] {
  const used = new Set(files.map((file) => file.origin.at(-1)));
  return beside.filter((file) => !used.has(file.source)).map((file) => diagnose(...unnamed(file)));
}

function unnamed({ source }: LayerFile): Parameters<Complain> {
  const message =
    "is no unit (.container .volume .network .pod .kube .image .build .artifact .socket .service .timer .path .mount .target), and no unit names it";
  return ["unsupported-file", source, message];
}

function layerByUnit(
  base: readonly DropIn[],
  host: readonly DropIn[],
  diagnostics: HostDiagnostic[],
): Map<string, readonly LayeredDropIn[]> {
  const [common, own] = [base, host].map((dropIns) => groupBy(dropIns, ({ unit }) => unit.name)) as [ByUnit, ByUnit];
  const layered = new Map<string, readonly LayeredDropIn[]>();
  for (const unit of new Set([...common.keys(), ...own.keys()])) {
    const result = layerDropIns(common.get(unit) ?? [], own.get(unit) ?? [], readAlong(unit, common, own));
    layered.set(unit, result.dropIns);
    diagnostics.push(...result.diagnostics);
  }
  return layered;
}

type ByUnit = Map<string, DropIn[]>;

/** The names of shared drop-ins that are read together with a unit's: those of its template, or of its instances. */
function readAlong(name: string, common: ByUnit, own: ByUnit): string[] {
  const template = templateOf(parseUnitName(name)!);
  return [...common].flatMap(([other, dropIns]) => {
    if (other !== template && templateOf(dropIns[0]!.unit) !== name) return [];
    const hidden = [...(own.get(other) ?? []), ...(other === template ? (own.get(name) ?? []) : [])];
    return dropIns.map((dropIn) => dropIn.name).filter((each) => hidden.every((dropIn) => dropIn.name !== each));
  });
}

/** The unit's own file, then its drop-ins as they will be read. */
function servicePartsOf(unit: BaseUnit, layered: ReadonlyMap<string, readonly LayeredDropIn[]>): UnitPart[] {
  const dropIns = dropInsOf(unit.unit, layered, ({ name }) => name);
  return [
    { source: unit.source, bytes: unit.bytes, layer: "unit" },
    ...dropIns.map(({ dropIn, layer }): UnitPart => ({ source: dropIn.source, bytes: dropIn.bytes, layer })),
  ];
}

function folderOf(unit: UnitName, layout: Layout): string {
  return unit.family === "quadlet" ? layout.quadletFolder : layout.unitFolder;
}

function evaluateUnit(service: string, { unit, source, content }: BaseUnit, layout: Layout): EvaluatedFile {
  const kind = unit.family === "quadlet" ? "quadlet" : "unit";
  return { path: `${folderOf(unit, layout)}/${unit.name}`, kind, service, origin: [source], content, unit };
}

function evaluateDropIn(service: string, { name, dropIn, replaced }: LayeredDropIn, layout: Layout): EvaluatedFile {
  const { unit } = dropIn;
  const path = `${folderOf(unit, layout)}/${unit.name}.d/${name}`;
  const kind = unit.family === "quadlet" ? "quadlet-dropin" : "unit-dropin";
  return { path, kind, service, origin: originOf(dropIn, replaced), content: deliveredFile(dropIn.bytes), unit };
}

function evaluatePayload(
  { name: service, payload }: Service,
  host: readonly LayerFile[],
  layout: Layout,
  complain: Complain,
): EvaluatedFile[] {
  const layered = layerFiles(payload, host);
  refuseBlocked(layered, complain);
  const files = layered.map(({ file, replaced }): EvaluatedFile => {
    const path = `${layout.configFolder}/${file.path.slice("etc/".length)}`;
    return { path, kind: "config", service, origin: originOf(file, replaced), content: file.content, unit: undefined };
  });
  const tmpfiles = files.find(({ path }) => path === `${layout.configFolder}/tmpfiles.d/${service}.conf`);
  if (tmpfiles === undefined) return files;
  const protectedFiles = applyTmpfiles(files, tmpfiles, { service, layout }, complain);
  // A user's systemd-tmpfiles would look for /etc in vain.
  return layout.configFolder === "/etc" ? protectedFiles : protectedFiles.filter(({ path }) => path !== tmpfiles.path);
}
