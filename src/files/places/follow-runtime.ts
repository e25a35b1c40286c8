import { dirname, join } from "node:path";
import type { EntryRecord, PlaceRecord, Registry } from "../../core/records.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import { contentAt, recordedEntries } from "../../engine/observe.ts";
import type { OwnerState } from "../../engine/owner-state.ts";
import type { Place } from "../../engine/place.ts";
import { portablePath } from "../../identity/paths/paths.ts";
import { migratesTo } from "../../identity/profiles/index.ts";
import { openReading } from "../../readings/open-reading.ts";
import { recordedReading } from "../../readings/reading-data.ts";
import { registryPath } from "../../store/records/registry.ts";

/**
 * Records as they are after a runtime moved entries to another of its files: what is gone from the one and stands in
 * the other is on record there. It was not deleted, so it is not put back.
 */
export async function followRuntime(state: OwnerState, machine: Machine): Promise<OwnerState> {
  let { registry } = state;
  for (const [section, record] of Object.entries(registry?.files ?? {})) {
    const path = expandHome(section, machine.home);
    const to = migratesTo(path, state.context);
    if (to === undefined) continue;
    const there = join(dirname(path), to);
    const moved = await movedEntries(section, record, [path, there], state, machine);
    if (moved.length > 0) registry = withMoved(registry!, section, portablePath(there, state.context), moved);
  }
  return registry === state.registry ? state : { ...state, registry };
}

/** The keys of entries on record that are no longer in the first file, and are in the second. */
async function movedEntries(
  section: string,
  record: PlaceRecord,
  [from, to]: readonly [string, string],
  { name, reader, context }: OwnerState,
  { stateDir }: Machine,
): Promise<string[]> {
  const readingData = recordedReading(section, record, () => registryPath(stateDir, name));
  const reading = await openReading(readingData, { owner: name, path: from, context });
  const recorded = recordedEntries(reading, record);
  const matchesIn = (path: string) => {
    const { actual } = reading.observe(contentAt(reader, path, false), { desired: [], recorded });
    return new Set(actual.map(({ match }) => match));
  };
  const [here, there] = [matchesIn(from), matchesIn(to)];
  return recorded.filter(({ match }) => !here.has(match) && there.has(match)).map(({ key }) => key);
}

function withMoved(registry: Registry, from: string, to: string, keys: readonly string[]): Registry {
  const [old, known] = [registry.files[from]!, registry.files[to]];
  // How an entry was inserted says nothing about the file it is in now.
  const entries = keys.map((key): [string, EntryRecord] => [key, { ...old.entries[key]!, trace: undefined }]);
  const stay = Object.entries(old.entries).filter(([key]) => !keys.includes(key));
  const there: PlaceRecord = {
    reading: old.reading,
    ...known,
    entries: { ...known?.entries, ...Object.fromEntries(entries) },
  };
  return {
    ...registry,
    files: { ...registry.files, [from]: { ...old, entries: Object.fromEntries(stay) }, [to]: there },
  };
}

/** Wishes for an entry follow it, too: where it is on record in the runtime's other file, it is wanted there. */
export async function wishesFollowing(
  places: readonly Place[],
  { registry, context, name }: OwnerState,
): Promise<Place[]> {
  const all = [...places];
  for (const place of places) {
    const to = migratesTo(place.path, context);
    const path = to === undefined ? undefined : join(dirname(place.path), to);
    const record = path === undefined ? undefined : registry?.files[portablePath(path, context)];
    if (path === undefined || record === undefined) continue;
    const reading = await openReading(place.readingData, { owner: name, path, context });
    const there = new Set(recordedEntries(reading, record).map(({ match }) => match));
    const following = place.desired.filter(({ match }) => there.has(match));
    if (following.length === 0) continue;
    all[all.indexOf(place)] = { ...place, desired: place.desired.filter((entry) => !following.includes(entry)) };
    const at = all.findIndex((other) => other.path === path);
    const other = all[at] ?? {
      ...place,
      section: portablePath(path, context),
      path,
      reading,
      desired: [],
      former: undefined,
    };
    const joined = { ...other, desired: [...other.desired, ...following] };
    if (at < 0) all.push(joined);
    else all[at] = joined;
  }
  return all;
}
