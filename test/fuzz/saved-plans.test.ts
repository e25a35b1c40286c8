import fs from "node:fs";
import { expect, it } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import type { OwnerPlan } from "../../src/engine/plan-owner.ts";
import { loadSavedPlan, type PlanSource, renderSavedPlan, sealKey } from "../../src/engine/saved-plan.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { planPack } from "../../src/files/plan.ts";
import { World } from "../files/world.ts";
import { fuzzAsync, timeLimit } from "./budget.ts";
import { mutated } from "./mutate.ts";

/** A home with a plan for it, as `plan --out` saves it. */
async function planned(): Promise<{ world: World; plan: OwnerPlan; text: string }> {
  const world = new World();
  world.write("app/config.json", { mine: 1 });
  world.write(
    "pack/stet.yaml",
    'name: zylos\nversion: "1"\nfiles: [{ target: ~/app/config.json, template: t.json }, { target: ~/b.env, template: e }]\n',
  );
  world.write("pack/t.json", { a: [1, 2], b: { c: "text" } });
  world.write("pack/e", "A=1\n");
  const { machine } = world;
  const source: PlanSource = {
    manifest: world.at("pack"),
    set: {},
    fromEnv: [],
    prune: true,
    unhold: false,
    relocate: false,
  };
  const plan = await planPack(readPack(machine.gate, source.manifest), machine);
  return { world, plan, text: renderSavedPlan(plan, source, sealKey(machine.gate, machine.stateDir)) };
}

it("damaged saved plans: what is not the plan that was sealed is planned again, or refused in words", {
  timeout: timeLimit,
}, async () => {
  const { world, plan, text } = await planned();
  const before = fs.readdirSync(world.home, { recursive: true }).sort();
  const seen = { again: 0, refused: 0 };
  await fuzzAsync(300, async (random) => {
    // Longer than most damaged texts: the wounds are to be anywhere in it.
    const start = random.below(text.length);
    const end = Math.min(text.length, start + 1 + random.below(2000));
    const damaged = text.slice(0, start) + mutated(text.slice(start, end), [text], random) + text.slice(end);
    if (damaged === text) return;
    try {
      const loaded = await loadSavedPlan(world.machine, damaged, "saved.plan", async () => plan);
      // Nothing that the text says, but what was planned here: they came to the same.
      expect(loaded, JSON.stringify(damaged)).toBe(plan);
      seen.again++;
    } catch (error) {
      if (!(error instanceof InputError))
        throw new Error(`${String(error)}: ${JSON.stringify(damaged)}`, { cause: error });
      seen.refused++;
    }
  });
  expect(seen.refused).toBeGreaterThan(50);
  expect(fs.readdirSync(world.home, { recursive: true }).sort()).toEqual(before);
});
