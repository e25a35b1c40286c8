import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import {
  generationNumbers,
  type HistoryLimits,
  listGenerations,
  readGeneration,
  readObject,
} from "../../src/store/records/generations.ts";
import { commit, type Transaction } from "../../src/store/transaction/transaction.ts";
import { quickFolder } from "./scratch.ts";
import { change } from "./two-files.ts";

const gate = diskGate();
const day = 24 * 60 * 60 * 1000;
const start = Date.parse("2026-01-01T00:00:00.000Z");

/** An owner whose file says something else in every generation. */
class Owner {
  readonly root = quickFolder();
  readonly stateDir = path.join(this.root, "state");
  readonly file = path.join(this.root, "file");
  readonly objects = path.join(this.stateDir, "zylos", "objects");
  readonly manifests = path.join(this.stateDir, "zylos", "generations");

  async write(text: string, days: number, limits?: HistoryLimits): Promise<void> {
    const registry = path.join(this.stateDir, "zylos", "registry.json");
    const tx: Transaction = {
      stateDir: this.stateDir,
      name: "zylos",
      time: new Date(start + days * day).toISOString(),
      changes: [change(gate, this.file, { kind: "file", bytes: Buffer.from(text), mode: { created: 0o644 } })],
      registry: { path: registry, before: gate.read(registry)?.toString(), after: '{ "files": {} }' },
      generation: { version: text, from: undefined, note: "apply" },
    };
    expect(await commit(gate, tx, limits === undefined ? {} : { limits })).toMatchObject({ kind: "committed" });
  }

  numbers(): readonly number[] {
    return generationNumbers(gate, this.stateDir, "zylos");
  }

  /** What every generation that is left can give back. */
  keptTexts(): readonly string[] {
    const files = listGenerations(gate, this.stateDir, "zylos").flatMap((generation) => generation.files);
    return files.map(({ before }) =>
      before.kind === "file" ? readObject(gate, this.stateDir, "zylos", before.sha256).toString() : before.kind,
    );
  }
}

describe("the history", () => {
  test("is numbered, in order, and gives back what was replaced", async () => {
    const owner = new Owner();
    for (let n = 1; n <= 11; n++) await owner.write(`text ${n}`, n);
    expect(owner.numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(owner.keptTexts()).toEqual(["absent", ...Array.from({ length: 10 }, (_, index) => `text ${index + 1}`)]);
    expect(readGeneration(gate, owner.stateDir, "zylos", 3)).toMatchObject({
      number: 3,
      version: "text 3",
      from: null,
    });
    expect(readGeneration(gate, owner.stateDir, "zylos", 12)).toBeUndefined();
    expect(listGenerations(gate, owner.stateDir, "stranger")).toEqual([]);
  });

  test("is limited by count, and objects go when nobody needs them", async () => {
    const owner = new Owner();
    for (let n = 1; n <= 5; n++) await owner.write(`text ${n}`, n, { count: 3, days: 1000 });
    expect(owner.numbers()).toEqual([3, 4, 5]);
    expect(owner.keptTexts()).toEqual(["text 2", "text 3", "text 4"]);
    // Three texts and the registry's.
    expect(fs.readdirSync(owner.objects)).toHaveLength(4);
  });

  test("keeps an object that a later generation needs again", async () => {
    const owner = new Owner();
    for (const [index, text] of ["a", "b", "a", "b", "a", "b"].entries())
      await owner.write(text, index, { count: 2, days: 1000 });
    expect(owner.keptTexts()).toEqual(["b", "a"]);
  });

  test("is limited by age, and the newest always stays", async () => {
    const owner = new Owner();
    const limits = { count: 50, days: 180 };
    await owner.write("text 1", 0, limits);
    await owner.write("text 2", 100, limits);
    await owner.write("text 3", 180, limits);
    expect(owner.numbers()).toEqual([1, 2, 3]);
    await owner.write("text 4", 181, limits);
    expect(owner.numbers()).toEqual([2, 3, 4]);
    await owner.write("text 5", 1000, { count: 1, days: 1 });
    expect(owner.numbers()).toEqual([5]);
    expect(owner.keptTexts()).toEqual(["text 4"]);
  });

  test("has fifty generations and half a year by default", async () => {
    const owner = new Owner();
    for (let n = 1; n <= 52; n++) await owner.write(`text ${n}`, n === 52 ? 179 : 0);
    expect(owner.numbers()).toHaveLength(50);
    await owner.write("late", 200);
    // The last ten stay whatever their dates: one run with a wrong clock must not erase the history.
    expect(owner.numbers()).toEqual(Array.from({ length: 10 }, (_, i) => 44 + i));
  });

  test("that is damaged is told, and never pruned by guesswork", async () => {
    const owner = new Owner();
    for (let n = 1; n <= 3; n++) await owner.write(`text ${n}`, n);
    fs.writeFileSync(path.join(owner.manifests, "3.json"), "{}");
    const damaged = expect.objectContaining({ diagnostic: expect.objectContaining({ code: "generation-damaged" }) });
    expect(() => listGenerations(gate, owner.stateDir, "zylos")).toThrow(damaged);
    const objects = fs.readdirSync(owner.objects);
    await owner.write("text 4", 4, { count: 2, days: 1000 });
    expect(owner.numbers()).toEqual([3, 4]);
    expect(fs.readdirSync(owner.objects)).toEqual(expect.arrayContaining(objects));
  });

  test("notices an object that is damaged or gone, and writes it anew when it has the bytes again", async () => {
    const owner = new Owner();
    await owner.write("text 1", 1);
    await owner.write("text 2", 2);
    const [, second] = listGenerations(gate, owner.stateDir, "zylos");
    const before = second!.files[0]!.before;
    if (before.kind !== "file") throw new Error("the second generation replaced a file");
    fs.writeFileSync(path.join(owner.objects, before.sha256), "damaged");
    expect(() => readObject(gate, owner.stateDir, "zylos", before.sha256)).toThrow("is damaged");
    await owner.write("text 1", 3);
    await owner.write("text 3", 4);
    expect(readObject(gate, owner.stateDir, "zylos", before.sha256).toString()).toBe("text 1");
    fs.rmSync(path.join(owner.objects, before.sha256));
    expect(() => readObject(gate, owner.stateDir, "zylos", before.sha256)).toThrow("is missing");
  });
});
