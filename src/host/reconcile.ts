import type { Diagnostic } from "../core/diagnostic.ts";
import { heldVersions } from "../engine/hold.ts";
import { finishRollback } from "../store/transaction/interrupted.ts";
import { type ApplyResult, applyHost, type DoneAction, type Effects, lockWaitMs } from "./apply.ts";
import { asErrors, diagnose, type HostDiagnostic } from "./diagnostics.ts";
import type { FailedUnit } from "./effects/health.ts";
import { findMissingSecrets } from "./effects/podman.ts";
import { openCatalog } from "./evaluate/catalog.ts";
import { evaluateFor } from "./evaluate/evaluate.ts";
import type { EvaluatedHost } from "./evaluate/evaluation.ts";
import { earlierState, type GoingBack } from "./history.ts";
import { type HostRecords, observeHost, readHostRecords } from "./observe.ts";
import {
  type HostDesired,
  type HostPlanDocument,
  type HostPlanOptions,
  type PlanResult,
  planHost,
  withDocument,
} from "./plan.ts";
import { recordedState } from "./recorded-state.ts";
import { withoutCredentials } from "./repository/git.ts";
import { openSource, type RepositorySource, type SourceOptions, versionOf } from "./repository/source.ts";
import { type HostTarget, ownerName } from "./target.ts";

/** One run, from the repository to running units. */
export interface Reconciling {
  readonly host: string | undefined;
  readonly source: SourceOptions;
  readonly target: HostTarget;
  readonly effects: Effects;
  readonly options: Omit<HostPlanOptions, "now">;
  /** Apply a commit although it was rolled back from. */
  readonly unhold: boolean;
  readonly rollbackOnFailure: boolean;
  /** Warnings of the evaluation count as errors. */
  readonly strict: boolean;
}

/** What a repository wants of this host. */
export interface Wanted {
  readonly source: RepositorySource;
  readonly evaluation: EvaluatedHost;
  readonly version: string;
  plan(): Promise<PlanResult>;
}

/** Reads and evaluates; whatever is wrong is in the plan's diagnostics. */
export async function evaluateRun(run: Reconciling): Promise<Wanted> {
  const { host, source: options, target, effects, strict, options: planOptions, unhold } = run;
  const source = await openSource(options);
  const evaluation = evaluateFor(openCatalog(source.tree), host, target.layout);
  const secrets = effects.manager ? await findMissingSecrets(evaluation, effects.podman) : [];
  const said = [...evaluation.diagnostics, ...secrets, ...tellLingering(evaluation, effects)];
  const all: EvaluatedHost = { ...evaluation, diagnostics: strict ? asErrors(said) : said };
  const version = versionOf(source.rev, evaluation);
  const plan = async () => {
    const records = readHostRecords(target);
    const from = { repo: withoutCredentials(options.repo), rev: options.rev ?? null };
    const desired = unlessHeld(
      { evaluation: all, version, note: "apply", hold: undefined, from },
      records,
      target,
      unhold,
    );
    return withDiagnostics(await planFromCommit(desired, records, target, effects, planOptions), source.diagnostics);
  };
  return { source, evaluation: all, version, plan };
}

function tellLingering({ files }: EvaluatedHost, { lingers }: Effects): HostDiagnostic[] {
  if (lingers !== false || files.length === 0) return [];
  return [
    diagnose(
      "no-lingering",
      undefined,
      "these units end when you log out, and none starts at boot: loginctl enable-linger",
    ),
  ];
}

/** While a commit is held, what was gone back to stands in for it: the host is still managed. */
export function unlessHeld(
  desired: HostDesired,
  records: HostRecords,
  target: HostTarget,
  unhold: boolean,
): HostDesired {
  const { registry, reader } = records;
  if (registry === undefined || !heldVersions(registry).includes(desired.version) || unhold) return desired;
  const { evaluation, version, from } = desired;
  const message = `${version} was rolled back from on this host and is held; ${registry.version} is kept as it is until another commit, or: ${target.program} host apply --unhold`;
  const diagnostics = [...evaluation.diagnostics, diagnose("held", undefined, message)];
  const kept = { ...recordedState(reader, target, registry), diagnostics };
  return { evaluation: kept, version: registry.version, note: "apply", hold: version, from };
}

