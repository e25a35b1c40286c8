import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import * as v from "valibot";
import { issueMessage } from "../../core/diagnostic.ts";
import type { Gate, Reader } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import { isOwnerName, journalDraft, journalFile, ownerFolder } from "../records/state-dir.ts";
import type { LockedState } from "./lock.ts";

/**
 * What a transaction is about to do, on the disk before it does it. One a state directory, since there is one lock.
 *
 * `staging`: temporary files are being written; nobody's file has changed, and a crash is undone.
 * `committed`: everything new is on the disk beside what it replaces; a crash is rolled forward.
 * `settling`: files are done, some had to be left alone, and the registry to write was put together to say so.
 */
const phases = ["staging", "committed", "settling"] as const;

const absolutePath = v.pipe(
  v.string(),
  v.check((path) => isAbsolute(path) && resolve(path) === path && !path.includes("\0"), "not an absolute path"),
);
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const tempPath = v.pipe(
  absolutePath,
  v.check((path) => /^\.stet-[0-9a-f]{16}\.tmp$/.test(basename(path)), "not the name of a temporary file"),
);
const content = v.variant("kind", [
  v.strictObject({ kind: v.literal("absent") }),
  v.strictObject({ kind: v.literal("file"), sha256: hash }),
  v.strictObject({ kind: v.literal("link"), target: v.string() }),
]);

const change = v.pipe(
  v.strictObject({
    path: v.string(),
    real: absolutePath,
    temp: tempPath,
    before: content,
    after: content,
    section: v.nullable(v.string()),
    /** What other owners of the same transaction call it in their records. */
    otherSections: v.optional(v.array(v.string())),
    removeFolders: v.array(absolutePath),
  }),
  v.check((entry) => dirname(entry.temp) === dirname(entry.real), "a temporary file that is not beside its target"),
);

const registry = v.pipe(
  v.strictObject({ real: absolutePath, temp: tempPath, spare: tempPath, before: content, after: content }),
  v.check(
    (entry) => [entry.temp, entry.spare].every((temp) => dirname(temp) === dirname(entry.real)),
    "a temporary file elsewhere",
  ),
);

/** A file of the history, relative to the owner's folder. */
const historyFile = v.pipe(v.string(), v.regex(/^(?:objects\/[0-9a-f]{64}|generations\/[1-9][0-9]{0,8}\.json)$/));

/** What happens to the records and the history of one owner. */
const ownerPart = {
  name: v.pipe(v.string(), v.check(isOwnerName, "not a name for an owner")),
  generation: v.nullable(v.pipe(v.number(), v.integer())),
  registry: v.nullable(registry),
  /** Files of the history that the transaction adds, and old ones that it drops. */
  added: v.array(historyFile),
  dropped: v.array(historyFile),
};

const journalSchema = v.strictObject({
  format: v.literal(1),
  phase: v.picklist(phases),
  ...ownerPart,
  changes: v.array(change),
  /** Folders that were missing and are made for the new files, outermost first. */
  folders: v.array(absolutePath),
  /** Where several owners change together: those behind the first. */
  others: v.optional(v.array(v.strictObject(ownerPart))),
});

export type Journal = Readonly<v.InferOutput<typeof journalSchema>>;
export type JournalPart = Pick<Journal, keyof typeof ownerPart>;
export type JournalChange = Journal["changes"][number];
export type JournalRegistry = NonNullable<Journal["registry"]>;

/** Every owner of a journal, mostly one. */
export function partsOf(journal: Journal): readonly JournalPart[] {
  return [journal, ...(journal.others ?? [])];
}

/** Everything that waits beside what it replaces. */
export function tempsOf(journal: Journal): string[] {
  const registries = partsOf(journal).flatMap(({ registry }) => registry ?? []);
  return [...journal.changes.map((change) => change.temp), ...registries.flatMap(({ temp, spare }) => [temp, spare])];
}

/** The files of an owner's history that a journal names. */
export function historyOf(stateDir: string, { name }: JournalPart, files: readonly string[]): string[] {
  return files.map((file) => join(ownerFolder(stateDir, name), file));
}

/**
 * The journal that a run left behind; undefined where all is done. One that is not exactly ours is never acted upon.
 */
export function readJournal(reader: Reader, stateDir: string): Journal | undefined {
  const path = journalFile(stateDir);
  const bytes = reader.read(path);
  if (bytes === undefined) return undefined;
  const journal = parseJournal(bytes.toString("utf8"));
  const problem =
    typeof journal === "string"
      ? journal
      : partsOf(journal).some((part) => isMisplaced(part, stateDir))
        ? "its registry is not in the owner's folder"
        : undefined;
  if (problem === undefined) return journal as Journal;
  const message = `the journal of an unfinished run is damaged (${problem}), so nothing is done; check the files it names, then remove it`;
  throw storeError("journal-malformed", path, message);
}

function isMisplaced({ name, registry }: JournalPart, stateDir: string): boolean {
  return registry !== null && dirname(registry.real) !== ownerFolder(stateDir, name);
}

function parseJournal(text: string): Journal | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return "no JSON";
  }
  const parsed = v.safeParse(journalSchema, json);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  return `${v.getDotPath(issue) ?? "it"}: ${issueMessage(issue)}`;
}

/** Atomically, and on the disk when this returns: a reader finds the journal as it was or as it is. */
export function writeJournal(gate: Gate, state: LockedState, journal: Journal): void {
  const draft = journalDraft(state.dir);
  gate.remove(draft);
  gate.createFile(draft, Buffer.from(`${JSON.stringify(journal, null, 1)}\n`), "private");
  gate.rename(draft, journalFile(state.dir));
  gate.syncFolder(state.dir);
}

export function removeJournal(gate: Gate, state: LockedState): void {
  gate.remove(journalDraft(state.dir));
  gate.remove(journalFile(state.dir));
  gate.syncFolder(state.dir);
}
