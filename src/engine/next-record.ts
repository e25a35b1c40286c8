import type { Recorded } from "../core/entry.ts";
import { foundBefore } from "../core/plan.ts";
import type { EntryRecord, FoundRecord, PlaceRecord } from "../core/records.ts";
import { equalValues, isEmpty, type Value } from "../core/value.ts";
import { inTemplateOrder } from "../entries/entry-paths.ts";
import type { FileDecision, FileDesired, FileFound, FileRecorded } from "../entries/file-entry.ts";
import type { Trace } from "../formats/format.ts";
import { settingType } from "../identity/rules/keys.ts";
import type { Edited, Reading } from "../readings/reading.ts";
import type { ReadingData } from "../readings/reading-data.ts";
import { valueHash } from "../store/records/registry.ts";
import { keepsOldKey } from "./revise.ts";

export interface Recording {
  readonly before: PlaceRecord | undefined;
  readonly version: string;
  readonly reading: Reading;
  readonly readingData: ReadingData;
  /** There is no file once the decisions are true. */
  readonly isGone: boolean;
  /** Folders that are made for this file; undefined where the file was there before us. */
  readonly created: { readonly folders: readonly string[] } | undefined;
  /** The text as it was observed; undefined where there was none. */
  readonly text: string | undefined;
}

/** What to remember of a place once the decisions are true; undefined where nothing is left to remember. */
export function nextPlaceRecord(
  decisions: readonly FileDecision[],
  edited: Pick<Edited, "traces" | "containers">,
  recording: Recording,
): PlaceRecord | undefined {
  const { before, version, reading } = recording;
  const entries: Record<string, EntryRecord> = {};
  const wanted: Record<string, EntryRecord> = {};
  // So that entries put back from the registry find their neighbours.
  for (const decision of inTemplateOrder(decisions)) {
    const next = nextEntryRecord(decision, edited.traces, recording);
    if (next) entries[next.key] = next.record;
    const wish = pendingWish(decision, next?.record, version, reading, before);
    if (wish) wanted[decision.key] = wish;
  }
  for (const key of undecided(before, decisions, entries)) entries[key] = before!.entries[key]!;
  const obsolete = decisions
    .filter(({ desired, recorded }) => !desired && recorded && Object.hasOwn(entries, recorded.key))
    .map(({ key }) => key);
  if (isEmpty(entries) && isEmpty(wanted)) return undefined;
  return {
    ...before,
    entries,
    wanted: orNothing(wanted),
    obsolete: obsolete.length > 0 ? obsolete : undefined,
    containers: orNothing(edited.containers),
    created: recording.isGone ? undefined : recording.created,
    reading: recording.readingData,
  };
}

/** The keys of records that no decision is about. */
function undecided(
  before: PlaceRecord | undefined,
  decisions: readonly FileDecision[],
  next: Readonly<Record<string, EntryRecord>>,
): string[] {
  const others: string[] = [];
  for (const key in before?.entries) if (!Object.hasOwn(next, key)) others.push(key);
  if (others.length === 0) return others;
  const decided = new Set(decisions.map(({ recorded }) => recorded?.key));
  return others.filter((key) => !decided.has(key));
}

function nextEntryRecord(
  decision: FileDecision,
  traces: ReadonlyMap<string, Trace>,
  { before, version, reading, text }: Recording,
): { key: string; record: EntryRecord } | undefined {
  const { outcome, desired, recorded, claims } = decision;
  const old = recorded && before?.entries[recorded.key];
  if (outcome.record.kind === "drop") return undefined;
  if (outcome.record.kind === "same") {
    if (recorded === undefined || old === undefined) return undefined;
    // What was decided by may be newer than the record: a wish that came true meanwhile.
    if (equalValues(old.value, recorded.value)) return { key: recorded.key, record: old };
    const hash = valueHash(reading.hashed(recorded.type, recorded.value));
    return {
      key: recorded.key,
      record: { ...old, value: recorded.value, value_hash: hash, last_updated_in_version: version },
    };
  }
  const { value, state } = outcome.record;
  const entry: FileDesired | FileRecorded = (keepsOldKey(decision) ? recorded : (desired ?? recorded))!;
  const hash = valueHash(reading.hashed(entry.type, value));
  const trace =
    traces.get(entry.key) ??
    recorded?.trace ??
    (claims.find((claim) => claim.trace !== undefined)?.trace as Trace | undefined);
  const found = foundRecord(decision, text);
  const record: EntryRecord = {
    ...versionedRecord(entry.type, { value, hash }, { recorded, old, version }),
    ...(state === "managed" ? undefined : { state }),
    ...placeInRecord(entry),
    ...(trace === undefined ? undefined : { trace }),
    ...(found === undefined ? undefined : { found }),
    ...(old?.renames === undefined ? undefined : { renames: old.renames }),
    ...((desired ?? recorded)?.secret ? { secret: true } : undefined),
  };
  // The same text, but one that the engine knows as a name: thousands of new ones cost more than all else here.
  const key = recorded?.key === entry.key ? recorded.key : entry.key;
  return { key, record: old === undefined ? record : withUnknownFields(record, old) };
}

