import fs from "node:fs";
import { expect, it } from "vitest";
import { applySaved } from "../../src/engine/apply.ts";
import type { Machine } from "../../src/engine/machine.ts";
import { readSavedPlan, renderSavedPlan, sealKey } from "../../src/engine/saved-plan.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { planPack } from "../../src/files/plan.ts";
import { watchedGate } from "../store/faulty-gate.ts";
import { World } from "./world.ts";

it("a saved plan whose file another program wrote at the last moment is no success", async () => {
  const world = new World();
  const files = ["a", "b"].map((name) => ({ target: `~/${name}.json`, template: { ours: 1 } }));
  for (const name of ["a", "b"]) world.write(`${name}.json`, { mine: 1 });
  const { machine } = world;
  const plan = await planPack(readPack(machine.gate, { name: "zylos", version: "1.0.0", files }), machine);
  world.write("saved.plan", renderSavedPlan(plan, undefined, sealKey(machine.gate, machine.stateDir)));
  const gate = watchedGate(machine.gate, ({ method }) => {
    if (method === "exchange" && world.json("b.json").mine === 1) fs.writeFileSync(world.at("b.json"), '{ "mine": 2 }');
  });
  const raced: Machine = { ...machine, gate };
  const saved = await readSavedPlan(raced, world.at("saved.plan"), () => Promise.reject(new Error("sealed here")));
  await expect(applySaved(raced, saved!)).rejects.toMatchObject({
    diagnostic: {
      code: "stale-plan",
      message: expect.stringMatching(/another program wrote \S*\/b\.json at the last moment/),
    },
  });
  expect([world.json("a.json"), world.json("b.json")]).toEqual([{ mine: 1, ours: 1 }, { mine: 2 }]);
});
