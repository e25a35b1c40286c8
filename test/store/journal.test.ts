import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { isOwnerName } from "../../src/store/records/state-dir.ts";
import { type Journal, readJournal } from "../../src/store/transaction/journal.ts";
import { withStateLock } from "../../src/store/transaction/lock.ts";
import { pendingJournal } from "../../src/store/transaction/pending.ts";
import { recover } from "../../src/store/transaction/recovery.ts";
import { commit } from "../../src/store/transaction/transaction.ts";
import { scratchFolder, snapshot } from "./scratch.ts";
import { layOut, type TwoFiles, upgrade } from "./two-files.ts";

const gate = diskGate();
const hash = "a".repeat(64);
const token = ".stet-0123456789abcdef.tmp";

function validJournal(files: TwoFiles): Journal {
  return {
    format: 1,
    phase: "committed",
    name: "zylos",
    generation: 1,
    changes: [
      {
        path: files.settings,
        real: files.settings,
        temp: path.join(files.root, token),
        before: { kind: "absent" },
        after: { kind: "file", sha256: hash },
        section: null,
        removeFolders: [],
      },
    ],
    registry: {
      real: files.registry,
      temp: path.join(path.dirname(files.registry), token),
      spare: path.join(path.dirname(files.registry), ".stet-fedcba9876543210.tmp"),
      before: { kind: "absent" },
      after: { kind: "absent" },
    },
    folders: [path.join(files.root, "a")],
    added: [`objects/${hash}`, "generations/1.json"],
    dropped: [],
  };
}

type Json = Record<string, unknown>;
const first = (journal: Json) => (journal.changes as Json[])[0]!;

describe("a journal that is not exactly ours", () => {
  const damages: Record<string, (journal: Json, files: TwoFiles) => unknown> = {
    "a newer format": (journal) => Object.assign(journal, { format: 2 }),
    "an unknown phase": (journal) => Object.assign(journal, { phase: "undoing" }),
    "an unknown field": (journal) => Object.assign(journal, { extra: 1 }),
    "an owner outside": (journal) => Object.assign(journal, { name: "../zylos" }),
    "an owner called lock": (journal) => Object.assign(journal, { name: "lock" }),
    "a relative target": (journal) => Object.assign(first(journal), { real: "settings.json" }),
    "a target with steps back": (journal, files) =>
      Object.assign(first(journal), { real: `${files.root}/x/../settings.json` }),
    "a target with a NUL": (journal, files) => Object.assign(first(journal), { real: `${files.root}/a\0b` }),
    "a temporary file elsewhere": (journal) => Object.assign(first(journal), { temp: `/etc/${token}` }),
    "a temporary file below": (journal, files) =>
      Object.assign(first(journal), { temp: path.join(files.root, "sub", token) }),
    "a temporary file that is somebody's": (journal, files) =>
      Object.assign(first(journal), { temp: path.join(files.root, "diary.txt") }),
    "a hash that is a path": (journal) => Object.assign(first(journal), { after: { kind: "file", sha256: "../../x" } }),
    "a relative folder": (journal) => Object.assign(journal, { folders: ["a"] }),
    "an added file outside": (journal) => Object.assign(journal, { added: ["objects/../../../x"] }),
    "a dropped file that is the registry": (journal) => Object.assign(journal, { dropped: ["registry.json"] }),
    "a registry of another owner": (journal, files) => moveRegistry(journal, path.join(files.stateDir, "other")),
    "a registry in the user's folder": (journal, files) => moveRegistry(journal, files.root),
    "no changes": (journal) => Object.assign(journal, { changes: null }),
  };

  function moveRegistry(journal: Json, folder: string): void {
    const registry = journal.registry as Record<string, string>;
    for (const part of ["real", "temp", "spare"]) registry[part] = path.join(folder, path.basename(registry[part]!));
  }

  test("the undamaged one is read", () => {
    const files = layOut(scratchFolder());
    fs.writeFileSync(path.join(files.stateDir, "journal.json"), JSON.stringify(validJournal(files)));
    expect(readJournal(gate, files.stateDir)).toEqual(validJournal(files));
  });

  test.each(Object.entries(damages))("%s: an error, and nothing is touched", async (_, damage) => {
    const files = layOut(scratchFolder());
    const journal = structuredClone(validJournal(files)) as unknown as Json;
    damage(journal, files);
    await expectRefused(files, JSON.stringify(journal));
  });

  test.each(["", "null", "[]", "{", '{"format":1}', "\0\0\0"])("%j: an error, and nothing is touched", async (text) => {
    await expectRefused(layOut(scratchFolder()), text);
  });

  async function expectRefused(files: TwoFiles, text: string): Promise<void> {
    fs.writeFileSync(path.join(files.stateDir, "journal.json"), text);
    fs.writeFileSync(path.join(files.stateDir, "lock"), "");
    const before = snapshot(files.root);
    const malformed = expect.objectContaining({ diagnostic: expect.objectContaining({ code: "journal-malformed" }) });
    expect(() => pendingJournal(gate, files.stateDir)).toThrow(malformed);
    expect(snapshot(files.root)).toEqual(before);
    await expect(withStateLock(gate, files.stateDir, 1000, (state) => recover(gate, state))).rejects.toEqual(malformed);
    await expect(commit(gate, upgrade(gate, files))).rejects.toEqual(malformed);
    const { "state/lock": _, ...after } = snapshot(files.root);
    const { "state/lock": __, ...rest } = before;
    expect(after).toEqual(rest);
  }

  test("any mutilation of its text is refused or harmless, never a crash", () => {
    const files = layOut(scratchFolder());
    const text = JSON.stringify(validJournal(files));
    const place = path.join(files.stateDir, "journal.json");
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(8), fc.string({ maxLength: 4 }), (at, cut, inserted) => {
        fs.writeFileSync(place, text.slice(0, at) + inserted + text.slice(at + cut));
        try {
          const journal = readJournal(gate, files.stateDir)!;
          for (const change of journal.changes) expect(path.dirname(change.temp)).toBe(path.dirname(change.real));
        } catch (error) {
          expect((error as { diagnostic?: { code: string } }).diagnostic?.code).toBe("journal-malformed");
        }
      }),
      { numRuns: 300 },
    );
  });
});

test("names of owners are names of folders everywhere", () => {
  for (const name of ["zylos", "a", "Zylos-2", "host.example.org", "me@home", "x".repeat(100)])
    expect([name, isOwnerName(name)]).toEqual([name, true]);
  for (const name of [
    "",
    ".",
    "..",
    ".hidden",
    "a/b",
    "a\\b",
    "a:b",
    "lock",
    "LOCK",
    "journal.json",
    "a.",
    "a b",
    "ü",
    "x".repeat(101),
    "a\n",
  ]) {
    expect([name, isOwnerName(name)]).toEqual([name, false]);
  }
});
