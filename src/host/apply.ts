import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import { parseRegistry, renderRegistry } from "../store/records/registry.ts";
import { type LockedState, withStateLock } from "../store/transaction/lock.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import { recover } from "../store/transaction/recovery.ts";
import { commitLocked, notWritten, type Transaction } from "../store/transaction/transaction.ts";
import { type HostDiagnostic, hasErrors } from "./diagnostics.ts";
import { firstStep } from "./effects/first-step.ts";
import { type FailedUnit, type Waiting, waitForUnits } from "./effects/health.ts";
import type { Podman } from "./effects/podman.ts";
import { pullImages } from "./effects/pull-images.ts";
import type { Acted, UnitManager } from "./effects/systemd.ts";
import { changesAnything, type HostPlan, type PlanResult } from "./plan.ts";
import { didNotComeUp } from "./plan-units.ts";
import { type HostRegistry, pendingActions } from "./registry.ts";
import type { HostTarget } from "./target.ts";
import { isStartedByAnother, triggeredUnits, type UnitAction } from "./units/unit-actions.ts";
import { wantedUnits } from "./units/wanted-units.ts";

/** Everything outside the file system that applying needs. */
export interface Effects {
  /** Undefined: files only. */
  readonly manager: UnitManager | undefined;
  readonly podman: Podman;
  /** What podman and systemd say about the staged units. */
  verify(plan: HostPlan): Promise<readonly HostDiagnostic[]>;
  readonly waiting: Waiting;
  /** Ends the run as soon as what is left to do is on record. */
  readonly interrupt?: AbortSignal | undefined;
}

export interface DoneAction extends UnitAction {
  readonly outcome: "done" | "failed";
  readonly message?: string;
}

export type ApplyResult =
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: "applied";
      readonly plan: HostPlan;
      readonly actions: readonly DoneAction[];
      readonly failed: readonly FailedUnit[];
      readonly generation: number | undefined;
    };

/** How long to wait for another run on this host: units take their time. */
export const lockWaitMs = 120_000;

/** Makes true what `plan` says. Nothing to do: nothing is written, locked or restarted. */
export async function applyHost(target: HostTarget, plan: () => PlanResult, effects: Effects): Promise<ApplyResult> {
  const first = plan();
  if (first.kind === "refused") return first;
  const isPending = pendingJournal(target.gate, target.stateDir) !== undefined;
  if (!isPending && !changesAnything(first.plan))
    return { kind: "applied", plan: first.plan, actions: [], failed: [], generation: undefined };
  return withStateLock(target.gate, target.stateDir, lockWaitMs, async (state) => {
    await recover(target.gate, state);
    // Planned again under the lock: what another run did meanwhile counts.
    const planned = plan();
    return planned.kind === "refused" ? planned : applyPlan(target, state, planned.plan, { effects, again: plan });
  });
}

interface Applying {
  readonly effects: Effects;
  /** Plans once more, for what has to be written in two steps. */
  again(): PlanResult;
}

/** A plan with what podman and systemd say about the units that it brings; refused where they would not accept them. */
export async function verifyPlan(plan: HostPlan, { verify }: Pick<Effects, "verify">): Promise<PlanResult> {
  const complaints = plan.transaction.changes.length > 0 ? await verify(plan) : [];
  const diagnostics = [...plan.document.diagnostics, ...complaints];
  if (hasErrors(complaints)) return { kind: "refused", diagnostics };
  return { kind: "planned", plan: { ...plan, document: { ...plan.document, diagnostics } } };
}

