import { dirname, join } from "node:path";
import type { FileStatus, Gate, Reader } from "../gate/gate.ts";
import type { Moment } from "./record-observations.ts";

/**
 * What a run that changes nothing would say, kept by the run before it: who asks the same of the same program, and sees
 * the same, gets the same answer. A cache: a missing or torn one costs time and nothing else.
 */
export interface Fingerprint<Request, Answer> {
  /** Which program would answer: another build may see things differently. */
  readonly build: string;
  readonly request: Request;
  /** Undefined with the answer: no fingerprint can be kept, so there is no need to try again. */
  readonly observations?: Observations | undefined;
  readonly answer?: Answer | undefined;
}

export function fingerprintPath(stateDir: string, owner: string): string {
  return join(stateDir, owner, "fingerprint.json");
}

/**
 * Where a run that changes nothing keeps one: such a run leaves the state directory as it is. `cache` holds those of
 * all state directories, a file for each owner.
 */
export function cachedFingerprintPath(cache: string, stateDir: string, owner: string, hash: Hash): string {
  return join(cache, `${cachePrefix(stateDir, hash)}${owner}.json`);
}

/** Those of one state directory in the cache. */
export function cachedFingerprints(reader: Reader, cache: string, stateDir: string, hash: Hash): string[] {
  const prefix = cachePrefix(stateDir, hash);
  return (reader.list(cache) ?? []).filter((name) => name.startsWith(prefix)).map((name) => join(cache, name));
}

function cachePrefix(stateDir: string, hash: Hash): string {
  return `${hash(stateDir).slice(0, 24)}-`;
}

/**
 * Whether nobody else can put anything into the cache, nor another folder into its place. One below a folder that is
 * not there is none: it is not for us to say where this user's caches are.
 */
export function isOwnCache(reader: Reader, cache: string, userId: number | undefined): boolean {
  const isOwn = (status: FileStatus | undefined, others: number) =>
    status?.kind === "folder" && (userId === undefined || (status.uid === userId && (status.mode & others) === 0));
  const status = reader.stat(cache);
  return isOwn(reader.stat(reader.realPath(dirname(cache))), 0o022) && (status === undefined || isOwn(status, 0o077));
}

/** What is half written ends elsewhere. */
const end = "\n.\n";

/**
 * The fingerprint at a path; undefined where there is none that can be believed. What it holds is printed as it is, so
 * it has to be a file that only we can have written. `build` goes first: what follows has the shape that this program
 * gives it.
 */
export function readFingerprint<Request, Answer>(
  reader: Reader,
  path: string,
  { build, userId }: { readonly build: string; readonly userId: number | undefined },
): Fingerprint<Request, Answer> | undefined {
  const status = reader.stat(path);
  if (status?.kind !== "file") return undefined;
  if (userId !== undefined && (status.uid !== userId || (status.mode & 0o077) !== 0)) return undefined;
  const text = reader.read(path)?.toString("utf8");
  if (!text?.endsWith(end)) return undefined;
  const fingerprint = JSON.parse(text.slice(0, -end.length)) as Fingerprint<Request, Answer>;
  return fingerprint.build === build ? fingerprint : undefined;
}

/**
 * Where a fingerprint is going to be, an empty file, which is none: it is dated by the disk's own clock, after what the
 * run wrote last. Clocks of disks are slow, so that may take a few of their ticks; one that takes seconds is not waited
 * for.
 */
export async function beginFingerprint(gate: Gate, path: string, writtenLast: string): Promise<Moment> {
  for (let ticks = 0; ; ticks++) {
    gate.remove(path);
    gate.createFile(path, new Uint8Array(), "private");
    const moment = gate.stat(path)!;
    const last = gate.stat(writtenLast);
    const isLater = last === undefined || last.device !== moment.device || last.changed < moment.changed;
    if (isLater || ticks === 3) return moment;
    await gate.pause(10);
  }
}

/** Written in place: a half-written one is noticed, because JSON that is cut off does not parse. */
export function writeFingerprint(gate: Gate, path: string, fingerprint: Fingerprint<unknown, unknown>): void {
  gate.remove(path);
  gate.createFile(path, Buffer.from(`${JSON.stringify(fingerprint)}${end}`), "private");
}

/**
 * All that a computation asked of the file system and the environment, with the answers. What reads nothing else comes
 * to the same result wherever each of these questions has the same answer.
 */
export interface Observations {
  readonly files: readonly FileObservation[];
  /** What is too much to be compared byte by byte. */
  readonly stamped?: Stamped | undefined;
  /** By name: the hash of the value, which may be a secret that is in no file; null if it is not set. */
  readonly variables: Readonly<Record<string, string | null>>;
}

