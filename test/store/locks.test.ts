import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { LockAttempt } from "../../src/store/gate/gate.ts";
import { withFileLocks, withStateLock } from "../../src/store/transaction/lock.ts";
import { commit } from "../../src/store/transaction/transaction.ts";
import { bundleDriver } from "./driver-process.ts";
import { watchedGate } from "./faulty-gate.ts";
import { scratchFolder, snapshot, tempsBelow } from "./scratch.ts";
import { layOut, newTexts, stateOf, textOf, upgrade } from "./two-files.ts";

const gate = diskGate();

function held(attempt: LockAttempt): () => void {
  if (attempt.kind !== "held") throw new Error("somebody else holds it");
  return attempt.release;
}

describe("a file that is to be written", () => {
  test("is left alone while another program has locked it, and written when it lets go", async () => {
    const files = layOut(scratchFolder());
    const release = held(gate.tryLockFile(files.settings));
    const before = snapshot(path.dirname(files.settings));
    await expect(commit(gate, upgrade(gate, files), { waitMs: 20 })).rejects.toMatchObject({
      diagnostic: {
        code: "file-busy",
        file: files.settings,
        message: expect.stringContaining("nothing was changed, run again later"),
      },
    });
    expect(snapshot(path.dirname(files.settings))[path.basename(files.settings)]).toBe(
      before[path.basename(files.settings)],
    );
    expect(stateOf(files)).toBe("old");
    const waiting = commit(gate, upgrade(gate, files), { waitMs: 10_000 });
    release();
    expect(await waiting).toMatchObject({ kind: "committed", left: [] });
    expect(stateOf(files)).toBe("new");
  });

  test("is ours from the comparison to the rename, whatever state directory others use", async () => {
    const files = layOut(scratchFolder());
    const attempts: string[] = [];
    const watched = watchedGate(gate, ({ method, path: place }) => {
      if (method === "exchange" && path.dirname(place) === files.root)
        attempts.push(gate.tryLockFile(files.settings).kind);
    });
    await commit(watched, upgrade(gate, files));
    expect(attempts).toEqual(["busy"]);
    held(gate.tryLockFile(files.settings))();
  });

  test("is locked again by its new self, once it was replaced", () => {
    const file = path.join(scratchFolder(), "file");
    fs.writeFileSync(file, "old");
    const first = held(gate.tryLockFile(file));
    fs.writeFileSync(`${file}.new`, "new");
    fs.renameSync(`${file}.new`, file);
    const second = held(gate.tryLockFile(file));
    expect(gate.tryLockFile(file).kind).toBe("busy");
    first();
    expect(gate.tryLockFile(file).kind).toBe("busy");
    second();
  });

  test("needs no lock where there is none yet, but what appears there at the last moment stays", async () => {
    const files = layOut(scratchFolder());
    const watched = watchedGate(gate, ({ method }) => {
      if (method === "place") fs.writeFileSync(files.nested, "somebody was quicker");
    });
    const result = await commit(watched, upgrade(gate, files));
    expect(result).toMatchObject({ kind: "committed", left: [files.nested] });
    expect(textOf(files.nested)).toBe("somebody was quicker");
    expect(textOf(files.settings)).toBe(newTexts.settings);
    expect(tempsBelow(files.root)).toEqual([]);
  });

  test("is put in place only where nothing stands", async () => {
    const root = scratchFolder();
    const [from, to] = [path.join(root, "from"), path.join(root, "to")];
    fs.writeFileSync(from, "new");
    expect(gate.place(from, to)).toBe(true);
    expect([fs.readFileSync(to, "utf8"), fs.existsSync(from), fs.statSync(to).nlink]).toEqual(["new", false, 1]);
    fs.writeFileSync(from, "newer");
    expect(gate.place(from, to)).toBe(false);
    expect([fs.readFileSync(to, "utf8"), fs.readFileSync(from, "utf8")]).toEqual(["new", "newer"]);
  });
});

test("several files are locked in sorted order, and none stays locked when one is not to be had", async () => {
  const root = scratchFolder();
  const names = ["c", "a", "b"].map((name) => path.join(root, name));
  for (const name of names) fs.writeFileSync(name, "");
  const order: string[] = [];
  const watched = watchedGate(
    gate,
    ({ method, path: place }) => void (method === "tryLockFile" && order.push(path.basename(place))),
  );
  const release = held(gate.tryLockFile(names[0]!));
  const locking = withStateLock(gate, path.join(root, "state"), 10, (state) =>
    withFileLocks(watched, state, names, () => "never"),
  );
  await expect(locking).rejects.toMatchObject({ diagnostic: { code: "file-busy", file: names[0] } });
  expect(order.slice(0, 3)).toEqual(["a", "b", "c"]);
  release();
  for (const name of names) held(gate.tryLockFile(name))();
});

test("processes with state directories of their own share a file, and nothing is lost", async () => {
  const bundle = bundleDriver();
  const root = scratchFolder();
  const [writers, times] = [4, 8];
  const names = Array.from({ length: writers }, (_, index) => `writer-${index}`);
  try {
    await Promise.all(
      names.map((name) =>
        promisify(execFile)(process.execPath, [bundle.file, "append", root, name, String(times), `state-of-${name}`]),
      ),
    );
  } finally {
    bundle.remove();
  }
  const lines = fs.readFileSync(path.join(root, "lines.txt"), "utf8").trimEnd().split("\n");
  const expected = names.flatMap((name) => Array.from({ length: times }, (_, line) => `${name} ${line}`));
  expect([...lines].sort()).toEqual(expected.sort());
  expect(tempsBelow(root)).toEqual([]);
});