interface Versions {
  readonly recorded: Pick<Recorded, "addedIn" | "updatedIn"> | undefined;
  readonly old: EntryRecord | undefined;
  readonly version: string;
}

/** A value on record, with the versions that brought it: only another value is an update. */
export function versionedRecord(
  type: string,
  { value, hash }: { readonly value: Value; readonly hash: string },
  { recorded, old, version }: Versions,
): Pick<EntryRecord, "entry_type" | "added_in_version" | "last_updated_in_version" | "value_hash" | "value"> {
  return {
    entry_type: type,
    added_in_version: recorded?.addedIn || version,
    last_updated_in_version: recorded?.updatedIn && old?.value_hash === hash ? recorded.updatedIn : version,
    value_hash: hash,
    value: old && equalValues(old.value, value) ? old.value : value,
  };
}

/** What was found, with its text if that is in one piece. */
function foundRecord(decision: FileDecision, text: string | undefined): FoundRecord | undefined {
  const found: FileFound | undefined = foundBefore(decision);
  if (found === undefined) return undefined;
  const { actual } = decision;
  const [range, ...others] = found === actual && actual.joining === "fields" ? actual.node.ranges : [];
  const written = range !== undefined && others.length === 0 ? text?.slice(range.start, range.end) : found.text;
  return written === undefined ? { value: found.value } : { value: found.value, text: written };
}

/**
 * What the key of an entry is made of, and where it belongs. The key of a setting says both, and a place that is one
 * entry has neither.
 */
function placeInRecord(
  entry: FileDesired | FileRecorded,
): Pick<EntryRecord, "source" | "location" | "written"> | undefined {
  const { type, source, location, written } = entry;
  if (type !== settingType) {
    const place =
      isEmpty(source) && location.length === 0 ? undefined : { source, location: location as readonly Value[] };
    return { ...place, ...(written === undefined ? undefined : { written }) };
  }
  return written === undefined || written === `${location.join(".")}=${entry.value}` ? undefined : { written };
}

const knownFields: Readonly<Record<keyof EntryRecord, true>> = {
  entry_type: true,
  added_in_version: true,
  last_updated_in_version: true,
  value_hash: true,
  value: true,
  state: true,
  source: true,
  location: true,
  written: true,
  trace: true,
  found: true,
  renames: true,
  secret: true,
};

/**
 * Fields of an older record that we do not know survive. Not by spreading the old one: that takes the engine ten times
 * as long.
 */
function withUnknownFields(record: EntryRecord, old: EntryRecord): EntryRecord {
  const unknown: [string, unknown][] = [];
  for (const name in old) if (!Object.hasOwn(knownFields, name)) unknown.push([name, old[name as keyof EntryRecord]]);
  return unknown.length === 0 ? record : { ...record, ...Object.fromEntries(unknown) };
}

/**
 * What the owner wants, where that is not what is recorded: it waits for `resolve` or `adopt`, and other owners should
 * know of it.
 */
function pendingWish(
  decision: FileDecision,
  record: EntryRecord | undefined,
  version: string,
  reading: Reading,
  before: PlaceRecord | undefined,
): EntryRecord | undefined {
  const { desired, key, recorded } = decision;
  if (desired === undefined) return undefined;
  const renames = keepsOldKey(decision) ? recorded?.key : undefined;
  // Asked first, as it is nearly always so, and a hash for each entry costs more than all the rest of its record.
  if (renames === undefined && equalValues(record?.value, desired.value)) return undefined;
  const hash = valueHash(reading.hashed(desired.type, desired.value));
  if (record?.value_hash === hash && renames === undefined) return undefined;
  const old = before?.wanted?.[key];
  if (old?.value_hash === hash) return old;
  return {
    entry_type: desired.type,
    added_in_version: old?.added_in_version ?? version,
    last_updated_in_version: version,
    value_hash: hash,
    value: desired.value,
    ...placeInRecord(desired),
    renames,
    ...(desired.secret ? { secret: true } : undefined),
  };
}

function orNothing<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> | undefined {
  return isEmpty(record) ? undefined : record;
}
