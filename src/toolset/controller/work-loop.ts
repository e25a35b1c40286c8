import { backoff, pause } from "../../system/pause.ts";

export interface WorkTiming {
  /** Changes closer together than this are handled at once … */
  readonly quiet: number;
  /** … but none waits longer than this. */
  readonly longestWait: number;
  readonly firstBackoff: number;
  readonly longestBackoff: number;
}

export const usualWorkTiming: WorkTiming = { quiet: 50, longestWait: 250, firstBackoff: 5, longestBackoff: 300_000 };

/**
 * Does one piece of work again whenever it may be due, never twice at a time. Level-triggered: it is only told *that*
 * something changed, and looks for itself.
 */
export class WorkLoop {
  readonly #work: () => Promise<void>;
  readonly #timing: WorkTiming;
  readonly #onFailure: (error: unknown, retryIn: number) => void;
  #pendingSince: number | undefined;
  #lastTrigger = 0;
  #wake: (() => void) | undefined;

  constructor(work: () => Promise<void>, timing: WorkTiming, onFailure: (error: unknown, retryIn: number) => void) {
    this.#work = work;
    this.#timing = timing;
    this.#onFailure = onFailure;
  }

  trigger(): void {
    this.#lastTrigger = performance.now();
    this.#pendingSince ??= this.#lastTrigger;
    this.#wake?.();
  }

  /** Until the signal ends it; work in progress is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      await this.#untilDue(failures === 0 ? undefined : this.#backoff(failures), signal);
      await this.#untilQuiet(signal);
      if (signal.aborted) return;
      // News may be the end of what made it fail: patience begins anew.
      if (this.#pendingSince !== undefined) failures = 0;
      this.#pendingSince = undefined;
      try {
        await this.#work();
        failures = 0;
      } catch (error) {
        failures++;
        this.#onFailure(error, this.#backoff(failures));
      }
    }
  }

  #backoff(failures: number): number {
    return backoff(failures, this.#timing.firstBackoff, this.#timing.longestBackoff);
  }

  /** Until triggered, or until it is time to try again. */
  async #untilDue(retryIn: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#pendingSince !== undefined || signal.aborted) return;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    // Without a retry there is nothing to wait for but the trigger; the longest time a timer takes is as good as for
    // ever.
    while (!woken.signal.aborted) {
      await pause(retryIn ?? 2 ** 31 - 1, woken.signal);
      if (retryIn !== undefined) break;
    }
    signal.removeEventListener("abort", wake);
    this.#wake = undefined;
  }

  async #untilQuiet(signal: AbortSignal): Promise<void> {
    while (this.#pendingSince !== undefined && !signal.aborted) {
      const now = performance.now();
      const wait =
        Math.min(this.#lastTrigger + this.#timing.quiet, this.#pendingSince + this.#timing.longestWait) - now;
      if (wait <= 0) return;
      await pause(wait, signal);
    }
  }
}
