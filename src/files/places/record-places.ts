import type { PlaceRecord, Registry } from "../../core/records.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import { observePlace } from "../../engine/observe.ts";
import { type OwnerState, readOwnerState } from "../../engine/owner-state.ts";
import type { Evaluated, Place } from "../../engine/place.ts";
import { type PlannedPlace, planOnePlace } from "../../engine/plan-place.ts";
import { ownersOf } from "../../engine/records.ts";
import type { FileDesired } from "../../entries/file-entry.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import { openReading } from "../../readings/open-reading.ts";
import type { Reading } from "../../readings/reading.ts";
import { recordedReading } from "../../readings/reading-data.ts";
import { registryPath } from "../../store/records/registry.ts";
import { narrowed, placesNamed, readUserPolicies } from "./policies.ts";

/** What the records alone say is wanted: `wishes` picks, per place, the entries that count as wanted. */
export async function placesOnRecord(
  state: OwnerState,
  machine: Machine,
  wishes: (section: string, record: PlaceRecord) => Wish[],
  from: Registry | undefined = state.registry,
): Promise<Evaluated> {
  const sections = new Map<string, PlaceRecord>([
    ...Object.entries(state.registry?.files ?? {}),
    ...Object.entries(from?.files ?? {}),
  ]);
  const userPolicies = await readUserPolicies(state.reader, machine);
  const places: Place[] = [];
  for (const [section, record] of sections) {
    const path = expandHome(section, machine.home);
    const readingData = recordedReading(section, record, () => registryPath(machine.stateDir, state.name));
    const reading = await openReading(readingData, { owner: state.name, path, context: state.context });
    const wanted = from?.files[section];
    const wished = wanted ? wishes(section, wanted) : [];
    const desired = wished.map((wish, order) => desiredFrom(wish, order, reading));
    const moves = wanted ? wished.flatMap((wish, i) => renameOf(wish, wanted, desired[i]!, reading)) : [];
    const policies = [
      ...narrowed(userPolicies, state.name, placesNamed(path, readingData.name, machine.project), state.context),
      ...readingData.policies,
    ];
    places.push({
      section,
      path,
      readingData,
      reading,
      desired,
      releases: [],
      policies,
      local: record.local,
      target: record.target,
      elsewhere: record.elsewhere,
      moves,
      diagnostics: [],
    });
  }
  return { places, untouched: new Set() };
}

export interface Wish {
  readonly key: string;
  readonly record: PlaceRecord["entries"][string];
  /** It waits without a record: what stands there is the user's. */
  readonly left: boolean;
}

/** Everything the owner wanted when it last ran: what it records, and what is pending. */
export function lastWishes(_section: string, record: PlaceRecord): Wish[] {
  const wanted = { ...record.entries, ...record.wanted };
  const renamed = new Set(Object.values(record.wanted ?? {}).map((wish) => wish.renames));
  return Object.entries(wanted)
    .filter(([key]) => !isGone(record, key) && !renamed.has(key))
    .map(([key, entry]) => ({ key, record: entry, left: false }));
}

/** The same of another time: a wish that only waited then is none that going back there should make true. */
export function wishesThen(section: string, record: PlaceRecord): Wish[] {
  return lastWishes(section, record).map((wish) => ({
    ...wish,
    left: !Object.hasOwn(record.entries, wish.key) && !wish.record.renames,
  }));
}

/** An entry that stayed although it is no longer wanted (the user had changed it) is on record, and no wish. */
function isGone(record: PlaceRecord, key: string): boolean {
  return record.obsolete?.includes(key) ?? false;
}

/** A rename that waits, because the user changed the key as well. */
function renameOf(
  { record }: Wish,
  place: PlaceRecord,
  to: FileDesired,
  reading: Reading,
): { from: string; to: string }[] {
  const old = record.renames === undefined ? undefined : place.entries[record.renames];
  return old ? [{ from: reading.recorded(record.renames!, old).match, to: to.match }] : [];
}

/** Field by field: there may be ten thousand, and taking the others out of a copy takes several times as long. */
function desiredFrom({ key, record, left }: Wish, order: number, reading: Reading): FileDesired {
  const recorded = reading.recorded(key, record);
  const { match, pair, type, joining, value, normal, secret, group, source, location, written, ofGroup } = recorded;
  const entry = { key: recorded.key, match, pair, type, joining, value, normal, secret, group, source, location };
  const wantedIn = recorded.updatedIn;
  const desired = { ...entry, written, ofGroup, wantedIn, order, position: reading.position(type) };
  return left ? { ...desired, left } : desired;
}

/** A file that an owner has on record, with how its entries stand against what that owner last wanted. */
export interface OwnedPlace {
  readonly owner: string;
  readonly version: string;
  readonly state: OwnerState;
  readonly place: Place;
  readonly record: PlaceRecord;
  readonly planned: PlannedPlace;
}

/** A file on record, not looked at yet: one that can't be read must not hide the others. */
export interface RecordedPlace extends Omit<OwnedPlace, "planned"> {
  observe(): PlannedPlace;
}

/** The files of one owner, as its records name them. */
export async function placesOfOwner(machine: Machine, owner: string): Promise<RecordedPlace[]> {
  const state = readOwnerState(machine, owner);
  const { registry } = state;
  if (registry === undefined) return [];
  const { places } = await placesOnRecord(state, machine, lastWishes);
  const options = { owner, version: registry.version, prune: true };
  return places.map((place) => ({
    owner,
    version: registry.version,
    state,
    place,
    record: registry.files[place.section]!,
    observe: () => planOnePlace(observePlace(place, state), machine, options),
  }));
}

/** Everybody's records of one file, however its path is spelt. */
export async function ownersOfFile(machine: Machine, file: string): Promise<OwnedPlace[]> {
  const found: OwnedPlace[] = [];
  for (const owner of ownersOf(machine)) {
    for (const { observe, ...recorded } of await placesOfOwner(machine, owner)) {
      const { context } = recorded.state;
      if (canonicalPath(recorded.place.path, context) === canonicalPath(file, context))
        found.push({ ...recorded, planned: observe() });
    }
  }
  return found;
}
