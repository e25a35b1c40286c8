import { InputError } from "../core/diagnostic.ts";
import { hashedContent } from "../store/gate/content.ts";
import { finishInterrupted } from "../store/transaction/interrupted.ts";
import { defaultWaitMs, type LockedState, withStateLock } from "../store/transaction/lock.ts";
import {
  type CommitResult,
  commit,
  commitLocked,
  isStill,
  notWritten,
  type Transaction,
} from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import { refuseOwnPlaces } from "./own-places.ts";
import { changesAnything, type OwnerPlan } from "./plan-owner.ts";

export type Applied =
  | { readonly kind: "applied" }
  /**
   * These (as the user says them) are no longer as the plan saw them and were left alone: whoever asked plans again.
   */
  | { readonly kind: "stale"; readonly paths: readonly string[] };

/**
 * Makes a plan true and decides nothing. `state`: for a caller that holds the lock, because it has planned under it.
 */
export function applyPlan(plan: OwnerPlan, machine: Machine, state?: LockedState): Promise<Applied> {
  return applyTogether([plan], machine, state);
}

/** The same of several owners, each planned upon what those before it leave: all of it is done, or nothing. */
async function applyTogether(plans: readonly OwnerPlan[], machine: Machine, state?: LockedState): Promise<Applied> {
  const { gate, stateDir } = machine;
  const [first, ...others] = plans.filter(changesAnything).map((plan) => transactionOf(plan, machine));
  const write = (transaction: Transaction) =>
    state ? commitLocked(gate, state, transaction) : commit(gate, transaction);
  const result: CommitResult = first === undefined ? { kind: "unchanged" } : await write(withOthers(first, others));
  if (result.kind === "unchanged" && state === undefined) await finishInterrupted(gate, stateDir, defaultWaitMs);
  const paths = notWritten(result);
  return paths.length > 0 ? { kind: "stale", paths } : { kind: "applied" };
}

function withOthers(first: Transaction, others: readonly Transaction[]): Transaction {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const written = new Set(all.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const seen = all.flatMap((each) => each.seen ?? []).filter(({ path }) => !written.has(path));
  return { ...first, seen, others };
}

/** How often to plan again under the lock, when only programs that take no lock can be in the way. */
const attempts = 8;

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
  return applied.kind === "applied" ? planned : applyLocked(machine, plan);
}

/** Planned and written under one lock: however many others are at work here, each gets its turn. */
function applyLocked(machine: Machine, plan: () => Promise<readonly OwnerPlan[]>): Promise<readonly OwnerPlan[]> {
  return withStateLock(machine.gate, machine.stateDir, defaultWaitMs, async (state) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const planned = await plan();
      const applied = await applyTogether(planned, machine, state);
      if (applied.kind === "applied") return planned;
    }
    const message =
      "the files keep changing while stet works on them; nothing was lost, stop the program that writes them and run again";
    throw new InputError({ code: "keeps-changing", message });
  });
}

/** However the plan came about (a pack, records, a file): nobody else writes what is stet's own. */
function transactionOf({ transaction, seen }: OwnerPlan, machine: Machine): Transaction {
  refuseOwnPlaces(machine, transaction.changes);
  return { ...transaction, seen, time: machine.now().toISOString() };
}

/** A saved plan decides nothing anew: it is applied to just what it saw, or not at all. */
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
  const message = `another program wrote ${paths.join(", ")} at the last moment, so that was left alone; everything else of this plan is done, plan again`;
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
  const message = `this plan is out of date: ${paths.join(", ")} changed since it was made; nothing was changed, plan again`;
  return new InputError({ code: "stale-plan", message });
}
