import { groupBy } from "../../core/lists.ts";
import { diagnose, diagnosticsInOrder, type HostDiagnostic } from "../diagnostics.ts";
import { isSafeName, readHostDeclaration } from "../repository/host-declaration.ts";
import { hostsFolder, resolveEntry, servicesFolder } from "../repository/tree.ts";
import { checkPart, checkUnit, type UnitPart } from "../units/check-unit.ts";
import type { Reference } from "../units/references.ts";
import { compareBytes, type UnitName } from "../units/unit-kind.ts";
import { type BesideFile, type DropIn, isNamed } from "./drop-in-files.ts";
import { deliveredFile, type EvaluatedFile, type EvaluatedHost, type Layout } from "./evaluation.ts";
import { findConflicts, missingReferences, plainCredentials, unsatisfied } from "./find-conflicts.ts";
import { type LayeredDropIn, layerDropIns, layerPayload, readOverlay } from "./overlay.ts";
import { applyTmpfiles, type PayloadFile } from "./payload.ts";
import type { BaseUnit, Catalog, Service } from "./service.ts";

/**
 * The desired state of one host. Reads the catalogue and nothing else: no clock, no machine, and the same answer every
 * time.
 */
export function evaluateFor(catalog: Catalog, host: string | undefined, layout: Layout): EvaluatedHost {
  const declared = declare(catalog, host);
  if (declared.kind === "refused")
    return { host: host ?? "", services: [], files: [], diagnostics: diagnosticsInOrder(declared.diagnostics) };
  const { services } = declared;
  const overlay = readOverlay(catalog, declared.host, services);
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
  const diagnostics = [
    ...declared.diagnostics,
    ...overlay.diagnostics,
    ...evaluated.flatMap((service) => service.diagnostics),
    ...unusedBeside(overlay.beside, files),
    ...missingReferences(
      evaluated.flatMap((service) => service.open),
      { catalog, files, layout },
    ),
    ...findConflicts(files, layout),
  ];
  return {
    host: declared.host,
    services: services.map((service) => service.name),
    files,
    diagnostics: diagnosticsInOrder(diagnostics),
  };
}

type Declared =
  | {
      readonly kind: "declared";
      readonly host: string;
      readonly services: readonly Service[];
      readonly diagnostics: readonly HostDiagnostic[];
    }
  | { readonly kind: "refused"; readonly diagnostics: readonly HostDiagnostic[] };

function declare(catalog: Catalog, host: string | undefined): Declared {
  if (host === undefined || host === "") {
    return refused(
      diagnose("no-host-identity", undefined, "this machine has no host name: give one with --host or STET_HOST"),
    );
  }
  if (!isSafeName(host) || !catalog.hosts.includes(host)) {
    const known =
      catalog.hosts.length > 0 ? `known are ${catalog.hosts.join(", ")}` : "there is no hosts/<host>/ at all";
    return refused(
      diagnose(
        "unknown-host",
        { file: hostsFolder },
        `the repository has no host ${JSON.stringify(host)}: ${known} (choose one with --host)`,
      ),
    );
  }
  const file = `${hostsFolder}/${host}/host.yaml`;
  const found = resolveEntry(catalog.tree, file);
  if (found.kind !== "file")
    return refused(diagnose("invalid-host-yaml", { file }, "is missing: it must say host: and services:"));
  const read = readHostDeclaration(new TextDecoder().decode(found.entry.bytes), file, host);
  if (read.kind === "invalid") return { kind: "refused", diagnostics: read.diagnostics };
  const services: Service[] = [];
  const diagnostics: HostDiagnostic[] = [];
  for (const { name, line, column } of read.declaration.services) {
    const service = catalog.service(name);
    if (service) services.push(service);
    else
      diagnostics.push(
        diagnose(
          "unknown-service",
          { file, line, column },
          `selects ${name}, but there is no ${servicesFolder}/${name}/`,
        ),
      );
  }
  return { kind: "declared", host, services, diagnostics };
}

function refused(diagnostic: HostDiagnostic): Declared {
  return { kind: "refused", diagnostics: [diagnostic] };
}

interface EvaluatedService {
  readonly files: readonly EvaluatedFile[];
  /** What its units need and the service itself does not bring. */
  readonly open: readonly Reference[];
  readonly diagnostics: readonly HostDiagnostic[];
}

/** What one host puts over one service. */
interface ServiceOverlay {
  readonly dropIns: readonly DropIn[];
  readonly payload: readonly PayloadFile[];
  /** Not all need be for this service. */
  readonly beside: readonly BesideFile[];
}

const nothing: ServiceOverlay = { dropIns: [], payload: [], beside: [] };

const shared = new WeakMap<Service, WeakMap<Layout, EvaluatedService>>();

/**
 * A service that a host takes as it is looks the same on all of them: a check of a thousand hosts evaluates it once.
 */
function evaluateShared(service: Service, layout: Layout): EvaluatedService {
  const known = shared.get(service) ?? new WeakMap<Layout, EvaluatedService>();
  shared.set(service, known);
  const evaluated = known.get(layout) ?? evaluateService(service, nothing, layout);
  known.set(layout, evaluated);
  return evaluated;
}

