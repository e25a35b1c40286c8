import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { generationNumbers } from "../../src/store/records/generations.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { recover } from "../../src/store/transaction/recovery.ts";
import { commit } from "../../src/store/transaction/transaction.ts";
import { countingGate, systemError, watchedGate } from "./faulty-gate.ts";
import { quickFolder, tempsBelow } from "./scratch.ts";
import { layOut, stateOf, type TwoFiles, upgrade } from "./two-files.ts";

const disk = diskGate();
const errnos = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EXDEV"] as const;

/** How many calls to the file system a commit makes, and which. */
async function callsOfOneCommit() {
  const files = layOut(quickFolder());
  const { gate, calls } = countingGate(disk);
  await commit(gate, upgrade(disk, files));
  return calls;
}

/** Whatever happened: nothing of ours lies about, and the next run finds its way. */
async function expectConvergence(files: TwoFiles, context: string): Promise<void> {
  await withStateLock(disk, files.stateDir, 1000, (state) => recover(disk, state));
  expect([context, stateOf(files)]).not.toContain("mixed");
  if (stateOf(files) === "old")
    expect([context, (await commit(disk, upgrade(disk, files))).kind]).toEqual([context, "committed"]);
  expect([context, stateOf(files), tempsBelow(files.root)]).toEqual([context, "new", []]);
  expect([context, generationNumbers(disk, files.stateDir, "zylos")]).toEqual([context, [1]]);
  expect([context, fs.readdirSync(path.join(files.stateDir, "zylos", "objects")).length]).toEqual([context, 3]);
}

/**
 * A disk that writes and then reports an error. Calls that fail before they are made are for `test/faults`, where the
 * whole program meets them.
 */
test("every call to the file system reports an error once, after it is done: all-old with nothing left behind, or finished by the next run", async () => {
  const calls = await callsOfOneCommit();
  expect(calls.length).toBeGreaterThan(60);
  const kinds = new Set<string>();
  for (const [failing, call] of calls.entries()) {
    // A lock that is taken and then reported as failed could not be let go of.
    if (!call.method.startsWith("tryLock")) kinds.add(await failOnce(failing, errnos[failing % errnos.length]!));
  }
  expect([...kinds].sort()).toEqual(["all-old", "finished later"]);
});

async function failOnce(failing: number, errno: string): Promise<string> {
  const files = layOut(quickFolder());
  const tx = upgrade(disk, files);
  let count = 0;
  let where = "";
  const failNow = (call: { method: string; path: string }) => {
    if (count++ !== failing) return;
    where = `${failing}: ${call.method} ${path.relative(files.root, call.path)} ${errno}`;
    throw systemError(call, errno);
  };
  const gate = watchedGate(disk, () => {}, failNow);
  const outcome = await commit(gate, tx).catch((error: unknown) => error);
  if (!(outcome instanceof InputError)) throw new Error(`${where}: not told in one line: ${outcome}`);
  expect(outcome.message.split("\n").length, where).toBe(1);
  const decided = outcome.diagnostic.code === "not-finished";
  if (!decided) {
    expect([where, stateOf(files)]).toEqual([where, "old"]);
    expect([where, tempsBelow(files.root)]).toEqual([where, []]);
    expect([where, fs.existsSync(path.join(files.root, "a"))]).toEqual([where, false]);
  }
  await withStateLock(disk, files.stateDir, 1000, (state) => recover(disk, state));
  expect([where, stateOf(files)]).toEqual([where, decided ? "new" : "old"]);
  await expectConvergence(files, where);
  return decided ? "finished later" : "all-old";
}

test("errors say what, where, why and what to do", async () => {
  const files = layOut(quickFolder());
  const gate = watchedGate(disk, (call) => {
    if (call.method === "createFile" && call.path.startsWith(path.join(files.root, ".stet-")))
      throw systemError(call, "ENOSPC");
  });
  const error = await commit(gate, upgrade(disk, files)).catch((thrown: unknown) => thrown);
  expect((error as Error).message).toBe(
    `${files.settings}: can't write it: no space is left on the disk; free some and run again`,
  );
  expect((error as InputError).diagnostic.code).toBe("disk-full");
});

test("a disk that returns other bytes than were written is caught before anything is replaced", async () => {
  const files = layOut(quickFolder());
  const gate = watchedGate(
    disk,
    () => {},
    (call) => {
      if (call.method === "createFile" && call.path.includes(".stet-")) fs.appendFileSync(call.path, "?");
    },
  );
  await expect(commit(gate, upgrade(disk, files))).rejects.toMatchObject({ diagnostic: { code: "write-failed" } });
  expect([stateOf(files), tempsBelow(files.root)]).toEqual(["old", []]);
});

test("where the way back fails too, the next run goes it", async () => {
  const files = layOut(quickFolder());
  let broken = false;
  const gate = watchedGate(disk, (call) => {
    if (call.method === "createLink" || call.path.endsWith("nested.txt")) return;
    broken ||= call.method === "createFile" && call.path.includes(path.join("a", "b", ".stet-"));
    if (broken) throw systemError(call, "EIO");
  });
  await expect(commit(gate, upgrade(disk, files))).rejects.toMatchObject({ diagnostic: { code: "write-failed" } });
  expect(stateOf(files)).toBe("old");
  expect(fs.existsSync(path.join(files.stateDir, "journal.json"))).toBe(true);
  await expectConvergence(files, "after a broken undo");
});
