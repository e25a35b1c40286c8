import type { NextContent } from "../../core/content.ts";
import type { InputError } from "../../core/diagnostic.ts";
import {
  type Hashed,
  hashBoth,
  hashed,
  hashedContent,
  observe,
  type Seen,
  sameContent,
  type Unhashed,
} from "../gate/content.ts";
import type { FileStatus, Gate, Reader } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import { kindOfChange, realTarget, refuseOwnState, refuseTarget } from "../gate/target.ts";
import { defaultLimits, type HistoryLimits, lastLeft } from "../records/generations.ts";
import { journalFile } from "../records/state-dir.ts";
import { readJournal, writeJournal } from "./journal.ts";
import { defaultWaitMs, type LockedState, withFileLocks, withStateLock } from "./lock.ts";
import { recover, rollForward, undo } from "./recovery.ts";
import { isSame, type ReadFile, untilAtRest } from "./rest.ts";
import {
  draftTransaction,
  type PlannedChange,
  type PlannedContent,
  type PlannedPart,
  type StagedDraft,
  stage,
} from "./staging.ts";

export type { Seen };

export interface Change {
  /** As the user says it; for messages and the history. */
  readonly path: string;
  /** Where it really is: `realTarget`. */
  readonly real: string;
  /** What planning saw. Where it still has the bytes, files are compared with these, and not hashed again and again. */
  readonly before: Seen | Unhashed;
  readonly after: NextContent;
  /**
   * The member of the registry's `files` that records this file. It stays as it was if the file has to be left alone.
   */
  readonly section: string | undefined;
  /** Folders to take away afterwards if nothing is left in them, innermost first. */
  readonly removeFolders: readonly string[];
}

export interface GenerationNote {
  readonly version: string;
  readonly from: string | undefined;
  readonly note: string;
  /**
   * Contents that the state before or after it can't be made again without, whatever becomes of the files. Without
   * bytes: kept before.
   */
  readonly keeps?: readonly KeptContent[] | undefined;
}

export interface KeptContent {
  readonly sha256: string;
  readonly bytes: Uint8Array | undefined;
}

/** What one owner has of a transaction: its files, its records, its history. */
export interface OwnerPart {
  /** The owner: its registry and generations are in this folder of the state directory. */
  readonly name: string;
  readonly changes: readonly Change[];
  readonly registry: {
    readonly path: string;
    /** The text that planning saw; undefined: there was none. */
    readonly before: string | undefined;
    /** undefined: delete it. */
    readonly after: string | undefined;
  };
  /**
   * What the history says about it. Needed wherever files change; undefined for changes of records that nobody wants to
   * roll back.
   */
  readonly generation: GenerationNote | undefined;
}

export interface Transaction extends OwnerPart {
  readonly stateDir: string;
  /** When, ISO 8601: the clock is the caller's. */
  readonly time: string;
  /**
   * The files that planning read and leaves as they are: one that is being saved right now may have told it anything.
   */
  readonly seen?: readonly SeenFile[];
  /** Other owners whose part is done with it, or not at all. Each was planned upon what those before it leave. */
  readonly others?: readonly OwnerPart[];
}

export interface SeenFile {
  readonly path: string;
  readonly content: Seen;
}

export type CommitResult =
  /** `left`: files (as the user says them) that changed at the last moment and were left alone; plan again for them. */
  | { readonly kind: "committed"; readonly generation: number | undefined; readonly left: readonly string[] }
  /** There was nothing to do, and nothing was written. */
  | { readonly kind: "unchanged" }
  /** These are not what the plan saw (as the user says them): nothing was written, plan again. */
  | { readonly kind: "stale"; readonly paths: readonly string[] };

/**
 * The files (as the user says them) that a commit did not write, because they are not as the plan saw them. This is how
 * every caller reads a result: empty means that all of the plan is true now, anything else that it has to be made
 * again.
 */
export function notWritten(result: CommitResult): readonly string[] {
  if (result.kind === "unchanged") return [];
  return result.kind === "stale" ? result.paths : result.left;
}

