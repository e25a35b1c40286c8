import { expect, it } from "vitest";
import { paint } from "../../src/report/colour.ts";
import { planText } from "../../src/report/plan-text.ts";
import { packOf } from "./stable.ts";
import { World } from "./world.ts";

/** Looking through the section again for each name would take six minutes, and more than one may. */
it("adds many names to an INI section that has as many", async () => {
  const world = new World();
  const lines = (name: string) => Array.from({ length: 16_000 }, (_, i) => `${name}${i} = ${i}\n`).join("");
  world.write("app.ini", `[a]\n${lines("mine")}`);
  await world.apply(packOf("~/app.ini", "1", `[a]\n${lines("ours")}`));
  expect(world.read("app.ini")).toBe(`[a]\n${lines("mine")}${lines("ours")}`);
});

const count = 130_000;

/** No run waits for this; it only ends one that hangs. */
const longestMs = 600_000;

it(
  "adds, shows and takes away more entries than the stack has room for",
  async () => {
    const world = new World();
    world.write("app.json", '{\n  "mine": 1\n}\n');
    const pack = (from: number) =>
      packOf("~/app.json", "1", Object.fromEntries(Array.from({ length: count }, (_, i) => [`setting${from + i}`, i])));
    const applied = await world.apply(pack(0));
    const text = planText(applied, {
      paint: paint(false),
      verbose: true,
      diff: true,
      tense: "plan",
      program: "stet",
      home: world.home,
    });
    expect(text.match(/^ +\+/gm)!.length).toBeGreaterThan(2 * count);
    expect(applied.summary).toEqual({ create: count });
    expect((await world.apply(packOf("~/app.json", "2", {}))).summary).toEqual({ remove: count });
    expect(world.read("app.json")).toBe('{\n  "mine": 1\n}\n');
  },
  longestMs,
);
