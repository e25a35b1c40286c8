import { type Case, decide, type Outcome, type Shipped } from "./decide.ts";
import type { Actual, Claim, Desired, Recorded } from "./entry.ts";
import { pairUp, type Slot, type Sought } from "./pair.ts";
import { type Policy, rulingsFor } from "./policy.ts";
import { equalValues } from "./value.ts";

/** Everything known about one place (a settings file, a folder of units, a ConfigMap) that an owner shares with others. */
export interface PlaceInput<D extends Desired, A extends Actual, R extends Recorded> extends Sought<D, A, R> {
  /** What other owners record in this place. */
  readonly claims: readonly Claim[];
  /** What earlier releases shipped, by identity. */
  readonly earlier: ReadonlyMap<string, readonly Shipped[]>;
  readonly policies: readonly Policy[];
  readonly prune: boolean;
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
}

/**
 * Compare what is wanted, recorded and really there, entry by entry. The one planner of all domains: pure, level-triggered, linear, and
 * the same whatever order its inputs come in.
 */
export function planPlace<D extends Desired, A extends Actual, R extends Recorded>(input: PlaceInput<D, A, R>): Decision<D, A, R>[] {
  const claims = new Map<string, Claim[]>();
  for (const claim of input.claims) claims.set(claim.match, [...(claims.get(claim.match) ?? []), claim]);
  const knownPlace = input.recorded.some((entry) => entry.state === "managed");
  return pairUp({ ...input, recorded: [...input.recorded, ...movedFromEarlier(input)] })
    .map((slot) => decideSlot(slot, input, claims, knownPlace))
    .filter((decision) => decision.desired !== undefined || decision.recorded?.state === "managed")
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function decideSlot<D extends Desired, A extends Actual, R extends Recorded>(
  slot: Slot<D, A, R>,
  input: PlaceInput<D, A, R>,
  claims: ReadonlyMap<string, readonly Claim[]>,
  knownPlace: boolean,
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
    claims: claims.get((actual ?? named).match) ?? [],
    earlier: input.earlier.get(named.match) ?? [],
    knownPlace,
    prune: input.prune,
  };
  const outcome = withoutLocked(decide(c), c);
  const copies = recorded?.state === "managed" ? slot.copies.filter((copy) => isPlainCopy(copy, recorded)) : [];
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
    outcome: copies.length > 0 && outcome.verdict === "unchanged" ? { ...outcome, verdict: "dedupe" } : outcome,
  };
}

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

/** Only a copy that is just what we wrote may go: one that differs, or has a comment in it, is somebody's. */
function isPlainCopy(copy: Actual, recorded: Recorded): boolean {
  return copy.locked === undefined && copy.fixed === undefined && copy.comments.length === 0 && equalValues(copy.normal, recorded.normal);
}

/** An entry that can't be edited safely stays, and blocks nobody else. */
function withoutLocked(outcome: Outcome, c: Case): Outcome {
  if (c.actual === undefined || !writes(outcome, c.actual)) return outcome;
  const goes = outcome.result === undefined || c.moved;
  if (c.actual.locked === undefined && (c.actual.fixed === undefined || !goes)) return outcome;
  return { verdict: "keep", reason: "locked", result: c.actual.value, record: { kind: "same" }, conflicts: [] };
}

/** An entry that an earlier release shipped under a key that has since been renamed counts as recorded under the old one. */
function movedFromEarlier<D extends Desired, A extends Actual, R extends Recorded>(input: PlaceInput<D, A, R>): R[] {
  const known = new Set(input.recorded.map((entry) => entry.match));
  return input.moves.flatMap(({ from }) => {
    const there = known.has(from) ? undefined : input.actual.find((entry) => entry.match === from);
    const shipped = there && input.earlier.get(from)?.find((earlier) => equalValues(earlier.normal, there.normal));
    if (!there || !shipped) return [];
    return [{ ...there, value: shipped.value, normal: shipped.normal, state: "managed", addedIn: "", updatedIn: "" } as unknown as R];
  });
}
