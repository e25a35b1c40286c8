import { posix } from "node:path";
import { getOrMake, groupBy } from "../../core/lists.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { servicesFolder } from "../repository/tree.ts";
import type { Reference } from "../units/references.ts";
import { dropInsOf, runtimeUnit, type UnitName } from "../units/unit-kind.ts";
import { placeOf, serviceNameIn } from "../units/unit-text.ts";
import { type EvaluatedFile, type Layout, nameLimit } from "./evaluation.ts";
import type { Catalog } from "./service.ts";

/** Places that two files claim, names that no file can have, and payloads that would land among the units. */
export function findConflicts(files: readonly EvaluatedFile[], layout: Layout): HostDiagnostic[] {
  return [...samePath(files), ...sameRuntimeUnit(files), ...tooLongNames(files), ...amongUnits(files, layout)];
}

function origin(file: EvaluatedFile): string {
  return file.origin.at(-1)!;
}

/** Those that claim what an earlier one has, each with that one. */
function laterClaims<T>(items: readonly T[], claimOf: (item: T) => string): (readonly [later: T, first: T])[] {
  const first = new Map<string, T>();
  return items.flatMap((item) => {
    const known = getOrMake(first, claimOf(item), () => item);
    return known === item ? [] : [[item, known] as const];
  });
}

function samePath(files: readonly EvaluatedFile[]): HostDiagnostic[] {
  return laterClaims(files, ({ path }) => path).map(([file, first]) => {
    const message = `would be written to ${file.path}, but so would ${origin(first)}`;
    return diagnose("path-conflict", origin(file), message);
  });
}

/** `web.container` and `web.service` both become web.service; systemd would run one and forget the other. */
function sameRuntimeUnit(files: readonly EvaluatedFile[]): HostDiagnostic[] {
  return laterClaims(runtimeUnits(files), ({ runtime }) => runtime).flatMap(([{ file, runtime }, { file: first }]) => {
    if (first.path === file.path) return [];
    const message = `becomes ${runtime}, but so does ${origin(first)}, and only one of them would run`;
    return [diagnose("path-conflict", origin(file), message)];
  });
}

function tooLongNames(files: readonly EvaluatedFile[]): HostDiagnostic[] {
  return files.flatMap((file) => {
    const name = posix.basename(file.path);
    if (Buffer.byteLength(name) <= nameLimit) return [];
    const message = `would be written as ${name}: a name of more than ${nameLimit} bytes, which no file can have`;
    return [diagnose("unsafe-path", origin(file), message)];
  });
}

function amongUnits(files: readonly EvaluatedFile[], layout: Layout): HostDiagnostic[] {
  return files.flatMap((file) => {
    const folders = file.kind === "config" ? [layout.quadletFolder, layout.unitFolder] : [];
    const folder = folders.find((each) => isBelow(file.path, each));
    if (folder === undefined) return [];
    return [diagnose("unsafe-path", origin(file), `would be written into ${folder}, where only units belong`)];
  });
}

export interface RuntimeUnit {
  readonly file: EvaluatedFile;
  readonly unit: UnitName;
  /** What systemd knows it as. */
  readonly runtime: string;
}

const knownUnits = new WeakMap<readonly EvaluatedFile[], readonly RuntimeUnit[]>();

/**
 * Every unit file with the unit that systemd will run for it. A plan asks several times; evaluated files never change.
 */
export function runtimeUnits(files: readonly EvaluatedFile[]): readonly RuntimeUnit[] {
  return getOrMake(knownUnits, files, () => findRuntimeUnits(files));
}

/** `ServiceName=` may come from a drop-in. */
function findRuntimeUnits(files: readonly EvaluatedFile[]): RuntimeUnit[] {
  const dropIns = dropInsByUnit(files);
  const units = unitsByPath(files);
  return files.flatMap((file): RuntimeUnit[] => {
    const { unit } = file;
    if (unit === undefined || !units.has(file.path)) return [];
    if (unit.family === "native") return [{ file, unit, runtime: unit.name }];
    const parts = partsOf(file, unit, dropIns).map((part) => unitBytes(part, units));
    return [{ file, unit, runtime: runtimeUnit(unit, serviceNameIn(unit, parts)) }];
  });
}

