import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { pendingJournal } from "../../src/store/transaction/pending.ts";
import { type Recovery, recover } from "../../src/store/transaction/recovery.ts";
import { commit, commitLocked } from "../../src/store/transaction/transaction.ts";
import { countingGate, systemError, watchedGate } from "./faulty-gate.ts";
import { quickFolder, snapshot, tempsBelow } from "./scratch.ts";
import { layOut, newTexts, oldTexts, registryTexts, stateOf, type TwoFiles, textOf, upgrade } from "./two-files.ts";

const disk = diskGate();

/** A gate that does `alive` calls and then nothing any more, as if the process had been killed. */
function dyingGate(alive: number): Gate {
  let calls = 0;
  return watchedGate(disk, (call) => {
    if (++calls > alive) throw systemError(call, "EIO");
  });
}

async function crash(files: TwoFiles, alive: number): Promise<void> {
  await commit(dyingGate(alive), upgrade(disk, files)).catch(() => undefined);
}

function recoverNow(files: TwoFiles): Promise<Recovery> {
  return withStateLock(disk, files.stateDir, 1000, (state) => recover(disk, state));
}

async function callsOfOneCommit(): Promise<number> {
  const { gate, calls } = countingGate(disk);
  await commit(gate, upgrade(disk, layOut(quickFolder())));
  return calls.length;
}

/**
 * A crash with everything staged and nothing decided yet, and one right after the decision. Calls are the same in every
 * run.
 */
const points = { staged: 0, committed: 0 };

async function findPoints(): Promise<void> {
  while (points.committed === 0) {
    const files = layOut(quickFolder());
    await crash(files, points.staged + 1);
    if (phaseOf(files) === "committed") points.committed = points.staged + 1;
    else points.staged++;
  }
}

async function crashed(point: keyof typeof points): Promise<TwoFiles> {
  await findPoints();
  const files = layOut(quickFolder());
  await crash(files, points[point]);
  return files;
}

const phaseOf = (files: TwoFiles) => JSON.parse(textOf(path.join(files.stateDir, "journal.json")) ?? "{}").phase;
const sectionsOf = (files: TwoFiles) => JSON.parse(textOf(files.registry)!).files;