function evaluateService(service: Service, overlay: ServiceOverlay, layout: Layout): EvaluatedService {
  const diagnostics = [...service.diagnostics];
  const layered = layerByUnit(service.dropIns, overlay.dropIns, diagnostics);
  const units = service.units.map((unit) => evaluateUnit(service.name, unit, layout));
  const references: Reference[] = [];
  for (const unit of service.units) {
    const checked = checkUnit(unit.unit, servicePartsOf(unit, layered));
    diagnostics.push(...checked.diagnostics);
    references.push(...checked.references);
  }
  const own = new Set(service.units.map((unit) => unit.unit.name));
  for (const [name, dropIns] of layered) if (!own.has(name)) diagnostics.push(...checkLoose(dropIns));
  const dropIns = [...layered.values()].flat().map((dropIn) => evaluateDropIn(service.name, dropIn, layout));
  const beside = evaluateBeside(service, overlay.beside, references, layout, diagnostics);
  const config = evaluatePayload(service, overlay.payload, layout, diagnostics);
  const files = [...units, ...dropIns, ...beside, ...config];
  diagnostics.push(...plainCredentials(references, files));
  return { files, open: unsatisfied(references, files, layout), diagnostics };
}

/**
 * The files that units of the service name, with the host's in place of the shared ones. A shared file that nobody
 * names is refused.
 */
function evaluateBeside(
  service: Service,
  host: readonly BesideFile[],
  references: readonly Reference[],
  layout: Layout,
  diagnostics: HostDiagnostic[],
): EvaluatedFile[] {
  for (const file of service.beside) if (!isNamed(file.path, references)) diagnostics.push(unnamed(file));
  const common = new Map(service.beside.map((file) => [file.path, file]));
  const layered = new Map([...common, ...host.map((file) => [file.path, file] as const)]);
  return [...layered.values()]
    .filter((file) => isNamed(file.path, references))
    .map((file) => {
      const replaced = common.get(file.path);
      const origin = replaced === undefined || replaced === file ? [file.source] : [replaced.source, file.source];
      const path = `${layout.quadletFolder}/${file.path}`;
      return { path, kind: "quadlet-file", service: service.name, origin, content: file.content, unit: undefined };
    });
}

/** A host's file that no unit of the selected services names. */
function unusedBeside(beside: readonly BesideFile[], files: readonly EvaluatedFile[]): HostDiagnostic[] {
  const used = new Set(files.map((file) => file.origin.at(-1)));
  return beside.filter((file) => !used.has(file.source)).map(unnamed);
}

function unnamed({ source }: BesideFile): HostDiagnostic {
  const message =
    "is no unit (.container .volume .network .pod .kube .image .build .artifact .socket .service .timer .path .mount .target), and no unit names it";
  return diagnose("unsupported-file", { file: source }, message);
}

function layerByUnit(
  base: readonly DropIn[],
  host: readonly DropIn[],
  diagnostics: HostDiagnostic[],
): Map<string, readonly LayeredDropIn[]> {
  const [common, own] = [byUnit(base), byUnit(host)];
  const layered = new Map<string, readonly LayeredDropIn[]>();
  for (const unit of new Set([...common.keys(), ...own.keys()])) {
    const result = layerDropIns(common.get(unit) ?? [], own.get(unit) ?? []);
    layered.set(unit, result.dropIns);
    diagnostics.push(...result.diagnostics);
  }
  return layered;
}

function byUnit(dropIns: readonly DropIn[]): Map<string, DropIn[]> {
  return groupBy(dropIns, ({ unit }) => unit.name);
}

/** The unit's own file, then its drop-ins as they will be read. */
export function servicePartsOf(unit: BaseUnit, layered: ReadonlyMap<string, readonly LayeredDropIn[]>): UnitPart[] {
  const dropIns = layered.get(unit.unit.name) ?? [];
  return [
    { source: unit.source, bytes: unit.bytes, layer: "unit" },
    ...dropIns.map(({ dropIn, layer }): UnitPart => ({ source: dropIn.source, bytes: dropIn.bytes, layer })),
  ];
}

/**
 * Drop-ins of an instance or of a generated service: there is no file of ours under them, but they must be readable.
 */
function checkLoose(dropIns: readonly LayeredDropIn[]): HostDiagnostic[] {
  return dropIns.flatMap(({ dropIn }) => checkPart(dropIn.unit, dropIn));
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
  return {
    path: `${folderOf(unit, layout)}/${unit.name}.d/${name}`,
    kind: unit.family === "quadlet" ? "quadlet-dropin" : "unit-dropin",
    service,
    origin: replaced ? [replaced.source, dropIn.source] : [dropIn.source],
    content: deliveredFile(dropIn.bytes),
    unit,
  };
}

function evaluatePayload(
  service: Service,
  host: readonly PayloadFile[],
  layout: Layout,
  diagnostics: HostDiagnostic[],
): EvaluatedFile[] {
  const layered = layerPayload(service.payload, host);
  diagnostics.push(...layered.diagnostics);
  const files = layered.files.map(
    ({ path, file, replaced }): EvaluatedFile => ({
      path: `${layout.configFolder}/${path.slice("etc/".length)}`,
      kind: "config",
      service: service.name,
      origin: replaced ? [replaced.source, file.source] : [file.source],
      content: file.content,
      unit: undefined,
    }),
  );
  const tmpfiles = files.find(({ path }) => path === `${layout.configFolder}/tmpfiles.d/${service.name}.conf`);
  if (tmpfiles === undefined) return files;
  const protectedFiles = applyTmpfiles(files, tmpfiles, { service: service.name, layout }, diagnostics);
  // A user's systemd-tmpfiles would look for /etc in vain.
  return layout.configFolder === "/etc" ? protectedFiles : protectedFiles.filter(({ path }) => path !== tmpfiles.path);
}
