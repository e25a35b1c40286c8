import { setTimeout as sleep } from "node:timers/promises";

/** Wait; ends early, and without a fuss, when the signal does. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    // Aborted: whoever waits looks at the signal next.
  }
}

/** How long to wait after so many failures: `first`, then twice as long each time, at most `longest`. */
export function doubledDelay(failures: number, first: number, longest: number): number {
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
}

/** The same, spread by a quarter so that replicas do not knock in step. */
export function backoff(failures: number, first: number, longest: number): number {
  return doubledDelay(failures, first, longest) * (0.75 + Math.random() * 0.25);
}
