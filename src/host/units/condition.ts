import type { UnitState } from "../effects/systemd.ts";

/** How a unit that should run stands. Only `up` is well; what is not known is not up. */
export type UnitCondition =
  | "up"
  /** On its way up or down: nothing to do but to wait. */
  | "changing"
  /** Ended with an error. */
  | "failed"
  /** Ended without one, by itself or by hand. */
  | "stopped"
  /** Starts and ends again and again. */
  | "restarting"
  /** Runs, but its health check fails. */
  | "unhealthy"
  /** The operator forbade it to start. */
  | "masked"
  | "not-loaded"
  | "unknown";

/** A unit that was restarted and has not been up for so long counts as one that will be restarted again. */
const provenMs = 60_000;

export function conditionOf(state: UnitState): UnitCondition {
  if (state.unknown !== undefined) return "unknown";
  if (state.load === "masked") return "masked";
  if (!state.loaded) return "not-loaded";
  if (state.active === "failed") return "failed";
  if (state.active === "inactive") return isDone(state) ? "up" : "stopped";
  if (state.active === "activating")
    return state.restarts > 0 || state.sub.startsWith("auto-restart") ? "restarting" : "changing";
  if (state.active === "deactivating") return state.restarts > 1 ? "restarting" : "changing";
  if (state.restarts > 1 && state.upMs < provenMs) return "restarting";
  return state.health === "unhealthy" ? "unhealthy" : "up";
}

/** A one-shot that has run is done; so is a unit whose conditions say that it has nothing to do here. */
function isDone({ oneshot, remains, result, skipped }: UnitState): boolean {
  return skipped || (oneshot && !remains && result === "success");
}

/** Whether it should run and does not. On its way it may still come up; a masked one is as the operator wants it. */
export function isDown(condition: UnitCondition): boolean {
  return condition !== "up" && condition !== "changing" && condition !== "masked";
}
