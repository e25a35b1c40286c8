import { Worker } from "node:worker_threads";
import type { Io } from "./io.ts";
import { cell, cellCount, clearLine, signOfLife } from "./progress-worker.ts";

/**
 * A thread costs a quick command as much as its own work: it begins when this time has gone by, or this much is to be
 * worked on.
 */
const quickMs = 150;
const quickBytes = 64 * 1024;

export interface Progress {
  /** The outside for the command: what it prints takes the place of the sign of life. */
  readonly io: Io;
  stop(): void;
}

/**
 * A sign of life on standard error while a command takes longer than half a second, gone when it ends; for terminals
 * only. A thread of its own draws it: planning a huge file, or a disk that does not answer, keeps this one from
 * anything else.
 */
export function showProgress(label: string, io: Io): Progress {
  const cells = new Int32Array(new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT));
  const thread = startedInTime(label, cells);
  const hide = () => {
    if (Atomics.exchange(cells, cell.shown, 0) === 1) io.err(clearLine);
  };
  const inPlaceOfIt = (print: (text: string) => void) => (text: string) =>
    inTurn(cells, () => {
      hide();
      print(text);
      // Drawing begins by clearing the line: a half of one that the command printed must stay.
      Atomics.store(cells, cell.hushed, text.endsWith("\n") ? 0 : 1);
    });
  return {
    io: {
      ...io,
      out: inPlaceOfIt(io.out),
      err: inPlaceOfIt(io.err),
      readInput: async () => {
        const text = await hushed(cells, hide, io.readInput);
        thread.atWork(text.length);
        return text;
      },
      atWork: thread.atWork,
    },
    stop: () => {
      thread.stop();
      inTurn(cells, hide);
    },
  };
}

/** By the clock while this thread has time to look at it, otherwise by what it is about to do. */
function startedInTime(label: string, cells: Int32Array) {
  const since = monotonicMs();
  let [begun, bytes] = [false, 0];
  const begin = () => {
    if (!begun) start({ label, cells, since });
    begun = true;
  };
  const timer = setTimeout(begin, quickMs);
  return {
    atWork: (ahead: number) => {
      bytes += ahead;
      if (!begun && (bytes > quickBytes || monotonicMs() - since > quickMs)) begin();
    },
    stop: () => {
      clearTimeout(timer);
      begun = true;
      Atomics.store(cells, cell.over, 1);
      Atomics.notify(cells, cell.over);
    },
  };
}

/**
 * Where no thread is to be had there is no sign of life, and the command goes on. Nothing of the environment is for it:
 * no preloads, no inspector.
 */
function start(workerData: { readonly label: string; readonly cells: Int32Array; readonly since: number }): void {
  try {
    const worker = new Worker(signOfLife, { eval: true, workerData, env: {}, execArgv: [] });
    worker.on("error", () => {});
    worker.unref();
  } catch {
    // Whoever forbids threads does without.
  }
}

/** The same for both threads, whatever becomes of the clock on the wall. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** One writes to the terminal at a time. */
function inTurn(cells: Int32Array, write: () => void): void {
  while (Atomics.compareExchange(cells, cell.turn, 0, 1) !== 0) Atomics.wait(cells, cell.turn, 1);
  try {
    write();
  } finally {
    Atomics.store(cells, cell.turn, 0);
    Atomics.notify(cells, cell.turn);
  }
}

/** What a person types must not be drawn over. */
async function hushed<T>(cells: Int32Array, hide: () => void, use: () => Promise<T>): Promise<T> {
  const before = Atomics.exchange(cells, cell.hushed, 1);
  inTurn(cells, hide);
  try {
    return await use();
  } finally {
    Atomics.store(cells, cell.hushed, before);
  }
}