async function applyPlan(target: HostTarget, state: LockedState, planned: HostPlan, { effects, again }: Applying): Promise<ApplyResult> {
  const verified = await verifyPlan(planned, effects);
  if (verified.kind === "refused") return verified;
  const { plan } = verified;
  const { manager, interrupt } = effects;
  // Before anything is stopped: a registry that does not answer must cost no downtime.
  if (manager) await orInterrupted(pullImages(plan, effects.podman), interrupt);
  const [before, after] = split(plan.actions);
  const noted = manager ? await noteStops(target, state, plan, before) : plan;
  const stopped = manager ? await act(manager, before, interrupt) : noActions;
  if (stopped.left.length > 0) throw interrupted("nothing was changed, and the next run starts what was stopped");
  const { written, generation } = await orUndo(
    () => write(target, state, noted, again),
    () => undo(manager, stopped.done),
  );
  if (manager === undefined) return { kind: "applied", plan, actions: [], failed: [], generation };
  const started = await act(manager, after, interrupt);
  const failed = started.left.length > 0 ? [] : await waitForUnits(manager, unitsToBeUp(plan, after), effects.waiting, interrupt);
  await settle(target, state, written, [...started.left, ...failed.map(startAgain)]);
  if (interrupt?.aborted) throw interrupted("the files are in place, and the next run does what is left for units");
  return { kind: "applied", plan, actions: [...stopped.done, ...started.done], failed, generation };
}

function interrupted(what: string): InputError {
  return new InputError({ code: "interrupted", message: `interrupted by a signal; ${what}` });
}

/** Before the files change there is nothing to note: whoever wants us to end can have that at once. */
async function orInterrupted(work: Promise<void>, interrupt: AbortSignal | undefined): Promise<void> {
  const ended = await untilInterrupted(
    work.then(() => "done" as const),
    interrupt,
  );
  if (ended === undefined) throw interrupted("nothing was changed");
}

