import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Machine } from "../../src/engine/machine.ts";
import { applyAnswers, type EntryAnswer, planAnswers, whatWaits } from "../../src/files/decide.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { finishInterrupted } from "../../src/store/transaction/recovery.ts";
import { type Call, countingGate, watchedGate } from "../store/faulty-gate.ts";
import { tempsBelow } from "../store/scratch.ts";
import { World } from "./world.ts";

/** Two owners that share a file; each has a conflict in it, and one in a file of its own. */
async function conflicts(): Promise<World> {
  const world = new World();
  const pack = (name: string, version: string, value: number) => ({
    name,
    version,
    files: [
      { target: "~/shared.json", template: { [name]: value, [`${name}-quiet`]: value } },
      { target: `~/${name}.json`, template: { volume: value } },
    ],
  });
  for (const name of ["bell", "chime"]) await world.apply(pack(name, "1.0.0", 1));
  for (const name of ["bell", "chime"]) {
    world.edit("shared.json", `"${name}": 1`, `"${name}": 9`);
    world.edit(`${name}.json`, '"volume": 1', '"volume": 9');
  }
  for (const name of ["bell", "chime"]) await world.apply(pack(name, "2.0.0", 2));
  return world;
}

async function theirs(machine: Machine): Promise<EntryAnswer[]> {
  return (await whatWaits(machine)).map((entry) => ({ ...entry, answer: "theirs" }));
}

const values = (world: World) => ({
  shared: [world.json("shared.json").bell, world.json("shared.json").chime],
  own: [world.json("bell.json").volume, world.json("chime.json").volume],
  wanted: ["bell", "chime"].map((name) => Object.keys(world.registry(name).files["~/shared.json"].wanted ?? {}).length),
});
const old = { shared: [9, 9], own: [9, 9], wanted: [1, 1] };
const done = { shared: [2, 2], own: [2, 2], wanted: [0, 0] };

it("answers about several owners are one transaction, also in a file that they share", async () => {
  const world = await conflicts();
  const answers = await theirs(world.machine);
  expect(answers.map(({ owner }) => owner).sort()).toEqual(["bell", "bell", "chime", "chime"]);
  const before = world.snapshot();
  const planned = await planAnswers(answers);
  expect(world.snapshot()).toEqual(before);
  expect(planned.flatMap(({ document }) => document.files).map(({ diff }) => diff.match(/^[+-] .*/gm))).toHaveLength(4);
  const { gate, calls } = countingGate(diskGate());
  await applyAnswers(answers.map((answer) => ({ ...answer, machine: { ...world.machine, gate } })));
  expect(values(world)).toEqual(done);
  expect(calls.filter(isJournal).filter(({ method }) => method === "createFile")).toHaveLength(2);
  expect(await whatWaits(world.machine)).toEqual([]);
});

it("each owner goes back on its own afterwards, the last first", async () => {
  const world = await conflicts();
  await applyAnswers(await theirs(world.machine));
  await world.rollback("chime");
  expect(world.json("shared.json")).toMatchObject({ bell: 2, chime: 9 });
  await world.rollback("bell");
  expect(values(world)).toEqual(old);
});

it("a file that changed meanwhile refuses all of it", async () => {
  const world = await conflicts();
  const answers = await theirs(world.machine);
  world.edit("chime.json", '"volume": 9', '"volume": 10');
  await expect(applyAnswers(answers)).rejects.toThrow(/changed since you looked at it; nothing was written/);
  expect(values(world)).toEqual({ ...old, own: [9, 10] });
});

it("where the home's answers are written and the project's no longer fit, it says both", async () => {
  const [home, project] = [await conflicts(), await conflicts()];
  let hasEdited = false;
  const gate = watchedGate(diskGate(), ({ method }) => {
    if (method !== "rename" || hasEdited) return;
    hasEdited = true;
    project.edit("chime.json", '"volume": 9', '"volume": 10');
  });
  const answers = (await theirs(home.machine)).map((answer) => withGate(answer, gate));
  const all = applyAnswers([...answers, ...(await theirs(project.machine))]);
  await expect(all).rejects.toThrow(/look again\nyour answers about bell and chime were written before that; to take/);
  expect([values(home), values(project)]).toEqual([done, { ...old, own: [9, 10] }]);
});

it("killed at any call, it is all there or nothing is, and planning sees it as it will be", async () => {
  const rehearsal = await conflicts();
  const { gate, calls } = countingGate(diskGate());
  await applyAnswers((await theirs(rehearsal.machine)).map((answer) => withGate(answer, gate)));
  const writes = calls.flatMap(({ method }, at) => (/^(?:read|stat|list|tryLock|obstacle)/.test(method) ? [] : [at]));
  const ends = new Set<string>();
  for (const at of writes.filter((_, i) => i % 2 === 0)) {
    const world = await conflicts();
    let count = 0;
    const killed = watchedGate(diskGate(), () => {
      if (count++ >= at) throw new Error("killed");
    });
    await expect(
      applyAnswers((await theirs(world.machine)).map((answer) => withGate(answer, killed))),
    ).rejects.toThrow();
    const seen = (await whatWaits(world.machine)).length;
    await finishInterrupted(world.machine.gate, world.machine.stateDir, 1000);
    const isDone = values(world).own[0] === 2;
    expect([at, values(world), seen]).toEqual([at, isDone ? done : old, isDone ? 0 : 4]);
    expect([at, tempsBelow(world.home)]).toEqual([at, []]);
    ends.add(isDone ? "new" : "old");
  }
  expect([...ends].sort()).toEqual(["new", "old"]);
});

function withGate(answer: EntryAnswer, gate: Machine["gate"]): EntryAnswer {
  return { ...answer, machine: { ...answer.machine, gate } };
}

function isJournal({ path: file }: Call): boolean {
  return path.basename(file).startsWith("journal");
}

it("says nothing of a file that is left alone at the last moment, in the records of both", async () => {
  const world = await conflicts();
  const answers = await theirs(world.machine);
  const shared = world.at("shared.json");
  let [isCommitted, hasEdited] = [false, false];
  const gate = watchedGate(
    diskGate(),
    ({ method, path: file }) => {
      if (isCommitted && method === "stat" && file === shared) {
        [isCommitted, hasEdited] = [false, true];
        fs.writeFileSync(shared, world.read("shared.json").replace("{", '{\n  "mine": true,'));
      }
    },
    (call) => {
      if (
        !hasEdited &&
        isJournal(call) &&
        call.method === "rename" &&
        fs.readFileSync(path.join(world.machine.stateDir, "journal.json"), "utf8").includes('"committed"')
      )
        isCommitted = true;
    },
  );
  await applyAnswers(answers.map((answer) => withGate(answer, gate)));
  expect(world.json("shared.json")).toMatchObject({ mine: true, bell: 2, chime: 2 });
  expect(values(world)).toEqual(done);
});