export function dropInsByUnit(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile[]> {
  const dropIns = files.filter(({ kind }) => kind === "quadlet-dropin" || kind === "unit-dropin");
  return groupBy(dropIns, ({ unit }) => unit!.name);
}

/** A unit's own file and its drop-ins, in the order in which they are read. */
export function partsOf(
  file: EvaluatedFile,
  unit: UnitName,
  dropIns: ReadonlyMap<string, readonly EvaluatedFile[]>,
): EvaluatedFile[] {
  return [file, ...dropInsOf(unit, dropIns, ({ path }) => posix.basename(path))];
}

/** The files that are units themselves, by path. */
export function unitsByPath(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile> {
  return new Map(files.filter(({ kind }) => kind === "quadlet" || kind === "unit").map((file) => [file.path, file]));
}

/** The text of a unit, through the one kind of link units may be: an instance's to its template. */
export function unitBytes(file: EvaluatedFile, units: ReadonlyMap<string, EvaluatedFile>): Uint8Array {
  const { content } = file;
  if (content.kind === "file") return content.bytes;
  const folder = file.path.slice(0, file.path.lastIndexOf("/"));
  const target = units.get(`${folder}/${content.target}`);
  return target?.content.kind === "file" ? target.content.bytes : new Uint8Array(0);
}

/** The references that files of the host's own state do not satisfy. */
export function unsatisfied(
  references: readonly Reference[],
  files: readonly EvaluatedFile[],
  layout: Layout,
): Reference[] {
  if (references.length === 0) return [];
  const units = new Set(files.filter(({ kind }) => kind === "quadlet").map(({ unit }) => unit!.name));
  const delivered = new Set(files.map(({ path }) => path));
  return references.filter(({ kind, name }) => {
    if (kind === "unit") return !units.has(name);
    const path = pathOf(name, layout);
    return path !== undefined && !delivered.has(path) && !files.some((file) => file.path.startsWith(`${path}/`));
  });
}

/** Where a path is on the host. Undefined where a specifier stands in it: only systemd knows. */
function pathOf(name: string, layout: Layout): string | undefined {
  if (name.includes("%")) return undefined;
  return posix.join("/", name.startsWith("/") ? name : posix.join(layout.quadletFolder, name)).replace(/(?<=.)\/$/, "");
}

/** What is missing on this host. A path that no service could deliver is somebody else's business. */
export function missingReferences(
  references: readonly Reference[],
  {
    catalog,
    files,
    layout,
  }: { readonly catalog: Catalog; readonly files: readonly EvaluatedFile[]; readonly layout: Layout },
): HostDiagnostic[] {
  return unsatisfied(references, files, layout).flatMap((reference) => {
    const why =
      reference.kind === "unit"
        ? missingUnit(catalog, reference.name)
        : missingPath(reference.name, catalog, files, layout);
    if (why === undefined) return [];
    const { line, name } = reference;
    return [diagnose("missing-reference", placeOf(line), `${line.key}= names ${name}, ${why}`)];
  });
}

/** A credential that is said to be encrypted, and lies in Git as anybody can read it. */
export function plainCredentials(references: readonly Reference[], files: readonly EvaluatedFile[]): HostDiagnostic[] {
  return references.flatMap(({ name, line }) => {
    const content =
      line.key === "LoadCredentialEncrypted" ? files.find((file) => file.path === name)?.content : undefined;
    if (content?.kind !== "file" || isEncrypted(content.bytes)) return [];
    const message = `${line.key}= names ${name}, which is not encrypted: make it with systemd-creds encrypt`;
    return [diagnose("plain-secret", placeOf(line), message)];
  });
}

/** As systemd-creds writes it: base64, of an identifier and at least a hundred bytes with it. */
function isEncrypted(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString("latin1").replaceAll(/\s/g, "");
  return text.length >= 100 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

function missingUnit(catalog: Catalog, name: string): string {
  const owners = catalog.ownersOf(name);
  return owners.length === 0
    ? "which no service has; name what others made as podman does, without the extension"
    : `which belongs to ${owners.join(" and ")}, which this host does not select`;
}

function missingPath(
  name: string,
  catalog: Catalog,
  files: readonly EvaluatedFile[],
  layout: Layout,
): string | undefined {
  const path = pathOf(name, layout)!;
  if (!name.startsWith("/") && isBelow(path, layout.quadletFolder))
    return "which is not beside the unit: put it into the same folder";
  if (isBelow(path, layout.quadletFolder) || isBelow(path, layout.unitFolder)) return "which is not delivered";
  if (!isBelow(path, layout.configFolder)) return undefined;
  const service = path.slice(layout.configFolder.length + 1).split("/")[0]!;
  const below = `${layout.configFolder}/${service}/`;
  if (files.some((file) => file.kind === "config" && file.path.startsWith(below)))
    return `which is not delivered: put it into ${servicesFolder}/${service}/config, or keep it outside ${below}`;
  const isDelivered = catalog
    .service(service)
    ?.payload.some((file) => `${layout.configFolder}${file.path.slice("etc".length)}` === path);
  return isDelivered ? `which ${service} delivers, and this host does not select ${service}` : undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
