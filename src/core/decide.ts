import type {
  Actual,
  Claim,
  Conflict,
  Desired,
  Entry,
  Found,
  Reason,
  Recorded,
  RecordState,
  Verdict,
} from "./entry.ts";
import { type MergedEntry, mergeEntry, noConflicts } from "./merge.ts";
import type { Rulings } from "./policy.ts";
import { equalValues, field, isMap, mapOf, type Value } from "./value.ts";

/** One entry seen from all sides: wanted, remembered, and really there. At least one of the three is. */
export interface Case {
  readonly desired: Desired | undefined;
  readonly recorded: Recorded | undefined;
  readonly actual: Actual | undefined;
  /** The record (and the actual entry) stood under another key, and were re-keyed to the desired one. */
  readonly moved: boolean;
  /**
   * The actual entry was found by its weaker key: the user changed a part of the key, which is an edit like any other.
   */
  readonly rekeyed: boolean;
  /** The record's entry is gone, and more than one foreign entry could be what became of it. */
  readonly ambiguous: boolean;
  readonly rulings: Rulings;
  /** What other owners record here and now want. */
  readonly claims: readonly Claim[];
  readonly prune: boolean;
  /** The place is one that a variable named before its value changed: nothing goes from there without being asked. */
  readonly elsewhere: boolean;
  /** The owner is uninstalled. */
  readonly leaves: boolean;
  /** Uninstalling with `--all`: what the user edited and what was found go, too. */
  readonly takeAll: boolean;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly reason: Reason | undefined;
  /** What will stand there afterwards; undefined: nothing. */
  readonly result: Value | undefined;
  readonly record: RecordChange;
  readonly conflicts: readonly Conflict[];
  /** Of a conflict: what would stand if the user let the owner have its way, in just the parts that conflict. */
  readonly theirs?: Value | undefined;
  /** Of a conflict: the entry is renamed all the same, as only its other parts wait. */
  readonly moves?: true | undefined;
  /** How many items of the user's go with a list that is replaced as a whole. */
  readonly drops?: number | undefined;
  /** An edit of the user's is written over. */
  readonly overwrites?: true | undefined;
  /** Why an entry is locked, where the entry itself does not say. */
  readonly why?: string | undefined;
}

export type RecordChange =
  | { readonly kind: "same" }
  | { readonly kind: "drop" }
  | { readonly kind: "set"; readonly value: Value; readonly state: RecordState };

const same: RecordChange = { kind: "same" };

/** The decision table of the design, row by row. Pure; knows neither files nor formats. */
export function decide(c: Case): Outcome {
  const { recorded } = c;
  if (recorded?.state === "disowned") return keep(c, "disowned");
  if (recorded?.state === "deleted") return keep(c, c.actual ? "user-owned" : "user-deleted");
  if (c.desired === undefined || (c.desired.left && recorded)) return decideObsolete(c);
  const seen = withIgnored(c);
  const outcome =
    seen.recorded === undefined ? decideNew(seen, seen.desired!) : decideKnown(seen, seen.desired!, seen.recorded);
  return recordIgnored(outcome, c);
}

/** Wanted, and not on record. */
function decideNew(c: Case, desired: Desired): Outcome {
  const { actual } = c;
  if (actual === undefined && desired.left) return keep(c, "user-deleted");
  if (actual === undefined)
    return desired.blocked ? keep(c, "blocked") : write("create", undefined, desired.value, desired.value);
  const wishesAgree = c.claims.some((claim) => equalValues(claim.normal, desired.normal));
  const written = c.claims.find((claim) => equalValues(claim.recorded.normal, actual.normal));
  // Both want another value than the one that is on record and there: this owner is the one that may write it.
  if (wishesAgree && written && !equalValues(actual.normal, desired.normal))
    return decideShared(c, desired, written.recorded);
  if (wishesAgree && equalValues(actual.normal, desired.normal)) return adopt(c, desired);
  if (c.claims.length > 0 && !wishesAgree) return ownersDiffer(c, desired);
  return wishesAgree || c.rulings.whenPresent === "adopt" ? takeOver(c, desired) : keep(c, "user-owned");
}

/**
 * Under management from now on, as if it had been on record: where edits are overwritten, what differs is one of them
 * at once.
 */
function takeOver(c: Case, desired: Desired): Outcome {
  const edited = !equalValues(c.actual?.normal, desired.normal);
  return edited && c.rulings.whenEdited === "overwrite" && !c.rulings.createOnly
    ? overwrite(c, desired)
    : adopt(c, desired);
}

