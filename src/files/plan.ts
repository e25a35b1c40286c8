import { planAndApply } from "../engine/apply.ts";
import type { Machine } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import { type OwnerPlan, type PlanOptions, planPlaces } from "../engine/plan-owner.ts";
import type { PlanSource } from "../engine/saved-plan.ts";
import { readPack } from "./manifest/load-manifest.ts";
import type { Pack } from "./manifest/pack.ts";
import { followRuntime } from "./places/follow-runtime.ts";
import { evaluate } from "./places/places.ts";

/**
 * What making a pack true on this machine would change, and why: records → evaluate → observe → decide → edit → record.
 */
export async function planPack(pack: Pack, machine: Machine, options: PlanOptions = {}): Promise<OwnerPlan> {
  const state = await followRuntime(readOwnerState(machine, pack.name), machine);
  const evaluated = await evaluate(pack, machine, state, options);
  return planPlaces(state, machine, evaluated, { ...options, version: pack.version, note: "apply" });
}

/**
 * Plan and make it true. Whatever changes underneath is planned again; what can't be written leaves everything as it
 * was.
 */
export function applyPack(pack: Pack, machine: Machine, options: PlanOptions = {}): Promise<OwnerPlan> {
  return planAndApply(machine, () => planPack(pack, machine, options));
}

/** A plan once more, from what it was made from. */
export async function planFrom(
  { manifest, set, fromEnv, ...options }: PlanSource,
  machine: Machine,
): Promise<OwnerPlan> {
  return planPack(readPack(machine.gate, manifest, { vars: set, fromEnv }), machine, options);
}
