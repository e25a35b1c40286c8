import type { Actual, Claim, Desired, Recorded } from "./entry.ts";
import { groupBy } from "./lists.ts";
import { equalValues } from "./value.ts";

/** The sides of one entry, found to belong together. */
export interface Slot<D extends Desired, A extends Actual, R extends Recorded> {
  desired: D | undefined;
  recorded: R | undefined;
  actual: A | undefined;
  /** Further copies of the actual entry, under the same key. */
  copies: A[];
  moved: boolean;
  /** The user changed a part of the key: the actual entry was found by the weaker one. */
  rekeyed: boolean;
  ambiguous: readonly A[];
}

export interface Sought<D extends Desired, A extends Actual, R extends Recorded> {
  readonly desired: readonly D[];
  readonly actual: readonly A[];
  readonly recorded: readonly R[];
  readonly claims: readonly Claim[];
  /** Renames the owner declares, as identities; in order, so that chains follow. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Bring wanted, recorded and actual entries together: by identity, by declared moves, and, for what is left without a
 * counterpart, by the weaker key. Exact and unique both ways; nothing is ever matched by likeness.
 */
export function pairUp<D extends Desired, A extends Actual, R extends Recorded>(
  sought: Sought<D, A, R>,
): Slot<D, A, R>[] {
  const slots = new Map<string, Slot<D, A, R>>();
  for (const desired of sought.desired) slots.set(desired.match, slotOf<D, A, R>(desired, undefined));
  for (const recorded of sought.recorded) {
    const slot = slots.get(recorded.match);
    if (slot === undefined) slots.set(recorded.match, slotOf<D, A, R>(undefined, recorded));
    else slot.recorded ??= recorded;
  }
  for (const actual of sought.actual) {
    const slot = slots.get(actual.match);
    if (slot === undefined) continue;
    if (slot.actual === undefined) slot.actual = actual;
    else if (slot.copies.length === 0) slot.copies = [actual];
    else slot.copies.push(actual);
  }
  for (const slot of slots.values()) if (slot.copies.length > 0) chooseOurs(slot);
  const claimed = new Set(sought.claims.map((claim) => claim.match));
  for (const move of sought.moves) rekey(slots, move.from, move.to, claimed);
  for (const slot of slots.values()) if (!slot.moved) slot.moved = isRegrouped(slot, claimed);
  pairWithDesired(slots, claimed);
  pairWithActual(slots, sought);
  return [...slots.values()];
}

/** Its owner wants it in another group now. What others want too stays where it is. */
function isRegrouped(
  { desired, recorded, actual }: Slot<Desired, Actual, Recorded>,
  claimed: ReadonlySet<string>,
): boolean {
  if (desired?.group === undefined || recorded?.group === undefined || desired.group === recorded.group) return false;
  return actual !== undefined && recorded.state === "managed" && !claimed.has(actual.match);
}

/**
 * Of several with one key ours is the one that is as we left it, or as we want it: the others may be what the user
 * wrote beside it.
 */
function chooseOurs(slot: Slot<Desired, Actual, Recorded>): void {
  const { recorded, desired } = slot;
  const all = [slot.actual!, ...slot.copies];
  const ours = all.findIndex((actual) =>
    recorded
      ? isAsRecorded(actual, recorded)
      : actual.comments.length === 0 && equalValues(actual.normal, desired?.normal),
  );
  if (ours <= 0) return;
  slot.actual = all[ours];
  slot.copies = all.filter((_, i) => i !== ours);
}

function slotOf<D extends Desired, A extends Actual, R extends Recorded>(
  desired: D | undefined,
  recorded: R | undefined,
): Slot<D, A, R> {
  return { desired, recorded, actual: undefined, copies: none, moved: false, rekeyed: false, ambiguous: none };
}

/** Of most entries there is but one. */
const none: never[] = [];

/**
 * Let the record at `from`, with its actual entry, belong to what is wanted at `to`, unless something stands there
 * already. What another owner still wants under the old key stays there for it; only where the user edited it, the edit
 * is wanted in both places and they must choose.
 */
function rekey<D extends Desired, A extends Actual, R extends Recorded>(
  slots: Map<string, Slot<D, A, R>>,
  from: string,
  to: string,
  claimed: ReadonlySet<string>,
): void {
  const [source, target] = [slots.get(from), slots.get(to)];
  if (!source?.recorded || source.desired) return;
  if (target && (target.recorded || target.actual)) return;
  if (source.actual && claimed.has(source.actual.match) && isAsRecorded(source.actual, source.recorded)) return;
  slots.delete(from);
  slots.set(to, { ...source, desired: target?.desired, moved: true });
}

function isAsRecorded(actual: Actual, recorded: Recorded): boolean {
  return recorded.state === "managed" && actual.comments.length === 0 && equalValues(actual.normal, recorded.normal);
}

/**
 * The framework changed a key part: one record without a wish, one new wish, one weaker key. Handled as a declared
 * move: what the user handed over or took out is not put back because its key changed.
 */
function pairWithDesired<D extends Desired, A extends Actual, R extends Recorded>(
  slots: Map<string, Slot<D, A, R>>,
  claimed: ReadonlySet<string>,
): void {
  if (!some(slots.values(), isNewWish)) return;
  const wishes = groupBy(
    [...slots].filter(([, slot]) => isNewWish(slot)),
    ([, slot]) => weakKey(slot.desired),
  );
  const orphans = groupBy(
    [...slots].filter(([, { recorded, desired }]) => recorded !== undefined && desired === undefined),
    ([, slot]) => weakKey(slot.recorded),
  );
  for (const [key, all] of orphans) {
    const managed = all.filter(([, slot]) => slot.recorded?.state === "managed");
    const [orphan, ...otherOrphans] = managed.length > 0 ? managed : all;
    const [wish, ...otherWishes] = wishes.get(key) ?? [];
    if (key === "" || !orphan || !wish || otherOrphans.length > 0 || otherWishes.length > 0) continue;
    rekey(slots, orphan[0], wish[0], claimed);
  }
}

function isNewWish(slot: Slot<Desired, Actual, Recorded>): boolean {
  return slot.desired !== undefined && slot.recorded === undefined && slot.actual === undefined;
}

/** The user changed a key part: one record without an actual entry, one entry that nobody claims, one weaker key. */
function pairWithActual<D extends Desired, A extends Actual, R extends Recorded>(
  slots: ReadonlyMap<string, Slot<D, A, R>>,
  sought: Sought<D, A, R>,
): void {
  if (!some(slots.values(), isLost)) return;
  const lost = groupBy([...slots.values()].filter(isLost), (slot) => weakKey(slot.recorded));
  const taken = new Set([
    ...slots.keys(),
    ...sought.recorded.map((entry) => entry.match),
    ...sought.claims.map((claim) => claim.match),
  ]);
  const moved = new Set([...slots.values()].map((slot) => slot.actual));
  const unclaimed = groupBy(
    sought.actual.filter((entry) => !taken.has(entry.match) && !moved.has(entry)),
    weakKey,
  );
  for (const [key, [slot, ...others]] of lost) {
    const candidates = unclaimed.get(key) ?? [];
    if (key === "" || !slot || candidates.length === 0) continue;
    if (candidates.length > 1 || others.length > 0) for (const each of [slot, ...others]) each.ambiguous = candidates;
    // Where the user put it is where it stays, also if the owner renames it.
    else Object.assign(slot, { actual: candidates[0], moved: false, rekeyed: true });
  }
}

function isLost(slot: Slot<Desired, Actual, Recorded>): boolean {
  return slot.recorded?.state === "managed" && slot.actual === undefined;
}

function weakKey(entry: Desired | Recorded | Actual | undefined): string {
  return entry?.pair === undefined ? "" : `${entry.type}\0${entry.pair}`;
}

/** Without a copy of all to choose from: mostly there are many, and none is chosen. */
function some<T>(items: Iterable<T>, is: (item: T) => boolean): boolean {
  for (const item of items) if (is(item)) return true;
  return false;
}
