import fs from "node:fs";
import path from "node:path";
import type { NextContent } from "../../src/core/content.ts";
import { sha256 } from "../../src/store/gate/content.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { realTarget } from "../../src/store/gate/target.ts";
import type { Change, Transaction } from "../../src/store/transaction/transaction.ts";
import { writeAtRest } from "../write-at-rest.ts";

/** A folder with two users' files and a third that goes, and the state of an owner that manages them. */
export interface TwoFiles {
  readonly root: string;
  readonly stateDir: string;
  readonly settings: string;
  readonly nested: string;
  readonly obsolete: string;
  readonly registry: string;
}

export const oldTexts = { settings: '{ "old": 1 } // mine\n', obsolete: "obsolete\n" };
export const newTexts = { settings: '{ "new": 2 } // mine\n', nested: "nested, new\n" };
export const registryTexts = {
  before: JSON.stringify({ version: "1.0", files: { settings: "old", obsolete: "old" } }),
  after: JSON.stringify({ version: "2.0", files: { settings: "new", nested: "new" } }),
};

export function filesIn(root: string): TwoFiles {
  const stateDir = path.join(root, "state");
  return {
    root,
    stateDir,
    settings: path.join(root, "settings.json"),
    nested: path.join(root, "a", "b", "nested.txt"),
    obsolete: path.join(root, "gone", "obsolete.txt"),
    registry: path.join(stateDir, "zylos", "registry.json"),
  };
}

export function layOut(root: string): TwoFiles {
  const files = filesIn(root);
  fs.mkdirSync(path.dirname(files.registry), { recursive: true, mode: 0o700 });
  writeAtRest(files.settings, oldTexts.settings, { mode: 0o640 });
  fs.mkdirSync(path.dirname(files.obsolete));
  writeAtRest(files.obsolete, oldTexts.obsolete);
  fs.writeFileSync(files.registry, registryTexts.before, { mode: 0o600 });
  return files;
}

/** Updates one file, creates another in new folders, removes a third with its folder, and records it. */
export function upgrade(gate: Gate, files: TwoFiles): Transaction {
  return {
    stateDir: files.stateDir,
    name: "zylos",
    time: "2026-11-15T12:00:00.000Z",
    changes: [
      change(
        gate,
        files.settings,
        { kind: "file", bytes: Buffer.from(newTexts.settings), mode: { created: 0o666 } },
        "settings",
      ),
      change(
        gate,
        files.nested,
        { kind: "file", bytes: Buffer.from(newTexts.nested), mode: { created: 0o600 } },
        "nested",
      ),
      {
        ...change(gate, files.obsolete, { kind: "absent" }, "obsolete"),
        removeFolders: [path.dirname(files.obsolete)],
      },
    ],
    registry: { path: files.registry, before: registryTexts.before, after: registryTexts.after },
    generation: { version: "2.0", from: "1.0", note: "apply" },
  };
}

/** A change as planning makes it: with what is there now as its before. */
export function change(gate: Gate, file: string, after: NextContent, section?: string): Change {
  const bytes = gate.read(file);
  const before =
    bytes === undefined ? ({ kind: "absent" } as const) : ({ kind: "file", sha256: sha256(bytes) } as const);
  return { path: file, real: realTarget(gate, file, "file"), before, after, section, removeFolders: [] };
}

/** The same for a link that is itself managed. */
export function linkChange(gate: Gate, link: string, after: NextContent): Change {
  const real = realTarget(gate, link, "link");
  const target = gate.readLink(real);
  const before = target === undefined ? ({ kind: "absent" } as const) : ({ kind: "link", target } as const);
  return { path: link, real, before, after, section: undefined, removeFolders: [] };
}

export function textOf(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

/** Whether all of it is as it was, or all of it as it is to be; `mixed` is what must never be. */
export function stateOf(files: TwoFiles): "old" | "new" | "mixed" {
  const actual = JSON.stringify(
    [files.settings, files.nested, files.obsolete, files.registry].map((file) => textOf(file) ?? null),
  );
  if (actual === JSON.stringify([oldTexts.settings, null, oldTexts.obsolete, registryTexts.before])) return "old";
  if (actual === JSON.stringify([newTexts.settings, newTexts.nested, null, registryTexts.after])) return "new";
  return "mixed";
}
