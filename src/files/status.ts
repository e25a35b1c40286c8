import type { Machine } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import { type OwnerPlan, planPlaces } from "../engine/plan-owner.ts";
import { ownersOf } from "../engine/records.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";
import { unknownOwner } from "./uninstall.ts";

/** How each owner's files stand against what it last wanted, from the records alone. */
export async function statusOf(machine: Machine, name?: string): Promise<OwnerPlan[]> {
  const owners = name === undefined ? ownersOf(machine) : [name];
  const plans: OwnerPlan[] = [];
  for (const owner of owners) {
    const state = readOwnerState(machine, owner);
    if (state.registry === undefined) throw unknownOwner(owner, machine);
    const evaluated = await placesOnRecord(state, machine, lastWishes);
    plans.push(planPlaces(state, machine, evaluated, { version: state.registry.version, note: "status" }));
  }
  return plans;
}
