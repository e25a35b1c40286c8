/** Wakes a loop: by a change, by the clock, or for good. */
export class Alarm {
  readonly #signal: AbortSignal;
  #rung = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  readonly ring = (): void => {
    this.#rung = true;
    this.#wake();
  };

  /** Until it rings (or has rung since the last wait), the time is over, or everything stops. */
  async wait(ms: number): Promise<"rung" | "time" | "stopped"> {
    if (this.#signal.aborted) return "stopped";
    if (!this.#rung) await this.#sleep(ms);
    const rung = this.#rung;
    this.#rung = false;
    return this.#signal.aborted ? "stopped" : rung ? "rung" : "time";
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", done);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}