export interface CommitOptions {
  /** How long to wait for another run that writes into the same state directory. */
  readonly waitMs?: number;
  readonly limits?: HistoryLimits;
}

/**
 * Makes all changes of a transaction, or none: also when the process is killed at any moment, or a disk fills up. What
 * was begun is then undone or finished by the next run that writes.
 */
export async function commit(gate: Gate, tx: Transaction, options: CommitOptions = {}): Promise<CommitResult> {
  const planned = plannedContent(tx);
  // Without the lock, since taking it writes: a run that changes nothing leaves no trace.
  if (changesNothing(gate, planned)) return { kind: "unchanged" };
  gate.stage("begun");
  // Before the lock as well: others can work meanwhile.
  const { stale } = await waitForSaves(gate, gate.realPath(tx.stateDir), tx, planned);
  if (stale.length > 0) return { kind: "stale", paths: stale };
  return withStateLock(gate, tx.stateDir, options.waitMs ?? defaultWaitMs, (state) =>
    commitHolding(gate, state, tx, planned, options.limits ?? defaultLimits),
  );
}

/** The same for a caller that holds the lock of the state directory, because it has planned under it. */
export function commitLocked(gate: Gate, state: LockedState, tx: Transaction): Promise<CommitResult> {
  return commitHolding(gate, state, tx, plannedContent(tx), defaultLimits);
}

async function commitHolding(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  planned: PlannedContent,
  limits: HistoryLimits,
): Promise<CommitResult> {
  gate.stage("begun");
  await recover(gate, state);
  const { stale, atRest } = await waitForSaves(gate, state.dir, tx, planned);
  if (stale.length > 0) return { kind: "stale", paths: stale };
  const files = planned.changes.map((change) => change.real);
  return withFileLocks(gate, state, files, () => commitPlanned(gate, state, tx, { planned, atRest, limits }));
}

/** What files that change looked like when they came to rest, by where they really are. */
type AtRest = ReadonlyMap<string, FileStatus | undefined>;

/**
 * Waits for files that somebody is saving. `stale`: those that planning leaves alone, and that are not as it saw them.
 * Those that change are compared when they are locked.
 */
async function waitForSaves(
  gate: Gate,
  stateDir: string,
  tx: Transaction,
  planned: PlannedContent,
): Promise<{ readonly stale: readonly string[]; readonly atRest: AtRest }> {
  const left = (real: string) => lastLeft(gate, stateDir, tx.name, real);
  const seen = (tx.seen ?? []).map((file) => ({ ...leftFile(gate, file), file }));
  const stale = (await untilAtRest(gate, seen, left)).filter(
    ({ file, hasWaited }) => hasWaited && !isStill(gate, file),
  );
  const changed = await untilAtRest(gate, planned.changes.map(changedFile), left);
  return { stale: stale.map(({ path }) => path), atRest: new Map(changed.map(({ real, status }) => [real, status])) };
}

/** Whether a file that a plan leaves alone is as it was. */
export function isStill(reader: Reader, { path, content }: SeenFile): boolean {
  return sameContent(observe(reader, realTarget(reader, path, content.kind === "link" ? "link" : "file")), content);
}

function leftFile(gate: Gate, file: SeenFile): ReadFile {
  const sha256 = () => (file.content.kind === "file" ? file.content.sha256 : undefined);
  // Most are no links, and there are many.
  const real = gate.stat(file.path)?.kind === "link" ? gate.realPath(file.path) : file.path;
  return { path: file.path, real, size: undefined, sha256 };
}

function changedFile({ path, real, before, beforeBytes }: PlannedChange): ReadFile {
  return { path, real, size: beforeBytes?.length, sha256: () => (before.kind === "file" ? before.sha256 : undefined) };
}

function plannedContent(tx: Transaction): PlannedContent {
  const parts = [tx, ...(tx.others ?? [])].map(plannedPart);
  return { parts, changes: parts.length === 1 ? parts[0]!.changes : together(parts) };
}

