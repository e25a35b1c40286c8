import { expect, test } from "vitest";
import { applyPlan } from "../../src/engine/apply.ts";
import type { Machine } from "../../src/engine/machine.ts";
import { observePlaces } from "../../src/engine/observe.ts";
import { readOwnerState } from "../../src/engine/owner-state.ts";
import { planOwner } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { evaluate } from "../../src/files/places/places.ts";
import { planPack } from "../../src/files/plan.ts";
import { statusOf } from "../../src/files/status.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { World } from "../files/world.ts";

function hook(command: string) {
  return { hooks: [{ type: "command", command }] };
}

/** Paths in commands are resolved through links, settings move from one shape into another, text is merged. */
function pack(version: string, theme: unknown, command: string) {
  return {
    name: "zylos",
    version,
    files: [
      { target: "~/.claude/settings.json", template: { theme, hooks: { SessionStart: [hook(command)] } } },
      { target: "~/notes.md", template: `first\n${version}\n\n\nlast\n` },
      { target: "~/.bashrc", strategy: "block", template: `export ZYLOS=${version}\n` },
    ],
  };
}

/** A gate that counts what it is asked, and can be shut. */
function watched(gate: Gate) {
  const reads = new Map<string, number>();
  let open = true;
  const look = <A extends unknown[], T>(name: string, ask: (...args: A) => T) => {
    return (...args: A): T => {
      if (!open) throw new Error(`planning asked the disk: ${name} ${args[0]}`);
      if (name === "read") reads.set(String(args[0]), (reads.get(String(args[0])) ?? 0) + 1);
      return ask(...args);
    };
  };
  return {
    reads,
    shut: () => {
      open = false;
    },
    gate: {
      ...gate,
      read: look("read", gate.read),
      stat: look("stat", gate.stat),
      list: look("list", gate.list),
      realPath: look("realPath", gate.realPath),
      readLink: look("readLink", gate.readLink),
    },
  };
}

async function installed(): Promise<World> {
  const world = new World();
  world.write("zylos/beat.js", "");
  await world.apply(pack("1.0.0", "dark", "node ~/zylos/beat.js"));
  world.edit(".claude/settings.json", "beat.js", "beat.js --quiet");
  world.edit("notes.md", "last", "the last");
  return world;
}

test("a plan asks nothing once everything has been observed", async () => {
  const world = await installed();
  const { gate, shut } = watched(world.machine.gate);
  const machine: Machine = { ...world.machine, gate };
  const next = readPack(gate, pack("2.0.0", { name: "dark" }, "node ~/zylos/beat.js --loud"));
  const state = readOwnerState(machine, "zylos");
  const evaluated = await evaluate(next, machine, state);
  const observed = observePlaces(evaluated.places, state);
  shut();
  const plan = planOwner(evaluated, observed, state, { version: "2.0.0", note: "apply", machine });
  expect(plan.document.entries).toEqual(
    (await world.plan(pack("2.0.0", { name: "dark" }, "node ~/zylos/beat.js --loud"))).entries,
  );
  expect(plan.document.changed).toBeGreaterThan(2);
});

test("a plan reads each file once", async () => {
  const world = await installed();
  const { gate, reads } = watched(world.machine.gate);
  await planPack(readPack(gate, pack("2.0.0", "light", "node ~/zylos/beat.js")), { ...world.machine, gate });
  const files = [".claude/settings.json", "notes.md", ".bashrc"].map((file) => reads.get(world.at(file)));
  expect(files).toEqual([1, 1, 1]);
});

test("the status of several owners reads everybody's records once, and knows of each what the others have", async () => {
  const world = new World();
  const names = ["ada", "bea", "cleo"];
  for (const name of names) {
    const own = { target: `~/${name}.json`, template: { a: 1 } };
    await world.apply({
      name,
      version: "1.0.0",
      files: [own, { target: "~/shared.json", template: { [name]: 1, all: 1 } }],
    });
  }
  world.edit("shared.json", '"all": 1', '"all": 2');
  const { gate, reads } = watched(world.machine.gate);
  const plans = await statusOf({ ...world.machine, gate });
  const registries = [...reads].filter(([path]) => path.endsWith("registry.json"));
  expect(registries.map(([, count]) => count)).toEqual([1, 1, 1]);
  const together = await Promise.all(names.map(async (name) => (await statusOf(world.machine, name))[0]!.document));
  expect(plans.map(({ document }) => document)).toEqual(together);
});

test("apply takes a plan, and answers stale where it has to be made again", async () => {
  const world = await installed();
  const plan = await planPack(
    readPack(world.machine.gate, pack("2.0.0", "light", "node ~/zylos/beat.js")),
    world.machine,
  );
  world.edit("notes.md", "the last", "the very last");
  expect(await applyPlan(plan, world.machine)).toEqual({ kind: "stale", paths: [world.at("notes.md")] });
  expect(world.json(".claude/settings.json").theme).toBe("dark");
  const again = await planPack(
    readPack(world.machine.gate, pack("2.0.0", "light", "node ~/zylos/beat.js")),
    world.machine,
  );
  expect(await applyPlan(again, world.machine)).toEqual({ kind: "applied", generation: 2 });
  expect(world.read("notes.md")).toBe("first\n2.0.0\n\n\nthe very last\n");
});
