import { planAndApply } from "../engine/apply.ts";
import type { Machine } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import { type OwnerPlan, planPlaces } from "../engine/plan-owner.ts";
import { finishInterrupted } from "../store/transaction/interrupted.ts";
import { defaultWaitMs } from "../store/transaction/lock.ts";
import { unknownOwner } from "./places/find-entries.ts";
import { placesOnRecord } from "./places/record-places.ts";

export interface UninstallOptions {
  /** Also what the user edited, and what was there before and was adopted. */
  readonly all?: boolean | undefined;
}

/**
 * Wanting nothing any more: what the owner wrote and the user has not changed goes, what was found comes back, and the
 * records go.
 */
export async function planUninstall(
  name: string,
  machine: Machine,
  { all }: UninstallOptions = {},
): Promise<OwnerPlan> {
  const state = readOwnerState(machine, name);
  if (state.registry === undefined) throw unknownOwner(name, machine);
  const places = await placesOnRecord(state, machine, () => []);
  return planPlaces(state, machine, places, {
    version: state.registry.version,
    note: "uninstall",
    leave: true,
    takeAll: all,
  });
}

export async function uninstall(name: string, machine: Machine, options: UninstallOptions = {}): Promise<OwnerPlan> {
  // It may be this very uninstall that was interrupted: then finishing it is all there is to do.
  const finished = await finishInterrupted(machine.gate, machine.stateDir, defaultWaitMs);
  const state = finished?.name === name ? readOwnerState(machine, name) : undefined;
  if (state !== undefined && state.registry === undefined)
    return planPlaces(
      state,
      machine,
      { places: [], untouched: new Set() },
      { version: "", note: "uninstall", leave: true },
    );
  return planAndApply(machine, () => planUninstall(name, machine, options));
}
