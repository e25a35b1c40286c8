// needs: strace
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorsAt, type Failure, failAt } from "./fail.ts";
import { killAt } from "./kill.ts";
import { earlySteps } from "./power-cut.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { stories } from "./stories.ts";
import { isLong, longestMs, onStages, openTheatre, rehearse, sampled, type Theatre } from "./theatre.ts";
import type { Point } from "./trace.ts";

let theatre: Theatre;
beforeAll(() => {
  theatre = openTheatre();
});
afterAll(() => theatre.close());

/** The program as it ships, met by a fault at its calls to the file system. It knows nothing of it. */
describe.each(stories.map((story, turn) => ({ story, turn })))("$story.name", ({ story, turn }) => {
  let rehearsals: readonly Rehearsal[] = [];
  /**
   * Killed at a call that only reads, a run leaves what it leaves at the next one that writes: a short run has no time
   * for these.
   */
  let points: readonly Point[] = [];
  beforeAll(async () => {
    rehearsals = await rehearse(story, theatre);
    points = rehearsals[0]!.points.filter((point) => isLong || point.changes);
  });

  test("bytes reach the disk before their names, the journal before the files, and all of it before the journal goes", () => {
    for (const { points: all, place } of rehearsals) expect(earlySteps(all, place.folder)).toEqual([]);
  });

  /**
   * At every second point a person edits a file before the next run; at every fifth that run is a process of its own.
   */
  test("killed, leaves each file old or new, and the next run ends where an undisturbed one does", {
    timeout: longestMs,
  }, async () => {
    const chosen = sampled(points, 4, turn);
    const crashes = await onStages(rehearsals, chosen, (rehearsal, point, index) => {
      const at = Math.floor(index / 2) % story.edits.length;
      const edits = index % 2 === 0 ? [] : [...story.edits.slice(at), ...story.edits.slice(0, at)];
      return killAt(rehearsal, point, edits, index % 5 === 0 ? "process" : "here");
    });
    const edits = crashes.filter(({ edit }) => edit !== undefined).length;
    report(`killed at ${crashes.length} of ${points.length} points, ${edits} edits before the next run`);
    const losses = crashes.flatMap(({ losses, edit }, index) =>
      losses.map((loss) => `${chosen[index]!.line}${edit ? `, then ${edit.words}` : ""}: ${loss}`),
    );
    expect(losses).toEqual([]);
  });

  test("met by an error, says so in one line and leaves all as it was, or decided for the next run", {
    timeout: longestMs,
  }, async () => {
    const all = points.flatMap((point) => errorsAt(point).map((errno) => ({ point, errno })));
    const faults = sampled(all, 3, turn);
    const failures = await onStages(rehearsals, faults, (rehearsal, { point, errno }) =>
      failAt(rehearsal, point, errno),
    );
    report(`${failures.length} of ${all.length} errors: ${counted(failures)}`);
    const losses = failures.flatMap(({ losses, end }, index) =>
      losses.map((loss) => `${faults[index]!.errno} at ${faults[index]!.point.line}: ${end}: ${loss}`),
    );
    expect(losses).toEqual([]);
  });

  function report(text: string): void {
    if (isLong) console.log(`${story.name}: ${text}`);
  }
});

function counted(failures: readonly Failure[]): string {
  const ends = [...new Set(failures.map(({ end }) => end))].sort();
  return ends.map((end) => `${failures.filter((failure) => failure.end === end).length} ${end}`).join(", ");
}
