import { Random } from "./random.ts";

/**
 * How long to go on: a fixed number of cases from a fixed seed in `npm test`; in `npm run fuzz` for `STET_FUZZ_SECONDS` (for each test)
 * from the seed `STET_FUZZ_SEED`, which that command prints.
 */
const seconds = Number(process.env.STET_FUZZ_SECONDS ?? 0);
const firstSeed = Number(process.env.STET_FUZZ_SEED ?? 1);

/** What vitest may allow such a test. */
export const timeLimit = 120_000 + seconds * 1000;

/** No document of the size we make takes a parser this long, on however busy a machine, unless it hangs. */
const slowest = 20_000;

/** Runs a case again and again, each with its own seed. A failure names the seed that repeats it. */
export function fuzz(cases: number, run: (random: Random) => void): void {
  const until = performance.now() + seconds * 1000;
  for (let n = 0; seconds > 0 ? performance.now() < until : n < cases; n++) {
    const seed = firstSeed + n;
    const started = performance.now();
    try {
      run(new Random(seed));
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    const took = performance.now() - started;
    if (took > slowest) throw new Error(`seed ${seed}: one document took ${Math.round(took)} ms`);
  }
}