export type FileObservation =
  /**
   * Every byte a character, so that bytes are compared and nothing else: to load a hash takes as long as all the rest
   * together.
   */
  | readonly ["read", path: string, latin1: string | null]
  /** `kind`, and of the rest only what somebody looked at: the size of a folder changes with every file in it. */
  | readonly ["stat", path: string, status: StatusSeen | null]
  | readonly ["realPath", path: string, real: string]
  /** The names, each with a NUL behind it. */
  | readonly ["list", path: string, names: string | null]
  | readonly ["readLink", path: string, target: string | null];

/**
 * Files and folders of which everything is as it was while the system says that they have not changed. As Git's index
 * does: nothing of them is read.
 */
interface Stamped {
  /** The names, each with a NUL behind it, by the folder they are in. */
  readonly folders: readonly (readonly [folder: string, names: string])[];
  /** The hash of all their stamps, in this order. */
  readonly hash: string;
}

/** Which file it is, and when it was last changed: every change of it shows here, and of a folder every other name. */
export type Stamp = Pick<FileStatus, "inode" | "size" | "modified" | "changed">;

/** Paths in the order in which they are asked again: those of one folder together. */
export function byFolder(paths: Iterable<string>): Stamped["folders"] {
  const folders = new Map<string, string>();
  for (const path of paths) {
    const name = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, name);
    folders.set(folder, `${folders.get(folder) ?? ""}${path.slice(name)}\0`);
  }
  return [...folders];
}

/** The hash of the stamps that files have; undefined where one of them is not there. */
export function stampsHash(
  folders: Stamped["folders"],
  status: (path: string) => Stamp | undefined,
  hash: Hash,
): string | undefined {
  const names = folders.map(([, all]) => all.slice(0, -1).split("\0"));
  const stamps = new Float64Array(4 * names.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (let i = 0; i < folders.length; i++) {
    const folder = folders[i]![0];
    for (const name of names[i]!) {
      const own = status(folder + name);
      if (own === undefined) return undefined;
      stamps[at++] = own.inode;
      stamps[at++] = own.size;
      stamps[at++] = own.modified;
      stamps[at++] = own.changed;
    }
  }
  return hash(new Uint8Array(stamps.buffer));
}

export type StatusSeen = Pick<FileStatus, "kind"> & Partial<FileStatus>;
export type Environment = Readonly<Record<string, string | undefined>>;

export function contentSeen(bytes: Buffer | undefined): string | null {
  return bytes?.toString("latin1") ?? null;
}

export function namesSeen(names: readonly string[] | undefined): string | null {
  return names?.map((name) => `${name}\0`).join("") ?? null;
}

/** Variables that say where things are, and nothing that has to be kept from a file. */
const plain = /^(XDG|WSL)_/;

/** A value that is not a text counts as not set: every object has some names. */
export function valueSeen(name: string, value: unknown, hash: Hash): string | null {
  if (typeof value !== "string") return null;
  return plain.test(name) ? value : hash(value);
}

/** An argument, since to load one takes as long as everything else here, and is seldom needed. */
export type Hash = (content: string | Uint8Array) => string;

/** What can be asked, and how answers are compared. */
export interface Outside {
  readonly reader: Reader;
  readonly env: Environment;
  readonly hash: Hash;
}

/** Whether every question has the answer of then. Throws where the file system does. */
export function stillHold({ files, variables, stamped }: Observations, { reader, env, hash }: Outside): boolean {
  return (
    Object.entries(variables).every(([name, seen]) => valueSeen(name, env[name], hash) === seen) &&
    // From the end: planning looks at the user's own files last, and these change most often.
    files.toReversed().every((each) => holds(each, reader)) &&
    (stamped === undefined || stampsHash(stamped.folders, reader.stat, hash) === stamped.hash)
  );
}

function holds(observation: FileObservation, reader: Reader): boolean {
  const [, path, seen] = observation;
  switch (observation[0]) {
    case "read":
      return contentSeen(reader.read(path)) === seen;
    case "stat":
      return sameStatus(reader.stat(path), observation[2]);
    case "realPath":
      return reader.realPath(path) === seen;
    case "list":
      return namesSeen(reader.list(path)) === seen;
    case "readLink":
      return (reader.readLink(path) ?? null) === seen;
    default:
      // A kind of question that this release does not know.
      return false;
  }
}

function sameStatus(status: FileStatus | undefined, seen: StatusSeen | null): boolean {
  if (status === undefined || seen === null) return status === undefined && seen === null;
  return Object.entries(seen).every(([field, value]) => status[field as keyof FileStatus] === value);
}
