import { basename, dirname, resolve } from "node:path";
import { observe, sameContent } from "../gate/content.ts";
import type { FileStatus, Reader } from "../gate/gate.ts";
import { realTarget } from "../gate/target.ts";
import { historyOf, type Journal, partsOf, readJournal, tempsOf } from "./journal.ts";
import { finalRegistry, outcomeOf } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";

export interface PendingJournal {
  /** The owner whose run it is. */
  readonly name: string;
  /** What it is in the history once it is finished; undefined where it changes records only. */
  readonly generation: number | undefined;
  /** The files an unfinished run was about, as the user says them. */
  readonly paths: readonly string[];
  /** Whether the next run that writes takes it back or completes it. */
  readonly kind: "undo" | "finish";
  /** The file system as that run will leave it: planning reads through this, and writes nothing. */
  readonly reader: Reader;
}

/** The unfinished run of a state directory, read without touching it; undefined if there is none. */
export function pendingJournal(reader: Reader, stateDir: string): PendingJournal | undefined {
  const dir = reader.realPath(stateDir);
  const journal = readJournal(reader, dir);
  if (journal === undefined) return undefined;
  const paths = journal.changes.map((change) => change.path);
  const kind = journal.phase === "staging" ? "undo" : "finish";
  const planned = kind === "undo" ? new Map<string, Replacement>() : replacements(reader, journal);
  const gone = hidden(journal, kind, dir);
  const ahead = overlay(reader, gone, planned);
  // Taken away as the run itself does: innermost first, where nothing is left in them.
  for (const folder of foldersToGo(journal, kind)) if (ahead.list(folder)?.length === 0) gone.add(folder);
  return { name: journal.name, generation: journal.generation ?? undefined, paths, kind, reader: ahead };
}

/** Undone, the folders made for new files; finished, those that removed files leave empty. */
function foldersToGo(journal: Journal, kind: PendingJournal["kind"]): readonly string[] {
  return kind === "undo" ? [...journal.folders].reverse() : journal.changes.flatMap((change) => change.removeFolders);
}

/** What will be at a real path: what is at another one now, or a text, or nothing. */
type Replacement =
  | { readonly kind: "moved"; readonly from: string }
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "gone" };

function replacements(reader: Reader, journal: Journal): Map<string, Replacement> {
  const planned = new Map<string, Replacement>();
  const outcomes = journal.changes.map((change) => ({
    change,
    outcome: journal.phase === "settling" ? "done" : outcomeOf(reader, change),
  }));
  for (const { change, outcome } of outcomes) {
    if (outcome !== "apply" && outcome !== "late") continue;
    const goes = outcome === "apply" && change.after.kind === "absent";
    planned.set(change.real, goes ? { kind: "gone" } : { kind: "moved", from: change.temp });
  }
  const left = outcomes.filter(({ outcome }) => outcome === "left" || outcome === "late").map(({ change }) => change);
  for (const { registry } of partsOf(journal)) {
    if (registry === null || !sameContent(observe(reader, registry.real), registry.before)) continue;
    const text = finalRegistry(reader, registry, left);
    // The run is not dead but at work, and has put the new registry in its place since we looked.
    if (text === undefined && registry.after.kind === "file" && left.length === 0) continue;
    planned.set(registry.real, text === undefined ? { kind: "gone" } : written(text));
  }
  return planned;
}

function written(text: string): Replacement {
  return { kind: "bytes", bytes: Buffer.from(text) };
}

/** The machine as a transaction that has not begun yet will leave it. What comes after it is planned on this. */
export function afterTransaction(
  reader: Reader,
  { changes, registry }: Pick<Transaction, "changes" | "registry">,
): Reader {
  const planned = new Map<string, Replacement>();
  for (const { real, after } of changes) {
    if (after.kind === "file") planned.set(real, { kind: "bytes", bytes: Buffer.from(after.bytes) });
    else if (after.kind === "absent") planned.set(real, { kind: "gone" });
  }
  const { path, after } = registry;
  planned.set(reader.realPath(path), after === undefined ? { kind: "gone" } : written(after));
  return overlay(reader, new Set(), planned);
}

/**
 * The temporary files, which will be gone either way, and the part of the history that goes with them: the new one, or
 * the old.
 */
function hidden(journal: Journal, kind: PendingJournal["kind"], stateDir: string): Set<string> {
  const parts = partsOf(journal);
  const history = parts.flatMap((part) => historyOf(stateDir, part, kind === "undo" ? part.added : part.dropped));
  return new Set([...tempsOf(journal), ...history]);
}

/** The run may be alive and at work: what has left its temporary place meanwhile has arrived. */
function overlay(base: Reader, gone: ReadonlySet<string>, planned: ReadonlyMap<string, Replacement>): Reader {
  const at = (path: string): Replacement | undefined => (gone.has(path) ? { kind: "gone" } : planned.get(path));
  return {
    realPath: (path) => base.realPath(path),
    read(path) {
      const found = at(base.realPath(path));
      if (found === undefined) return base.read(path);
      if (found.kind === "moved") return base.read(found.from) ?? base.read(path);
      return found.kind === "bytes" ? found.bytes : undefined;
    },
    stat(path) {
      const found = at(realTarget(base, resolve(path), "link"));
      if (found === undefined) return base.stat(path);
      if (found.kind === "moved") return base.stat(found.from) ?? base.stat(path);
      return found.kind === "bytes" ? statusOf(base.stat(path), found.bytes.length) : undefined;
    },
    readLink(path) {
      const found = at(realTarget(base, resolve(path), "link"));
      if (found === undefined) return base.readLink(path);
      return found.kind === "moved" ? base.readLink(found.from) : undefined;
    },
    list(path) {
      const folder = base.realPath(path);
      if (gone.has(folder)) return undefined;
      const names = new Set(base.list(path));
      for (const temp of gone) if (dirname(temp) === folder) names.delete(basename(temp));
      for (const [place, found] of planned) {
        if (dirname(place) !== folder) continue;
        if (found.kind === "gone") names.delete(basename(place));
        else names.add(basename(place));
      }
      return names.size === 0 ? base.list(path) && [] : [...names].sort();
    },
  };
}

/** A file that is not there yet. */
function statusOf(current: FileStatus | undefined, size: number): FileStatus {
  return current === undefined
    ? { kind: "file", mode: 0o600, uid: 0, gid: 0, links: 1, size, modified: 0, changed: 0, inode: 0, device: 0 }
    : { ...current, size };
}
