import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { NextContent } from "../../src/core/content.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { listGenerations, readObject } from "../../src/store/records/generations.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { commit, commitLocked, type Transaction } from "../../src/store/transaction/transaction.ts";
import { scratchFolder, snapshot, tempsBelow } from "./scratch.ts";
import {
  change,
  layOut,
  linkChange,
  newTexts,
  oldTexts,
  registryTexts,
  stateOf,
  textOf,
  upgrade,
} from "./two-files.ts";

const gate = diskGate();

describe("a transaction", () => {
  test("changes, creates and removes files and writes the registry", async () => {
    const files = layOut(scratchFolder());
    expect(await commit(gate, upgrade(gate, files))).toEqual({ kind: "committed", generation: 1, left: [] });
    expect(stateOf(files)).toBe("new");
    expect(tempsBelow(files.root)).toEqual([]);
    expect(fs.existsSync(path.dirname(files.obsolete))).toBe(false);
    expect(fs.statSync(files.settings).mode & 0o777).toBe(0o640);
    expect(fs.statSync(files.nested).mode & 0o777).toBe(0o600);
    expect(fs.statSync(files.registry).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(files.stateDir).sort()).toEqual(["lock", "zylos"]);
  });

  test("keeps what it replaced, and what it was, in a generation", async () => {
    const files = layOut(scratchFolder());
    await commit(gate, upgrade(gate, files));
    const [generation] = listGenerations(gate, files.stateDir, "zylos");
    expect(generation).toMatchObject({
      number: 1,
      version: "2.0",
      from: "1.0",
      note: "apply",
      time: "2026-11-15T12:00:00.000Z",
    });
    const before = generation!.files.map((file) => file.before);
    expect(before.map((kept) => kept.kind)).toEqual(["file", "absent", "file"]);
    expect(before[0]).toMatchObject({ mode: 0o640 });
    const bytes = before.flatMap((kept) =>
      kept.kind === "file" ? [readObject(gate, files.stateDir, "zylos", kept.sha256).toString()] : [],
    );
    expect(bytes).toEqual([oldTexts.settings, oldTexts.obsolete]);
    expect(readObject(gate, files.stateDir, "zylos", generation!.registryBefore!).toString()).toBe(
      registryTexts.before,
    );
    for (const name of fs.readdirSync(path.join(files.stateDir, "zylos"), { recursive: true, encoding: "utf8" })) {
      const status = fs.statSync(path.join(files.stateDir, "zylos", name));
      expect([name, status.mode & 0o777]).toEqual([name, status.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test("that changes nothing writes nothing, not even the lock", async () => {
    const files = layOut(scratchFolder());
    const same: Transaction = {
      ...upgrade(gate, files),
      changes: [
        change(gate, files.settings, { kind: "file", bytes: Buffer.from(oldTexts.settings), mode: { exact: 0o640 } }),
      ],
      registry: { path: files.registry, before: registryTexts.before, after: registryTexts.before },
    };
    const before = snapshot(files.root);
    expect(await commit(gate, same)).toEqual({ kind: "unchanged" });
    expect(snapshot(files.root)).toEqual(before);
  });

  test("changes a mode alone where the mode is ours", async () => {
    const files = layOut(scratchFolder());
    const bytes = Buffer.from(oldTexts.settings);
    const tx = {
      ...upgrade(gate, files),
      changes: [change(gate, files.settings, { kind: "file", bytes, mode: { exact: 0o444 } })],
    };
    expect(await commit(gate, tx)).toMatchObject({ kind: "committed" });
    expect(fs.statSync(files.settings).mode & 0o777).toBe(0o444);
    const again = change(gate, files.settings, { kind: "file", bytes: Buffer.from("x"), mode: { exact: 0o444 } });
    const registry = { path: files.registry, before: registryTexts.after, after: registryTexts.after };
    expect(await commit(gate, { ...tx, changes: [again], registry })).toMatchObject({
      kind: "committed",
      generation: 2,
    });
    expect(textOf(files.settings)).toBe("x");
  });

  test.each([
    ["a file was edited", (files: ReturnType<typeof layOut>) => fs.writeFileSync(files.settings, "edited"), "settings"],
    ["a file appeared", (files: ReturnType<typeof layOut>) => createNested(files.nested), "nested"],
    ["a file is gone", (files: ReturnType<typeof layOut>) => fs.rmSync(files.obsolete), "obsolete"],
    [
      "the registry was written",
      (files: ReturnType<typeof layOut>) => fs.writeFileSync(files.registry, "{}"),
      "registry",
    ],
    ["a file became a folder", (files: ReturnType<typeof layOut>) => fileToFolder(files.settings), "settings"],
    ["a path leads elsewhere", (files: ReturnType<typeof layOut>) => relink(files.settings), "settings"],
  ] as const)("is stale when %s since the plan, and writes nothing", async (_, interfere, which) => {
    const files = layOut(scratchFolder());
    const tx = upgrade(gate, files);
    interfere(files);
    const before = snapshot(files.root);
    expect(await commit(gate, tx)).toEqual({ kind: "stale", paths: [files[which]] });
    const { "state/lock": _lock, state: _state, ...after } = snapshot(files.root);
    const { state: _before, ...rest } = before;
    expect(after).toEqual(rest);
  });

  test("creates, re-points and removes links without touching what they lead to", async () => {
    const files = layOut(scratchFolder());
    const link = path.join(files.root, "wants", "unit.service");
    const commitLink = async (after: NextContent) => {
      const registry = { path: files.registry, before: registryTexts.before, after: registryTexts.before };
      expect(
        await commit(gate, { ...upgrade(gate, files), changes: [linkChange(gate, link, after)], registry }),
      ).toMatchObject({
        kind: "committed",
      });
    };
    await commitLink({ kind: "link", target: "../settings.json" });
    expect(fs.readlinkSync(link)).toBe("../settings.json");
    await commitLink({ kind: "link", target: "../nowhere" });
    expect(fs.readlinkSync(link)).toBe("../nowhere");
    await commitLink({ kind: "absent" });
    expect(fs.lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
    expect(textOf(files.settings)).toBe(oldTexts.settings);
    const kinds = listGenerations(gate, files.stateDir, "zylos").map(
      ({ files: [file] }) => `${file!.before.kind}-${file!.after.kind}`,
    );
    expect(kinds).toEqual(["absent-link", "link-link", "link-absent"]);
  });

  test("writes through links, relative, dangling and in folders, and leaves the links alone", async () => {
    const root = scratchFolder();
    const files = layOut(root);
    fs.mkdirSync(path.join(root, "dotfiles"));
    fs.writeFileSync(path.join(root, "dotfiles", "there.json"), "there");
    fs.symlinkSync("dotfiles", path.join(root, "folder-link"));
    fs.symlinkSync("dotfiles/there.json", path.join(root, "there.json"));
    fs.symlinkSync("folder-link/not-yet.json", path.join(root, "dangling.json"));
    const texts = (text: string) => ({ kind: "file", bytes: Buffer.from(text), mode: { created: 0o644 } }) as const;
    const changes = [
      change(gate, path.join(root, "there.json"), texts("1")),
      change(gate, path.join(root, "dangling.json"), texts("2")),
    ];
    expect(await commit(gate, { ...upgrade(gate, files), changes })).toMatchObject({ kind: "committed", left: [] });
    expect(fs.readlinkSync(path.join(root, "there.json"))).toBe("dotfiles/there.json");
    expect(fs.readlinkSync(path.join(root, "dangling.json"))).toBe("folder-link/not-yet.json");
    expect(textOf(path.join(root, "dotfiles", "there.json"))).toBe("1");
    expect(textOf(path.join(root, "dotfiles", "not-yet.json"))).toBe("2");
  });

  test("deletes a registry that is to go", async () => {
    const files = layOut(scratchFolder());
    const tx = upgrade(gate, files);
    await commit(gate, { ...tx, changes: [], registry: { ...tx.registry, after: undefined } });
    expect(fs.existsSync(files.registry)).toBe(false);
    expect(textOf(files.settings)).toBe(oldTexts.settings);
  });

  test("that changes files without a generation is a mistake of the caller", async () => {
    const files = layOut(scratchFolder());
    await expect(commit(gate, { ...upgrade(gate, files), generation: undefined })).rejects.toThrow(
      "needs a generation",
    );
    expect(stateOf(files)).toBe("old");
  });

  test("can be committed by a caller who plans under the lock", async () => {
    const files = layOut(scratchFolder());
    const result = await withStateLock(gate, files.stateDir, 1000, (state) =>
      commitLocked(gate, state, upgrade(gate, files)),
    );
    expect(result).toMatchObject({ kind: "committed" });
    expect(textOf(files.nested)).toBe(newTexts.nested);
  });

  test("refuses two paths that lead to one file", async () => {
    const files = layOut(scratchFolder());
    const alias = path.join(files.root, "alias.json");
    fs.symlinkSync("settings.json", alias);
    const after = { kind: "file", bytes: Buffer.from("x"), mode: { created: 0o644 } } as const;
    const tx = { ...upgrade(gate, files), changes: [change(gate, files.settings, after), change(gate, alias, after)] };
    await expect(commit(gate, tx)).rejects.toMatchObject({ diagnostic: { code: "same-file-twice", file: alias } });
    expect(stateOf(files)).toBe("old");
  });
});

function createNested(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "mine");
}

function fileToFolder(file: string): void {
  fs.rmSync(file);
  fs.mkdirSync(file);
}

function relink(file: string): void {
  fs.renameSync(file, `${file}.real`);
  fs.symlinkSync(`${file}.real`, file);
}
