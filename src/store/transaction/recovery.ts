import { dirname } from "node:path";
import { observe, type Recognise, sameContent, sha256 } from "../gate/content.ts";
import type { FileStatus, Gate } from "../gate/gate.ts";
import { readGeneration, rollbackTarget } from "../records/generations.ts";
import { journalDraft, refuseShared } from "../records/state-dir.ts";
import {
  historyOf,
  type Journal,
  type JournalChange,
  type JournalRegistry,
  partsOf,
  readJournal,
  removeJournal,
  tempsOf,
  writeJournal,
} from "./journal.ts";
import { type LockedState, withFileLocks, withStateLock } from "./lock.ts";
import { finalRegistry, outcomeOf, outcomeOfStaged, sectionsOf } from "./outcome.ts";
import { type PendingJournal, pendingJournal } from "./pending.ts";
import { isSame } from "./rest.ts";

export type Recovery =
  | { readonly kind: "none" }
  | { readonly kind: "undone"; readonly paths: readonly string[] }
  /** `left`: files that somebody edited meanwhile; they were not touched. */
  | { readonly kind: "finished"; readonly paths: readonly string[]; readonly left: readonly string[] };

/**
 * Finishes or undoes what a run that crashed has begun. For commands that write; planning looks through
 * `pendingJournal`.
 */
export async function recover(gate: Gate, state: LockedState): Promise<Recovery> {
  const journal = readJournal(gate, state.dir);
  if (journal === undefined) {
    gate.remove(journalDraft(state.dir));
    return { kind: "none" };
  }
  const files = journal.changes.map((change) => change.real);
  return withFileLocks(gate, state, files, () => finishOrUndo(gate, state, journal));
}

function finishOrUndo(gate: Gate, state: LockedState, journal: Journal): Recovery {
  const paths = journal.changes.map((change) => change.path);
  if (journal.phase === "staging") {
    undo(gate, state, journal);
    return { kind: "undone", paths };
  }
  return { kind: "finished", paths, left: rollForward(gate, state, journal) };
}

/** Takes back what staging has made. No file of the user's has changed yet. */
export function undo(gate: Gate, state: LockedState, journal: Journal): void {
  const added = partsOf(journal).flatMap((part) => historyOf(state.dir, part, part.added));
  clearAway(gate, [...tempsOf(journal), ...added], [...journal.folders].reverse());
  removeJournal(gate, state);
}

/**
 * Makes a committed journal true, from wherever it stopped. The same code carries out a fresh transaction and one that
 * crashed. Returns the files (as the user says them) that it left alone because somebody edited them at the last
 * moment. `recognise`: by the contents that a fresh transaction still has in hand; it has just staged them.
 */
export function rollForward(
  gate: Gate,
  state: LockedState,
  committed: Journal,
  recognise?: Recognise,
): readonly string[] {
  let journal = committed;
  let left: readonly JournalChange[] = [];
  if (committed.phase === "committed") {
    left = carryOutAll(gate, committed.changes, recognise);
    journal = settle(gate, state, committed, left);
  }
  const parts = partsOf(journal);
  for (const { registry } of parts) if (registry !== null) replaceRegistry(gate, registry, recognise);
  const dropped = parts.flatMap((part) => historyOf(state.dir, part, part.dropped));
  const folders = journal.changes.flatMap((change) => change.removeFolders);
  const replaced = journal.changes.map((change) => change.temp);
  clearAway(gate, [...tempsOf(journal), ...dropped], folders, replaced);
  removeJournal(gate, state);
  return left.map((change) => change.path);
}

/** Returns the changes that were not made, because somebody else wrote at the last moment. */
function carryOutAll(
  gate: Gate,
  changes: readonly JournalChange[],
  recognise: Recognise | undefined,
): readonly JournalChange[] {
  const carried: Carried[] = [];
  try {
    for (const change of changes) carried.push(carryOut(gate, change, recognise));
    syncFolders(
      gate,
      changes.map((change) => change.real),
    );
    // Only now, as late as can be: a program that had the old file open may have saved into it meanwhile.
    return carried.filter((each) => !(each.isDone && letGo(gate, each, recognise))).map(({ change }) => change);
  } finally {
    for (const { release } of carried) release();
  }
}

interface Carried {
  readonly change: JournalChange;
  /** False where the file had to be left alone. */
  readonly isDone: boolean;
  /** The file that was replaced, as it stood there. */
  readonly replaced: FileStatus | undefined;
  release(): void;
}

/**
 * Looks right before it acts, and afterwards at what it has replaced: whoever wrote in between, without a lock, gets
 * the file back as it was then.
 */
function carryOut(gate: Gate, change: JournalChange, recognise: Recognise | undefined): Carried {
  const replaced = gate.stat(change.real);
  const outcome = recognise === undefined ? outcomeOf(gate, change) : outcomeOfStaged(gate, change, recognise);
  if (outcome === "left" || outcome === "done")
    return { change, isDone: outcome === "done", replaced: undefined, release: () => {} };
  // Until it is certain that the replacement stays, it is ours as the file before it is: who waits for the lock finds
  // it busy.
  const lock = gate.tryLockFile(change.temp);
  const release = lock.kind === "held" ? lock.release : () => {};
  try {
    const isDone = (outcome !== "apply" || replace(gate, change)) && !putBackIfLate(gate, change, recognise);
    return { change, isDone, replaced, release };
  } catch (cause) {
    release();
    throw cause;
  }
}

