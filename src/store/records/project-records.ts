import { isUtf8 } from "node:buffer";
import { join, sep } from "node:path";
import { InputError, lineAndColumn } from "../../core/diagnostic.ts";
import { isOfLink, type Registry } from "../../core/records.ts";
import { isOlder } from "../../core/version.ts";
import type { Reader } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import { isObject, parseRegistryData, registryFrom } from "./registry.ts";

import { isOwnerName, refuseNoName } from "./state-dir.ts";

/**
 * The records of a project lie in it and are committed, so they come from whoever wrote the repository. They are
 * believed about the project's own files and nothing else: a path that leads out of it, by its name or by a link,
 * refuses them all.
 */

/** The folder of a project's records. */
export const recordsFolder = ".stet";

/** The largest file of records that is read. */
export const maxProjectBytes = 16 * 1024 * 1024;

/** The most values in it. */
export const maxProjectValues = 500_000;

export function projectRecordsPath(project: string, name: string): string {
  refuseNoName(name);
  return join(project, recordsFolder, `${name}.json`);
}

/** The owners that have records in a project, sorted. */
export function projectOwners(reader: Reader, project: string): string[] {
  const root = reader.realPath(project);
  if (reader.stat(join(root, recordsFolder)) === undefined) return [];
  refuseLinkOut(reader, root, recordsFolder);
  const names = reader.list(join(root, recordsFolder)) ?? [];
  return names.flatMap((file) => (file.endsWith(".json") && isOwnerName(file.slice(0, -5)) ? [file.slice(0, -5)] : []));
}

/**
 * What an owner has on record in a project; undefined where it has nothing. Throws an `InputError` at anything that
 * can't be believed.
 */
export function readProjectRecords(
  reader: Reader,
  project: string,
  name: string,
): { registry: Registry; text: string } | undefined {
  const root = reader.realPath(project);
  const path = projectRecordsPath(root, name);
  const status = reader.stat(path);
  if (status === undefined) return undefined;
  const real = refuseLinkOut(reader, root, `${recordsFolder}/${name}.json`);
  const size = reader.stat(real)?.size ?? 0;
  if (size > maxProjectBytes)
    throw storeError(
      "file-too-large",
      path,
      `records of more than ${maxProjectBytes / 1024 ** 2} MiB are not believed; restore them`,
    );
  const bytes = reader.read(real);
  if (bytes === undefined) return undefined;
  const text = bytes.toString("utf8");
  if (!isUtf8(bytes))
    throw new InputError({
      code: "invalid-registry",
      message: "these records are not valid UTF-8; restore them from Git",
      file: path,
    });
  return { registry: parseProjectRecords(reader, project, text, name), text };
}

/** The records in a text that is in the project, or will be. */
export function parseProjectRecords(reader: Reader, project: string, text: string, name: string): Registry {
  const root = reader.realPath(project);
  const path = projectRecordsPath(root, name);
  const refuse = (message: string, offset = 0) =>
    new InputError({ code: "invalid-registry", message, file: path, ...lineAndColumn(text, offset) });
  const registry = checked(text, name, refuse);
  refuseStrangePaths(reader, root, registry, (section, why) =>
    refuse(`${section}: ${why}; restore these records from Git`, Math.max(0, text.indexOf(JSON.stringify(section)))),
  );
  return registry;
}

type Refuse = (message: string, offset?: number) => InputError;

function checked(text: string, name: string, refuse: Refuse): Registry {
  const markers = /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/m.exec(text);
  if (markers)
    throw refuse(
      `Git left conflict markers in these records; run: stet resolve ${recordsFolder}/${name}.json`,
      markers.index,
    );
  const data = parseRegistryData(text, maxProjectValues, refuse);
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw refuse("these are not records of stet; restore them from Git");
  const given = data as Partial<Registry>;
  if (given.name !== name) throw refuse(`these are the records of another owner than ${name}; restore them from Git`);
  // Machines have no place in what is committed.
  if (given.homes !== undefined && (!Array.isArray(given.homes) || given.homes.length > 0))
    throw refuse("the records of a project can't name a home");
  const filled = { ...given, files: withHiddenValues(given.files), homes: [], version: given.version ?? "0" };
  const registry = registryFrom(filled, refuse);
  return given.version === undefined ? { ...registry, version: newestVersion(registry) } : registry;
}

