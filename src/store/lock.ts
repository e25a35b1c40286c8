import { setTimeout as sleep } from "node:timers/promises";
import type { InputError } from "../core/diagnostic.ts";
import type { Gate } from "./gate.ts";
import { lockFile, prepareStateDir } from "./state-dir.ts";
import { storeError } from "./store-error.ts";

/** The proof that the state directory is locked: what writes into it asks for this. */
export interface LockedState {
  /** The state directory, really. */
  readonly dir: string;
}

/** How long to wait for another run unless told otherwise. */
export const defaultWaitMs = 10_000;

/** Runs something as the only one that writes into a state directory, and waits for others to finish first. */
export async function withStateLock<T>(
  gate: Gate,
  stateDir: string,
  waitMs: number,
  run: (state: LockedState) => T | Promise<T>,
): Promise<T> {
  const dir = prepareStateDir(gate, stateDir);
  const path = lockFile(dir);
  const deadline = performance.now() + waitMs;
  const turn = queueUp(path);
  try {
    if (!(await within(turn.ahead, deadline))) throw busy(path, waitMs, process.pid);
    const release = await acquire(gate, path, waitMs, deadline);
    try {
      return await run({ dir });
    } finally {
      release();
    }
  } finally {
    turn.leave();
  }
}

/** Asks again and again: a wait inside the system could not be ended by a time limit. */
async function acquire(gate: Gate, path: string, waitMs: number, deadline: number): Promise<() => void> {
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    const attempt = gate.tryLock(path);
    if (attempt.kind === "held") return attempt.release;
    const rest = deadline - performance.now();
    if (rest <= 0) throw busy(path, waitMs, attempt.holder);
    // Not all at the same moment: several that wait would wake together and disturb each other.
    await sleep(Math.min(rest, pause * (0.5 + Math.random())));
  }
}

function busy(path: string, waitMs: number, holder: number | undefined): InputError {
  const who = holder === undefined ? "another process" : holder === process.pid ? "this very process" : `process ${holder}`;
  const message = `${who} is at work in this state directory and did not finish within ${waitMs / 1000} s; nothing was changed, run again later`;
  return storeError("state-busy", path, message);
}

/**
 * The last in the queue for each lock, within this process: those who wait take turns in the order they came, where polling against
 * each other could let the last one win.
 */
const queues = new Map<string, Promise<void>>();

function queueUp(path: string): { readonly ahead: Promise<void>; leave(): void } {
  const ahead = queues.get(path) ?? Promise.resolve();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const last = ahead.then(() => finished);
  queues.set(path, last);
  return {
    ahead,
    leave: () => {
      finish();
      if (queues.get(path) === last) queues.delete(path);
    },
  };
}

async function within(promise: Promise<void>, deadline: number): Promise<boolean> {
  const stop = new AbortController();
  const late = sleep(Math.max(0, deadline - performance.now()), false, { signal: stop.signal }).catch(() => false);
  const intime = await Promise.race([promise.then(() => true), late]);
  stop.abort();
  return intime;
}
