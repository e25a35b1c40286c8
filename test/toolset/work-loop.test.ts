import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { backoff } from "../../src/system/pause.ts";
import { WorkLoop, type WorkTiming } from "../../src/toolset/controller/work-loop.ts";

const timing: WorkTiming = { quiet: 20, longestWait: 100, firstBackoff: 5, longestBackoff: 50 };

async function during(
  work: () => Promise<void>,
  story: (loop: WorkLoop) => Promise<void>,
  failures: number[] = [],
): Promise<void> {
  const stop = new AbortController();
  const loop = new WorkLoop(work, timing, (_, retryIn) => void failures.push(retryIn));
  const running = loop.run(stop.signal);
  await story(loop);
  stop.abort();
  await running;
}

/** Busy machines are slow: wait for what must come, not for a time. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}

describe("the work loop", () => {
  it("does nothing until it is told", async () => {
    let runs = 0;
    await during(
      async () => void runs++,
      () => sleep(60),
    );
    expect(runs).toBe(0);
  });

  it("takes many changes at once", async () => {
    let runs = 0;
    await during(
      async () => void runs++,
      async (loop) => {
        for (let i = 0; i < 100; i++) loop.trigger();
        await until(() => runs > 0);
        await sleep(60);
      },
    );
    expect(runs).toBe(1);
  });

  it("does not wait for ever for changes to end", async () => {
    let runs = 0;
    await during(
      async () => void runs++,
      async (loop) => {
        for (; runs < 2; await sleep(5)) loop.trigger();
      },
    );
  });

  it("never works twice at a time, and works again for what came meanwhile", async () => {
    let [running, most, runs] = [0, 0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      runs++;
      await sleep(50);
      running--;
    };
    await during(work, async (loop) => {
      loop.trigger();
      await until(() => running === 1);
      loop.trigger();
      await until(() => runs === 2 && running === 0);
    });
    expect({ most, runs }).toEqual({ most: 1, runs: 2 });
  });

  it("tries again by itself, more and more patiently, until it works", async () => {
    const failures: number[] = [];
    let runs = 0;
    const work = async (): Promise<void> => {
      if (++runs <= 4) throw new Error("not yet");
    };
    await during(
      work,
      async (loop) => {
        loop.trigger();
        await until(() => runs === 5);
      },
      failures,
    );
    expect(runs).toBe(5);
    expect(failures).toHaveLength(4);
    expect(failures.at(-1)!).toBeGreaterThan(failures[0]!);
  });

  it("finishes what it is doing before it ends", async () => {
    let [started, finished] = [false, false];
    await during(
      async () => {
        started = true;
        await sleep(80);
        finished = true;
      },
      async (loop) => {
        loop.trigger();
        await until(() => started);
      },
    );
    expect(finished).toBe(true);
  });
});

describe("backoff", () => {
  it("doubles up to its limit, however often it failed", () => {
    for (const failures of [1, 2, 5, 20, 5000]) {
      const wanted = Math.min(1000, 5 * 2 ** Math.min(failures - 1, 30));
      const delay = backoff(failures, 5, 1000);
      expect(delay).toBeLessThanOrEqual(wanted);
      expect(delay).toBeGreaterThanOrEqual(wanted * 0.75);
    }
  });
});