describe("a crash at every call", () => {
  test("ends all-old or all-new, and planning saw beforehand which", async () => {
    const total = await callsOfOneCommit();
    const ends = new Set<string>();
    for (let alive = 0; alive < total; alive++) {
      const files = layOut(quickFolder());
      await crash(files, alive);
      const before = snapshot(files.root);
      const seen = pendingJournal(disk, files.stateDir)?.reader ?? disk;
      const foreseen = [files.settings, files.nested, files.obsolete, files.registry].map((file) =>
        seen.read(file)?.toString(),
      );
      expect([alive, snapshot(files.root)]).toEqual([alive, before]);
      await recoverNow(files);
      const actual = [files.settings, files.nested, files.obsolete, files.registry].map(textOf);
      expect([alive, foreseen]).toEqual([alive, actual]);
      expect([alive, tempsBelow(files.root)]).toEqual([alive, []]);
      ends.add(stateOf(files));
    }
    expect([...ends].sort()).toEqual(["new", "old"]);
  });

  test("followed by a user's edit keeps the edit, and the records say what we wrote", async () => {
    const total = await callsOfOneCommit();
    const ends = new Set<string>();
    for (let alive = 0; alive < total; alive++) {
      const files = layOut(quickFolder());
      await crash(files, alive);
      const wasNew = textOf(files.settings) === newTexts.settings;
      fs.writeFileSync(files.settings, "edited");
      const foreseen =
        pendingJournal(disk, files.stateDir)?.reader.read(files.registry)?.toString() ?? textOf(files.registry);
      await recoverNow(files);
      expect([alive, textOf(files.settings), tempsBelow(files.root)]).toEqual([alive, "edited", []]);
      expect([alive, sectionsOf(files).settings]).toEqual([alive, wasNew ? "new" : "old"]);
      expect([alive, textOf(files.registry)]).toEqual([alive, foreseen]);
      const others = [
        textOf(files.nested),
        textOf(files.obsolete),
        sectionsOf(files).nested,
        sectionsOf(files).obsolete,
      ];
      expect([
        [undefined, oldTexts.obsolete, undefined, "old"],
        [newTexts.nested, undefined, "new", undefined],
      ]).toContainEqual(others);
      ends.add(`${sectionsOf(files).settings} ${sectionsOf(files).nested}`);
    }
    // Undone; left alone while the others went on; replaced before the edit.
    expect([...ends].sort()).toEqual(["new new", "old new", "old undefined"]);
  });

  test("also when recovery itself crashes at every call, and the user undoes the edit in between", async () => {
    for (let alive = 0, finished = false; !finished; alive++) {
      const files = await crashed("committed");
      fs.writeFileSync(files.settings, "edited");
      finished = await withStateLock(disk, files.stateDir, 1000, (state) => recover(dyingGate(alive), state)).then(
        () => true,
        () => false,
      );
      fs.writeFileSync(files.settings, oldTexts.settings);
      const settling = phaseOf(files) === "settling";
      await recoverNow(files);
      const ours = textOf(files.settings) === newTexts.settings;
      expect([alive, sectionsOf(files).settings]).toEqual([alive, ours ? "new" : "old"]);
      if (settling) expect([alive, ours]).toEqual([alive, false]);
      expect([alive, tempsBelow(files.root), fs.existsSync(path.join(files.stateDir, "journal.json"))]).toEqual([
        alive,
        [],
        false,
      ]);
      expect([alive, sectionsOf(files).nested, textOf(files.nested)]).toEqual([alive, "new", newTexts.nested]);
    }
  });

  test("also when taking back crashes at every call", async () => {
    for (let alive = 0, finished = false; !finished; alive++) {
      const files = await crashed("staged");
      finished = await withStateLock(disk, files.stateDir, 1000, (state) => recover(dyingGate(alive), state)).then(
        () => true,
        () => false,
      );
      await recoverNow(files);
      expect([alive, stateOf(files), tempsBelow(files.root), fs.readdirSync(files.root)]).toEqual([
        alive,
        "old",
        [],
        ["gone", "settings.json", "state"],
      ]);
    }
  });

  test("also when the decision is on the disk, its confirmation fails, and the process dies at any call after that", async () => {
    for (let alive = 0, finished = false; !finished; alive++) {
      const files = layOut(quickFolder());
      let callsLeft = Number.POSITIVE_INFINITY;
      const gate = watchedGate(disk, (call) => {
        if (callsLeft-- <= 0) throw systemError(call, "EIO");
        if (callsLeft !== Number.POSITIVE_INFINITY || call.method !== "syncFolder" || phaseOf(files) !== "committed")
          return;
        callsLeft = alive;
        throw systemError(call, "EIO");
      });
      const error = await commit(gate, upgrade(disk, files)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ diagnostic: { code: "not-finished" } });
      finished = callsLeft > 0;
      await recoverNow(files);
      expect([alive, stateOf(files), tempsBelow(files.root)]).toEqual([alive, "new", []]);
    }
  });
});

