import { type Case, decide, type Outcome, writtenDown } from "./decide.ts";
import type { Actual, Claim, Desired, Found, Recorded } from "./entry.ts";
import { pairUp, type Slot, type Sought } from "./pair.ts";
import { type Policy, rulingsFor } from "./policy.ts";
import { equalValues } from "./value.ts";

/**
 * Everything known about one place (a settings file, a folder of units, a ConfigMap) that an owner shares with others.
 */
export interface PlaceInput<D extends Desired, A extends Actual, R extends Recorded> extends Sought<D, A, R> {
  /** What other owners record in this place. */
  readonly claims: readonly Claim[];
  readonly policies: readonly Policy[];
  readonly prune: boolean;
  /** As of a case. */
  readonly elsewhere?: boolean | undefined;
  readonly leaves?: boolean | undefined;
  /** Of what is no longer wanted, also remove what the user edited and what was found. */
  readonly takeAll?: boolean | undefined;
}

/** What is to become of one entry. `outcome.result` is what will stand; `copies` are to be taken out. */
export interface Decision<D extends Desired, A extends Actual, R extends Recorded> {
  readonly key: string;
  readonly type: string;
  readonly desired: D | undefined;
  readonly recorded: R | undefined;
  readonly actual: A | undefined;
  readonly copies: readonly A[];
  readonly moved: boolean;
  /** The actual entry stands under another key than the record: the user changed a part of it. */
  readonly rekeyed: boolean;
  readonly ambiguous: readonly A[];
  readonly claims: readonly Claim[];
  readonly outcome: Outcome;
  /** Fields that a policy leaves to the user. */
  readonly ignored?: readonly string[] | undefined;
}

/**
 * Compare what is wanted, recorded and really there, entry by entry. The one planner of all domains: pure,
 * level-triggered, linear, and the same whatever order its inputs come in.
 */