/** False where something has arrived in the replaced file since: it is put back, and planned again. */
function letGo(gate: Gate, { change, replaced }: Carried, recognise: Recognise | undefined): boolean {
  const now = gate.stat(change.temp);
  if (now === undefined) return true;
  if (!isSame(now, replaced) && putBackIfLate(gate, change, recognise)) return false;
  return gate.remove(change.temp);
}

function putBackIfLate(gate: Gate, change: JournalChange, recognise: Recognise | undefined): boolean {
  if (outcomeOf(gate, change, recognise) !== "late") return false;
  putBack(gate, change);
  return true;
}

/** The newest stands: whoever writes in this very moment as well finds his file where he put it. */
function putBack(gate: Gate, { after, real, temp }: JournalChange): void {
  if (after.kind === "absent") gate.place(temp, real);
  else if (gate.exchange(temp, real) && !sameContent(observe(gate, temp), after)) gate.exchange(temp, real);
}

/** False where somebody was quicker. */
function replace(gate: Gate, { before, after, real, temp }: JournalChange): boolean {
  if (after.kind === "absent") gate.rename(real, temp);
  else if (before.kind === "absent" && after.kind === "file") return gate.place(temp, real);
  // With the same bytes before and after nothing would show that it happened.
  else if (before.kind === "absent" || sameContent(before, after)) gate.rename(temp, real);
  else if (!gate.exchange(temp, real)) {
    // Where the replacement itself is gone, its folder was moved away: nothing is touched, and the rename says so.
    if (gate.stat(temp) !== undefined && !sameContent(observe(gate, real), before)) return false;
    gate.rename(temp, real);
  }
  return true;
}

/**
 * Where a file was left alone, the registry must not claim otherwise. The one to write instead is put on the disk, and
 * the journal says so, before the registry changes: a second crash then decides nothing anew.
 */
function settle(gate: Gate, state: LockedState, journal: Journal, left: readonly JournalChange[]): Journal {
  if (!left.some((change) => sectionsOf(change).length > 0)) return journal;
  const [first, ...others] = partsOf(journal).map((part) => {
    const registry = part.registry && settledRegistry(gate, part.registry, left);
    return registry === part.registry ? part : { ...part, registry };
  });
  const changed = first !== journal || others.some((part, i) => part !== journal.others?.[i]);
  if (!changed) return journal;
  const settled: Journal = { ...journal, ...first, ...(journal.others && { others }), phase: "settling" };
  writeJournal(gate, state, settled);
  return settled;
}

/** The registry to write where files were left alone. One that was replaced already was decided in an earlier run. */
function settledRegistry(gate: Gate, registry: JournalRegistry, left: readonly JournalChange[]): JournalRegistry {
  if (!sameContent(observe(gate, registry.real), registry.before)) return registry;
  const text = finalRegistry(gate, registry, left);
  gate.remove(registry.spare);
  if (text !== undefined) gate.createFile(registry.spare, Buffer.from(text), "private");
  gate.syncFolder(dirname(registry.real));
  const after: JournalRegistry["after"] =
    text === undefined ? { kind: "absent" } : { kind: "file", sha256: sha256(text) };
  return { ...registry, temp: registry.spare, spare: registry.temp, after };
}

/** A registry that is not the one planning saw was changed by hand: it stands, as any file of the user's does. */
function replaceRegistry(gate: Gate, registry: JournalRegistry, recognise: Recognise | undefined): void {
  if (!sameContent(observe(gate, registry.real, recognise), registry.before)) return;
  if (registry.after.kind === "absent") gate.remove(registry.real);
  else if (gate.stat(registry.temp) !== undefined) gate.rename(registry.temp, registry.real);
  gate.syncFolder(dirname(registry.real));
}

/**
 * Before the journal goes, and on the disk: afterwards nobody would know them. Folders go where nothing is left in
 * them. `removed`: files that are gone already, but perhaps not on the disk.
 */
function clearAway(
  gate: Gate,
  files: readonly string[],
  folders: readonly string[],
  removed: readonly string[] = [],
): void {
  const gone = [...removed, ...files.filter((file) => gate.remove(file))];
  const emptied = folders.filter((folder) => gate.removeFolder(folder));
  syncFolders(gate, [...gone, ...emptied]);
}

/** The folders of these files, each once; one that is gone has nothing left to lose. */
function syncFolders(gate: Gate, files: readonly string[]): void {
  const folders = new Set(files.map((file) => dirname(file)));
  for (const folder of folders) if (gate.stat(folder)?.kind === "folder") gate.syncFolder(folder);
}

/**
 * Finishes or takes back what an interrupted run has begun. Returns what it was about; undefined where there was none.
 */
export async function finishInterrupted(
  gate: Gate,
  stateDir: string,
  waitMs: number,
): Promise<PendingJournal | undefined> {
  refuseShared(gate, stateDir);
  const pending = pendingJournal(gate, stateDir);
  if (pending !== undefined) await withStateLock(gate, stateDir, waitMs, (state) => recover(gate, state));
  return pending;
}

/**
 * Finishes what was interrupted, before an owner goes back. Returns where to, if it was going back that was interrupted
 * and is complete now: the same command again means just that, and not one more step.
 */
export async function finishRollback(
  gate: Gate,
  stateDir: string,
  name: string,
  waitMs: number,
): Promise<number | undefined> {
  const finished = await finishInterrupted(gate, stateDir, waitMs);
  if (finished?.kind !== "finish" || finished.name !== name || finished.generation === undefined) return undefined;
  const generation = readGeneration(gate, stateDir, name, finished.generation);
  return generation && rollbackTarget(generation);
}
