import { type Outcome, withFieldsOf } from "../core/decide.ts";
import { changesBytes } from "../core/plan-document.ts";
import { equalValues, isList, type Value } from "../core/value.ts";
import type { FileDecision } from "../entries/file-entry.ts";

/** Last words on decisions: what a person, or a held version, makes of what the table says. */
export type Revision = (decision: FileDecision) => FileDecision;

/** A held version changes nothing, and says of each entry that it would have. */
export function heldBack(decision: FileDecision): FileDecision {
  if (!changesBytes(decision) && decision.outcome.record.kind === "same") return decision;
  return revised(decision, {
    verdict: "keep",
    reason: "held",
    result: decision.actual?.value,
    record: { kind: "same" },
  });
}

/** Only what `chosen` picks is settled, by `settle`; everything else stays as it is and as it is recorded. */
export function only(chosen: (decision: FileDecision) => boolean, settle: Revision): Revision {
  return (decision) => (chosen(decision) ? settle(decision) : inert(decision));
}

/** It stays as it is and as it is recorded. */
export function inert(decision: FileDecision): FileDecision {
  return revised(decision, {
    verdict: "unchanged",
    reason: undefined,
    result: decision.actual?.value,
    record: { kind: "same" },
  });
}

/**
 * Whether owner and user each made another key of an entry: the user's stands, under which only the old record finds it
 * again. Recorded under the owner's new key, the next run would miss the entry and add it a second time.
 */
export function keepsOldKey({ outcome, desired, recorded, rekeyed }: FileDecision): boolean {
  if (!rekeyed || recorded === undefined || desired === undefined || recorded.match === desired.match) return false;
  return outcome.conflicts.some(
    ({ path: [name, ...below] }) => name !== undefined && below.length === 0 && Object.hasOwn(desired.source, name),
  );
}

/** The user's value becomes the accepted one: the owner's wish is recorded, so that only its next change asks again. */
export function settleMine(decision: FileDecision): FileDecision {
  const { actual, desired, recorded } = decision;
  // There is no next change of what the owner dropped: kept, it is the user's.
  if (isObsolete(decision)) return settleDisown(decision);
  const value = (desired ?? recorded)!.value;
  // What the user made of it has become something else: that is theirs, and the owner's stays out.
  if (actual === undefined || keepsOldKey(decision))
    return revised(decision, {
      verdict: "keep",
      reason: "user-deleted",
      result: actual?.value,
      record: { kind: "set", value, state: "deleted" },
    });
  return revised(decision, {
    verdict: "adopt",
    reason: undefined,
    result: actual.value,
    record: { kind: "set", value, state: "managed" },
  });
}

/**
 * The owner's value is written now: in just the parts that conflict, or all of it where there is no conflict to look
 * at.
 */
export function settleTheirs(decision: FileDecision): FileDecision {
  const { actual, desired, outcome } = decision;
  if (outcome.verdict === "unchanged") return decision;
  if (isObsolete(decision) && actual?.locked === undefined) return settleGone(decision);
  if (desired === undefined || actual?.locked !== undefined || desired.blocked !== undefined) return decision;
  const wanted = outcome.theirs ?? desired.value;
  const result: Value = actual === undefined ? wanted : withFieldsOf(wanted, actual.value, decision.ignored ?? []);
  const verdict = actual === undefined ? "restore" : "update";
  const record = { kind: "set", value: desired.value, state: "managed" } as const;
  return revised(decision, { verdict, reason: undefined, result, record, drops: itemsLost(actual?.value, result) });
}

/** Kept for the sake of the user's edit alone: its owner no longer wants it. */
function isObsolete({ outcome }: FileDecision): boolean {
  return outcome.verdict === "keep" && outcome.reason === "obsolete-modified";
}

/** The owner wants nothing there: what the user made of it goes, and what was found before the owner comes back. */
function settleGone(decision: FileDecision): FileDecision {
  const found = decision.recorded?.found;
  const outcome = found
    ? ({ verdict: "update", reason: "found", result: found.value } as const)
    : ({ verdict: "remove", reason: undefined, result: undefined } as const);
  return revised(decision, { ...outcome, record: { kind: "drop" } });
}

/** A list without a rule is one value: taking the owner's drops what only the user has in it. */
function itemsLost(before: Value | undefined, after: Value): number | undefined {
  if (!isList(before) || !isList(after)) return undefined;
  const lost = before.filter((item) => !after.some((other) => equalValues(item, other))).length;
  return lost === 0 ? undefined : lost;
}

/**
 * Going back: what the user made of an entry stands, as their edit of the old wish again. A choice they made then is
 * not asked for anew.
 */
export function settleGoingBack(decision: FileDecision): FileDecision {
  const { actual, desired, outcome } = decision;
  if (outcome.reason !== "both-changed" || actual === undefined || desired === undefined || keepsOldKey(decision))
    return decision;
  const stands = equalValues(outcome.result, actual.value);
  return revised(decision, {
    verdict: stands ? "keep" : "merge",
    reason: stands ? "user-modified" : undefined,
    result: outcome.result,
    record: { kind: "set", value: desired.value, state: "managed" },
  });
}

/** A person's own value settles it: it is written, and counts as their edit of what the owner wants. */
export function settleValue(decision: FileDecision, result: Value): FileDecision {
  const value = (decision.desired ?? decision.recorded)!.value;
  return revised(decision, {
    verdict: "merge",
    reason: undefined,
    result,
    record: { kind: "set", value, state: "managed" },
  });
}

/** Managed from now on: an entry that is there stays as it is, a deleted one comes back. */
export function settleAdopt(decision: FileDecision): FileDecision {
  return decision.actual === undefined ? settleTheirs(decision) : settleMine(decision);
}

export function settleDisown(decision: FileDecision): FileDecision {
  const value = (decision.recorded ?? decision.desired)!.value;
  return revised(decision, {
    verdict: "keep",
    reason: "disowned",
    result: decision.actual?.value,
    record: { kind: "set", value, state: "disowned" },
  });
}

function revised(decision: FileDecision, outcome: Omit<Outcome, "conflicts" | "theirs">): FileDecision {
  return { ...decision, copies: [], outcome: { ...outcome, conflicts: [] } };
}