/**
 * The value of an entry whose real one is not written down. It is found again by its hash where the template or the
 * file has it.
 */
export const hiddenValue = "(kept as a hash only)";

function withHiddenValues(files: unknown): unknown {
  const filled = (entries: unknown) =>
    mapped(entries, (entry) =>
      isObject(entry) && !Object.hasOwn(entry, "value") ? { ...entry, value: hiddenValue } : entry,
    );
  return mapped(files, (record) => {
    if (!isObject(record)) return record;
    // What is local to a machine is not in here, whatever a stranger says.
    const { local: _, ...rest } = record;
    return {
      ...rest,
      entries: filled(record.entries),
      ...(record.wanted === undefined ? {} : { wanted: filled(record.wanted) }),
    };
  });
}

function mapped(map: unknown, change: (member: unknown) => unknown): unknown {
  return isObject(map) ? Object.fromEntries(Object.entries(map).map(([name, member]) => [name, change(member)])) : map;
}

/** No line of the file says it, so that two branches that upgrade don't both change it. */
function newestVersion({ files }: Registry): string {
  const versions = Object.values(files).flatMap(({ entries }) =>
    Object.values(entries).map((entry) => entry.last_updated_in_version),
  );
  return versions.reduce((newest, version) => (isOlder(newest, version) ? version : newest), "0");
}

function refuseStrangePaths(
  reader: Reader,
  root: string,
  { files }: Registry,
  refuse: (section: string, why: string) => InputError,
): void {
  for (const [section, record] of Object.entries(files)) {
    for (const path of [section, ...(record.created?.folders ?? [])]) {
      // A link of ours may lead anywhere, as a user points it: it is never followed.
      const followed = path === section && isOfLink(record) ? path.slice(0, Math.max(path.lastIndexOf("/"), 0)) : path;
      const outside = followed === "" ? undefined : leadsOut(reader, root, followed);
      const why = isProjectPath(path) ? outside : "this is not a path within a project";
      if (why !== undefined) throw refuse(path, why);
    }
  }
}

/**
 * Whether a path names something in a project: relative, with `/`, plain on every system, and neither Git's own nor the
 * records themselves.
 */
export function isProjectPath(path: string): boolean {
  const segments = path.split("/");
  if (path.length > 4096 || segments.some((segment) => !isPlainSegment(segment))) return false;
  return !segments.some((segment) => foldedName(segment) === ".git") && foldedName(segments[0]!) !== recordsFolder;
}

/**
 * No `.` or `..`, nothing that another system takes for a drive, a stream or a separator, and nothing it would cut off.
 */
function isPlainSegment(segment: string): boolean {
  return segment !== "" && segment !== "~" && !/^\.{1,2}$|[\0-\x1f\\:]|[. ]$/.test(segment);
}

/** As file systems compare that fold case, or leave out what can't be seen. */
function foldedName(segment: string): string {
  return segment
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
}

/** Why a path of a project may not be touched: a link in it leads out. */
function leadsOut(reader: Reader, root: string, path: string): string | undefined {
  const real = reader.realPath(join(root, ...path.split("/")));
  return real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
    ? undefined
    : `a link there leads to ${real}, out of the project`;
}

/** Where a path of a project really is. Ask again right before it is written: links change. */
export function refuseLinkOut(reader: Reader, root: string, path: string): string {
  const why = leadsOut(reader, root, path);
  if (why !== undefined) throw storeError("unsafe-path", join(root, ...path.split("/")), `${why}; remove the link`);
  return reader.realPath(join(root, ...path.split("/")));
}
