import { dirname, join } from "node:path";
import { createVerified, modeFor, stageBeside, tempBeside } from "../gate/atomic.ts";
import { type Hashed, type Seen, sha256 } from "../gate/content.ts";
import type { Gate } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import {
  type Generation,
  generationNumbers,
  generationPath,
  type HistoryLimits,
  type KeptFile,
  objectPath,
  planPrune,
} from "../records/generations.ts";
import { makeFolders, missingFolders, ownerFolder } from "../records/state-dir.ts";
import { type Journal, writeJournal } from "./journal.ts";
import type { LockedState } from "./lock.ts";
import type { Change, Transaction } from "./transaction.ts";

/** A change whose contents have been hashed: once, since files can be large. */
export interface PlannedChange extends Change {
  readonly before: Seen;
  readonly beforeBytes: Uint8Array | undefined;
  readonly content: Seen;
}

/** All that a transaction compares and writes, encoded and hashed once. */
export interface PlannedContent {
  readonly changes: readonly PlannedChange[];
  /** The registry as planning saw it and as it is to be; undefined: there is none. */
  readonly registry: { readonly before: Hashed | undefined; readonly after: Hashed | undefined };
}

/** Everything a transaction is going to write, decided before the first byte is. */
export interface Draft {
  readonly journal: Journal;
  readonly changes: readonly PlannedChange[];
  /** The registry to write; undefined where it goes or stays. */
  readonly registry: Uint8Array | undefined;
  /** The history's new files by their path in the owner's folder. */
  readonly added: ReadonlyMap<string, Uint8Array>;
}

export function draftTransaction(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  { changes, registry }: PlannedContent,
  limits: HistoryLimits,
): Draft {
  if (changes.length > 0 && tx.generation === undefined)
    throw new Error("a transaction that changes files needs a generation");
  const generation = draftGeneration(gate, state, tx, { changes, registry });
  const added = generation === undefined ? new Map() : historyFiles(gate, state, { changes, registry }, tx, generation);
  const journal: Journal = {
    format: 1,
    phase: "staging",
    name: tx.name,
    generation: generation?.number ?? null,
    changes: changes.map((change) => draftChange(gate, change)),
    registry: draftRegistry(gate, state, tx, registry),
    folders: foldersToMake(gate, changes),
    added: [...added.keys()],
    dropped:
      generation === undefined ? [] : [...planPrune(gate, { stateDir: state.dir, name: tx.name }, limits, generation)],
  };
  return { journal, changes, registry: journal.registry === null ? undefined : registry.after?.bytes, added };
}

function draftChange(gate: Gate, change: PlannedChange): Journal["changes"][number] {
  return {
    path: change.path,
    real: change.real,
    temp: tempBeside(gate, change.real),
    before: change.before,
    after: change.content,
    section: change.section ?? null,
    removeFolders: [...change.removeFolders],
  };
}

function draftRegistry(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  { before, after }: PlannedContent["registry"],
): Journal["registry"] {
  if (tx.registry.before === tx.registry.after) return null;
  const real = gate.realPath(tx.registry.path);
  if (dirname(real) !== ownerFolder(state.dir, tx.name)) {
    throw storeError(
      "state-dir-unusable",
      tx.registry.path,
      "it leads out of the state directory; put the owner's folder back in place of the link",
    );
  }
  const content = (known: Hashed | undefined): Seen =>
    known === undefined ? { kind: "absent" } : { kind: "file", sha256: known.sha256 };
  return {
    real,
    temp: tempBeside(gate, real),
    spare: tempBeside(gate, real),
    before: content(before),
    after: content(after),
  };
}

function foldersToMake(gate: Gate, changes: readonly PlannedChange[]): string[] {
  const folders = changes.map((change) => dirname(change.real));
  return [...new Set(folders.flatMap((folder) => missingFolders(gate, folder)))];
}

