import type { Gate } from "../gate/gate.ts";
import { readGeneration, rollbackTarget } from "../records/generations.ts";
import { refuseShared } from "../records/state-dir.ts";
import { withStateLock } from "./lock.ts";
import { type PendingJournal, pendingJournal } from "./pending.ts";
import { recover } from "./recovery.ts";

/**
 * Finishes or takes back what an interrupted run has begun. Returns what it was about; undefined where there was none.
 */
export async function finishInterrupted(
  gate: Gate,
  stateDir: string,
  waitMs: number,
): Promise<PendingJournal | undefined> {
  refuseShared(gate, stateDir);
  const pending = pendingJournal(gate, stateDir);
  if (pending !== undefined) await withStateLock(gate, stateDir, waitMs, (state) => recover(gate, state));
  return pending;
}

/**
 * Finishes what was interrupted, before an owner goes back. Returns where to, if it was going back that was interrupted
 * and is complete now: the same command again means just that, and not one more step.
 */
export async function finishRollback(
  gate: Gate,
  stateDir: string,
  name: string,
  waitMs: number,
): Promise<number | undefined> {
  const finished = await finishInterrupted(gate, stateDir, waitMs);
  if (finished?.kind !== "finish" || finished.name !== name || finished.generation === undefined) return undefined;
  const generation = readGeneration(gate, stateDir, name, finished.generation);
  return generation && rollbackTarget(generation);
}
