import type { Reason, Verdict } from "../core/entry.ts";
import type { Value } from "../core/value.ts";
import type { Rule } from "../identity/rules/rule.ts";

/** All there is to know of one entry, seen from one owner. */
export interface Explanation {
  readonly owner: string;
  readonly version: string;
  readonly file: string;
  readonly key: string;
  readonly type: string;
  /** What the owner's template says. */
  readonly wanted?: Value | undefined;
  readonly recorded?: RecordedValue | undefined;
  /** It holds a secret that came from the environment. */
  readonly secret?: true;
  readonly actual?: Value | undefined;
  readonly verdict: Verdict;
  readonly reason?: Reason | undefined;
  /** In words, with what to do about it, where there is something to say. */
  readonly messages: readonly string[];
  /** How entries of this type are told apart; undefined for settings, which go by their path. */
  readonly rule?: Rule | undefined;
  readonly rulings: readonly Ruling[];
  /** Who else has it on record. */
  readonly others: readonly string[];
  readonly history: readonly EntryChange[];
}

export interface RecordedValue {
  readonly value: Value;
  readonly state: "managed" | "disowned" | "deleted";
  readonly added_in_version: string;
  readonly last_updated_in_version: string;
}

/** One property of the policies that hold for an entry, and who says so. */
export interface Ruling {
  readonly property: "when-deleted" | "when-edited" | "when-present" | "ignore" | "create-only";
  readonly value: Value;
  readonly from: "your policy" | "the pack or its profile" | "default";
  readonly match?: string | undefined;
}

/** One change of what an owner records of an entry. */
export interface EntryChange {
  readonly generation: number;
  /** ISO 8601. */
  readonly time: string;
  readonly version: string;
  /** What was run: apply, resolve, rollback, … */
  readonly note: string;
  readonly change:
    | "added"
    | "updated"
    | "removed"
    | "handed-over"
    | "left-out"
    | "taken-back"
    | "waiting"
    | "unreadable";
  readonly value?: Value | undefined;
}
