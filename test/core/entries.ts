import type { Actual, Claim, Desired, Recorded, RecordState } from "../../src/core/entry.ts";
import { type PlaceInput, planPlace } from "../../src/core/plan.ts";
import type { Value } from "../../src/core/value.ts";

/**
 * Fast paths to say what is wanted, there, and on record. The pair of `hook:Stop:nice x` is its last word, as a script
 * would be.
 */
const common = (key: string, value: Value) => ({
  key,
  match: key,
  pair: key.startsWith("hook:") ? key.split(" ").at(-1)! : undefined,
  type: key.split(":")[0]!,
  joining: "fields" as const,
  value,
  normal: value,
});

export const wanted = (key: string, value: Value, more: Partial<Desired> = {}): Desired => ({
  ...common(key, value),
  ...more,
});
export const there = (key: string, value: Value, more: Partial<Actual> = {}): Actual => ({
  ...common(key, value),
  comments: [],
  ...more,
});
export const record = (
  key: string,
  value: Value,
  state: RecordState = "managed",
  more: Partial<Recorded> = {},
): Recorded => ({
  ...common(key, value),
  state,
  addedIn: "1.0",
  updatedIn: "1.0",
  ...more,
});
/** What another owner wants; `recorded` where that is not yet what it has on record. */
export const claim = (owner: string, key: string, value: Value, recorded = value): Claim => ({
  ...common(key, value),
  owner,
  recorded: { value: recorded, normal: recorded },
});

type Input = PlaceInput<Desired, Actual, Recorded>;

export function decideAll(input: Partial<Input>) {
  return planPlace<Desired, Actual, Recorded>({
    desired: [],
    actual: [],
    recorded: [],
    claims: [],
    moves: [],
    policies: [],
    prune: true,
    ...input,
  });
}

/** What the one decision of a case says: verdict, reason, what will stand, and what will be on record. */
export function decideOne(input: Partial<Input>) {
  const decisions = decideAll(input);
  if (decisions.length !== 1)
    throw new Error(`expected one decision, got ${decisions.map((each) => each.key).join(", ") || "none"}`);
  const { outcome, copies, moved } = decisions[0]!;
  const recorded =
    outcome.record.kind === "set" ? { value: outcome.record.value, state: outcome.record.state } : outcome.record.kind;
  return {
    verdict: outcome.verdict,
    reason: outcome.reason,
    result: outcome.result,
    recorded,
    conflicts: outcome.conflicts.map((each) => each.path.join(".")),
    copies: copies.length,
    moved,
  };
}
