// needs: strace
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killAt } from "./kill.ts";
import { stories } from "./stories.ts";
import { isLong, longestMs, onStages, rehearse, sampled, stage } from "./whole.ts";

/**
 * The real command line, killed as it is about to make a call to the file system: each file is wholly old or wholly new, and the next run
 * ends where an undisturbed one does. At every second point a person edits a file before that run; what they wrote must be there.
 */
let theatre: ReturnType<typeof stage>;
beforeAll(() => {
  theatre = stage();
});
afterAll(() => theatre.remove());

describe.each(stories.map((story, turn) => ({ story, turn })))("$story.name, killed", ({ story, turn }) => {
  test(
    "loses nothing, and the next run ends where an undisturbed one does",
    async () => {
      const rehearsals = await rehearse(story, theatre);
      const { points } = rehearsals[0]!;
      // Killed at a call that only reads, it leaves what it leaves at the next one that writes.
      const chosen = sampled(isLong ? points : points.filter((point) => point.changes), 4, turn);
      const crashes = await onStages(rehearsals, chosen, (rehearsal, point, index) => {
        const at = Math.floor(index / 2) % story.edits.length;
        const edits = index % 2 === 0 ? [] : [...story.edits.slice(at), ...story.edits.slice(0, at)];
        return killAt(rehearsal, point, edits, index % 5 === 0 ? "process" : "here");
      });
      const edits = crashes.filter(({ edit }) => edit !== undefined).length;
      if (isLong) console.log(`${story.name}: killed at ${crashes.length} of ${points.length} points, ${edits} edits before the next run`);
      const lost = crashes.flatMap(({ losses, edit }, index) =>
        losses.map((loss) => `${chosen[index]!.line}${edit ? `, then ${edit.words}` : ""}: ${loss}`),
      );
      expect(lost).toEqual([]);
    },
    longestMs,
  );
});
