import type { Node, Path } from "../../formats/format.ts";
import type { EntryKey } from "./keys.ts";
import type { CompiledRule } from "./rule.ts";

/** The inputs of key and pair by name, with the home as `~` and links unresolved: what a record keeps. */
export type IdentitySource = Readonly<Record<string, string>>;

export interface Keys {
  /** For people and records: the portable text. */
  readonly key: EntryKey;
  /** For comparing, and only today on this machine: every path resolved. Equal means the same entry. */
  readonly match: string;
  /** The weaker key, resolved like `match`. */
  readonly pair: string | undefined;
}

/** An entry of a document, found by a rule or, where none covers it, as a setting. */
export interface Identified extends Keys {
  readonly type: string;
  readonly source: IdentitySource;
  readonly path: Path;
  readonly node: Node;
  /** Undefined for a setting. */
  readonly rule: CompiledRule | undefined;
  /** The lists on the way, outermost first, without the entry's own: which group it belongs to in each. */
  readonly steps: readonly GroupStep[];
  /** A setting that is a list of maps or lists: it will be handled as one value, which is worth telling. */
  readonly listWithoutRule: boolean;
}

export interface GroupStep {
  /** Which list of the rule this is, from 0: the `depth` that `groupIdentity` takes. */
  readonly depth: number;
  /** Where in `path` the group's position stands. */
  readonly pathIndex: number;
  /**
   * Canonical text of the key parts that the group itself supplies; two groups with one identity hold the same entries.
   */
  readonly identity: string;
}

/** An item that a rule leads to and can't name: a template with one is wrong, a target may hold what it likes. */
export interface Unidentified {
  readonly type: string;
  readonly path: Path;
  readonly node: Node;
  /** The field that is missing, or not a text. */
  readonly missing: string;
}
