import { setTimeout as sleep } from "node:timers/promises";
import type { Podman } from "./podman.ts";
import type { UnitManager, UnitState } from "./systemd.ts";

export interface FailedUnit {
  readonly unit: string;
  readonly state: string;
  /** Its last words. */
  readonly log: readonly string[];
}

export interface WaitingUnit {
  /** How long a unit may take to come up. */
  readonly waitMs: number;
  /** How long it then has to stay up: what ends at once and is restarted for ever looks active in between. */
  readonly settleMs: number;
}

/** A unit that should be running. */
export interface UnitToBeUp {
  readonly unit: string;
  /** Its container has a health check. */
  readonly health: boolean;
  /** It was started in this run, and has to prove itself. */
  readonly started: boolean;
  /** It had ended without an error before: if it does so again, it is finished. */
  readonly mayFinish: boolean;
}

/** Who is asked. */
export interface HealthSources {
  readonly manager: UnitManager;
  readonly podman: Pick<Podman, "health">;
}

const logLines = 10;
const pauseMs = 200;
/** What systemd starts again by itself never reads as failed: it has to stay up for longer. */
const restartingFactor = 2.5;

/**
 * Waits until all units that were started are up and have stayed so, looks at the others once, and names those that are
 * not up.
 */
export async function findDown(
  sources: HealthSources,
  units: readonly UnitToBeUp[],
  waiting: WaitingUnit,
  interrupt?: AbortSignal,
): Promise<FailedUnit[]> {
  const [started, others] = [units.filter((unit) => unit.started), units.filter((unit) => !unit.started)];
  const down = await waitForUnits(sources, started, waiting, interrupt);
  const looked = (await look(sources, others)).filter((state, i) => isDown(conditionIn(state, others[i]!)));
  return Promise.all([...down, ...looked].map((state) => describe(sources.manager, state)));
}

/** The states of those that did not come up in time. */
async function waitForUnits(
  sources: HealthSources,
  units: readonly UnitToBeUp[],
  { waitMs, settleMs }: WaitingUnit,
  interrupt: AbortSignal | undefined,
): Promise<UnitState[]> {
  if (units.length === 0) return [];
  const deadline = performance.now() + waitMs;
  const upSince = new Map<string, { readonly at: number; readonly invocation: string }>();
  for (;;) {
    const states = await look(sources, units);
    const now = performance.now();
    const waits = states.filter((state, i) => {
      const since = noteUp(state, conditionIn(state, units[i]!), now, upSince);
      return since === undefined || now - since < settleMs * (state.restartsItself ? restartingFactor : 1);
    });
    if (waits.length === 0) return [];
    const conditions = waits.map((state) => conditionIn(state, units.find(({ unit }) => unit === state.unit)!));
    const isOver = interrupt?.aborted || (now >= deadline && waits.every(({ unit }) => !upSince.has(unit)));
    if (isOver || conditions.every(isHopeless)) return waits.filter((_, i) => conditions[i] !== "up");
    await sleep(pauseMs, undefined, interrupt ? { signal: interrupt } : {}).catch(() => {});
  }
}

/**
 * Since when a unit has been up without a new start; undefined while it is not. A health check that is still starting
 * gets its time.
 */
function noteUp(
  { unit, invocation, health }: UnitState,
  condition: UnitCondition,
  now: number,
  upSince: Map<string, { readonly at: number; readonly invocation: string }>,
): number | undefined {
  if (condition !== "up" || health === "starting") {
    upSince.delete(unit);
    return undefined;
  }
  const known = upSince.get(unit);
  if (known?.invocation === invocation) return known.at;
  upSince.set(unit, { at: now, invocation });
  return now;
}

async function look({ manager, podman }: HealthSources, units: readonly UnitToBeUp[]): Promise<readonly UnitState[]> {
  if (units.length === 0) return [];
  const states = await manager.states(units.map(({ unit }) => unit));
  const health = units.some((unit) => unit.health) ? await podman.health() : undefined;
  return states.map((state) => ({ ...state, health: health?.get(state.unit) }));
}

function conditionIn(state: UnitState, { mayFinish }: UnitToBeUp): UnitCondition {
  const condition = conditionOf(state);
  return condition === "stopped" && mayFinish ? "up" : condition;
}

/** Waiting would not help: it failed, was never started, or has ended again although nobody asked it to. */
function isHopeless(condition: UnitCondition): boolean {
  return condition === "failed" || condition === "stopped" || condition === "not-loaded";
}

async function describe(manager: UnitManager, state: UnitState): Promise<FailedUnit> {
  if (state.unknown !== undefined) return { unit: state.unit, state: `unknown: ${state.unknown}`, log: [] };
  return { unit: state.unit, state: stateText(state), log: await manager.logs(state.unit, logLines) };
}

/** How a unit stands, in a few words. */
export function stateText(state: UnitState): string {
  if (state.unknown !== undefined) return `unknown: ${state.unknown}`;
  if (state.load === "masked") return "masked";
  if (!state.loaded) return "not known to systemd";
  const result = state.result !== "" && state.result !== "success" ? `, ${state.result}` : "";
  const condition = conditionOf(state);
  const more = condition === "restarting" ? `, keeps restarting` : condition === "unhealthy" ? ", unhealthy" : "";
  return `${state.active} (${state.sub}${result}${more})`;
}

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
