// needs: strace
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorsAt, type Failure, failAt } from "./fail.ts";
import { stories } from "./stories.ts";
import { isLong, longestMs, onStages, rehearse, sampled, stage } from "./whole.ts";

/** The real command line, with one of its calls to the file system failing: one clear line, and nothing changed, or the next run completes it. */
let theatre: ReturnType<typeof stage>;
beforeAll(() => {
  theatre = stage();
});
afterAll(() => theatre.remove());

describe.each(stories.map((story, turn) => ({ story, turn })))("$story.name, met by an error of the system", ({ story, turn }) => {
  test(
    "says so in one line, leaves all as it was or decided, and the next run completes it",
    async () => {
      const rehearsals = await rehearse(story, theatre);
      const { points } = rehearsals[0]!;
      const chosen = isLong ? points : points.filter((point) => point.changes);
      const faults = sampled(
        chosen.flatMap((point) => errorsAt(point).map((errno) => ({ point, errno }))),
        3,
        turn,
      );
      const failures = await onStages(rehearsals, faults, (rehearsal, { point, errno }) => failAt(rehearsal, point, errno));
      if (isLong) console.log(`${story.name}: ${failures.length} errors at ${points.length} points: ${counted(failures)}`);
      const lost = failures.flatMap(({ losses, end }, index) =>
        losses.map((loss) => `${faults[index]!.errno} at ${faults[index]!.point.line}: ${end}: ${loss}`),
      );
      expect(lost).toEqual([]);
    },
    longestMs,
  );
});

function counted(failures: readonly Failure[]): string {
  const ends = [...new Set(failures.map(({ end }) => end))].sort();
  return ends.map((end) => `${failures.filter((failure) => failure.end === end).length} ${end}`).join(", ");
}