function draftGeneration(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  { changes, registry }: PlannedContent,
): Generation | undefined {
  if (tx.generation === undefined) return undefined;
  const newest = generationNumbers(gate, state.dir, tx.name).at(-1) ?? 0;
  const keeps = tx.generation.keeps ?? [];
  return {
    format: 1,
    number: newest + 1,
    time: tx.time,
    version: tx.generation.version,
    from: tx.generation.from ?? null,
    note: tx.generation.note,
    files: changes.map((change) => ({
      path: change.path,
      real: change.real,
      before: keptBefore(gate, change),
      after: keptAfter(gate, change),
    })),
    registryBefore: registry.before?.sha256 ?? null,
    ...(keeps.length > 0 ? { keeps: [...new Set(keeps.map(({ sha256 }) => sha256))].sort() } : {}),
  };
}

function keptBefore(gate: Gate, { before, real }: PlannedChange): KeptFile {
  const status = gate.stat(real);
  return before.kind === "file" ? { ...before, mode: status?.mode ?? 0, size: status?.size ?? 0 } : before;
}

function keptAfter(gate: Gate, { after, content, real }: PlannedChange): KeptFile {
  if (after.kind !== "file") return after;
  const hash = content.kind === "file" ? content.sha256 : sha256(after.bytes);
  return { kind: "file", sha256: hash, mode: modeFor(gate, real, after.mode), size: after.bytes.length };
}

/** The manifest, and the objects that the history does not hold yet. */
function historyFiles(
  gate: Gate,
  state: LockedState,
  { changes, registry }: PlannedContent,
  { name, generation: noted }: Transaction,
  generation: Generation,
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const keep = (hash: string, bytes: Uint8Array | undefined) => {
    // Compared, not only found: a damaged object is written again.
    const known = gate.read(join(ownerFolder(state.dir, name), objectPath(hash)));
    if (bytes !== undefined && known?.equals(bytes) !== true) files.set(objectPath(hash), bytes);
  };
  // Not hashed again: whoever edits a file between the check for staleness and here makes the second check fail.
  for (const { before, beforeBytes, real } of changes)
    if (before.kind === "file") keep(before.sha256, beforeBytes ?? gate.read(real));
  if (registry.before !== undefined) keep(registry.before.sha256, registry.before.bytes);
  // Only found, not compared: there may be as many as the owner has files, and whoever reads one checks it.
  const objects = join(ownerFolder(state.dir, name), "objects");
  const present = new Set(noted?.keeps === undefined ? [] : gate.list(objects));
  for (const { sha256, bytes } of noted?.keeps ?? [])
    if (bytes !== undefined && !present.has(sha256)) files.set(objectPath(sha256), bytes);
  return files.set(generationPath(generation.number), Buffer.from(`${JSON.stringify(generation, null, 1)}\n`));
}

/**
 * Writes everything new beside what it will replace, and what it replaces into the history. All of it is on the disk
 * afterwards.
 */
export function stage(gate: Gate, state: LockedState, draft: Draft): void {
  const { journal } = draft;
  const owner = ownerFolder(state.dir, journal.name);
  for (const folder of [owner, join(owner, "objects"), join(owner, "generations")]) makeFolders(gate, folder, 0o700);
  writeJournal(gate, state, journal);
  for (const folder of journal.folders) gate.createFolder(folder, 0o777);
  draft.changes.forEach((change, index) => {
    stageBeside(gate, change, journal.changes[index]!.temp);
  });
  if (journal.registry !== null && draft.registry !== undefined) {
    createVerified(gate, journal.registry.temp, draft.registry, "private");
  }
  for (const [path, bytes] of draft.added) {
    gate.remove(join(owner, path));
    createVerified(gate, join(owner, path), bytes, "private");
  }
  const touched = [
    ...journal.changes.map((change) => dirname(change.real)),
    ...journal.folders.map((folder) => dirname(folder)),
  ];
  for (const folder of new Set([...touched, owner, join(owner, "objects"), join(owner, "generations")]))
    gate.syncFolder(folder);
}
