import { InputError } from "../core/diagnostic.ts";
import type { EntryRecord, Registry } from "../core/records.ts";
import { isOlder } from "../core/version.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { portablePath } from "../identity/paths/paths.ts";
import { looksSecret, secretPart } from "../report/mask/mask.ts";
import type { Reader } from "../store/gate/gate.ts";
import { placeOf } from "../store/gate/target.ts";
import { projectOwners, projectRecordsPath, readProjectRecords } from "../store/records/project-records.ts";
import {
  composeProject,
  inMemory,
  localRegistry,
  type ProjectPaths,
  renderProjectRecords,
} from "../store/records/project-registry.ts";
import { ownersIn, readRegistry, registryPath, renderRegistry } from "../store/records/registry.ts";
import type { Change, Transaction } from "../store/transaction/transaction.ts";
import { expandHome, type Machine, type Project } from "./machine.ts";

export function projectPaths(root: string, context: PathContext): ProjectPaths {
  return { root, spelt: (path) => portablePath(path, context), absolute: (path) => expandHome(path, context.home) };
}

/** The owners that have records here, sorted. */
export function ownersOf({ stateDir, project, gate }: Machine, reader: Reader = gate): string[] {
  const own = ownersIn(reader, stateDir);
  if (project === undefined) return own;
  const committed = new Set(projectOwners(reader, project.root));
  // Without its committed records, an owner has what Git ignores, or nothing.
  const local = own.filter((name) => !committed.has(name) && hasLocalRecords(reader, stateDir, name));
  return [...committed, ...local].sort();
}

/** Records that can't be read are told by whoever reads them. */
function hasLocalRecords(reader: Reader, stateDir: string, name: string): boolean {
  try {
    const files = readRegistry(reader, stateDir, name)?.registry.files ?? {};
    return Object.values(files).some(({ local }) => local === true);
  } catch (error) {
    if (error instanceof InputError) return true;
    throw error;
  }
}

/** What an owner has on record here: in the state directory, or in the project and beside it. */
export function readRecords(
  reader: Reader,
  { stateDir, project }: Machine,
  name: string,
  context: PathContext,
): Registry | undefined {
  const own = readRegistry(reader, stateDir, name);
  if (project === undefined) return own?.registry;
  return projectRecords(reader, project, { name, registry: own?.registry }, context).registry;
}

/** Records as the state directory has them, with what is committed in the project. */
export function projectRecords<R extends { readonly name: string; readonly registry: Registry | undefined }>(
  reader: Reader,
  { root }: Project,
  own: R,
  context: PathContext,
): R & { readonly committed: string | undefined } {
  const shared = readProjectRecords(reader, root, own.name);
  const registry = composeProject(shared && inMemory(shared.registry, projectPaths(root, context)), own.registry);
  return { ...own, registry, committed: shared?.text };
}

/** What the records were before, and how to look at the machine. */
export interface RecordsBefore {
  readonly name: string;
  readonly registryText: string | undefined;
  readonly committed?: string | undefined;
  readonly context: PathContext;
  readonly reader: Reader;
}

/**
 * The part of a transaction that writes records: the registry of this machine and, in a project, the file that is
 * committed.
 */
export function recordsChange(
  { name, registryText, committed: shared, context, reader }: RecordsBefore,
  next: Registry | undefined,
  changes: readonly Change[],
  { stateDir, project }: Pick<Machine, "stateDir" | "project">,
): Pick<Transaction, "registry" | "changes"> {
  const path = registryPath(stateDir, name);
  const after = next && renderRegistry(project ? localRegistry(next, project.root) : next);
  if (project === undefined) return { changes, registry: { path, before: registryText, after } };
  const committed = next && renderProjectRecords(next, projectPaths(project.root, context), hidesValue);
  const own = committed === shared ? [] : [committedChange(shared, committed, project.root, name, reader)];
  const isLocal = next !== undefined && Object.values(next.files).some((record) => record.local === true);
  // Nothing to do here: a clone whose records say so needs none of its own.
  const isSame = changes.length === 0 && own.length === 0 && !isLocal && next !== undefined;
  return {
    changes: [...changes, ...own],
    registry: { path, before: registryText, after: isSame ? registryText : after },
  };
}

function committedChange(
  before: string | undefined,
  after: string | undefined,
  root: string,
  name: string,
  reader: Reader,
): Change {
  const path = projectRecordsPath(root, name);
  const folder = placeOf(reader, path, "file").slice(0, -`/${name}.json`.length);
  return {
    path,
    real: placeOf(reader, path, "file"),
    before: before === undefined ? { kind: "absent" } : { kind: "file", bytes: Buffer.from(before) },
    after:
      after === undefined ? { kind: "absent" } : { kind: "file", bytes: Buffer.from(after), mode: { created: 0o666 } },
    section: undefined,
    removeFolders: after === undefined ? [folder] : [],
  };
}

/** A value that nobody should find in Git. */
export function hidesValue(key: string, entry: EntryRecord): boolean {
  return entry.secret === true || looksSecret(secretPart(key));
}

type Held = Pick<Registry, "held" | "also_held">;

/** Versions that were rolled back from, the newest first: none of them is applied again by itself. */
export function heldVersions({ held, also_held: more = [] }: Held): readonly string[] {
  return held === undefined ? [] : [held, ...more];
}

interface Holding {
  /** The version that counts from now on. It is wanted, so it is not held. */
  readonly version: string;
  /** A version to hold from now on. */
  readonly hold?: string | undefined;
  readonly unhold?: boolean | undefined;
}

/** What is held once a version is in place: a newer one lifts everything. */
export function heldAfter(registry: Held | undefined, { version, hold, unhold }: Holding): Held {
  const before = registry === undefined || unhold ? [] : heldVersions(registry);
  const lifted = hold === undefined && before.every((each) => isOlder(each, version));
  const all = new Set([...(hold === undefined ? [] : [hold]), ...(lifted ? [] : before)]);
  if (hold !== version) all.delete(version);
  const [held, ...more] = [...all].sort((a, b) => (isOlder(a, b) ? 1 : isOlder(b, a) ? -1 : 0));
  return { held, also_held: more.length > 0 ? more : undefined };
}
