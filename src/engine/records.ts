import { InputError } from "../core/diagnostic.ts";
import type { EntryRecord, PlaceRecord, Registry } from "../core/records.ts";
import { isOlder } from "../core/version.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { portablePath } from "../identity/paths/paths.ts";
import { looksSecret, secretPart } from "../report/mask/mask.ts";
import type { Reader } from "../store/gate/gate.ts";
import { realTarget } from "../store/gate/target.ts";
import { projectOwners, projectRecordsPath, readProjectRecords } from "../store/records/project-records.ts";
import {
  composeProject,
  inMemory,
  localRegistry,
  type ProjectPaths,
  renderProjectRecords,
} from "../store/records/project-registry.ts";
import { ownersIn, readRegistry, registryPath, renderRegistry } from "../store/records/registry.ts";
import type { Change, GenerationNote, Transaction } from "../store/transaction/transaction.ts";
import { lineBreakAt } from "../text/lines.ts";
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

/** What an owner has on record: as data, and as the text that planning saw. */
export interface Recorded<R extends Registry = Registry> {
  readonly name: string;
  readonly registry: R | undefined;
  readonly registryText: string | undefined;
}

/**
 * The records of an owner once a plan is true; undefined where there were none and nothing is to be remembered. Where
 * they say what they did before, they are the same object, and need not be written out to see it.
 */
export function nextRegistry<R extends Registry>(
  { name, registry }: Recorded<R>,
  places: readonly (readonly [section: string, record: PlaceRecord])[],
  fields: Omit<R, "format_version" | "name" | "files">,
): R | undefined {
  if (registry === undefined && places.length === 0) return undefined;
  const files = Object.fromEntries([...places].sort(([a], [b]) => (a < b ? -1 : 1)));
  const next = { ...registry, format_version: 1, name, ...fields, files } as R;
  return registry !== undefined && saysTheSame(registry, next) ? registry : next;
}

function saysTheSame(registry: Registry, next: Registry): boolean {
  const head = ({ files: _, ...rest }: Registry) => JSON.stringify(rest);
  const paths = Object.keys(next.files);
  return (
    head(registry) === head(next) &&
    paths.length === Object.keys(registry.files).length &&
    paths.every((path) => next.files[path] === registry.files[path])
  );
}

/** The part of a transaction that writes the registry in the state directory. */
export function registryChange<R extends Registry>(
  { name, registry, registryText }: Recorded<R>,
  next: R | undefined,
  stateDir: string,
): Transaction["registry"] {
  const after = next === registry ? registryText : next && renderRegistry(next);
  return { path: registryPath(stateDir, name), before: registryText, after };
}

/** A transaction as it is planned: the clock is asked when it is written. */
export type Planned = Omit<Transaction, "time">;

/** What a plan writes. The history mentions it only where something is written. */
export function planTransaction(
  stateDir: string,
  name: string,
  written: Pick<Transaction, "registry" | "changes">,
  generation: GenerationNote | undefined,
): Planned {
  const { registry, changes } = written;
  const changesAny = changes.length > 0 || registry.before !== registry.after;
  return { stateDir, name, changes, registry, generation: changesAny ? generation : undefined };
}

/** What the records were before, and how to look at the machine. */
export interface RecordsBefore extends Recorded {
  readonly committed?: string | undefined;
  readonly context: PathContext;
  readonly reader: Reader;
}

/**
 * The part of a transaction that writes records: the registry of this machine and, in a project, the file that is
 * committed.
 */
export function recordsChange(
  { committed: shared, context, reader, ...recorded }: RecordsBefore,
  next: Registry | undefined,
  changes: readonly Change[],
  { stateDir, project }: Pick<Machine, "stateDir" | "project">,
): Pick<Transaction, "registry" | "changes"> {
  if (project === undefined) return { changes, registry: registryChange(recorded, next, stateDir) };
  const { name, registryText } = recorded;
  const after = next && renderRegistry(localRegistry(next, project.root));
  const rendered = next && renderProjectRecords(next, projectPaths(project.root, context), hidesValue);
  // As Git checked it out: with core.autocrlf every file that it takes for a text has Windows' line breaks.
  const committed = shared === undefined ? rendered : rendered?.replaceAll("\n", lineBreakAt(shared));
  const own = committed === shared ? [] : [committedChange(shared, committed, project.root, name, reader)];
  const isLocal = next !== undefined && Object.values(next.files).some((record) => record.local === true);
  // Nothing to do here: a clone whose records say so needs none of its own.
  const isSame = changes.length === 0 && own.length === 0 && !isLocal && next !== undefined;
  return {
    changes: [...changes, ...own],
    registry: { path: registryPath(stateDir, name), before: registryText, after: isSame ? registryText : after },
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
  const folder = realTarget(reader, path, "file").slice(0, -`/${name}.json`.length);
  return {
    path,
    real: realTarget(reader, path, "file"),
    before: before === undefined ? { kind: "absent" } : { kind: "file", bytes: Buffer.from(before) },
    after:
      after === undefined ? { kind: "absent" } : { kind: "file", bytes: Buffer.from(after), mode: { created: 0o666 } },
    section: undefined,
    removeFolders: after === undefined ? [folder] : [],
  };
}

/** A value that must not get into Git. */
export function hidesValue(key: string, entry: EntryRecord): boolean {
  return entry.secret === true || looksSecret(secretPart(key));
}

type Held = Pick<Registry, "held" | "also_held">;

/** Versions that somebody went back from, the newest first. None of them is applied again by itself. */
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
