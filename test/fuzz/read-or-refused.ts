import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import { fuzzAsync, timeLimit } from "./budget.ts";
import { mutated } from "./mutate.ts";
import type { Random } from "./random.ts";

export function damaged(texts: readonly string[], random: Random): string {
  return mutated(random.of(texts), texts, random);
}

/** Something that takes apart what strangers write: what it is called, texts that are in order, and its reader. */
export type Target = readonly [what: string, texts: readonly string[], read: (text: string) => unknown];

/**
 * For each: damaged texts are read, or refused in so many words. Anything else that a reader throws is a mistake of
 * ours.
 */
export function areReadOrRefused(targets: readonly Target[]): void {
  describe.each(targets)("damaged %s", (_, texts, read) => {
    it("are read, or refused in words", { timeout: timeLimit }, async () => {
      const seen = { read: 0, refused: 0 };
      await fuzzAsync(200, async (random) => {
        seen[await isRead(damaged(texts, random), read)]++;
      });
      expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(5);
    });
  });
}

async function isRead(text: string, read: (text: string) => unknown): Promise<"read" | "refused"> {
  try {
    await read(text);
    return "read";
  } catch (error) {
    if (error instanceof InputError && error.diagnostic.message !== "") return "refused";
    throw new Error(`${String(error)}: ${JSON.stringify(text)}`, { cause: error });
  }
}