/** What the work gives, or undefined as soon as the run is to end. */
async function untilInterrupted<T>(work: Promise<T>, interrupt: AbortSignal | undefined): Promise<T | undefined> {
  if (interrupt === undefined) return work;
  const ended = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (interrupt.aborted) resolve(undefined);
    interrupt.addEventListener("abort", () => resolve(undefined), { signal: ended.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
  }
}

/**
 * Records, before anything is stopped, that it has to be started again: whatever ends this run, the next one knows. What no longer has a
 * file by then is not started.
 */
async function noteStops(target: HostTarget, state: LockedState, plan: HostPlan, stops: readonly UnitAction[]): Promise<HostPlan> {
  const text = plan.transaction.registry.before;
  const stopping = stops.filter(({ action, unit }) => action === "stop" && !unit.includes("*"));
  if (text === undefined || stopping.length === 0) return plan;
  const registry = parseRegistry(text, plan.transaction.registry.path) as HostRegistry;
  const starts = stopping.map(({ unit }): UnitAction => ({ action: "start", unit, reason: "stopped for a change" }));
  const owed = [...pendingActions(registry), ...starts];
  const after = renderRegistry({ ...registry, pending: owed } as HostRegistry);
  await commitRecords(target, state, plan.transaction, { before: text, after });
  const { transaction } = plan;
  return { ...plan, transaction: { ...transaction, registry: { ...transaction.registry, before: after } } };
}

async function orUndo<T>(run: () => Promise<T>, takeBack: () => Promise<void>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** The files could not be written, so what was stopped for them runs again. The first error is the one to tell. */
async function undo(manager: UnitManager | undefined, stopped: readonly DoneAction[]): Promise<void> {
  for (const { action, unit, outcome } of stopped.toReversed()) {
    if (outcome === "done" && !unit.includes("*")) await manager?.act(action === "disable" ? "enable" : "start", unit);
  }
}

/** All files and records at once; in two steps where a file has to make way for a folder. */
async function write(
  target: HostTarget,
  state: LockedState,
  plan: HostPlan,
  again: () => PlanResult,
): Promise<{ written: HostPlan; generation: number | undefined }> {
  const commit = async (transaction: Omit<Transaction, "time">): Promise<number | undefined> => {
    const committed = await commitLocked(target.gate, state, { ...transaction, time: target.now().toISOString() });
    const paths = notWritten(committed);
    if (paths.length > 0) throw keepsChanging(paths);
    return committed.kind === "committed" ? committed.generation : undefined;
  };
  const first = firstStep(plan);
  if (first === undefined) return { written: plan, generation: await commit(plan.transaction) };
  await commit(first);
  const rest = again();
  if (rest.kind === "refused") throw new InputError({ ...rest.diagnostics[0]! });
  return { written: rest.plan, generation: await commit(rest.plan.transaction) };
}

function split(actions: readonly UnitAction[]): [UnitAction[], UnitAction[]] {
  const isBefore = (action: UnitAction) => action.action === "stop" || action.action === "disable";
  return [actions.filter(isBefore), actions.filter((action) => !isBefore(action))];
}

interface Acting {
  readonly done: readonly DoneAction[];
  /** What was not done, or may not have been, because the run was to end. */
  readonly left: readonly UnitAction[];
}
const noActions: Acting = { done: [], left: [] };

/** One after the other: their order is the plan's. A failure is told, and does not keep the others from running. */
async function act(manager: UnitManager, actions: readonly UnitAction[], interrupt: AbortSignal | undefined): Promise<Acting> {
  const done: DoneAction[] = [];
  for (const [i, action] of actions.entries()) {
    const acting = () => (action.action === "daemon-reload" ? reload(manager) : manager.act(action.action, action.unit));
    const acted = interrupt?.aborted ? undefined : await untilInterrupted(acting(), interrupt);
    if (acted === undefined) return { done, left: actions.slice(i) };
    done.push(acted.kind === "done" ? { ...action, outcome: "done" } : { ...action, outcome: "failed", message: acted.message });
  }
  return { done, left: [] };
}

/** Without it nothing that follows means what the plan meant: the run ends here, and the next one takes up what it owes. */
async function reload(manager: UnitManager): Promise<Acted> {
  const acted = await manager.reload();
  if (acted.kind === "done") return acted;
  const message = `the files are in place, but systemd did not read them: ${acted.message}; the next run goes on from there`;
  throw new InputError({ code: "systemd-unreachable", message });
}

/** The units that should be running after this: started or restarted just now, and not left to a socket or timer. */
function unitsToBeUp(plan: HostPlan, actions: readonly UnitAction[]): string[] {
  const wanted = wantedUnits(plan.evaluation.files);
  const triggered = triggeredUnits(wanted);
  const idle = new Set(wanted.filter((unit) => isStartedByAnother(unit, triggered)).map((unit) => unit.runtime));
  const units = actions.filter(({ action }) => action === "start" || action === "restart").map(({ unit }) => unit);
  return [...new Set(units)].filter((unit) => !idle.has(unit) && !unit.includes("*"));
}

/** What did not come up is tried again by the next run, without disturbing what recovered by itself. */
function startAgain({ unit }: FailedUnit): UnitAction {
  return { action: "start", unit, reason: didNotComeUp };
}

/** What is done is no longer owed. */
async function settle(target: HostTarget, state: LockedState, plan: HostPlan, owed: readonly UnitAction[]): Promise<void> {
  if (plan.registry === undefined) return;
  const before = renderRegistry(plan.registry);
  const after = renderRegistry({ ...plan.registry, pending: owed.length > 0 ? owed : undefined } as typeof plan.registry);
  await commitRecords(target, state, plan.transaction, { before, after });
}

async function commitRecords(
  target: HostTarget,
  state: LockedState,
  transaction: HostPlan["transaction"],
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  if (before === after) return;
  const { path } = transaction.registry;
  const time = target.now().toISOString();
  await commitLocked(target.gate, state, { ...transaction, time, changes: [], registry: { path, before, after }, generation: undefined });
}

function keepsChanging(paths: readonly string[]): InputError {
  const message = `${paths.join(", ")} changed while stet was at work; run again`;
  return new InputError({ code: "keeps-changing", message });
}