describe("recovery", () => {
  test("is the first thing the next commit does", async () => {
    const files = await crashed("committed");
    expect(await commit(disk, upgrade(disk, files))).toMatchObject({ kind: "stale" });
    expect(stateOf(files)).toBe("new");
  });

  test("tells what it did", async () => {
    const staged = await crashed("staged");
    expect(pendingJournal(disk, staged.stateDir)).toMatchObject({
      kind: "undo",
      paths: [staged.settings, staged.nested, staged.obsolete],
    });
    expect(await recoverNow(staged)).toEqual({
      kind: "undone",
      paths: [staged.settings, staged.nested, staged.obsolete],
    });
    expect(await recoverNow(staged)).toEqual({ kind: "none" });
    const files = await crashed("committed");
    expect(pendingJournal(disk, files.stateDir)?.kind).toBe("finish");
    fs.rmSync(files.obsolete);
    fs.writeFileSync(files.settings, "edited");
    const paths = [files.settings, files.nested, files.obsolete];
    expect(await recoverNow(files)).toEqual({ kind: "finished", paths, left: [files.settings] });
  });

  test("leaves a registry alone that was changed by hand", async () => {
    const files = await crashed("committed");
    fs.writeFileSync(files.registry, "{}");
    await recoverNow(files);
    expect([textOf(files.registry), textOf(files.settings), tempsBelow(files.root)]).toEqual([
      "{}",
      newTexts.settings,
      [],
    ]);
  });

  test("leaves a file alone whose replacement was tampered with", async () => {
    const files = await crashed("committed");
    const temp = fs.readdirSync(files.root).find((name) => name.endsWith(".tmp"))!;
    fs.writeFileSync(path.join(files.root, temp), "not what was staged");
    expect(await recoverNow(files)).toMatchObject({ left: [files.settings] });
    expect([textOf(files.settings), sectionsOf(files).settings]).toEqual([oldTexts.settings, "old"]);
  });

  test("keeps the records of what is left alone when the registry was to go", async () => {
    const files = layOut(quickFolder());
    const tx = upgrade(disk, files);
    const uninstall = {
      ...tx,
      changes: [tx.changes[0]!, tx.changes[2]!],
      registry: { ...tx.registry, after: undefined },
    };
    let edited = false;
    const gate = watchedGate(disk, (call) => {
      // At the last moment: everything is staged and decided, and the file is about to be replaced.
      if (edited || call.method !== "stat" || call.path !== files.settings || phaseOf(files) !== "committed") return;
      edited = true;
      fs.writeFileSync(files.settings, "edited");
    });
    const result = await withStateLock(gate, files.stateDir, 1000, (state) => commitLocked(gate, state, uninstall));
    expect(result).toEqual({ kind: "committed", generation: 1, left: [files.settings] });
    expect(textOf(files.settings)).toBe("edited");
    expect(JSON.parse(textOf(files.registry)!)).toEqual({ version: "1.0", files: { settings: "old" } });
    expect(fs.existsSync(files.obsolete)).toBe(false);
  });

  test("an edit while the new files are being written makes the plan stale, and everything is taken back", async () => {
    const files = layOut(quickFolder());
    const gate = watchedGate(disk, (call) => {
      if (call.method === "createFile" && call.path.includes("generations")) fs.writeFileSync(files.settings, "edited");
    });
    expect(await commit(gate, upgrade(disk, files))).toEqual({ kind: "stale", paths: [files.settings] });
    expect([textOf(files.settings), textOf(files.nested), tempsBelow(files.root)]).toEqual(["edited", undefined, []]);
    expect(fs.existsSync(path.join(files.stateDir, "zylos", "generations", "1.json"))).toBe(false);
  });
});

/** Somebody who takes no lock writes after the last look, in the moment before the file is replaced or removed. */
describe("an edit in the last moment", () => {
  const moments = [
    ["settings", "exchange", { settings: "old", nested: "new" }],
    ["obsolete", "rename", { settings: "new", nested: "new", obsolete: "old" }],
  ] as const;
  const editing = (file: string, method: string, afterwards: () => void) => {
    const isIt = (call: { method: string; path: string }) =>
      call.method === method && path.dirname(call.path) === path.dirname(file);
    const gate = watchedGate(
      disk,
      (call) => void (isIt(call) && fs.writeFileSync(file, "late")),
      (call) => void (isIt(call) && afterwards()),
    );
    return gate;
  };

  test.each(moments)("of %s stands, and its record stays the old one", async (which, method, records) => {
    const files = layOut(quickFolder());
    let calls = 0;
    const gate = editing(files[which], method, () => void calls++);
    expect(await commit(gate, upgrade(disk, files))).toEqual({
      kind: "committed",
      generation: 1,
      left: [files[which]],
    });
    expect([calls > 0, textOf(files[which]), tempsBelow(files.root), sectionsOf(files)]).toEqual([
      true,
      "late",
      [],
      records,
    ]);
  });

  test.each(moments)(
    "of %s is put back also by the run after a crash, and planning sees it",
    async (which, method, records) => {
      const files = layOut(quickFolder());
      const gate = editing(files[which], method, () => {
        throw new Error("killed");
      });
      await expect(commit(gate, upgrade(disk, files))).rejects.toThrow("killed");
      expect(pendingJournal(disk, files.stateDir)!.reader.read(files[which])?.toString()).toBe("late");
      expect(await recoverNow(files)).toMatchObject({ kind: "finished", left: [files[which]] });
      expect([textOf(files[which]), tempsBelow(files.root), sectionsOf(files)]).toEqual(["late", [], records]);
    },
  );

  test("while an earlier one is put back stands as well: it is the newest", async () => {
    const files = layOut(quickFolder());
    const texts = ["late", "later"];
    const gate = watchedGate(disk, (call) => {
      if (call.method === "exchange" && texts.length > 0) fs.writeFileSync(files.settings, texts.shift()!);
    });
    expect(await commit(gate, upgrade(disk, files))).toMatchObject({ kind: "committed", left: [files.settings] });
    expect([textOf(files.settings), tempsBelow(files.root)]).toEqual(["later", []]);
  });

  test("of a new file that has two names for a moment is an edit of ours", async () => {
    const files = layOut(quickFolder());
    const gate = watchedGate(disk, (call) => {
      if (call.method !== "place") return;
      fs.linkSync(call.path, files.nested);
      throw new Error("killed");
    });
    await expect(commit(gate, upgrade(disk, files))).rejects.toThrow("killed");
    fs.appendFileSync(files.nested, "edited");
    expect(await recoverNow(files)).toMatchObject({ kind: "finished", left: [] });
    expect([textOf(files.nested), tempsBelow(files.root), sectionsOf(files).nested]).toEqual([
      `${newTexts.nested}edited`,
      [],
      "new",
    ]);
  });

  test("where files can't be exchanged, one more look comes before the rename", async () => {
    const files = layOut(quickFolder());
    const gate = { ...disk, exchange: () => false };
    expect(await commit(gate, upgrade(disk, files))).toMatchObject({ kind: "committed", left: [] });
    expect([stateOf(files), tempsBelow(files.root)]).toEqual(["new", []]);
  });
});

