// needs: strace
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/disk-gate.ts";
import { withStateLock } from "../../src/store/lock.ts";
import { recover } from "../../src/store/recovery.ts";
import { commit } from "../../src/store/transaction.ts";
import { bundleDriver } from "./driver-process.ts";
import { quickFolder, tempsBelow } from "./scratch.ts";
import { layOut, newTexts, oldTexts, stateOf, type TwoFiles, textOf, upgrade } from "./two-files.ts";

/**
 * A real process is killed at the system calls of a real commit, one run for each. Killed at a call that only reads, a process
 * leaves what it leaves at the next call that writes, so of the former every twentieth is taken, of the latter each.
 */
const gate = diskGate();
const run = promisify(execFile);
const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

/** One system call of the run: the how-manieth of its name since the process began. */
interface Point {
  readonly call: string;
  readonly nth: number;
  readonly changes: boolean;
}

function pointsOf(trace: string): readonly Point[] {
  const counts = new Map<string, number>();
  const points: Point[] = [];
  let inside = false;
  for (const line of trace.split("\n")) {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) continue;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    if (line.includes("/stet-end")) inside = false;
    const changes =
      !/^(?:openat|statx|newfstatat|readlink|read|pread64|close|access|mmap|flistxattr)$/.test(call) || line.includes("O_CREAT");
    // Node wakes its own threads by such writes; they reach no file.
    const wakesThread = call === "write" && line.includes('"\\1\\0\\0\\0\\0\\0\\0\\0"');
    if (inside && !wakesThread) points.push({ call, nth: counts.get(call)!, changes });
    if (line.includes("/stet-begin")) inside = true;
  }
  return points;
}

async function traced(driver: string, root: string, injection: readonly string[]): Promise<{ trace: string; stderr: string }> {
  const log = path.join(root, "trace.log");
  // Only the main thread: every call of the store is made there.
  const args = ["-o", log, "-e", "trace=%file,%desc", ...injection, process.execPath, driver, "upgrade", root];
  const { stderr } = await run("strace", args).catch((error: { stderr: string }) => error);
  const trace = fs.readFileSync(log, "utf8");
  fs.rmSync(log);
  return { trace, stderr };
}

describe.runIf(canTrace)("a process that is killed", () => {
  let driver = "";
  let points: readonly Point[] = [];

  beforeAll(async () => {
    const bundle = bundleDriver();
    driver = bundle.file;
    points = pointsOf((await traced(driver, layOut(quickFolder()).root, [])).trace);
    return bundle.remove;
  });

  test("at each system call leaves every file old or new, and the next run converges", async () => {
    const reading = points.filter((point) => !point.changes).filter((_, index) => index % 20 === 0);
    const chosen = [...points.filter((point) => point.changes), ...reading];
    expect(chosen.length).toBeGreaterThan(80);
    for (const call of ["openat", "write", "fsync", "rename", "unlink", "mkdir", "rmdir", "fchmod", "fcntl", "ftruncate"]) {
      expect(chosen.map((point) => point.call)).toContain(call);
    }
    const ends = await inParallel(chosen, (point, index) => killAt(driver, point, index));
    expect(new Set(ends)).toEqual(new Set(["old", "new", "old edited", "new edited"]));
  }, 300_000);

  test("by nobody, but met by an error of the system, changes nothing or is finished by the next run", async () => {
    const chosen = points.filter((point) => point.changes && point.call !== "fcntl").filter((_, index) => index % 3 === 0);
    const ends = await inParallel(chosen, (point, index) => failAt(driver, point, ["ENOSPC", "EIO", "EMFILE"][index % 3]!));
    expect(new Set(ends)).toEqual(new Set(["refused", "finished later"]));
  }, 300_000);
});

/** A few at a time: most of a run is waiting for the disk. */
async function inParallel<T>(points: readonly Point[], each: (point: Point, index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const rest = points.entries();
  const worker = async () => {
    for (const [index, point] of rest) results.push(await each(point, index));
  };
  await Promise.all([worker(), worker(), worker()]);
  return results;
}

async function failAt(driver: string, point: Point, errno: string): Promise<string> {
  const files = layOut(quickFolder());
  const where = `${point.call} ${point.nth} ${errno}`;
  const { trace, stderr } = await traced(driver, files.root, ["-e", `inject=${point.call}:error=${errno}:when=${point.nth}`]);
  expect([where, trace.includes("(INJECTED)")]).toEqual([where, true]);
  expect(stderr, where).toMatch(/^\/.*: .*\n$/);
  const decided = stderr.includes("the next run that writes finishes them");
  if (!decided) expect([where, stateOf(files), tempsBelow(files.root)]).toEqual([where, "old", []]);
  await nextRun(files);
  expect([where, stateOf(files), tempsBelow(files.root)]).toEqual([where, decided ? "new" : "old", []]);
  return decided ? "finished later" : "refused";
}

async function killAt(driver: string, point: Point, index: number): Promise<string> {
  const files = layOut(quickFolder());
  const { trace } = await traced(driver, files.root, ["-e", `inject=${point.call}:signal=SIGKILL:when=${point.nth}`]);
  const where = `${point.call} ${point.nth}`;
  expect([where, trace.includes("/stet-end"), trace.includes("killed by SIGKILL")]).toEqual([where, false, true]);
  expect([oldTexts.settings, newTexts.settings], where).toContain(textOf(files.settings));
  expect([undefined, newTexts.nested], where).toContain(textOf(files.nested));
  expect([oldTexts.obsolete, undefined], where).toContain(textOf(files.obsolete));
  return index % 2 === 0 ? convergeUntouched(files, where) : convergeEdited(files, where, index % 4 === 1 ? "settings" : "obsolete");
}

/** The lock of the killed process is free at once: half a second is more than enough. */
async function nextRun(files: TwoFiles): Promise<void> {
  await withStateLock(gate, files.stateDir, 500, (state) => recover(gate, state));
}

async function convergeUntouched(files: TwoFiles, where: string): Promise<string> {
  await nextRun(files);
  const end = stateOf(files);
  if (end === "old") expect(await commit(gate, upgrade(gate, files)), where).toMatchObject({ kind: "committed" });
  expect([where, stateOf(files), tempsBelow(files.root)]).toEqual([where, "new", []]);
  return end;
}

async function convergeEdited(files: TwoFiles, where: string, which: "settings" | "obsolete"): Promise<string> {
  const replaced = textOf(files[which]) !== oldTexts[which];
  fs.mkdirSync(path.dirname(files[which]), { recursive: true });
  fs.writeFileSync(files[which], "edited");
  await nextRun(files);
  const records = JSON.parse(textOf(files.registry)!).files;
  expect([where, textOf(files[which]), tempsBelow(files.root)]).toEqual([where, "edited", []]);
  expect([where, records[which]]).toEqual([where, replaced ? { settings: "new", obsolete: undefined }[which] : "old"]);
  expect([where, records.nested]).toEqual([where, textOf(files.nested) === undefined ? undefined : "new"]);
  return records.nested === undefined ? "old edited" : "new edited";
}
