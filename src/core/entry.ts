import type { Value } from "./value.ts";

/**
 * How two changes of one value can be joined: maps field by field, text line by line, opaque values not at all. A file
 * is its content and its mode, each joined on its own: `file` joins a text line by line, `whole-file` keeps or replaces
 * the content as one.
 */
export type Joining = "fields" | "lines" | "whole" | "file" | "whole-file";

/** One thing that somebody wants, that is there, or that was written down: a hook, a setting, a unit file, a tool. */
export interface Entry {
  /** Its name for people and records, with the home as `~`. */
  readonly key: string;
  /** Its identity, for comparing only: equal exactly when two entries are the same thing on this machine. */
  readonly match: string;
  /** The weaker identity by which an edited entry is found again; undefined where there is none. */
  readonly pair: string | undefined;
  readonly type: string;
  readonly joining: Joining;
  /** As written. */
  readonly value: Value;
  /** It holds a secret that came from the environment, so reports mask it whatever its name is. */
  readonly secret?: true | undefined;
  /** As compared: the same shape, with spellings that do not matter made equal. */
  readonly normal: Value;
  /** The group it belongs in, where its owner puts entries in groups. */
  readonly group?: string | undefined;
}

export interface Desired extends Entry {
  /** Why it can't be put where it belongs (something of another kind is in the way), if so. */
  readonly blocked?: string | undefined;
  /** It says something about its group, and is put nowhere without an entry of its owner in there. */
  readonly ofGroup?: boolean | undefined;
  /** Going back: at that time it was the user's, and the owner's wish only waited. */
  readonly left?: boolean | undefined;
}

export interface Actual extends Entry {
  /** Comments a person put inside it: the path of the innermost container around each. */
  readonly comments: readonly (readonly (string | number)[])[];
  /** Why it must not be edited, if so. */
  readonly locked?: string | undefined;
  /** Why it must not be taken out, if so. */
  readonly fixed?: string | undefined;
}

/**
 * `managed`: kept current. `disowned`: handed to the user for good. `deleted`: a tombstone, the user took it out and
 * that stands.
 */
export type RecordState = "managed" | "disowned" | "deleted";

/** What stood there before an owner took an entry under management. It is given back when the owner goes. */
export interface Found {
  readonly value: Value;
  readonly normal: Value;
}

export interface Recorded extends Entry {
  readonly state: RecordState;
  /** Undefined where the owner wrote the entry itself. */
  readonly found?: Found | undefined;
  /** Not written down yet: an earlier release that was recognised is known to have shipped it. */
  readonly unwritten?: boolean | undefined;
  readonly addedIn: string;
  readonly updatedIn: string;
}

/** What another owner of the same place wants an entry to be. */
export interface Claim extends Entry {
  readonly owner: string;
  /** What it has on record: not yet what it wants, where its wish is pending. */
  readonly recorded: Pick<Entry, "value" | "normal">;
  /** What that owner remembers for taking the entry out again; whoever shares the entry may be the one to do it. */
  readonly trace?: unknown;
  /** What that owner found there. Whoever shares the entry may be the last to go, and then gives it back. */
  readonly found?: Found | undefined;
}

export const verdicts = [
  "create",
  "update",
  "merge",
  "restore",
  "remove",
  "dedupe",
  "move",
  "keep",
  "conflict",
  "adopt",
  "forget",
  "unchanged",
] as const;
export type Verdict = (typeof verdicts)[number];

export const reasons = [
  "user-modified",
  "user-owned",
  "user-deleted",
  "obsolete-modified",
  "disowned",
  "prune-off",
  "elsewhere",
  "held",
  "create-only",
  "both-changed",
  "owners-differ",
  "ambiguous",
  "locked",
  "blocked",
  "renamed",
  "earlier-release",
  "shared",
  "found",
  "script-removed",
  "reverted",
] as const;
export type Reason = (typeof reasons)[number];

/** A field (or the whole value, at an empty path) that both sides changed differently. The user's stands. */
export interface Conflict {
  readonly path: readonly string[];
  readonly base: Value | undefined;
  readonly actual: Value | undefined;
  readonly desired: Value | undefined;
}