function registryTemps(files: TwoFiles): string[] {
  const folder = path.dirname(files.registry);
  return tempsBelow(folder).map((name) => path.join(folder, name));
}

describe("what planning sees of a pending journal", () => {
  test("is the folder as it will be, without temporary files", async () => {
    const files = await crashed("committed");
    const { reader } = pendingJournal(disk, files.stateDir)!;
    expect(reader.list(files.root)).toEqual(["a", "settings.json", "state"]);
    expect(reader.list(path.dirname(files.nested))).toEqual(["nested.txt"]);
    expect(reader.list(path.dirname(files.obsolete))).toBeUndefined();
    expect(reader.stat(files.obsolete)).toBeUndefined();
    expect(reader.stat(files.nested)).toMatchObject({ kind: "file", mode: 0o600, size: newTexts.nested.length });
    expect(reader.stat(files.registry)).toMatchObject({ kind: "file", mode: 0o600 });
    expect(reader.list(path.join(files.root, "nowhere"))).toBeUndefined();
    const link = path.join(files.root, "link.json");
    fs.symlinkSync("settings.json", link);
    expect(reader.read(link)?.toString()).toBe(newTexts.settings);
    expect(reader.readLink(link)).toBe("settings.json");
    expect(reader.readLink(files.settings)).toBeUndefined();
  });

  test("is, where it will be taken back, the folder as it was: without folders and history that were only made for it", async () => {
    const files = await crashed("staged");
    const { reader } = pendingJournal(disk, files.stateDir)!;
    expect(reader.list(files.root)).toEqual(["gone", "settings.json", "state"]);
    expect(reader.stat(path.dirname(files.nested))).toBeUndefined();
    expect(reader.list(path.join(files.stateDir, "zylos", "generations"))).toEqual([]);
  });

  test("keeps a folder that somebody else has put something into", async () => {
    const files = await crashed("staged");
    fs.writeFileSync(path.join(path.dirname(files.nested), "mine.txt"), "");
    const { reader } = pendingJournal(disk, files.stateDir)!;
    expect(reader.list(path.dirname(files.nested))).toEqual(["mine.txt"]);
  });

  test("stays right when the run was only slow and finishes meanwhile", async () => {
    const files = await crashed("committed");
    const { reader } = pendingJournal(disk, files.stateDir)!;
    await recoverNow(files);
    const seen = [files.settings, files.nested, files.obsolete, files.registry].map((file) =>
      reader.read(file)?.toString(),
    );
    expect(seen).toEqual([newTexts.settings, newTexts.nested, undefined, registryTexts.after]);
    expect(reader.stat(files.nested)).toMatchObject({ kind: "file", size: newTexts.nested.length });
    const racing = await crashed("committed");
    const late = watchedGate(
      disk,
      () => {},
      (call) => {
        // The old registry has just been read to see that it is the old one; now the run replaces it.
        if (call.method !== "read" || call.path !== racing.registry) return;
        fs.cpSync(files.registry, racing.registry);
        for (const temp of registryTemps(racing)) fs.rmSync(temp);
      },
    );
    expect(pendingJournal(late, racing.stateDir)!.reader.read(racing.registry)?.toString()).toBe(registryTexts.after);
  });
});
