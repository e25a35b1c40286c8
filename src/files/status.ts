import { ownersIn } from "../store/records/registry.ts";
import type { Machine } from "./machine.ts";
import { readOwnerState } from "./owner-state.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";
import { type FilesPlan, planOwner } from "./plan.ts";
import { unknownOwner } from "./uninstall.ts";

/** How each owner's files stand against what it last wanted, from the records alone. */
export async function statusOf(machine: Machine, name?: string): Promise<FilesPlan[]> {
  const owners = name === undefined ? ownersIn(machine.gate, machine.stateDir) : [name];
  const plans: FilesPlan[] = [];
  for (const owner of owners) {
    const state = readOwnerState(machine, owner);
    if (state.registry === undefined) throw unknownOwner(owner, machine);
    const evaluated = await placesOnRecord(state, machine, lastWishes);
    plans.push(planOwner(state, machine, evaluated, { version: state.registry.version, note: "status" }));
  }
  return plans;
}
