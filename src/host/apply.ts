import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import { type Stale, untilApplied, writePlanned, writeRecords } from "../engine/apply.ts";
import { parseRegistry, renderRegistry } from "../store/records/registry.ts";
import type { LockedState } from "../store/transaction/lock.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import { recover } from "../store/transaction/recovery.ts";
import { type HostDiagnostic, hasErrors } from "./diagnostics.ts";
import { type FailedUnit, findDown, type WaitingUnit } from "./effects/health.ts";
import { objectName, type Podman, pullImages } from "./effects/podman.ts";
import type { Acted, UnitManager } from "./effects/systemd.ts";
import { type HostPlan, hostChanges, type PlanResult, withDocument } from "./plan.ts";
import { inSteps } from "./plan-files.ts";
import { type HostRegistry, pendingActions } from "./registry.ts";
import type { HostTarget } from "./target.ts";
import type { UnitAction } from "./units/unit-actions.ts";
import { wantedUnits } from "./units/wanted-units.ts";

/** Everything outside the file system that applying needs. */
export interface Effects {
  /** Undefined: files only. */
  readonly manager: UnitManager | undefined;
  readonly podman: Podman;
  /** What podman and systemd say about the staged units. */
  verify(plan: HostPlan): Promise<readonly HostDiagnostic[]>;
  /** Gives files that were written to the owners that services ask for. */
  setOwners(plan: HostPlan): Promise<readonly Diagnostic[]>;
  readonly waiting: WaitingUnit;
  /** Whether a user's units go on when nobody is logged in; undefined for the system's. */
  readonly lingers?: boolean | undefined;
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

/** Makes a plan, whenever one is needed: looking again each time. */
export type MakePlan = () => Promise<PlanResult>;

/**
 * Makes true what the plan says. Nothing to do: nothing is written, locked or restarted. A plan that is stale is made
 * again.
 */
export async function applyHost(target: HostTarget, makePlan: MakePlan, effects: Effects): Promise<ApplyResult> {
  const first = await makePlan();
  if (first.kind === "refused") return first;
  if (!isInterrupted(target) && !hostChanges(first.plan)) return nothingToDo(first.plan, effects);
  let planned: PlanResult | undefined = first;
  return untilApplied(target, lockWaitMs, async (state) => {
    const wasInterrupted = isInterrupted(target);
    await recover(target.gate, state);
    // Before anything is stopped: what another run did meanwhile counts.
    if (planned?.kind !== "planned" || wasInterrupted || !isOnRecord(target, planned.plan)) planned = await makePlan();
    if (planned.kind === "refused") return planned;
    const { plan } = planned;
    planned = undefined;
    return hostChanges(plan) ? applyPlan(target, state, plan, effects) : nothingToDo(plan, effects);
  });
}

function isInterrupted({ gate, stateDir }: HostTarget): boolean {
  return pendingJournal(gate, stateDir) !== undefined;
}

/** Whether the records are those that a plan was made by. */
function isOnRecord({ gate }: HostTarget, { transaction: { registry } }: HostPlan): boolean {
  return gate.read(registry.path)?.toString("utf8") === registry.before;
}

/** Units may be down all the same, and their time to be started again has not come. */
async function nothingToDo(plan: HostPlan, { manager, podman, waiting }: Effects): Promise<ApplyResult> {
  const failed = manager ? await findDown({ manager, podman }, plan.expected, waiting) : [];
  return { kind: "applied", plan, actions: [], failed, generation: undefined };
}

/** A plan with what podman and systemd say about the units that it brings; refused where they would not accept them. */
export async function verifyPlan(plan: HostPlan, { verify }: Pick<Effects, "verify">): Promise<PlanResult> {
  const complaints = plan.transaction.changes.length > 0 ? await verify(plan) : [];
  const diagnostics = [...plan.document.diagnostics, ...complaints];
  if (hasErrors(complaints)) return { kind: "refused", diagnostics };
  return { kind: "planned", plan: withDocument(plan, { diagnostics }) };
}

/** The files and their records, and around them what happens to units. */
async function applyPlan(
  target: HostTarget,
  state: LockedState,
  planned: HostPlan,
  effects: Effects,
): Promise<ApplyResult | Stale> {
  const verified = await verifyPlan(planned, effects);
  if (verified.kind === "refused") return verified;
  const { plan } = verified;
  const { manager, podman, interrupt } = effects;
  // Before anything is stopped: a registry that does not answer must cost no downtime.
  if (manager) await orInterrupted(pullImages(plan, podman), interrupt);
  const [before, after] = split(plan.actions);
  const noted = manager ? await noteStops(target, state, plan, before) : plan;
  const stopped = manager ? await act(plan, effects, before) : noActions;
  if (stopped.left.length > 0) throw interrupted("nothing was changed, and the next run starts what was stopped");
  const written = await writePlanned(inSteps(noted), target, state, () => undo(manager, stopped.done));
  if (written.kind === "stale") return written;
  const { generation } = written;
  const owners = plan.transaction.changes.length > 0 ? await effects.setOwners(plan) : [];
  const told = withDocument(plan, { diagnostics: [...plan.document.diagnostics, ...owners] });
  if (manager === undefined) return { kind: "applied", plan: told, actions: [], failed: [], generation };
  await manager.forgetFailures(failedOf(plan, after));
  const started = await act(plan, effects, after);
  await manager.forgetFailures(await failedAmong(manager, stopped.done));
  const isLeft = started.left.length > 0;
  const failed = isLeft ? [] : await findDown({ manager, podman }, plan.expected, effects.waiting, interrupt);
  await settle(target, state, noted, [...started.left, ...plan.deferred]);
  if (interrupt?.aborted) throw interrupted("the files are in place, and the next run does what is left for units");
  return { kind: "applied", plan: told, actions: [...stopped.done, ...started.done], failed, generation };
}

/** Units that have failed and are about to be started. */
function failedOf({ failing }: HostPlan, actions: readonly UnitAction[]): string[] {
  return actions
    .filter(({ action, unit }) => (action === "start" || action === "restart") && failing.has(unit))
    .map(({ unit }) => unit);
}

/** Units that went and failed when they were stopped. */
async function failedAmong(manager: UnitManager, stopped: readonly DoneAction[]): Promise<string[]> {
  const units = stopped.filter(({ action, unit }) => action === "stop" && !unit.includes("*")).map(({ unit }) => unit);
  const states = units.length > 0 ? await manager.states(units) : [];
  return states.filter(({ active, loaded }) => active === "failed" && !loaded).map(({ unit }) => unit);
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
 * Records, before anything is stopped, that it has to be started again: whatever ends this run, the next one knows.
 * What no longer has a file by then is not started.
 */
async function noteStops(
  target: HostTarget,
  state: LockedState,
  plan: HostPlan,
  stops: readonly UnitAction[],
): Promise<HostPlan> {
  const text = plan.transaction.registry.before;
  const stopping = stops.filter(({ action, unit }) => action === "stop" && !unit.includes("*"));
  if (text === undefined || stopping.length === 0) return plan;
  const registry = parseRegistry(text, plan.transaction.registry.path) as HostRegistry;
  const starts = stopping.map(({ unit }): UnitAction => ({ action: "start", unit, reason: "stopped for a change" }));
  const owed = [...pendingActions(registry), ...starts];
  const after = renderRegistry({ ...registry, pending: owed } as HostRegistry);
  const { transaction } = plan;
  await writeRecords({ ...transaction.registry, name: transaction.name, before: text, after }, target, state);
  return { ...plan, transaction: { ...transaction, registry: { ...transaction.registry, before: after } } };
}

/** The files could not be written, so what was stopped for them runs again. The first error is the one to tell. */
async function undo(manager: UnitManager | undefined, stopped: readonly DoneAction[]): Promise<void> {
  for (const { action, unit, outcome } of stopped.toReversed()) {
    if (outcome === "done" && !unit.includes("*")) await manager?.act(action === "disable" ? "enable" : "start", unit);
  }
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
async function act(
  plan: HostPlan,
  { manager, podman, interrupt }: Effects,
  actions: readonly UnitAction[],
): Promise<Acting> {
  const acting = ({ action, unit }: UnitAction): Promise<Acted> => {
    if (action === "daemon-reload") return reload(manager!);
    return action === "recreate" ? removeObject(plan, podman, unit) : manager!.act(action, unit);
  };
  const done: DoneAction[] = [];
  for (const [i, action] of actions.entries()) {
    const acted = interrupt?.aborted ? undefined : await untilInterrupted(acting(action), interrupt);
    if (acted === undefined) return { done, left: actions.slice(i) };
    done.push(
      acted.kind === "done" ? { ...action, outcome: "done" } : { ...action, outcome: "failed", message: acted.message },
    );
  }
  return { done, left: [] };
}

/** Its service makes it anew. */
async function removeObject(plan: HostPlan, podman: Podman, name: string): Promise<Acted> {
  const found = wantedUnits(plan.evaluation.files).find(({ unit }) => unit.name === name);
  if (found === undefined) return { kind: "done" };
  return podman.remove(found.unit.type === "volume" ? "volume" : "network", objectName(found.unit, found.effective));
}

/**
 * Without it nothing that follows means what the plan meant: the run ends here, and the next one takes up what it owes.
 */
async function reload(manager: UnitManager): Promise<Acted> {
  const acted = await manager.reload();
  if (acted.kind === "done") return acted;
  const message = `the files are in place, but systemd did not read them: ${acted.message}; the next run goes on from there`;
  throw new InputError({ code: "systemd-unreachable", message });
}

/** What is done is no longer owed. */
async function settle(
  target: HostTarget,
  state: LockedState,
  plan: HostPlan,
  owed: readonly UnitAction[],
): Promise<void> {
  if (plan.registry === undefined) return;
  const { name, registry } = plan.transaction;
  const settled = { ...plan.registry, pending: owed.length > 0 ? owed : undefined } as HostRegistry;
  const after = settled.pending === plan.registry.pending ? registry.after : renderRegistry(settled);
  await writeRecords({ ...registry, name, before: registry.after, after }, target, state);
}
