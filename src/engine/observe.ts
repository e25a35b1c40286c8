import { dirname } from "node:path";
import { absent, type PlaceContent } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import { earlierRecords } from "../core/earlier.ts";
import type { ContainerRecord, PlaceRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import { containerNames } from "../entries/entry-paths.ts";
import type { FileActual, FileClaim, FileRecorded } from "../entries/file-entry.ts";
import { portablePath } from "../identity/paths/paths.ts";
import { settingType } from "../identity/rules/keys.ts";
import type { Observed, Reading, SoughtKey } from "../readings/reading.ts";
import type { Reader } from "../store/gate/gate.ts";
import { realTarget } from "../store/gate/target.ts";
import { hiddenValue } from "../store/records/project-records.ts";
import { valueHash } from "../store/records/registry.ts";
import { missingFolders } from "../store/records/state-dir.ts";
import { expandHome } from "./machine.ts";
import type { ForeignPlace, OwnerState } from "./owner-state.ts";
import type { Place } from "./place.ts";
import type { Reverted } from "./reverted.ts";

/**
 * A place as it was found: what stands there, and what this owner and others have on record of it. Planning asks
 * nothing more.
 */
export interface ObservedPlace extends Look, PathContent {
  readonly place: Place;
  readonly before: PlaceRecord | undefined;
  /** Of a place that is renamed: what stands at the old name. Entries and records are those of the old name, too. */
  readonly origin: PathContent | undefined;
  /** The folders that would have to be made for it, outermost first, with the home as `~`. */
  readonly missing: readonly string[];
  readonly foreign: ForeignRecords;
  /** The file is as an earlier generation left it. Looked for once the decisions are known. */
  readonly reverted?: Reverted | undefined;
  /** The same in the reading that the records were made with, where a release reads the file in another way. */
  readonly formerForeign: ForeignRecords | undefined;
}

/** What is at a path. */
export interface PathContent {
  readonly path: string;
  readonly content: PlaceContent;
  /** Where the file really is, and where a link at its path is. */
  readonly real: { readonly file: string; readonly link: string };
}

/** Content and records as entries. */
export interface Look {
  readonly recorded: readonly FileRecorded[];
  /** By key: entries on record for which another value is wanted, as if that were recorded. */
  readonly pending: ReadonlyMap<string, FileRecorded>;
  readonly observed: Observed;
}

/** What others record of a file that an owner has a part in. */
export interface ForeignRecords {
  /** The entries they want. */
  readonly claims: readonly FileClaim[];
  /** The containers they made. */
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** An owner made the file: whoever writes into it too is the last to leave, perhaps, and then takes it away. */
  readonly created: PlaceRecord["created"];
}

/** Looks at places, each once. Reads only; throws an `InputError` where a place can't be read as what it should be. */
export function observePlaces(places: readonly Place[], state: OwnerState): ObservedPlace[] {
  return places.map((place) => observePlace(place, state));
}

export function observePlace(place: Place, state: OwnerState): ObservedPlace {
  const { path, former, renamedFrom } = place;
  const written = state.registry?.files[(renamedFrom ?? place).section];
  const reading = former?.reading ?? renamedFrom?.reading ?? place.reading;
  const before = written && withHiddenValues(written, reading, place, state);
  const onRecord = recordedEntries(reading, before);
  // Only where nothing is on record: afterwards, what an earlier release shipped and nobody recorded is the user's.
  const releases = onRecord.length === 0 ? place.releases : [];
  const recorded = releases.length === 0 ? onRecord : releases.flatMap(({ entries }) => entries);
  const desired = former || renamedFrom ? [] : place.desired;
  const ownsLink = place.reading.ownsLink({ desired: place.desired, recorded });
  const there = ownContent(place, state, ownsLink);
  const origin = renamedFrom && pathContent(state.reader, renamedFrom.path, reading.ownsLink({ desired, recorded }));
  const others = state.othersAt(path, ownsLink);
  const foreign = foreignRecords(place.reading, others);
  const claimed = new Set(foreign.claims.map(({ match }) => match));
  const seen = lookAt(reading, (origin ?? there).content, { desired, recorded, claimed }, before);
  resolveLinks(seen.observed.actual, { desired, recorded });
  const look =
    releases.length === 0
      ? seen
      : { ...seen, recorded: earlierRecords(releases, seen.observed.actual, place.policies) };
  return {
    place,
    before: before ?? (releases.length === 0 ? undefined : madeByRelease(place, look)),
    origin,
    ...there,
    missing: there.content.kind === "absent" ? foldersFor(there, state) : [],
    ...look,
    foreign,
    formerForeign: former && foreignRecords(former.reading, others),
  };
}

/**
 * A file that is no longer wanted, and in which nothing stands but what an earlier release shipped, was made by that
 * release: it goes with its last entry.
 */
function madeByRelease({ desired }: Place, { recorded, observed: { actual } }: Look): PlaceRecord | undefined {
  const known = new Map(recorded.map((entry) => [entry.match, entry]));
  if (desired.length > 0 || actual.length === 0 || !actual.every(({ match }) => known.has(match))) return undefined;
  const names = actual.flatMap((entry) => containerNames(entry, known.get(entry.match)!.source));
  return {
    entries: {},
    created: { folders: [] },
    containers: Object.fromEntries(names.map((name) => [name, { created: true as const }])),
  };
}

/**
 * Values that are on record by their hash only are those of the template, or of the file, if these have that very hash.
 */
function withHiddenValues(record: PlaceRecord, reading: Reading, place: Place, state: OwnerState): PlaceRecord {
  // Only what is committed hides any.
  if (state.committed === undefined) return record;
  const isHidden = (entries: PlaceRecord["entries"] | undefined) =>
    Object.values(entries ?? {}).some(({ value }) => value === hiddenValue);
  if (!isHidden(record.entries) && !isHidden(record.wanted)) return record;
  const known = new Map<string, Value[]>();
  const recorded = recordedEntries(reading, record);
  const { actual } = reading.observe(contentAt(state.reader, place.path, false), { desired: place.desired, recorded });
  for (const { key, value } of [...place.desired, ...actual]) known.set(key, [...(known.get(key) ?? []), value]);
  const reveal = (entries: PlaceRecord["entries"]) =>
    Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => {
        const found = (known.get(key) ?? []).find(
          (value) => valueHash(reading.hashed(entry.entry_type, value)) === entry.value_hash,
        );
        return [key, entry.value === hiddenValue && found !== undefined ? { ...entry, value: found } : entry];
      }),
    );
  return { ...record, entries: reveal(record.entries), ...(record.wanted && { wanted: reveal(record.wanted) }) };
}

