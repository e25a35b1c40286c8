import type { RecordState } from "./entry.ts";
import { field, type Value } from "./value.ts";

/** What an owner remembers, as it stands in `<state-dir>/<name>/registry.json`. Fields we do not know are kept. */
export interface Registry {
  readonly format_version: 1;
  readonly name: string;
  readonly version: string;
  /** The homes this was written under: a moved home, or a registry synced from another machine, still matches. */
  readonly homes: readonly string[];
  /** A version that was rolled back from, and is not applied again by itself. */
  readonly held?: string | undefined;
  /** Older ones, where it was gone back several times. */
  readonly also_held?: readonly string[] | undefined;
  /** Of a project's records on this machine: the project's folder. */
  readonly project?: string | undefined;
  /** By place: a target with the home as `~`, or what the domain calls its places. */
  readonly files: Readonly<Record<string, PlaceRecord>>;
}

export interface PlaceRecord {
  readonly entries: Readonly<Record<string, EntryRecord>>;
  /**
   * What the owner wants now where that is not what is recorded: of pending conflicts, and of entries that are the
   * user's.
   */
  readonly wanted?: Readonly<Record<string, EntryRecord>> | undefined;
  /** Keys of entries that are no longer wanted and stay because the user changed them. */
  readonly obsolete?: readonly string[] | undefined;
  /** Containers we made (and what removing them needs to know), or found empty (and what stood in them). */
  readonly containers?: Readonly<Record<string, ContainerRecord>> | undefined;
  /** We created the file, and these folders above it. */
  readonly created?: { readonly folders: readonly string[] } | undefined;
  /** Of a project's file that Git ignores: its records stay on this machine. */
  readonly local?: true | undefined;
  /** The target as the manifest writes it, where a variable names its place. */
  readonly target?: string | undefined;
  /** The variable has another value now: this is where the file was, and it stays until `--relocate`. */
  readonly elsewhere?: true | undefined;
  /** How the domain reads this place without its manifest. */
  readonly reading?: unknown;
}

/** Whether it is about a link that the owner made, read as the link that it is: nothing follows it. */
export function isOfLink({ entries, reading }: PlaceRecord): boolean {
  const [strategy, name] = ["strategy", "name"].map((each) => field(reading as Value, each));
  if (strategy !== "whole" && (strategy === "block" || name === undefined)) return false;
  return Object.values(entries).some(({ value }) => typeof field(value, "link") === "string");
}

export interface EntryRecord {
  readonly entry_type: string;
  readonly added_in_version: string;
  readonly last_updated_in_version: string;
  readonly value_hash: string;
  readonly value: Value;
  readonly state?: Exclude<RecordState, "managed"> | undefined;
  /** The inputs of its key, from which the identity is computed anew each time. */
  readonly source?: Readonly<Record<string, string>> | undefined;
  /** Where it belongs: from the root, names and, for groups in lists, the fields that make the group. */
  readonly location?: readonly Value[] | undefined;
  /** How its template wrote it, where that says more than the value: the quotes and the `export` of a dotenv line. */
  readonly written?: string | undefined;
  readonly trace?: Value | undefined;
  /** It holds a secret that came from the environment. */
  readonly secret?: true | undefined;
  /** What stood there before the owner took the entry under management. It is given back when the owner goes. */
  readonly found?: FoundRecord | undefined;
  /** Of a pending wish: the key of the entry on record that it would rename. */
  readonly renames?: string | undefined;
}

export interface FoundRecord {
  readonly value: Value;
  /** The very text of the value, where it stood in one piece. */
  readonly text?: string | undefined;
}

export interface ContainerRecord {
  readonly created?: true | undefined;
  readonly inner?: string | undefined;
  /** Of a list that was a single value before something was added to it: the text of that value. */
  readonly single?: string | undefined;
  /** Of a group we made in a list: the names of the fields that make it that group; they go with it. */
  readonly fields?: readonly string[] | undefined;
  readonly trace?: Value | undefined;
}
