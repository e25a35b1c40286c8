import { sha256 } from "./content.ts";
import type { FileStatus, Reader } from "./gate.ts";

/**
 * All that a computation asked of the file system and the environment, with the answers: contents, listings and values by their hash.
 * What reads nothing else comes to the same result wherever each of these questions has the same answer.
 */
export interface Observations {
  readonly files: readonly FileObservation[];
  /** By name: the hash of the value; null where it is not set. */
  readonly variables: Readonly<Record<string, string | null>>;
}

export type FileObservation =
  | readonly ["read", path: string, sha256: string | null]
  /** `kind`, and of the rest only what somebody looked at: the size of a folder changes with every file in it. */
  | readonly ["stat", path: string, status: StatusSeen | null]
  | readonly ["realPath", path: string, real: string]
  | readonly ["list", path: string, sha256: string | null]
  | readonly ["readLink", path: string, target: string | null];

export type StatusSeen = Pick<FileStatus, "kind"> & Partial<FileStatus>;
export type Environment = Readonly<Record<string, string | undefined>>;

export function hashOfNames(names: readonly string[] | undefined): string | null {
  return names === undefined ? null : sha256(names.join("\0"));
}

export function hashOfBytes(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : sha256(bytes);
}

/** What is no text is not set: a name may be one that every object has. */
export function hashOfValue(value: unknown): string | null {
  return typeof value === "string" ? sha256(value) : null;
}

/** Whether every question has the answer of then. Throws where the file system does. */
export function stillHold({ files, variables }: Observations, reader: Reader, env: Environment): boolean {
  return Object.entries(variables).every(([name, seen]) => hashOfValue(env[name]) === seen) && files.every((each) => holds(each, reader));
}

function holds(observation: FileObservation, reader: Reader): boolean {
  const [, path, seen] = observation;
  switch (observation[0]) {
    case "read":
      return hashOfBytes(reader.read(path)) === seen;
    case "stat":
      return sameStatus(reader.stat(path), observation[2]);
    case "realPath":
      return reader.realPath(path) === seen;
    case "list":
      return hashOfNames(reader.list(path)) === seen;
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
