import type { Actual, Claim, Desired, Found, Recorded } from "../core/entry.ts";
import type { Decision } from "../core/plan.ts";
import type { ContainerRecord } from "../core/records.ts";
import type { ValueMap } from "../core/value.ts";
import type { Node, Path, Trace } from "../formats/format.ts";
import type { GroupStep, IdentitySource } from "../identity/rules/identify.ts";

/**
 * The way to an entry from the root: a name steps into a map, `[fields]` into the group of a list that has these
 * fields, and a last `[]` says that the entry is an item of its list.
 */
export type Location = readonly (string | readonly [] | readonly [ValueMap])[];

export interface FileDesired extends Desired {
  /** Its position in the template: new entries go beside their neighbours there. */
  readonly order: number;
  /** `end`: the runtime counts positions, so nothing may be put before what is there. */
  readonly position: "beside" | "end";
  readonly source: IdentitySource;
  readonly location: Location;
  /** How its template writes it, where that says more than the value. */
  readonly written: string | undefined;
  /** The release that brought it, where that is on record. */
  readonly wantedIn?: string | undefined;
  /** Permissions for the file it is written to, if that has to be created; the user's umask takes its part away. */
  readonly newFileMode?: number | undefined;
  /** Of a whole file: what to write, where the value holds only its hash. */
  readonly bytes?: Uint8Array | undefined;
}

export interface FileActual extends Actual {
  readonly path: Path;
  readonly steps: readonly GroupStep[];
  readonly node: Node;
  /** Of a whole file that is no text: its bytes in base64, as records keep what was found. */
  readonly text?: string | undefined;
}

export interface FileFound extends Found {
  /** The very text of the value, where it stood in one piece. */
  readonly text?: string | undefined;
}

export interface FileRecorded extends Recorded {
  readonly found?: FileFound | undefined;
  readonly source: IdentitySource;
  readonly location: Location;
  /** How its template wrote it, where that says more than the value. */
  readonly written: string | undefined;
  readonly trace: Trace | undefined;
  readonly ofGroup?: Desired["ofGroup"];
}

/** The record that an entry would have left, had it been written with one. */
export function recordOf(entry: FileDesired, version: string): FileRecorded {
  const { key, match, pair, type, joining, value, normal, source, location, written } = entry;
  const record = { key, match, pair, type, joining, value, normal, source, location, written };
  return { ...record, trace: undefined, state: "managed", addedIn: version, updatedIn: version, unwritten: true };
}

export type FileClaim = Claim & Pick<FileRecorded, "location" | "source" | "found">;

export type FileDecision = Decision<FileDesired, FileActual, FileRecorded>;

/** What the records say of the place as a whole. */
export interface KnownPlace {
  /** We created the file. */
  readonly created: boolean;
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** Containers that other owners made here: ours as much as theirs once we write into them. */
  readonly foreignContainers: Readonly<Record<string, ContainerRecord>>;
  /** What other owners have on record here, also what has nothing to do with ours. */
  readonly claims: readonly FileClaim[];
}
