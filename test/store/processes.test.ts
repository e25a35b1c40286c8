import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { generationNumbers } from "../../src/store/records/generations.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { bundleDriver } from "./driver-process.ts";
import { scratchFolder, tempsBelow } from "./scratch.ts";

const gate = diskGate();
const run = promisify(execFile);
let driver = "";

beforeAll(() => {
  const bundle = bundleDriver();
  driver = bundle.file;
  return bundle.remove;
});

describe("several processes", () => {
  test("commit at once, and nothing is lost", async () => {
    const root = scratchFolder();
    const [writers, times] = [4, 8];
    const names = Array.from({ length: writers }, (_, index) => `writer-${index}`);
    await Promise.all(names.map((name) => run(process.execPath, [driver, "append", root, name, String(times)])));
    const lines = fs.readFileSync(path.join(root, "lines.txt"), "utf8").trimEnd().split("\n");
    const expected = names.flatMap((name) => Array.from({ length: times }, (_, line) => `${name} ${line}`));
    expect([...lines].sort()).toEqual(expected.sort());
    expect(JSON.parse(fs.readFileSync(path.join(root, "state", "zylos", "registry.json"), "utf8")).files.lines).toBe(
      writers * times,
    );
    expect(generationNumbers(gate, path.join(root, "state"), "zylos")).toHaveLength(writers * times);
    expect(tempsBelow(root)).toEqual([]);
  });

  test("that wait for a lock are told who holds it, and get it when the holder is killed", async () => {
    const stateDir = path.join(scratchFolder(), "state");
    const holder = spawn(process.execPath, [driver, "hold", stateDir], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    await expect(withStateLock(gate, stateDir, 60, () => "never")).rejects.toThrow(
      `process ${holder.pid} is at work in this state directory and did not finish within 0.06 s`,
    );
    const waiting = withStateLock(gate, stateDir, 120_000, () => "its turn");
    holder.kill("SIGKILL");
    expect(await waiting).toBe("its turn");
  });
});

describe("within one process", () => {
  test("those who come later wait for their turn, in order", async () => {
    const stateDir = path.join(scratchFolder(), "state");
    const order: number[] = [];
    const turns = [0, 1, 2, 3, 4].map((turn) =>
      withStateLock(gate, stateDir, 120_000, async () => {
        await new Promise((resolve) => setTimeout(resolve, 5 - turn));
        order.push(turn);
      }),
    );
    await Promise.all(turns);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  test("one that fails lets the next one go, and one inside another ends in an error", async () => {
    const stateDir = path.join(scratchFolder(), "state");
    const failing = withStateLock(gate, stateDir, 120_000, () => {
      throw new Error("mine");
    });
    const next = withStateLock(gate, stateDir, 120_000, () => "next");
    await expect(failing).rejects.toThrow("mine");
    expect(await next).toBe("next");
    const nested = withStateLock(gate, stateDir, 120_000, () => withStateLock(gate, stateDir, 50, () => "never"));
    await expect(nested).rejects.toMatchObject({
      diagnostic: { code: "state-busy", message: expect.stringContaining("this very process") },
    });
    expect(await withStateLock(gate, stateDir, 120_000, () => "free again")).toBe("free again");
  });
});

describe("the state directory", () => {
  const use = (stateDir: string) => withStateLock(diskGate(), stateDir, 120_000, () => "used");

  test("is made for us alone", async () => {
    const root = scratchFolder();
    expect(await use(path.join(root, "a", "state"))).toBe("used");
    for (const folder of ["a", "a/state"]) expect(fs.statSync(path.join(root, folder)).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(root, "a", "state", "lock")).mode & 0o777).toBe(0o600);
  });

  test.each([
    [
      "everyone may write into",
      (place: string) => [fs.mkdirSync(place), fs.chmodSync(place, 0o777)],
      "may be written by everyone",
    ],
    [
      "is a file",
      (place: string) => fs.writeFileSync(place, ""),
      "can't be made: .*a file stands where a folder is needed",
    ],
    [
      "is a link to a file",
      (place: string) => [fs.writeFileSync(`${place}.x`, ""), fs.symlinkSync(`${place}.x`, place)],
      "can't be made",
    ],
  ] as const)("that %s is refused", async (_, make, words) => {
    const place = path.join(scratchFolder(), "state");
    make(place);
    const error = { diagnostic: { code: "state-dir-unusable", file: place, message: expect.stringMatching(words) } };
    await expect(use(place)).rejects.toMatchObject(error);
  });

  test.runIf(process.geteuid!() === 0)("that belongs to somebody else is refused", async () => {
    const place = path.join(scratchFolder(), "state");
    fs.mkdirSync(place, { mode: 0o700 });
    fs.chownSync(place, 1234, 1234);
    await expect(use(place)).rejects.toThrow("belongs to user 1234, but stet runs as user 0");
  });

  test("whose lock can't be taken stops the run", async () => {
    const place = path.join(scratchFolder(), "state");
    fs.mkdirSync(path.join(place, "lock"), { recursive: true, mode: 0o700 });
    await expect(use(place)).rejects.toThrow("can't write it: it is a folder");
  });
});

const canMount = spawnSync("unshare", ["-m", "true"]).status === 0;

test.runIf(canMount)(
  "a file that is mounted by itself, as containers do, is refused before anything is decided",
  () => {
    const root = scratchFolder();
    for (const name of ["a file", "other"]) fs.writeFileSync(path.join(root, name), name);
    const script = 'mount --bind "$1/other" "$1/a file" && "$0" "$2" write "$1/a file" new 2>&1 || true';
    const output = execFileSync("unshare", ["-m", "sh", "-c", script, process.execPath, root, driver], {
      encoding: "utf8",
    });
    expect(output).toBe(
      `${root}/a file: it is mounted as a single file and can't be replaced; mount the folder it is in instead\n`,
    );
    expect(fs.readdirSync(root)).toEqual(["a file", "other"]);
  },
);
