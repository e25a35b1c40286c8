// needs: strace
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { afterError, errorsAt, type Failure } from "./fail.ts";
import { killAt } from "./kill.ts";
import { earlySteps } from "./power-cut.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { isRepeatable, RepeatedRun } from "./repeated.ts";
import { stories } from "./stories.ts";
import { countFault, isLong, longestMs, onStages, openTheatre, rehearse, sampled, type Theatre } from "./theatre.ts";
import type { Point } from "./trace.ts";

let theatre: Theatre;
beforeAll(() => {
  theatre = openTheatre();
});
afterAll(() => theatre.close());

/** The program as it ships, met by a fault at its calls to the file system. It knows nothing of it. */
describe.each(stories.map((story, turn) => ({ story, turn })))("$story.name", ({ story, turn }) => {
  let rehearsals: readonly Rehearsal[] = [];
  beforeAll(async () => {
    rehearsals = await rehearse(story, theatre);
  });

  test("bytes reach the disk before their names, the journal before the files, and all of it before the journal goes", () => {
    for (const { points, place } of rehearsals) expect(earlySteps(points, place.folder)).toEqual([]);
  });

  /**
   * Killed at a call that only reads, a run leaves just what it leaves at the next one that writes: only these are
   * tried. At every fifth the next run is a process of its own.
   */
  test("killed, leaves each file old or new, and the next run ends where an undisturbed one does", {
    timeout: longestMs,
  }, async () => {
    const points = rehearsals[0]!.points.filter(({ changes }) => changes);
    const chosen = sampled(points, 4, turn);
    const crashes = await onStages(rehearsals, chosen, (rehearsal, point, index) => {
      countFault(story.name);
      const at = index % story.edits.length;
      const edits = isLong || index % 2 === 1 ? [...story.edits.slice(at), ...story.edits.slice(0, at)] : [];
      return killAt(rehearsal, point, edits, index % 5 === 0 ? "process" : "here");
    });
    const edits = crashes.filter(({ edit }) => edit !== undefined).length;
    report(`killed at ${crashes.length} of ${points.length} points, ${edits} with an edit before the next run`);
    expect(crashes.flatMap(({ losses }, index) => losses.map((loss) => `${chosen[index]!.line}: ${loss}`))).toEqual([]);
  });

  test("met by an error, says so in one line and leaves all as it was, or decided for the next run", {
    timeout: longestMs,
  }, async () => {
    const all = rehearsals[0]!.points
      .filter((point) => !isRepeatable(point))
      .flatMap((point) => errorsAt(point).map((errno) => ({ point, errno })));
    const faults = sampled(isLong ? all : all.filter(({ point }) => point.changes), 3, turn);
    const failures = await onStages(rehearsals, faults, async (rehearsal, { point, errno }) => {
      countFault(story.name);
      return afterError(rehearsal, await rehearsal.strike(point, { kind: "error", errno }));
    });
    report(`${failures.length} of ${all.length} errors: ${counted(failures)}`);
    expect(lossesOf(failures, faults)).toEqual([]);
  });

  test("met by an error where it only reads, does the same", { timeout: longestMs }, async () => {
    const kinds = new Set(
      rehearsals[0]!.points
        .filter(isRepeatable)
        .flatMap((point) => errorsAt(point).map((errno) => `${point.name} ${errno}`)),
    );
    const chosen = isLong ? [...kinds] : [[...kinds][turn % kinds.size]!];
    const results = await onStages(rehearsals, chosen, (rehearsal, kind) => meetAll(rehearsal, kind));
    const [all, failures] = [results.flatMap((each) => each.all), results.flatMap((each) => each.failures)];
    report(`${failures.length} of ${all.length} errors at calls that read: ${counted(failures)}`);
    expect(results.flatMap((each) => lossesOf(each.failures, each.faults))).toEqual([]);
  });

  /** An error at each call of a name, in one process. */
  async function meetAll(rehearsal: Rehearsal, kind: string) {
    const [name, errno] = kind.split(" ") as [string, string];
    const run = await RepeatedRun.of(rehearsal, theatre.program, name, errno);
    try {
      const all = run.points.filter((point) => isRepeatable(point) && point.name === name);
      const faults = sampled(all, 3, turn).map((point) => ({ point, errno }));
      const failures: Failure[] = [];
      for (const { point } of faults) {
        countFault(story.name);
        failures.push(await afterError(rehearsal, await run.strike(point)));
      }
      return { all, faults, failures };
    } finally {
      run.end();
    }
  }

  function report(text: string): void {
    if (isLong) console.log(`${story.name}: ${text}`);
  }
});

function lossesOf(failures: readonly Failure[], faults: readonly { point: Point; errno: string }[]): string[] {
  return failures.flatMap(({ losses, end }, index) =>
    losses.map((loss) => `${faults[index]!.errno} at ${faults[index]!.point.line}: ${end}: ${loss}`),
  );
}

function counted(failures: readonly Failure[]): string {
  const ends = [...new Set(failures.map(({ end }) => end))].sort();
  return ends.map((end) => `${failures.filter((failure) => failure.end === end).length} ${end}`).join(", ");
}
