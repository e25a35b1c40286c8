import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { Random } from "./random.ts";

/**
 * How long to go on: a fixed number of cases from a fixed seed in `npm test`. `npm run fuzz` says otherwise: until when
 * (`STET_FUZZ_UNTIL`) all of it goes on, how much of that each test has (`STET_FUZZ_SHARE`, in milliseconds), from
 * which seed, and where each test writes down how far it is.
 */
const until = Number(process.env.STET_FUZZ_UNTIL ?? 0);
const share = Number(process.env.STET_FUZZ_SHARE ?? 0);
const firstSeed = Number(process.env.STET_FUZZ_SEED ?? 1);
const folder = process.env.STET_FUZZ_FOLDER;

/** What vitest may allow such a test. */
export const timeLimit = 300_000 + share;

/** No document of the size we make takes a parser this long, on however busy a machine, unless it hangs. */
const slowest = 20_000;

/** Runs a case again and again, each with its own seed. A failure names the seed that repeats it. */
export function fuzz(cases: number, run: (random: Random) => void): void {
  const turns = new Turns(cases);
  while (turns.next()) {
    try {
      run(turns.random());
    } catch (cause) {
      throw turns.found(cause);
    }
  }
}

/** The same for what answers later. */
export async function fuzzAsync(cases: number, run: (random: Random) => Promise<void>): Promise<void> {
  const turns = new Turns(cases);
  while (turns.next()) {
    try {
      await run(turns.random());
    } catch (cause) {
      throw turns.found(cause);
    }
  }
}

class Turns {
  readonly #cases: number;
  readonly #end = Math.min(until, Date.now() + share);
  readonly #test = expect.getState().currentTestName ?? "a test";
  readonly #file = path.join(folder ?? "", `${process.pid}-${Date.now()}-${Math.random()}.json`);
  #turn = 0;
  #started = 0;
  #told = 0;

  constructor(cases: number) {
    this.#cases = cases;
  }

  get #seed(): number {
    return firstSeed + this.#turn - 1;
  }

  next(): boolean {
    const took = performance.now() - this.#started;
    if (this.#turn > 0 && took > slowest) throw this.found(new Error(`one document took ${Math.round(took)} ms`));
    if (until > 0) this.#tell(undefined);
    if (until === 0 ? this.#turn === this.#cases : Date.now() >= this.#end) return this.#over();
    this.#turn++;
    return true;
  }

  random(): Random {
    this.#started = performance.now();
    return new Random(this.#seed);
  }

  found(cause: unknown): Error {
    const message = `seed ${this.#seed}: ${cause instanceof Error ? cause.message : cause}`;
    this.#tell(message);
    return new Error(message, { cause });
  }

  /** What follows asks whether enough was tried, of which nothing can be said when time was short. */
  #over(): false {
    if (until > 0) this.#tell(undefined, true);
    if (this.#turn < this.#cases) throw new Error("cut short");
    return false;
  }

  /** How far it is, now and then, so that it is known also when everything is ended. */
  #tell(found: string | undefined, isOver = found !== undefined): void {
    if (folder === undefined || (!isOver && performance.now() - this.#told < 250)) return;
    this.#told = performance.now();
    const progress = { test: this.#test, cases: this.#turn, seed: this.#seed, found, isOver, time: Date.now() };
    fs.writeFileSync(this.#file, JSON.stringify(progress));
  }
}
