import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import type { Machine } from "../engine/machine.ts";
import { type ObservedPlace, observePlace } from "../engine/observe.ts";
import { ownerStates } from "../engine/owner-state.ts";
import { type OwnerPlan, planObserved } from "../engine/plan-owner.ts";
import { ownersOf } from "../engine/records.ts";
import { unknownOwner } from "./places/find-entries.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";

/** How each owner's files stand against what it last wanted, from the records alone. */
export async function statusOf(machine: Machine, name?: string): Promise<OwnerPlan[]> {
  const owners = name === undefined ? ownersOf(machine) : [name];
  const plans: OwnerPlan[] = [];
  const stateOf = ownerStates(machine);
  for (const owner of owners) {
    const state = stateOf(owner);
    if (state.registry === undefined) throw unknownOwner(owner, machine);
    const { places, untouched } = await placesOnRecord(state, machine, lastWishes);
    const observed: ObservedPlace[] = [];
    const hidden: string[] = [];
    const diagnostics: Diagnostic[] = [];
    for (const place of places) {
      try {
        observed.push(observePlace(place, state));
      } catch (error) {
        // A file that can't be read is told, and hides no other.
        if (!(error instanceof InputError)) throw error;
        diagnostics.push(...error.diagnostics);
        hidden.push(place.section);
      }
    }
    const evaluated = { untouched: new Set([...untouched, ...hidden]), diagnostics };
    const options = { version: state.registry.version, note: "status" };
    plans.push(planObserved(state, machine, evaluated, observed, options));
  }
  return plans;
}