export function planPlace<D extends Desired, A extends Actual, R extends Recorded>(
  input: PlaceInput<D, A, R>,
): Decision<D, A, R>[] {
  const claims = new Map<string, Claim[]>();
  for (const claim of input.claims) claims.set(claim.match, [...(claims.get(claim.match) ?? []), claim]);
  const slots = pairUp(input);
  const decideOne = (slot: Slot<D, A, R>) => decideSlot(slot, input, claims);
  return withoutEmptyGroups(slots, slots.map(decideOne), decideOne)
    .filter(isWorthTelling)
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Not what the user took over or out and nobody wants, nor what an earlier release is only known to have shipped. */
function isWorthTelling({ desired, recorded, actual }: Decision<Desired, Actual, Recorded>): boolean {
  return desired !== undefined || (recorded?.state === "managed" && (actual !== undefined || !recorded.unwritten));
}

/**
 * What says something about a group of entries is not wanted where none of them is ours: the user took them out, or has
 * them anyway.
 */
function withoutEmptyGroups<D extends Desired, A extends Actual, R extends Recorded>(
  slots: readonly Slot<D, A, R>[],
  decisions: Decision<D, A, R>[],
  decideOne: (slot: Slot<D, A, R>) => Decision<D, A, R>,
): Decision<D, A, R>[] {
  if (!slots.some(({ desired }) => desired?.ofGroup)) return decisions;
  const groups = new Set(decisions.filter(standsAsOurs).map(({ desired }) => desired?.group));
  return decisions.flatMap((decision, i) => {
    if (!decision.desired?.ofGroup || groups.has(decision.desired.group)) return [decision];
    return decision.recorded === undefined ? [] : [decideOne({ ...slots[i]!, desired: undefined })];
  });
}

function standsAsOurs({
  desired,
  recorded,
  claims,
  outcome: { result, record },
}: Decision<Desired, Actual, Recorded>): boolean {
  // What others want too stands in a group of theirs.
  if (desired?.ofGroup === true || result === undefined || claims.length > 0 || record.kind === "drop") return false;
  return record.kind === "set" ? record.state === "managed" : recorded?.state === "managed";
}

function decideSlot<D extends Desired, A extends Actual, R extends Recorded>(
  slot: Slot<D, A, R>,
  input: PlaceInput<D, A, R>,
  claims: ReadonlyMap<string, readonly Claim[]>,
): Decision<D, A, R> {
  const { desired, recorded, actual, moved, rekeyed } = slot;
  const named = (desired ?? recorded)!;
  const c: Case = {
    desired,
    recorded,
    actual,
    moved,
    rekeyed,
    ambiguous: slot.ambiguous.length > 0,
    rulings: rulingsFor(named.key, input.policies),
    claims: claimsOn(slot, claims),
    prune: input.prune,
    elsewhere: input.elsewhere === true,
    leaves: input.leaves === true,
    takeAll: input.takeAll === true,
  };
  const outcome = writtenDown(withoutUnsafe(decide(c), c), c);
  // Of what was found, the copies are the user's as well.
  const isFound = foundBefore({ recorded, actual, claims: c.claims }) !== undefined;
  const mayGo = !isFound && slot.copies.length > 0;
  const copies = mayGo ? slot.copies.filter((copy) => isPlainCopy(copy, outcome, slot)) : none;
  return {
    key: named.key,
    type: named.type,
    desired,
    recorded,
    actual,
    copies,
    moved: moved || outcome.verdict === "move",
    rekeyed,
    ambiguous: slot.ambiguous,
    claims: c.claims,
    ignored: c.rulings.ignore,
    outcome: copies.length > 0 && outcome.verdict === "unchanged" ? { ...outcome, verdict: "dedupe" } : outcome,
  };
}

/** Most entries have no copies, and nobody else wants them. */
const none: readonly never[] = [];

/** Whether applying changes the entry's own bytes. */
export function writes(outcome: Outcome, actual: Actual | undefined): boolean {
  switch (outcome.verdict) {
    case "create":
    case "restore":
    case "remove":
    case "dedupe":
    case "move":
      return true;
    case "update":
    case "merge":
      return !equalValues(outcome.result, actual?.value);
    case "conflict":
      return outcome.moves === true || !equalValues(outcome.result, actual?.value);
    default:
      return false;
  }
}

/**
 * What others want of the entry where it stands; one that the user re-keyed is still known to them under the key it
 * had.
 */
function claimsOn(
  { desired, recorded, actual, rekeyed }: Slot<Desired, Actual, Recorded>,
  claims: ReadonlyMap<string, readonly Claim[]>,
) {
  const here = claims.get((actual ?? desired ?? recorded)!.match) ?? none;
  return rekeyed ? [...here, ...(claims.get(recorded!.match) ?? [])] : here;
}

/**
 * What stood there before any owner, to be kept with the record: what is there now where an entry comes under
 * management, or what the owner that shares it found. What the owner wrote itself, or the user deleted since, is not
 * given back.
 */
export function foundBefore({ recorded, actual, claims }: FoundIn): Found | undefined {
  if (actual === undefined) return undefined;
  const disowned = recorded?.state === "disowned" && recorded.found === undefined;
  if (recorded?.state === "managed" || disowned) return recorded.found;
  if (claims.length > 0) return claims.find((claim) => claim.found !== undefined)?.found;
  return actual;
}

type FoundIn = Pick<Decision<Desired, Actual, Recorded>, "recorded" | "actual" | "claims">;

/**
 * Only a copy that is just what we wrote, or are about to have on record, may go: one that differs, or has a comment in
 * it, is somebody's. What is about to be recorded counts, as the next run would find it on record. While the entry
 * itself is kept, its copies are too.
 */
function isPlainCopy(copy: Actual, outcome: Outcome, { recorded, desired }: Slot<Desired, Actual, Recorded>): boolean {
  const { verdict, record } = outcome;
  if (copy.locked !== undefined || copy.fixed !== undefined || copy.comments.length > 0 || verdict === "keep")
    return false;
  const base = recorded?.state === "managed" ? recorded : undefined;
  if (base && equalValues(copy.normal, base.normal)) return true;
  if (record.kind !== "set" || record.state !== "managed") return false;
  return equalValues(copy.normal, equalValues(record.value, desired?.value) ? desired?.normal : record.value);
}

/** An entry that can't be edited safely stays, and blocks nobody else. */
function withoutUnsafe(outcome: Outcome, c: Case): Outcome {
  if (c.actual === undefined || !writes(outcome, c.actual)) return outcome;
  const moves = c.moved || outcome.verdict === "move";
  const goes = outcome.result === undefined || moves;
  if (c.actual.locked !== undefined || (goes && c.actual.fixed !== undefined)) return stays(c.actual, "locked");
  return moves && c.desired?.blocked !== undefined ? stays(c.actual, "blocked") : outcome;
}

function stays(actual: Actual, reason: "locked" | "blocked"): Outcome {
  return { verdict: "keep", reason, result: actual.value, record: { kind: "same" }, conflicts: [] };
}