/** What another owner wrote counts as recorded: both want it changed alike. */
function decideShared(c: Case, desired: Desired, { value, normal }: Claim["recorded"]): Outcome {
  const recorded: Recorded = { ...desired, value, normal, state: "managed", addedIn: "", updatedIn: "" };
  const outcome = decideKnown({ ...c, recorded }, desired, recorded);
  // Kept for the user's sake, it is on record all the same.
  return outcome.verdict === "keep" ? { ...outcome, record: { kind: "set", value, state: "managed" } } : outcome;
}

/** Wanted, and on record. */
function decideKnown(c: Case, desired: Desired, recorded: Recorded): Outcome {
  const { actual, rulings } = c;
  if (actual === undefined) return decideDeleted(c, desired, recorded);
  const edited = isEdited(c, actual, recorded);
  const changed = !equalValues(desired.normal, recorded.normal);
  const asWanted = !c.moved && equalValues(actual.normal, desired.normal);
  if (!edited && !changed && !c.moved) return unchanged(c);
  if (rulings.createOnly && (changed || !c.moved)) return keep(c, "create-only");
  if (c.moved && differs(c, desired)) return ownersDiffer(c, desired);
  // A comment alone is nothing that writing the owner's value could overwrite.
  const overwritten = edited && rulings.whenEdited === "overwrite" && !rulings.createOnly && (c.rekeyed || !asWanted);
  if (overwritten) return overwrite(c, desired);
  if (!changed) return c.moved ? write("move", "renamed", actual.value, desired.value) : keep(c, "user-modified");
  if (asWanted) return adopt(c, desired);
  if (edited && rulings.whenEdited === "keep") return keep(c, "user-modified");
  if (differs(c, desired)) return ownersDiffer(c, desired);
  return decideMerge(
    c,
    desired,
    mergeEntry({ base: recorded, actual, desired }, desired.joining, actual.comments),
    edited,
  );
}

function decideMerge(c: Case, desired: Desired, merged: MergedEntry, edited: boolean): Outcome {
  if (merged.conflicts.length > 0) {
    const record: RecordChange =
      merged.recorded === undefined ? same : { kind: "set", value: merged.recorded, state: "managed" };
    return {
      verdict: "conflict",
      reason: "both-changed",
      result: merged.result,
      record,
      conflicts: merged.conflicts,
      theirs: merged.theirs,
      ...(c.moved ? { moves: true } : {}),
    };
  }
  if (c.moved) return write("move", "renamed", merged.result, desired.value);
  if (equalValues(merged.result, c.actual?.value)) return adopt(c, desired);
  return write(edited ? "merge" : "update", undefined, merged.result, desired.value);
}

/** Wanted and on record, but no longer there. */
function decideDeleted(c: Case, desired: Desired, recorded: Recorded): Outcome {
  if (c.ambiguous)
    return { verdict: "conflict", reason: "ambiguous", result: undefined, record: same, conflicts: noConflicts };
  if (c.rulings.createOnly) return keep(c, "create-only");
  if (c.rulings.whenDeleted === "respect") {
    return { ...keep(c, "user-deleted"), record: { kind: "set", value: recorded.value, state: "deleted" } };
  }
  return desired.blocked ? keep(c, "blocked") : write("restore", undefined, desired.value, desired.value);
}

/** What an earlier release shipped is on record from now on, also where nothing else happens to it. */
export function writtenDown(outcome: Outcome, c: Case): Outcome {
  if (!c.recorded?.unwritten) return outcome;
  if (outcome.verdict === "unchanged") return { ...adopt(c, c.desired!), reason: "earlier-release" };
  const { value } = c.recorded;
  const record: RecordChange =
    outcome.record.kind === "same" ? { kind: "set", value, state: "managed" } : outcome.record;
  return { ...outcome, record, reason: outcome.reason ?? "earlier-release" };
}

/** On record, and no longer wanted. */
function decideObsolete(c: Case): Outcome {
  const { actual } = c;
  const recorded = c.recorded!;
  if (actual === undefined) return leave("forget", undefined, undefined);
  if (c.claims.length > 0) return leave("forget", "shared", actual.value);
  if (c.elsewhere) return keep(c, "elsewhere");
  if (recorded.found && !c.takeAll) return giveBack(c, actual, recorded, recorded.found);
  const edited = isEdited(c, actual, recorded);
  if (edited && !overrules(c) && !c.takeAll) return keep(c, "obsolete-modified");
  return c.prune ? leave("remove", undefined, undefined) : keep(c, "prune-off");
}

/** What was found comes back in every part that is as the owner wanted it. What the user changed since then stands. */
function giveBack(c: Case, actual: Actual, recorded: Recorded, found: Found): Outcome {
  const merged = mergeEntry({ base: recorded, actual, desired: found }, recorded.joining, actual.comments);
  const settled = !c.rekeyed && merged.conflicts.length === 0;
  if (!settled && !overrules(c)) return keep(c, "obsolete-modified");
  const result = settled ? merged.result : found.value;
  if (equalValues(result, actual.value)) return leave("forget", "found", actual.value);
  return c.prune ? leave("update", "found", result) : keep(c, "prune-off");
}

