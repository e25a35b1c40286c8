import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import type { Machine } from "../engine/machine.ts";
import { observePlace } from "../engine/observe.ts";
import { type OwnerState, readOwnerState } from "../engine/owner-state.ts";
import type { Evaluated } from "../engine/place.ts";
import { type OwnerPlan, planPlaces } from "../engine/plan-owner.ts";
import { ownersOf } from "../engine/records.ts";
import { unknownOwner } from "./places/find-entries.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";

/** How each owner's files stand against what it last wanted, from the records alone. */
export async function statusOf(machine: Machine, name?: string): Promise<OwnerPlan[]> {
  const owners = name === undefined ? ownersOf(machine) : [name];
  const plans: OwnerPlan[] = [];
  for (const owner of owners) {
    const state = readOwnerState(machine, owner);
    if (state.registry === undefined) throw unknownOwner(owner, machine);
    const evaluated = await placesOnRecord(state, machine, lastWishes);
    const readable = readablePlaces(evaluated, state);
    plans.push(planPlaces(state, machine, readable, { version: state.registry.version, note: "status" }));
  }
  return plans;
}

/** A file that can't be read is told, and hides no other. */
function readablePlaces(evaluated: Evaluated, state: OwnerState): Evaluated {
  const diagnostics: Diagnostic[] = [];
  const places = evaluated.places.filter((place) => {
    try {
      observePlace(place, state);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      diagnostics.push(...error.diagnostics);
      return false;
    }
  });
  if (diagnostics.length === 0) return evaluated;
  const hidden = evaluated.places.filter((place) => !places.includes(place)).map(({ section }) => section);
  return { places, untouched: new Set([...evaluated.untouched, ...hidden]), diagnostics };
}
