import { earlierRecords } from "../../../src/core/earlier.ts";
import type { Actual, Claim, Desired, Recorded } from "../../../src/core/entry.ts";
import { foundBefore, type PlaceInput, writes } from "../../../src/core/plan.ts";
import { equalValues, type Value } from "../../../src/core/value.ts";
import { decideAll, record, there } from "../entries.ts";

/** What the decision table can have to deal with besides its rows. The first sixteen need no file to be seen. */
export const bullets = [
  "pairing",
  "merge",
  "adopt",
  "dedupe",
  "moved",
  "tombstone",
  "owners",
  "comment",
  "locked",
  "blocked",
  "ignore",
  "when-deleted",
  "when-edited",
  "create-only",
  "earlier",
  "pending",
] as const;
export type Bullet = (typeof bullets)[number];

/** All pairs of some names, each once, in their order. */
export function pairsOf(names: readonly string[]): string[] {
  return names.flatMap((one, i) => names.slice(i + 1).map((other) => `${one} × ${other}`));
}

export interface Given {
  readonly D?: readonly Desired[];
  readonly R?: readonly Recorded[];
  readonly A?: readonly Actual[];
  readonly claims?: readonly Claim[];
  readonly moves?: PlaceInput<Desired, Actual, Recorded>["moves"];
  readonly earlier?: Readonly<Record<string, readonly Value[]>>;
  readonly policies?: PlaceInput<Desired, Actual, Recorded>["policies"];
}

/**
 * What becomes of a key: verdict and reason, what stands there then, what is then on record (left out: as before), and
 * copies that go.
 */
export type Then = readonly [
  key: string,
  verdict: string,
  result: Value | undefined,
  record?: Value | "drop" | undefined,
  copies?: number,
];

export type Story = readonly [story: string, given: Given, ...then: readonly Then[]];

/** Pairs of bullets: the stories of those that meet, or the reason why they can't. */
export type Meetings = Readonly<Partial<Record<`${Bullet} × ${Bullet}`, readonly Story[] | string>>>;

function inputOf({ D = [], R = [], A = [], claims = [], moves = [], earlier = {}, policies = [] }: Given) {
  const shipped = Object.entries(earlier).flatMap(([key, values]) =>
    values.map((value) => record(key, value, "managed", { unwritten: true })),
  );
  const releases = shipped.map((entry) => ({ installed: true, entries: [entry], own: new Set<Recorded>() }));
  const recorded = R.length === 0 ? earlierRecords(releases, A, policies) : R;
  return { desired: D, recorded, actual: A, claims, moves, policies };
}

export function decided(given: Given): Then[] {
  return decideAll(inputOf(given)).map(({ key, outcome, copies }): Then => {
    const { verdict, reason, result, record } = outcome;
    const set =
      record.kind === "set"
        ? record.state === "managed"
          ? record.value
          : { state: record.state, value: record.value }
        : undefined;
    return [
      key,
      reason ? `${verdict} ${reason}` : verdict,
      result,
      record.kind === "drop" ? "drop" : set,
      copies.length,
    ];
  });
}

/** The same place once the decisions are true: entries in their order, new ones at the end. */
export function applied(given: Given): Given {
  const decisions = decideAll(inputOf(given));
  const gone = new Set<Actual>(decisions.flatMap(({ copies }) => copies));
  const changed = new Map<Actual, Actual>();
  const added: Actual[] = [];
  const records = new Map((given.R ?? []).map((each) => [each.key, each]));
  for (const decision of decisions) {
    const { desired, recorded, actual, rekeyed, moved, outcome } = decision;
    if (writes(outcome, actual)) {
      const key = actual && !moved ? actual.key : desired?.key;
      const next =
        outcome.result === undefined ? undefined : there(key!, outcome.result, actual && { comments: actual.comments });
      if (actual && next) changed.set(actual, next);
      else if (actual) gone.add(actual);
      else if (next) added.push(next);
    }
    if (outcome.record.kind === "same") continue;
    if (recorded) records.delete(recorded.key);
    const { key } = (rekeyed && outcome.verdict === "conflict" ? recorded : (desired ?? recorded))!;
    if (outcome.record.kind === "set") {
      const found = foundBefore(decision);
      records.set(key, record(key, outcome.record.value, outcome.record.state, { found }));
    }
  }
  const stay = (given.A ?? []).filter((each) => !gone.has(each)).map((each) => changed.get(each) ?? each);
  return { ...given, A: [...stay, ...added], R: [...records.values()] };
}

/** What another run would still do: nothing, whatever the story. */
export function stillToDo(given: Given): string[] {
  return decideAll(inputOf(given)).flatMap(({ key, outcome, actual, recorded, copies }) => {
    const { record } = outcome;
    const records =
      record.kind === "drop" ||
      (record.kind === "set" &&
        !(recorded && equalValues(record.value, recorded.value) && record.state === recorded.state));
    return writes(outcome, actual) || copies.length > 0 || records ? [`${key}: ${outcome.verdict}`] : [];
  });
}

/**
 * The same wishes, records, claims and policies in another order; of what is there the order is the user's, and counts.
 */
export function reordered(given: Given): Given {
  return {
    ...given,
    D: (given.D ?? []).toReversed(),
    R: (given.R ?? []).toReversed(),
    claims: (given.claims ?? []).toReversed(),
  };
}