/**
 * The folders above a new file that have to be made, or were made by an owner for another: they go with the last file
 * in them.
 */
function foldersFor({ real }: PathContent, { reader, context, foldersMade }: OwnerState): string[] {
  const folders = missingFolders(reader, dirname(real.file)).map((folder) => portablePath(folder, context));
  const made = foldersMade();
  if (made.size === 0) return folders;
  for (let at = dirname(folders.length > 0 ? expandHome(folders[0]!, context.home) : real.file); ; at = dirname(at)) {
    const folder = portablePath(at, context);
    if (!made.has(folder)) return folders;
    folders.unshift(folder);
  }
}

function pathContent(reader: Reader, path: string, ownsLink: boolean): PathContent {
  const real = { file: realTarget(reader, path, "file"), link: realTarget(reader, path, "link") };
  return { path, real, content: contentAt(reader, path, ownsLink) };
}

/** Whoever ships a file where its own folder is, or the other way round, is told what to do: a run makes no room first. */
function ownContent({ path, section }: Place, state: OwnerState, ownsLink: boolean): PathContent {
  try {
    return pathContent(state.reader, path, ownsLink);
  } catch (error) {
    const sections = Object.keys(state.registry?.files ?? {});
    const isInTheWay = sections.some((each) => each.startsWith(`${section}/`) || section.startsWith(`${each}/`));
    if (!(error instanceof InputError) || !isInTheWay) throw error;
    const message = `${state.name} has a folder on record where it now wants a file, or a file where it wants a folder, and no run turns one into the other; run stet uninstall ${state.name} (with --all where you edited what is in the way; it is kept in the history), and then apply it again`;
    throw new InputError({ ...error.diagnostic, message });
  }
}

/** What is at a path. `ownsLink`: do not follow a link there. */
export function contentAt(reader: Reader, path: string, ownsLink: boolean): PlaceContent {
  const target = ownsLink ? reader.readLink(path) : undefined;
  if (target !== undefined) return { kind: "link", target };
  const bytes = reader.read(path);
  if (bytes === undefined) return absent;
  let mode: number | undefined;
  return {
    kind: "file",
    bytes,
    // Asked for only by readings that have a word on it.
    get mode() {
      mode ??= reader.stat(reader.realPath(path))?.mode ?? 0;
      return mode;
    },
  };
}

export function recordedEntries(reading: Reading, record: PlaceRecord | undefined): FileRecorded[] {
  const recorded: FileRecorded[] = [];
  // Not by `Object.entries`: there may be many, and a pair for each takes as long as reading it.
  for (const key in record?.entries) {
    const entry = record.entries[key]!;
    recorded.push(entry.secret ? { ...reading.recorded(key, entry), secret: true } : reading.recorded(key, entry));
  }
  return recorded;
}

/** Content and records as entries. Pure: planning does the same with content that it has edited itself. */
export function lookAt(
  reading: Reading,
  content: PlaceContent,
  sought: SoughtKey,
  record: PlaceRecord | undefined,
): Look {
  const pending = new Map<string, FileRecorded>();
  for (const key in record?.wanted) {
    const entry = record.entries[key];
    if (entry !== undefined && entry.state === undefined)
      pending.set(key, reading.recorded(key, { ...entry, value: record.wanted[key]!.value }));
  }
  return { recorded: sought.recorded, pending, observed: reading.observe(content, sought) };
}

/**
 * An entry's value is normalised when it is asked for, and that may look up links: those that planning compares are
 * asked now.
 */
function resolveLinks(actual: readonly FileActual[], { desired, recorded }: SoughtKey): void {
  const underRules = actual.filter((entry) => entry.type !== settingType);
  if (underRules.length === 0) return;
  const compared = new Set<string>();
  for (const side of [desired, recorded]) {
    for (const { type, match, pair } of side) {
      if (type === settingType) continue;
      compared.add(match);
      if (pair !== undefined) compared.add(pair);
    }
  }
  for (const entry of underRules) if (compared.has(entry.match) || compared.has(entry.pair ?? "")) entry.normal;
}

function foreignRecords(reading: Reading, others: readonly ForeignPlace[]): ForeignRecords {
  const claims: FileClaim[] = [];
  const containers: Record<string, ContainerRecord> = {};
  let created: PlaceRecord["created"];
  for (const { owner, record } of others) {
    Object.assign(containers, record.containers);
    created ??= record.created;
    for (const [key, entry] of Object.entries(record.entries)) {
      if (entry.state !== undefined) continue;
      const recorded = reading.recorded(key, entry);
      // Owners number their groups alike, and mean different ones.
      if (recorded.ofGroup) continue;
      const wanted = record.wanted?.[key];
      claims.push({
        ...(wanted ? reading.recorded(key, wanted) : recorded),
        trace: recorded.trace,
        found: recorded.found,
        recorded,
        owner,
      });
    }
  }
  return { claims, containers, created };
}
