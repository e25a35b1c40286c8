import { doubledDelay } from "../system/pause.ts";
import { runProgram } from "../system/run-program.ts";
import { describeRun, type RunRecord } from "./effects/run-record.ts";

/** Tells systemd how we are, where it asked to be told. Node has no datagram sockets, so systemd's own program does. */
export interface Notifier {
  ready(status: string): Promise<void>;
  stopping(): Promise<void>;
  /** How often systemd wants a sign of life, in milliseconds; undefined where it wants none. */
  readonly watchdogMs: number | undefined;
  alive(): Promise<void>;
}

export function notifier(env: Readonly<Record<string, string | undefined>>): Notifier {
  const send = async (words: readonly string[]): Promise<void> => {
    if (!env.NOTIFY_SOCKET) return;
    const variables = { PATH: env.PATH, NOTIFY_SOCKET: env.NOTIFY_SOCKET };
    await runProgram("systemd-notify", { args: [`--pid=${process.pid}`, ...words], env: variables, timeoutMs: 5000 });
  };
  const microseconds = Number(env.WATCHDOG_USEC);
  return {
    ready: (status) => send(["--ready", `--status=${status}`]),
    stopping: () => send(["STOPPING=1"]),
    watchdogMs: env.NOTIFY_SOCKET && microseconds > 0 ? microseconds / 2000 : undefined,
    alive: () => send(["WATCHDOG=1"]),
  };
}

export interface Watching {
  /** One whole run. Never throws: what went wrong is in the record. */
  run(): Promise<RunRecord>;
  /** Told of every run: the journal, metrics, the terminal. */
  tell(record: RunRecord): Promise<void>;
  readonly notifier: Notifier;
  readonly intervalMs: number;
  /** Between 0 and 1. */
  random(): number;
  /** Ends the loop after the run that is under way. */
  readonly stop: AbortSignal;
  /** Resolves when somebody wants a run now. */
  wake(): Promise<void>;
}

const firstRetryMs = 15_000;
const longestRetryMs = 30 * 60_000;

/**
 * Looks again and again: by the clock with some jitter, so that a hundred hosts do not ask at once; sooner when told
 * to.
 */
export async function watchHost(watching: Watching): Promise<void> {
  const { notifier, stop } = watching;
  const beat =
    notifier.watchdogMs === undefined ? undefined : setInterval(() => void notifier.alive(), notifier.watchdogMs);
  try {
    for (let failures = 0; !stop.aborted; ) {
      const record = await watching.run();
      await watching.tell(record);
      await notifier.ready(describeRun(record));
      // A unit that is down must not keep the commit that repairs it waiting: it has a back-off of its own.
      failures = record.outcome === "error" || record.outcome === "refused" ? failures + 1 : 0;
      await pause(watching, Math.min(delayAfter(failures, watching), untilRetry(record)));
    }
  } finally {
    clearInterval(beat);
    await notifier.stopping();
  }
}

/**
 * After failures sooner than the interval at first, then ever later: a remote that is down is not helped by being
 * asked.
 */
export function delayAfter(failures: number, { intervalMs, random }: Pick<Watching, "intervalMs" | "random">): number {
  const longest = Math.max(longestRetryMs, intervalMs);
  const base = failures === 0 ? intervalMs : doubledDelay(failures, firstRetryMs, longest);
  return base * (0.9 + 0.2 * random());
}

const soonestRetryMs = 15_000;

function untilRetry({ retryAt, startedAt, durationMs }: RunRecord): number {
  if (retryAt === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(soonestRetryMs, retryAt.getTime() - startedAt.getTime() - durationMs);
}

function pause({ stop, wake }: Watching, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const timer = setTimeout(done, delayMs);
    stop.addEventListener("abort", done, { once: true });
    void wake().then(done);
    function done(): void {
      clearTimeout(timer);
      stop.removeEventListener("abort", done);
      resolve();
    }
  });
}
