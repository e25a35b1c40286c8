import type { PlaceRecord } from "../../core/records.ts";
import type { Machine } from "../../engine/machine.ts";
import { observePlace } from "../../engine/observe.ts";
import { type OwnerState, readOwnerState } from "../../engine/owner-state.ts";
import type { Place } from "../../engine/place.ts";
import { type PlannedPlace, planOnePlace } from "../../engine/plan-place.ts";
import { ownersOf } from "../../engine/records.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import { lastWishes, placesOnRecord } from "./record-places.ts";

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