function plannedPart(part: OwnerPart): PlannedPart {
  const { before, after } = part.registry;
  const old = before === undefined ? undefined : hashed(before);
  return {
    part,
    changes: part.changes.map(plannedChange),
    registry: { before: old, after: before === after ? old : after === undefined ? undefined : hashed(after) },
  };
}

/** Each file once: as the first owner found it, and as the last leaves it. */
function together(parts: readonly PlannedPart[]): PlannedChange[] {
  const places = new Map<string, PlannedChange>();
  for (const { changes } of parts) {
    refuseDoubles(changes);
    for (const change of changes) {
      const first = places.get(change.real);
      places.set(change.real, first === undefined ? change : joined(first, change));
    }
  }
  return [...places.values()];
}

function joined(first: PlannedChange, last: PlannedChange): PlannedChange {
  const { path, before, beforeBytes, section, otherSections = [], removeFolders } = first;
  return {
    ...last,
    ...{ path, before, beforeBytes, section },
    otherSections: [...otherSections, ...(last.section === undefined ? [] : [last.section])],
    removeFolders: [...removeFolders, ...last.removeFolders],
  };
}

function plannedChange(change: Change): PlannedChange {
  const { before, after } = change;
  const made: Seen | Unhashed = after.kind === "file" ? { kind: "file", bytes: after.bytes } : after;
  if (!("bytes" in before)) return { ...change, before, beforeBytes: undefined, content: hashedContent(made) };
  const beforeBytes = before.bytes;
  if (!("bytes" in made)) return { ...change, before: hashedContent(before), beforeBytes, content: made };
  const [old, next] = hashBoth(beforeBytes, made.bytes);
  return { ...change, before: { kind: "file", sha256: old }, beforeBytes, content: { kind: "file", sha256: next } };
}

interface Ready {
  readonly planned: PlannedContent;
  readonly atRest: AtRest;
  readonly limits: HistoryLimits;
}

function commitPlanned(
  gate: Gate,
  state: LockedState,
  tx: Transaction,
  { planned, atRest, limits }: Ready,
): CommitResult {
  const staleNow = () => [...new Set([...staleOf(gate, planned), ...disturbed(gate, planned, atRest)])];
  const stale = staleNow();
  if (stale.length > 0) return { kind: "stale", paths: stale };
  if (changesNothing(gate, planned)) return { kind: "unchanged" };
  const isOpen = (change: PlannedChange) => !isDone(gate, change);
  const changes = planned.changes.filter(isOpen);
  const parts = planned.parts.map((part) => ({ ...part, changes: part.changes.filter(isOpen) }));
  refuseDoubles(changes);
  for (const change of changes) {
    refuseOwnState(state.dir, change, process.platform);
    refuseTarget(gate, change);
  }
  const draft = draftTransaction(gate, state, tx, { changes, parts }, limits);
  const late = stageOrUndo(gate, state, draft, staleNow);
  if (late.length > 0) return { kind: "stale", paths: late };
  commitJournal(gate, state, draft);
  const inHand = hashedIn(planned);
  const recognise = (real: string) => gate.whichOf(real, inHand);
  const left = finishing(state, () => rollForward(gate, state, { ...draft.journal, phase: "committed" }, recognise));
  gate.stage("done");
  return { kind: "committed", generation: draft.journal.generation ?? undefined, left };
}

/**
 * What was touched since it came to rest, also where it reads the same: one that was empty and is emptied again is
 * about to be saved.
 */
function disturbed(gate: Gate, { changes }: PlannedContent, atRest: AtRest): string[] {
  return changes.filter(({ real }) => !isSame(gate.stat(real), atRest.get(real))).map(({ path }) => path);
}

function changesNothing(reader: Reader, { parts, changes }: PlannedContent): boolean {
  const isRecorded = parts.every(({ part: { registry } }) => registry.before === registry.after);
  return isRecorded && changes.every((change) => isDone(reader, change));
}

