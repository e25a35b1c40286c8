import type { Diagnostic } from "../core/diagnostic.ts";
import { rollbackNote } from "../store/records/generations.ts";
import { finishRollback } from "../store/transaction/interrupted.ts";
import { type ApplyResult, applyHost, type DoneAction, type Effects, lockWaitMs } from "./apply.ts";
import { asErrors } from "./diagnostics.ts";
import type { FailedUnit } from "./effects/health.ts";
import { findMissingSecrets } from "./effects/pull-images.ts";
import { openCatalog } from "./evaluate/catalog.ts";
import { evaluateHost } from "./evaluate/evaluate.ts";
import type { Evaluation } from "./evaluate/evaluation.ts";
import { type HostPlanDocument, type PlanOptions, type PlanResult, planHost } from "./plan.ts";
import { openSource, type Source, type SourceOptions, versionOf } from "./repository/source.ts";
import { earlierState } from "./rollback.ts";
import { type HostTarget, ownerName } from "./target.ts";

/** One run, from the repository to running units. */
export interface Reconciling {
  readonly host: string | undefined;
  readonly source: SourceOptions;
  readonly target: HostTarget;
  readonly effects: Effects;
  readonly options: Pick<PlanOptions, "keepDrift" | "unhold" | "activate">;
  readonly rollbackOnFailure: boolean;
  /** Warnings of the evaluation count as errors. */
  readonly strict: boolean;
}

export interface Desired {
  readonly source: Source;
  readonly evaluation: Evaluation;
  readonly version: string;
  plan(): PlanResult;
}

/** Reads and evaluates; whatever is wrong is in the plan's diagnostics. */
export async function desire({ host, source: options, target, effects, strict, options: planOptions }: Reconciling): Promise<Desired> {
  const source = await openSource(options);
  const evaluation = evaluateHost(openCatalog(source.tree), host, target.layout);
  const secrets = effects.manager ? await findMissingSecrets(evaluation, effects.podman) : [];
  const said = [...evaluation.diagnostics, ...secrets];
  const all: Evaluation = { ...evaluation, diagnostics: strict ? asErrors(said) : said };
  const version = versionOf(source.rev, evaluation);
  const plan = () =>
    withDiagnostics(planHost(all, target, { ...planOptions, version, note: "apply", hold: undefined }), source.diagnostics);
  return { source, evaluation: all, version, plan };
}

function withDiagnostics(result: PlanResult, diagnostics: readonly Diagnostic[]): PlanResult {
  if (diagnostics.length === 0) return result;
  if (result.kind === "refused") return { ...result, diagnostics: [...diagnostics, ...result.diagnostics] };
  const { plan } = result;
  return {
    kind: "planned",
    plan: { ...plan, document: { ...plan.document, diagnostics: [...diagnostics, ...plan.document.diagnostics] } },
  };
}

export type Reconciled =
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
    };

export async function reconcile(run: Reconciling): Promise<Reconciled> {
  const desired = await desire(run);
  const { rev, signer } = desired.source;
  const applied = await applyHost(run.target, desired.plan, run.effects);
  if (applied.kind === "refused") return { kind: "refused", rev, diagnostics: applied.diagnostics };
  const { plan, actions, failed, generation } = applied;
  const base = { kind: "applied" as const, rev, signer, document: plan.document, failed, generation };
  const goesBack = failed.length > 0 && run.rollbackOnFailure && generation !== undefined;
  if (!goesBack) {
    // What was rolled back from is held; everything else has been followed, also where a unit is still down.
    await desired.source.noteApplied();
    return { ...base, actions, rolledBack: false };
  }
  const back = await rollBack(run.target, run.effects, undefined);
  return { ...base, actions: [...actions, ...(back.kind === "applied" ? back.actions : [])], rolledBack: true };
}

/** Puts an earlier state back, running, and holds the commit that is left. */
export async function rollBack(target: HostTarget, effects: Effects, to: number | undefined): Promise<ApplyResult> {
  // What there is to go back from is known when an interrupted run is through.
  const went = await finishRollback(target.gate, target.stateDir, ownerName(target), lockWaitMs);
  const { evaluation, version, hold, ...state } = earlierState(target, to ?? went);
  const activate = effects.manager !== undefined;
  const options: PlanOptions = { version, keepDrift: false, unhold: false, activate, note: rollbackNote(state.to), hold };
  return applyHost(target, () => planHost(evaluation, target, options), { ...effects, verify: async () => [] });
}
