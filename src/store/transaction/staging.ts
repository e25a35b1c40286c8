import { dirname, join } from "node:path";
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
import { createVerified, modeFor, stageBeside, tempBeside } from "./atomic.ts";
import { type Journal, type JournalPart, writeJournal } from "./journal.ts";
import type { LockedState } from "./lock.ts";
import type { Change, OwnerPart, Transaction } from "./transaction.ts";

/** A change whose contents have been hashed: once, since files can be large. */
export interface PlannedChange extends Change {
  readonly before: Seen;
  readonly beforeBytes: Uint8Array | undefined;
  readonly content: Seen;
  /** What other owners of the transaction call it in their records. */
  readonly otherSections?: readonly string[] | undefined;
}

/** All that a transaction compares and writes, encoded and hashed once. */
export interface PlannedContent {
  /** Each file once, whoever has a part in it. */
  readonly changes: readonly PlannedChange[];
  readonly parts: readonly PlannedPart[];
}

/** The same of one owner. */
export interface PlannedPart {
  readonly part: OwnerPart;
  readonly changes: readonly PlannedChange[];
  /** The registry as planning saw it and as it will be; undefined: there is none. */
  readonly registry: { readonly before: Hashed | undefined; readonly after: Hashed | undefined };
}

/** Everything a transaction is going to write, decided before the first byte is. */
export interface StagedDraft {
  readonly journal: Journal;
  readonly changes: readonly PlannedChange[];
  readonly parts: readonly DraftPart[];
}

interface DraftPart extends JournalPart {
  /** The registry to write; undefined where it goes or stays. */
  readonly bytes: Uint8Array | undefined;
  /** The history's new files by their path in the owner's folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export function draftTransaction(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  { changes, parts: planned }: PlannedContent,
  limits: HistoryLimits,
): StagedDraft {
  const parts = planned.map((part) => draftPart(gate, state, tx.time, part, limits));
  const [first, ...others] = parts.map(journalPart) as [JournalPart, ...JournalPart[]];
  const journal: Journal = {
    format: 1,
    phase: "staging",
    ...first,
    changes: changes.map((change) => draftChange(gate, change)),
    folders: foldersToMake(gate, changes),
    ...(others.length > 0 && { others }),
  };
  return { journal, changes, parts };
}

function draftPart(
  gate: Gate,
  state: LockedState,
  time: string,
  planned: PlannedPart,
  limits: HistoryLimits,
): DraftPart {
  const { name, generation: note } = planned.part;
  if (planned.changes.length > 0 && note === undefined)
    throw new Error("a transaction that changes files needs a generation");
  const generation = draftGeneration(gate, state, time, planned);
  const files = generation === undefined ? new Map() : historyFiles(gate, state, planned, generation);
  const registry = draftRegistry(gate, state, planned);
  return {
    name,
    generation: generation?.number ?? null,
    registry,
    added: [...files.keys()],
    dropped: generation === undefined ? [] : [...planPrune(gate, { stateDir: state.dir, name }, limits, generation)],
    files,
    bytes: registry === null ? undefined : planned.registry.after?.bytes,
  };
}

function journalPart({ files: _, bytes: __, ...part }: DraftPart): JournalPart {
  return part;
}

function draftChange(gate: Gate, change: PlannedChange): Journal["changes"][number] {
  return {
    path: change.path,
    real: change.real,
    temp: tempBeside(gate, change.real),
    before: change.before,
    after: change.content,
    section: change.section ?? null,
    ...(change.otherSections && { otherSections: [...change.otherSections] }),
    removeFolders: [...change.removeFolders],
  };
}

function draftRegistry(
  gate: Gate,
  state: LockedState,
  { part, registry: { before, after } }: PlannedPart,
): Journal["registry"] {
  if (part.registry.before === part.registry.after) return null;
  const real = gate.realPath(part.registry.path);
  if (dirname(real) !== ownerFolder(state.dir, part.name)) {
    throw storeError(
      "state-dir-unusable",
      part.registry.path,
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
  time: string,
  { part, changes, registry }: PlannedPart,
): Generation | undefined {
  const note = part.generation;
  if (note === undefined) return undefined;
  const newest = generationNumbers(gate, state.dir, part.name).at(-1) ?? 0;
  const keeps = note.keeps ?? [];
  return {
    format: 1,
    number: newest + 1,
    time,
    version: note.version,
    from: note.from ?? null,
    note: note.note,
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

function keptBefore(gate: Gate, { before, beforeBytes, real }: PlannedChange): KeptFile {
  const status = gate.stat(real);
  const size = beforeBytes?.length ?? status?.size ?? 0;
  return before.kind === "file" ? { ...before, mode: status?.mode ?? 0, size } : before;
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
  { part: { name, generation: noted }, changes, registry }: PlannedPart,
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
export function stage(gate: Gate, state: LockedState, draft: StagedDraft): void {
  const { journal, parts } = draft;
  const owners = parts.flatMap(({ name }) => foldersOf(ownerFolder(state.dir, name)));
  for (const folder of owners) makeFolders(gate, folder, 0o700);
  writeJournal(gate, state, journal);
  for (const folder of journal.folders) gate.createFolder(folder, 0o777);
  draft.changes.forEach((change, index) => {
    stageBeside(gate, change, journal.changes[index]!.temp);
  });
  for (const part of parts) stageRecords(gate, ownerFolder(state.dir, part.name), part);
  const touched = [
    ...journal.changes.map((change) => dirname(change.real)),
    ...journal.folders.map((folder) => dirname(folder)),
  ];
  for (const folder of new Set([...touched, ...owners])) gate.syncFolder(folder);
}

function foldersOf(owner: string): string[] {
  return [owner, join(owner, "objects"), join(owner, "generations")];
}

function stageRecords(gate: Gate, owner: string, { registry, bytes, files }: DraftPart): void {
  if (registry !== null && bytes !== undefined) createVerified(gate, registry.temp, bytes, "private");
  for (const [path, content] of files) {
    gate.remove(join(owner, path));
    createVerified(gate, join(owner, path), content, "private");
  }
}
