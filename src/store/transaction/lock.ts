import { setTimeout as sleep } from "node:timers/promises";
import type { InputError } from "../../core/diagnostic.ts";
import type { Gate, LockAttempt } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import { lockFile, prepareStateDir } from "../records/state-dir.ts";

/** The proof that the state directory is locked: what writes into it asks for this. */
export interface LockedState {
  /** The state directory, really. */
  readonly dir: string;
  /** How long its holder is ready to wait for locks on files. */
  readonly waitMs: number;
}

/** How long to wait for another run unless told otherwise. */
export const defaultWaitMs = 10_000;

/** Runs something as the only writer of a state directory, after waiting for others to finish. */
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
    if (!(await within(turn.ahead, deadline))) throw stateBusy(path, waitMs, process.pid);
    const release = await acquire(
      () => gate.tryLock(path),
      deadline,
      (holder) => stateBusy(path, waitMs, holder),
    );
    try {
      return await run({ dir, waitMs });
    } finally {
      release();
    }
  } finally {
    turn.leave();
  }
}

/**
 * Runs something while nobody else who locks what he edits can write these files: runs with other state directories,
 * and programs that have nothing to do with us. Always inside the lock of the state directory, and in sorted order, so
 * that no two wait for each other.
 */
export async function withFileLocks<T>(
  gate: Gate,
  { waitMs }: LockedState,
  files: Iterable<string>,
  run: () => T,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  const held: (() => void)[] = [];
  try {
    for (const file of [...new Set(files)].sort()) {
      held.push(
        await acquire(
          () => gate.tryLockFile(file),
          deadline,
          () => fileBusy(file, waitMs),
        ),
      );
    }
    return run();
  } finally {
    for (const release of held.reverse()) release();
  }
}

/** Asks again and again: a wait inside the system could not be ended by a time limit. */
async function acquire(
  attempt: () => LockAttempt,
  deadline: number,
  busy: (holder: number | undefined) => InputError,
): Promise<() => void> {
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    const tried = attempt();
    if (tried.kind === "held") return tried.release;
    const rest = deadline - performance.now();
    if (rest <= 0) throw busy(tried.holder);
    // Not all at the same moment: several that wait would wake together and disturb each other.
    await sleep(Math.min(rest, pause * (0.5 + Math.random())));
  }
}

function stateBusy(path: string, waitMs: number, holder: number | undefined): InputError {
  const who =
    holder === undefined ? "another process" : holder === process.pid ? "this very process" : `process ${holder}`;
  const message = `${who} is at work in this state directory and did not finish within ${waitMs / 1000} s; nothing was changed, run again later`;
  return storeError("state-busy", path, message);
}

function fileBusy(path: string, waitMs: number): InputError {
  const message = `another program has locked this file and did not release it within ${waitMs / 1000} s; nothing was changed, run again later`;
  return storeError("file-busy", path, message);
}

/**
 * The last in the queue for each lock, within this process: those who wait take turns in the order they came, where
 * polling against each other could let the last one win.
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
