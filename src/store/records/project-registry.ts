import { join, relative, sep } from "node:path";
import type { EntryRecord, PlaceRecord, Registry } from "../../core/records.ts";
import { isOlder } from "../../core/version.ts";
import { hiddenValue } from "./project-records.ts";
import { renderRegistry } from "./registry.ts";

/** A project's folder, and how paths are spelt in a registry in memory: with the home as `~`. */
export interface ProjectPaths {
  readonly root: string;
  /** Absolute to spelt. */
  spelt(absolute: string): string;
  /** Spelt to absolute. */
  absolute(spelt: string): string;
}

/** Records as they were read, with their paths as in any other registry. */
export function inMemory(registry: Registry, { root, spelt }: ProjectPaths): Registry {
  const at = (path: string) => spelt(join(root, ...path.split("/")));
  const files = Object.entries(registry.files).map(([path, record]): [string, PlaceRecord] => [
    at(path),
    record.created ? { ...record, created: { folders: record.created.folders.map(at) } } : record,
  ]);
  return { ...registry, files: Object.fromEntries(files) };
}

/** The committed part of a registry as a text; undefined where nothing of it is to be committed. */
export function renderProjectRecords(
  registry: Registry,
  { root, absolute }: ProjectPaths,
  isSecret: (key: string, entry: EntryRecord) => boolean,
): string | undefined {
  const committed = Object.entries(registry.files).filter(([, record]) => record.local !== true);
  if (committed.length === 0) return undefined;
  const below = (path: string) => relative(root, absolute(path)).split(sep).join("/");
  const files = Object.fromEntries(
    committed
      .map(([path, record]): [string, PlaceRecord] => [below(path), committedPlace(record, below, isSecret)])
      .sort(byName),
  );
  const { homes: _, version: __, project: ___, ...rest } = registry;
  return renderRegistry({ ...rest, files } as Registry);
}

/**
 * A project's registry on this machine, in the order in which the next run finds it composed with what is committed: a
 * run that changes nothing writes nothing.
 */
export function localRegistry(registry: Registry, root: string): Registry {
  const files = Object.entries(registry.files).map(([path, record]): [string, PlaceRecord] => [
    path,
    sorted({
      ...record,
      entries: mapEntries(record.entries, sorted),
      ...(record.wanted && { wanted: mapEntries(record.wanted, sorted) }),
    }),
  ]);
  return { ...registry, project: root, files: Object.fromEntries(files.sort(byName)) };
}

function committedPlace(
  record: PlaceRecord,
  below: (path: string) => string,
  isSecret: (key: string, entry: EntryRecord) => boolean,
): PlaceRecord {
  const committed = (entries: Readonly<Record<string, EntryRecord>>) =>
    sorted(mapEntries(entries, (entry, key) => sorted(isSecret(key, entry) ? withoutValue(entry) : entry)));
  return sorted({
    ...record,
    entries: committed(record.entries),
    ...(record.wanted && { wanted: committed(record.wanted) }),
    ...(record.created && { created: { folders: record.created.folders.map(below) } }),
  }) as PlaceRecord;
}

/** By name, so that two machines write the same; what is inside values keeps its order. */
function sorted<T>(map: T): T {
  return Object.fromEntries(Object.entries(map as object).sort(byName)) as T;
}

