import { setTimeout as sleep } from "node:timers/promises";
import type { UnitManager, UnitState } from "./systemd.ts";

export interface FailedUnit {
  readonly unit: string;
  readonly state: string;
  /** Its last words. */
  readonly log: readonly string[];
}

export interface Waiting {
  /** How long a unit may take to come up. */
  readonly waitMs: number;
  /** How long it then has to stay up: what ends at once and is restarted for ever looks active in between. */
  readonly settleMs: number;
}

const logLines = 10;
const pauseMs = 200;

/** Waits until all units are up and have stayed so, and names those that are not. */
export async function waitForUnits(
  manager: UnitManager,
  units: readonly string[],
  { waitMs, settleMs }: Waiting,
  interrupt?: AbortSignal,
): Promise<FailedUnit[]> {
  if (units.length === 0) return [];
  const deadline = performance.now() + waitMs;
  let upSince: number | undefined;
  for (;;) {
    const states = await manager.states(units);
    const down = states.filter((state) => !isUp(state));
    const now = performance.now();
    upSince = down.length === 0 ? (upSince ?? now) : undefined;
    if (upSince !== undefined && now - upSince >= settleMs) return [];
    const hopeless = down.filter(isHopeless);
    if (interrupt?.aborted || (upSince === undefined && now >= deadline) || (hopeless.length > 0 && hopeless.length === down.length)) {
      return Promise.all(down.map((state) => describe(manager, state)));
    }
    await sleep(pauseMs, undefined, interrupt ? { signal: interrupt } : {}).catch(() => {});
  }
}

export function isUp(state: UnitState): boolean {
  if (state.active === "active" || state.active === "reloading") return true;
  // A one-shot that has run, and what was never asked to run.
  return state.active === "inactive" && state.oneshot && state.result === "success";
}

/** Waiting would not help: it failed, was never started, or has ended again although nobody asked it to. */
function isHopeless(state: UnitState): boolean {
  if (state.unknown !== undefined) return false;
  return state.active === "failed" || state.active === "inactive" || !state.loaded;
}

async function describe(manager: UnitManager, state: UnitState): Promise<FailedUnit> {
  if (state.unknown !== undefined) return { unit: state.unit, state: `unknown: ${state.unknown}`, log: [] };
  const said = state.loaded
    ? `${state.active} (${state.sub}${state.result && state.result !== "success" ? `, ${state.result}` : ""})`
    : "not known to systemd";
  return { unit: state.unit, state: said, log: await manager.logs(state.unit, logLines) };
}
