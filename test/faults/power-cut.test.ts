// needs: strace
import { afterAll, beforeAll, expect, test } from "vitest";
import { earlySteps } from "./power-cut.ts";
import { Rehearsal } from "./rehearsal.ts";
import { stories } from "./stories.ts";
import { stage } from "./whole.ts";

let theatre: ReturnType<typeof stage>;
beforeAll(() => {
  theatre = stage();
});
afterAll(() => theatre.remove());

test.each(
  stories,
)("$name: bytes reach the disk before their names, the journal before the files, and all of it before the journal goes", async (story) => {
  const { points, place } = await Rehearsal.of(story, theatre.folder(), theatre.program);
  expect(earlySteps(points, place.folder)).toEqual([]);
});
