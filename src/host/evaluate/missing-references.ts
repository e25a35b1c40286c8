import { posix } from "node:path";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { servicesFolder } from "../repository/repository-names.ts";
import type { Reference } from "../units/references.ts";
import type { Catalog } from "./catalog.ts";
import type { EvaluatedFile, Layout } from "./evaluation.ts";

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
    const path = placeOf(name, layout);
    return path !== undefined && !delivered.has(path) && !files.some((file) => file.path.startsWith(`${path}/`));
  });
}

/** Where a path is on the host. Undefined where a specifier stands in it: only systemd knows. */
function placeOf(name: string, layout: Layout): string | undefined {
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
    const { key, source, line, column } = reference.line;
    return [diagnose("missing-reference", { file: source, line, column }, `${key}= names ${reference.name}, ${why}`)];
  });
}

/** A credential that is said to be encrypted, and lies in Git as anybody can read it. */
export function plainCredentials(references: readonly Reference[], files: readonly EvaluatedFile[]): HostDiagnostic[] {
  return references.flatMap(({ name, line }) => {
    const content =
      line.key === "LoadCredentialEncrypted" ? files.find((file) => file.path === name)?.content : undefined;
    if (content?.kind !== "file" || isEncrypted(content.bytes)) return [];
    const message = `${line.key}= names ${name}, which is not encrypted: make it with systemd-creds encrypt`;
    return [diagnose("plain-secret", { file: line.source, line: line.line, column: line.column }, message)];
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
    ? "which no service has; what others made is named as podman knows it, without the ending"
    : `which belongs to ${owners.join(" and ")}, which this host does not select`;
}

function missingPath(
  name: string,
  catalog: Catalog,
  files: readonly EvaluatedFile[],
  layout: Layout,
): string | undefined {
  const path = placeOf(name, layout)!;
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
