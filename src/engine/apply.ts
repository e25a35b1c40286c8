import { InputError } from "../core/diagnostic.ts";
import { hashedContent } from "../store/gate/content.ts";
import { defaultWaitMs, type LockedState, withStateLock } from "../store/transaction/lock.ts";
import { finishInterrupted } from "../store/transaction/recovery.ts";
import { commit, commitLocked, isStill, notWritten, type Transaction } from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import { refuseOwnPlaces } from "./place.ts";
import { changesAnything, type OwnerPlan } from "./plan-owner.ts";
import type { Planned } from "./records.ts";

export interface Stale {
  readonly kind: "stale";
  /**
   * These (as the user says them) are no longer as the plan saw them and were left alone: whoever asked plans again.
   */
  readonly paths: readonly string[];
}

/** `generation`: its number in the history; undefined where nothing that could be undone was written. */
export type Applied = { readonly kind: "applied"; readonly generation: number | undefined } | Stale;

/** What applying has to know of a machine or host. */
type Site = Pick<Machine, "gate" | "stateDir" | "now">;

/**
 * Makes a plan true and decides nothing. `state`: for a caller that holds the lock, because it has planned under it.
 */
export function applyPlan(plan: OwnerPlan, machine: Machine, state?: LockedState): Promise<Applied> {
  return applyTogether([plan], machine, state);
}

/** The same of several owners, each planned upon what those before it leave: all of it is done, or nothing. */
async function applyTogether(plans: readonly OwnerPlan[], machine: Machine, state?: LockedState): Promise<Applied> {
  const [first, ...others] = plans.filter(changesAnything).map((plan) => transactionOf(plan, machine));
  if (first !== undefined) return applyTransaction(withOthers(first, others), machine, state);
  if (state === undefined) await finishInterrupted(machine.gate, machine.stateDir, defaultWaitMs);
  return { kind: "applied", generation: undefined };
}

/**
 * Writes what a plan of any domain says, for a caller that holds the lock: in one step, or in several where one has to
 * be done before the next can be. `undo` takes back what the caller did beforehand; it is called unless all is written.
 */