function withoutValue(entry: EntryRecord): EntryRecord {
  const { value: _, written: __, found: ___, ...rest } = entry;
  return rest as EntryRecord;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Records of a project on this machine: what is committed, and from the last run here what is not (files that Git
 * ignores, values that are committed as hashes only).
 */
export function composeProject(committed: Registry | undefined, local: Registry | undefined): Registry | undefined {
  if (committed === undefined && local === undefined) return undefined;
  const own = Object.entries(local?.files ?? {}).filter(([, record]) => record.local === true);
  const shared = Object.entries(committed?.files ?? {}).map(
    ([path, record]) => [path, withKnownValues(record, local?.files[path])] as const,
  );
  if (own.length === 0 && shared.length === 0) return undefined;
  const base = (committed ?? local)!;
  const files = Object.fromEntries([...shared, ...own].sort(byName));
  const same = local !== undefined && sameEntries(files, local.files);
  return { ...local, ...base, homes: [], version: same ? local.version : base.version, files };
}

function withKnownValues(record: PlaceRecord, known: PlaceRecord | undefined): PlaceRecord {
  if (known === undefined) return record;
  const reveal = (
    entries: Readonly<Record<string, EntryRecord>>,
    own: Readonly<Record<string, EntryRecord>> | undefined,
  ) =>
    Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => {
        const seen = entry.value === hiddenValue ? own?.[key] : undefined;
        return [key, seen?.value_hash === entry.value_hash ? { ...entry, value: seen.value } : entry];
      }),
    );
  return {
    ...record,
    entries: inOrderOf(known.entries, reveal(record.entries, known.entries)),
    ...(record.wanted && { wanted: reveal(record.wanted, known.wanted) }),
  };
}

/** The template's order is not in the committed text; the last run here knew it. */
function inOrderOf(
  known: Readonly<Record<string, EntryRecord>>,
  entries: Readonly<Record<string, EntryRecord>>,
): Readonly<Record<string, EntryRecord>> {
  const keys = [...Object.keys(known).filter((key) => Object.hasOwn(entries, key)), ...Object.keys(entries)];
  return Object.fromEntries([...new Set(keys)].map((key) => [key, entries[key]!]));
}

function sameEntries(a: Registry["files"], b: Registry["files"]): boolean {
  const stamps = (files: Registry["files"]) =>
    Object.entries(files)
      .flatMap(([path, { entries }]) =>
        Object.entries(entries).map(([key, entry]) => `${path}\0${key}\0${entry.value_hash}\0${entry.state}`),
      )
      .sort()
      .join("\n");
  return stamps(a) === stamps(b);
}

/**
 * Both sides of a text that Git left in conflict, merged: an entry that both have is the one of the later release. What
 * only one side has stays: an entry too many is found obsolete by the next run, one too few would be forgotten.
 */
export function mergeConflictedRecords(text: string, parse: (side: string) => Registry): Registry {
  const [ours, theirs] = (["ours", "theirs"] as const).map((side) => parse(sideOf(text, side))) as [Registry, Registry];
  const files: Record<string, PlaceRecord> = { ...theirs.files };
  for (const [at, record] of Object.entries(ours.files)) {
    const other = files[at];
    files[at] = other === undefined ? record : { ...other, ...record, entries: laterOf(record.entries, other.entries) };
  }
  return { ...theirs, ...ours, files };
}

function laterOf(
  ours: Readonly<Record<string, EntryRecord>>,
  theirs: Readonly<Record<string, EntryRecord>>,
): Readonly<Record<string, EntryRecord>> {
  const merged: Record<string, EntryRecord> = { ...theirs };
  for (const [key, entry] of Object.entries(ours)) {
    const other = merged[key];
    const isTheirs = other !== undefined && isOlder(entry.last_updated_in_version, other.last_updated_in_version);
    merged[key] = isTheirs ? other : entry;
  }
  return merged;
}

/** One side of every conflict. Git joins the lines of a JSON list badly: commas too many or too few are put right. */
function sideOf(text: string, side: "ours" | "theirs"): string {
  const lines: string[] = [];
  let at: "both" | "ours" | "base" | "theirs" = "both";
  for (const line of text.split("\n")) {
    if (/^<{7}(?: |$)/.test(line)) at = "ours";
    else if (/^\|{7}(?: |$)/.test(line)) at = "base";
    else if (/^={7}$/.test(line)) at = "theirs";
    else if (/^>{7}(?: |$)/.test(line)) at = "both";
    else if (at === "both" || at === side) lines.push(line);
  }
  return lines
    .join("\n")
    .replaceAll(/,(\n *[}\]])/g, "$1")
    .replaceAll(/([}\]"\d]|true|false|null)(\n *")/g, "$1,$2");
}

function mapEntries<T>(map: Readonly<Record<string, T>>, change: (entry: T, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, entry]) => [key, change(entry, key)]));
}
