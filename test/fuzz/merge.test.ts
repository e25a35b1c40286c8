import { expect, it } from "vitest";
import { expectAgreement } from "../core/merge-file.ts";
import { fuzz, timeLimit } from "./budget.ts";
import { corpora } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import type { Random } from "./random.ts";
import { unitTexts } from "./unit-corpus.ts";

const prose =
  "# Notes\n\nOne line.\n\n- a\n- b\n- a\n\n```sh\nif x; then\n  y\nfi\n}\n}\n```\n\n<<<<<<< not a conflict\n=======\n\nThe end, without a line break";
const texts = [prose, ...unitTexts, ...corpora.flatMap((corpus) => corpus.texts)];

/** As it comes back from a file. A NUL makes git refuse to merge at all. */
function version(text: string, random: Random): string {
  return Buffer.from(mutated(text, texts, random))
    .toString("utf8")
    .replaceAll("\0", "");
}

it("merges of damaged texts: git merge-file finds the same conflicts, and the same bytes", {
  timeout: timeLimit,
}, () => {
  const seen = { merged: 0, conflict: 0 };
  fuzz(80, (random) => {
    const base = version(random.of(texts), random);
    const versions = { base, ours: version(base, random), theirs: version(base, random) };
    seen[expectAgreement(versions)]++;
  });
  expect(Math.min(seen.merged, seen.conflict)).toBeGreaterThan(5);
});