export async function writePlanned(
  steps: readonly Planned[],
  site: Site,
  state: LockedState,
  undo: () => Promise<void> = async () => {},
): Promise<Applied> {
  let applied: Applied = { kind: "applied", generation: undefined };
  try {
    for (const step of steps) {
      applied = await applyTransaction({ ...step, time: site.now().toISOString() }, site, state);
      if (applied.kind === "stale") break;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  if (applied.kind === "stale") await undo();
  return applied;
}

async function applyTransaction(
  transaction: Transaction,
  { gate, stateDir }: Site,
  state: LockedState | undefined,
): Promise<Applied> {
  const result = state ? await commitLocked(gate, state, transaction) : await commit(gate, transaction);
  if (result.kind === "unchanged" && state === undefined) await finishInterrupted(gate, stateDir, defaultWaitMs);
  const paths = notWritten(result);
  if (paths.length > 0) return { kind: "stale", paths };
  return { kind: "applied", generation: result.kind === "committed" ? result.generation : undefined };
}

/** Writes an owner's records alone: no file changes, and the history does not mention it. */
export async function writeRecords(
  { name, path, before, after }: { readonly name: string } & Transaction["registry"],
  site: Site,
  state: LockedState,
): Promise<void> {
  if (before === after) return;
  const { stateDir } = site;
  const registry = { path, before, after };
  await writePlanned([{ stateDir, name, changes: [], registry, generation: undefined }], site, state);
}

function withOthers(first: Transaction, others: readonly Transaction[]): Transaction {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const written = new Set(all.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const seen = all.flatMap((each) => each.seen ?? []).filter(({ path }) => !written.has(path));
  return { ...first, seen, others };
}

/** Plans and applies until what was planned is true. `first`: a plan that was made already. */
export async function planAndApply(
  machine: Machine,
  plan: () => Promise<OwnerPlan>,
  first?: OwnerPlan,
): Promise<OwnerPlan> {
  const [planned] = await planAndApplyTogether(machine, async () => [await plan()], first && [first]);
  return planned!;
}

export async function planAndApplyTogether(
  machine: Machine,
  plan: () => Promise<readonly OwnerPlan[]>,
  first?: readonly OwnerPlan[],
): Promise<readonly OwnerPlan[]> {
  const planned = first ?? (await plan());
  const applied = await applyTogether(planned, machine);
  if (applied.kind === "applied") return planned;
  return untilApplied(machine, defaultWaitMs, async (state) => {
    const again = await plan();
    const result = await applyTogether(again, machine, state);
    return result.kind === "stale" ? result : { kind: "applied", planned: again };
  }).then((done) => done.planned);
}

/** How often to plan again under the lock, when only programs that take no lock can be in the way. */
const attempts = 8;

/**
 * Plans and applies under one lock until nothing is stale: however many others are at work here, each gets its turn.
 */
export function untilApplied<T extends { readonly kind: string }>(
  { gate, stateDir }: Pick<Site, "gate" | "stateDir">,
  waitMs: number,
  attempt: (state: LockedState) => Promise<T | Stale>,
): Promise<T> {
  return withStateLock(gate, stateDir, waitMs, async (state) => {
    for (let left = attempts; ; left--) {
      const done = await attempt(state);
      if (!isStale(done)) return done;
      if (left === 1) throw keepChanging(done.paths);
    }
  });
}

function isStale(result: { readonly kind: string }): result is Stale {
  return result.kind === "stale";
}

function keepChanging(paths: readonly string[]): InputError {
  const what = paths.length > 3 ? `${paths.slice(0, 3).join(", ")} and others` : paths.join(", ");
  const message = `${what} kept changing while stet worked; nothing was lost; stop the program that writes there and run again`;
  return new InputError({ code: "keeps-changing", message });
}

/** Wherever the plan came from (a pack, records, a file), it may not write stet's own files. */
function transactionOf({ transaction, seen }: OwnerPlan, machine: Machine): Transaction {
  refuseOwnPlaces(machine, transaction.changes);
  return { ...transaction, seen, time: machine.now().toISOString() };
}

/** A saved plan decides nothing again: it is applied to exactly what it saw, or not at all. */
export async function applySaved(machine: Machine, planned: OwnerPlan): Promise<OwnerPlan> {
  const stale = staleSince(machine, planned);
  if (stale.length > 0) throw stalePlan(stale);
  if (!changesAnything(planned)) return planned;
  const result = await commit(machine.gate, transactionOf(planned, machine));
  const paths = notWritten(result);
  if (paths.length === 0) return planned;
  throw result.kind === "committed" ? leftAlone(paths) : stalePlan(paths);
}

/** Others of the plan's files are written by then: what is decided is not taken back. */
function leftAlone(paths: readonly string[]): InputError {
  const message = `another program wrote ${paths.join(", ")} at the last moment, so stet left that alone; everything else in this plan is done; plan again`;
  return new InputError({ code: "stale-plan", message });
}

/** All that a plan looked at has to be as it was, also what it leaves alone: it is what the plan was made by. */
function staleSince({ gate }: Machine, { transaction, seen }: OwnerPlan): string[] {
  const { path, before } = transaction.registry;
  const looked = [
    ...transaction.changes.map((change) => ({ path: change.path, content: hashedContent(change.before) })),
    ...seen,
  ];
  const changed = looked.filter((file) => !isStill(gate, file)).map((file) => file.path);
  return gate.read(path)?.toString("utf8") === before ? changed : [...changed, path];
}

function stalePlan(paths: readonly string[]): InputError {
  const message = `this plan is out of date: ${paths.join(", ")} changed since it was made; nothing was changed; plan again`;
  return new InputError({ code: "stale-plan", message });
}