/** Looks at the host, and plans. */
export async function planFromCommit(
  desired: HostDesired,
  records: HostRecords,
  target: HostTarget,
  effects: Pick<Effects, "manager" | "podman">,
  options: Omit<HostPlanOptions, "now">,
): Promise<PlanResult> {
  const observed = await observeHost(target, desired.evaluation, records, effects);
  return planHost(desired, observed, records, { ...options, now: target.now(), target });
}

function withDiagnostics(result: PlanResult, diagnostics: readonly Diagnostic[]): PlanResult {
  if (diagnostics.length === 0) return result;
  if (result.kind === "refused") return { ...result, diagnostics: [...diagnostics, ...result.diagnostics] };
  const { plan } = result;
  return { kind: "planned", plan: withDocument(plan, { diagnostics: [...diagnostics, ...plan.document.diagnostics] }) };
}

export type ReconciledHost =
  | { readonly kind: "refused"; readonly rev: string | undefined; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: "applied";
      readonly rev: string | undefined;
      readonly signer: string | undefined;
      readonly document: HostPlanDocument;
      readonly actions: readonly DoneAction[];
      readonly failed: readonly FailedUnit[];
      readonly rolledBack: boolean;
      readonly generation: number | undefined;
      /** When a unit that failed again and again is due. */
      readonly retryAt: Date | undefined;
    };

export async function reconcileHost(run: Reconciling): Promise<ReconciledHost> {
  const wanted = await evaluateRun(run);
  const { rev, signer } = wanted.source;
  const applied = await applyHost(run.target, wanted.plan, run.effects);
  if (applied.kind === "refused") return { kind: "refused", rev, diagnostics: applied.diagnostics };
  const { plan, actions, failed, generation } = applied;
  const base = {
    kind: "applied" as const,
    rev,
    signer,
    document: plan.document,
    failed,
    generation,
    retryAt: plan.retryAt,
  };
  const isToBlame = failed.some(({ unit }) => plan.touched.has(unit));
  // The first commit has no state before it: an empty machine serves nobody better.
  const hasEarlier = plan.document.from !== null;
  const goesBack =
    isToBlame && run.rollbackOnFailure && generation !== undefined && plan.document.held === null && hasEarlier;
  if (!goesBack) {
    // What was rolled back from is held; everything else has been followed, also where a unit is still down.
    if (plan.document.held === null && !isPaused(plan.document)) await wanted.source.noteApplied();
    return { ...base, actions, rolledBack: false };
  }
  const back = await rollBack(run.target, run.effects, { to: undefined, allowEmpty: true });
  const { document } = withDocument(plan, { held: plan.document.version });
  return {
    ...base,
    document,
    actions: [...actions, ...(back.kind === "applied" ? back.actions : [])],
    rolledBack: true,
  };
}

/** Whether the whole host is paused, so that nothing was followed. */
export function isPaused({ paused }: Pick<HostPlanDocument, "paused">): boolean {
  return paused.some(({ unit }) => unit === null);
}

/** Puts an earlier state back, running, and holds the commit that is left. */
export async function rollBack(target: HostTarget, effects: Effects, going: GoingBack): Promise<ApplyResult> {
  // What there is to go back from is known when an interrupted run is through.
  const went = await finishRollback(target.gate, target.stateDir, ownerName(target), lockWaitMs);
  const makePlan = async () => planHostRollback(target, effects, { ...going, to: going.to ?? went });
  return applyHost(target, makePlan, { ...effects, verify: async () => [] });
}

/** What going back would change. */
export function planHostRollback(
  target: HostTarget,
  effects: Pick<Effects, "manager" | "podman">,
  going: GoingBack,
): Promise<PlanResult> {
  const records = readHostRecords(target);
  const activate = effects.manager !== undefined;
  const options = { keepDrift: false, activate, retryNow: true, recreate: false, hostChanged: false };
  return planFromCommit(earlierState(target, records, going), records, target, effects, options);
}