/** Whether what is to stand there stood there already when the plan was made, in content and mode. */
function isDone(reader: Reader, { before, after, content, real }: PlannedChange): boolean {
  if (!sameContent(before, content)) return false;
  return after.kind !== "file" || "created" in after.mode || reader.stat(real)?.mode === after.mode.exact;
}

/** The contents that a transaction has in hand, old and new. */
function hashedIn({ changes, parts }: PlannedContent): Hashed[] {
  const files = changes.flatMap((change) => {
    const { after, content } = change;
    const made =
      after.kind === "file" && content.kind === "file" ? [{ sha256: content.sha256, bytes: after.bytes }] : [];
    return [...hashedBefore(change), ...made];
  });
  return [...files, ...parts.flatMap(({ registry }) => registry.before ?? [])];
}

function hashedBefore({ before, beforeBytes }: PlannedChange): Hashed[] {
  return before.kind === "file" && beforeBytes !== undefined ? [{ sha256: before.sha256, bytes: beforeBytes }] : [];
}

/** What is no longer as the plan saw it: content, a link that leads elsewhere now, the registry. */
function staleOf(gate: Gate, { changes, parts }: PlannedContent): readonly string[] {
  const isStale = (change: PlannedChange) =>
    realTarget(gate, change.path, kindOfChange(change)) !== change.real ||
    !sameContent(
      observe(gate, change.real, (real) => gate.whichOf(real, hashedBefore(change))),
      change.before,
    );
  const stale = changes.filter(isStale).map((change) => change.path);
  const changedRecords = parts.filter(({ part: { registry }, registry: { before } }) =>
    before === undefined ? gate.read(registry.path) !== undefined : gate.whichOf(registry.path, [before]) === undefined,
  );
  return [...stale, ...changedRecords.map(({ part: { registry } }) => registry.path)];
}

/** Two paths of a plan that links lead to one file: whichever came second would undo the first. */
function refuseDoubles(changes: readonly Change[]): void {
  const paths = new Map<string, string>();
  for (const { path, real } of changes) {
    const other = paths.get(real);
    if (other !== undefined) throw storeError("same-file-twice", path, `it is the same file as ${other}; name it once`);
    paths.set(real, path);
  }
}

/** Looks once more when everything is ready: what somebody changed meanwhile is still nobody's loss. */
function stageOrUndo(
  gate: Gate,
  state: LockedState,
  draft: StagedDraft,
  staleNow: () => readonly string[],
): readonly string[] {
  try {
    stage(gate, state, draft);
    const stale = staleNow();
    if (stale.length > 0) undo(gate, state, draft.journal);
    return stale;
  } catch (cause) {
    undoIfPossible(gate, state, draft);
    throw cause;
  }
}

/** The first error is the one to tell. If the way back is blocked too, the journal stays and the next run goes it. */
function undoIfPossible(gate: Gate, state: LockedState, draft: StagedDraft): void {
  try {
    undo(gate, state, draft.journal);
  } catch {
    return;
  }
}

/** The moment of decision: before the journal is renamed a crash means all-old, afterwards all-new. */
function commitJournal(gate: Gate, state: LockedState, draft: StagedDraft): void {
  try {
    writeJournal(gate, state, { ...draft.journal, phase: "committed" });
  } catch (cause) {
    finishing(state, () => {
      // Where even this can't be read, nothing is touched: the next run reads it and knows.
      if (readJournal(gate, state.dir)?.phase === "committed") throw cause;
    });
    undoIfPossible(gate, state, draft);
    throw cause;
  }
}

/** Errors after the decision. They say what happens next, since "nothing was changed" would be wrong. */
function finishing<T>(state: LockedState, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw cause instanceof Error ? notFinished(state, cause) : cause;
  }
}

function notFinished(state: LockedState, cause: Error): InputError {
  const message = `${cause.message}; the changes are decided but not complete, and the next run that writes finishes them`;
  const error = storeError("not-finished", journalFile(state.dir), message);
  error.cause = cause;
  return error;
}