/** Whether what the user made of an entry goes with it. */
function overrules({ rulings, leaves }: Case): boolean {
  return rulings.whenEdited === "overwrite" || (leaves && rulings.onUninstall === "remove");
}

/** The owner goes, and so does its record. */
function leave(verdict: Verdict, reason: Reason | undefined, result: Value | undefined): Outcome {
  return { verdict, reason, result, record: { kind: "drop" }, conflicts: noConflicts };
}

function overwrite(c: Case, desired: Desired): Outcome {
  if (differs(c, desired)) return ownersDiffer(c, desired);
  const elsewhere = c.moved || c.rekeyed;
  const written = write(elsewhere ? "move" : "update", elsewhere ? "renamed" : undefined, desired.value, desired.value);
  return { ...written, overwrites: true };
}

function isEdited(c: Case, actual: Actual, recorded: Recorded): boolean {
  return c.rekeyed || actual.comments.length > 0 || !equalValues(actual.normal, recorded.normal);
}

/** Whether writing what we want would change what another owner wants to stay: its value, or where it stands. */
function differs(c: Case, desired: Desired): boolean {
  return c.claims.some((claim) => c.moved || !equalValues(claim.normal, desired.normal));
}

function ownersDiffer(c: Case, desired: Desired): Outcome {
  const base = c.recorded?.value;
  const conflict = { path: [], base, actual: c.actual?.value, desired: desired.value };
  return { verdict: "conflict", reason: "owners-differ", result: c.actual?.value, record: same, conflicts: [conflict] };
}

function keep(c: Case, reason: Reason): Outcome {
  return { verdict: "keep", reason, result: c.actual?.value, record: same, conflicts: noConflicts };
}

function unchanged(c: Case): Outcome {
  return { verdict: "unchanged", reason: undefined, result: c.actual?.value, record: same, conflicts: noConflicts };
}

/** Adopting records what is wanted, never what is there: a difference then counts as the user's edit, and stands. */
function adopt(c: Case, desired: Desired): Outcome {
  const record: RecordChange = { kind: "set", value: desired.value, state: "managed" };
  return { verdict: "adopt", reason: undefined, result: c.actual?.value, record, conflicts: noConflicts };
}

function write(verdict: Verdict, reason: Reason | undefined, result: Value | undefined, recorded: Value): Outcome {
  return {
    verdict,
    reason,
    result,
    record: { kind: "set", value: recorded, state: "managed" },
    conflicts: noConflicts,
  };
}

/**
 * Ignored fields are the user's: all sides, and what others want, are compared and written with what is really there.
 */
function withIgnored(c: Case): Case {
  const { ignore } = c.rulings;
  if (ignore.length === 0 || c.actual === undefined) return c;
  const theirs = c.actual;
  const reconcile = <E extends Pick<Entry, "value" | "normal">>(entry: E): E => ({
    ...entry,
    value: withFieldsOf(entry.value, theirs.value, ignore),
    normal: withFieldsOf(entry.normal, theirs.normal, ignore),
  });
  return {
    ...c,
    desired: c.desired && reconcile(c.desired),
    recorded: c.recorded && reconcile(c.recorded),
    claims: c.claims.map((claim) => ({ ...reconcile(claim), recorded: reconcile(claim.recorded) })),
  };
}

/**
 * What is recorded is what the owner wanted, also of ignored fields: lifting the policy later must not make the user's
 * value ours. A field that is still as the owner wrote it stays on record so, since nobody edited it.
 */
function recordIgnored(outcome: Outcome, { desired, recorded, actual, rulings: { ignore } }: Case): Outcome {
  const { record } = outcome;
  if (record.kind !== "set" || ignore.length === 0 || desired === undefined) return outcome;
  const asWritten = ignore.filter(
    (name) => recorded && equalValues(field(actual?.normal, name), field(recorded.normal, name)),
  );
  const wanted = withFieldsOf(record.value, desired.value, ignore);
  return {
    ...outcome,
    record: { ...record, value: recorded ? withFieldsOf(wanted, recorded.value, asWritten) : wanted },
  };
}

/** A value with just the named fields as another has them. */
export function withFieldsOf(value: Value, from: Value, names: readonly string[]): Value {
  if (!isMap(value) || !isMap(from)) return value;
  const kept = Object.keys(value)
    .filter((name) => !names.includes(name))
    .map((name) => [name, value[name]!] as const);
  const taken = names.flatMap((name) => {
    const theirs = field(from, name);
    return theirs === undefined ? [] : [[name, theirs] as const];
  });
  return mapOf([...kept, ...taken]);
}
