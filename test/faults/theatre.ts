import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { copyProgram } from "../program.ts";
import { Rehearsal } from "./rehearsal.ts";
import type { Story } from "./stories.ts";

/**
 * What part of all points to try: `npm run test:faults` sets it to 1. Without it a few are tried, the same each time.
 */
const share = Number(process.env.STET_FAULTS ?? 0);
export const isLong = share > 0;
/** No test waits for this; it only ends one that hangs. */
export const longestMs = isLong ? 12 * 3_600_000 : 300_000;

/** The program, and folders to run it in. */
export interface Theatre {
  readonly program: string;
  folder(): string;
  close(): void;
}

/** In memory where the system has that: nothing waits for a disk. */
export function openTheatre(): Theatre {
  const parent = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();
  const root = fs.realpathSync(fs.mkdtempSync(path.join(parent, "stet-faults-")));
  return {
    program: copyProgram(path.join(root, "stet")),
    folder: () => fs.mkdtempSync(path.join(root, "stage-")),
    close: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

/** The same story on each of the stages: two, where there is much to do. */
export function rehearse(story: Story, { program, folder }: Theatre): Promise<Rehearsal[]> {
  return Promise.all((isLong ? [0, 1] : [0]).map(() => Rehearsal.of(story, folder(), program)));
}

/** Does something for each of many, one on each stage at a time. */
export async function onStages<T, R>(
  rehearsals: readonly Rehearsal[],
  items: readonly T[],
  each: (rehearsal: Rehearsal, item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const worker = async (rehearsal: Rehearsal) => {
    for (const [index, item] of rest) results[index] = await each(rehearsal, item, index);
  };
  await Promise.all(rehearsals.map(worker));
  return results;
}

const progress = { faults: 0, told: performance.now() };

/** Counts one more fault, and says how many there were, now and then: a long run is seen to go on. */
export function countFault(story: string): void {
  progress.faults++;
  if (!isLong || performance.now() - progress.told < 15_000) return;
  progress.told = performance.now();
  console.log(`${progress.faults} faults so far, now at ${story}`);
}

/** A few of a list, evenly spread, or the share that is asked for. `turn` moves the choice. */
export function sampled<T>(items: readonly T[], few: number, turn: number): readonly T[] {
  const count = isLong ? Math.ceil(items.length * share) : few;
  if (count >= items.length) return items;
  const step = items.length / count;
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor(index * step + (turn * step) / 7) % items.length]!,
  );
}
