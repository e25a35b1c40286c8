import type { Diagnostic } from "../core/diagnostic.ts";
import { heldVersions } from "../engine/records.ts";
import { finishRollback } from "../store/transaction/recovery.ts";
import { doubledDelay } from "../system/pause.ts";
import { runProgram } from "../system/run-program.ts";
import { type ApplyResult, applyHost, type DoneAction, type Effects, lockWaitMs } from "./apply.ts";
import { asErrors, diagnose, type HostDiagnostic } from "./diagnostics.ts";
import type { FailedUnit } from "./effects/health.ts";
import { findMissingSecrets } from "./effects/podman.ts";
import { describeRun, type RunRecord } from "./effects/run-record.ts";
import { evaluateFor } from "./evaluate/evaluate.ts";
import type { EvaluatedHost } from "./evaluate/evaluation.ts";
import { openCatalog } from "./evaluate/service.ts";
import { earlierState, type GoingBack, recordedState } from "./history.ts";
import { type HostRecords, observeHost, readHostRecords } from "./observe.ts";
import {
  type HostDesired,
  type HostPlanDocument,
  type HostPlanOptions,
  type PlanResult,
  planHost,
  withDocument,
} from "./plan.ts";
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
  const message = `this host went back from ${version}, so it is held, and ${registry.version} stays until another commit comes; to apply it again: ${target.program} host apply --unhold`;
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

/** Tells systemd how we are, where it asked to be told. Node has no datagram sockets, so systemd's own program does. */
export interface Notifier {
  ready(status: string): Promise<void>;
  stopping(): Promise<void>;
  /** How often systemd wants a sign of life, in milliseconds; undefined where it wants none. */
  readonly watchdogMs: number | undefined;
  alive(): Promise<void>;
}

export function notifier(env: Readonly<Record<string, string | undefined>>): Notifier {
  const send = async (words: readonly string[]): Promise<void> => {
    if (!env.NOTIFY_SOCKET) return;
    const variables = { PATH: env.PATH, NOTIFY_SOCKET: env.NOTIFY_SOCKET };
    await runProgram("systemd-notify", { args: [`--pid=${process.pid}`, ...words], env: variables, timeoutMs: 5000 });
  };
  const microseconds = Number(env.WATCHDOG_USEC);
  return {
    ready: (status) => send(["--ready", `--status=${status}`]),
    stopping: () => send(["STOPPING=1"]),
    watchdogMs: env.NOTIFY_SOCKET && microseconds > 0 ? microseconds / 2000 : undefined,
    alive: () => send(["WATCHDOG=1"]),
  };
}

interface Watching {
  /** One whole run. Never throws: what went wrong is in the record. */
  run(): Promise<RunRecord>;
  /** Told of every run: the journal, metrics, the terminal. */
  tell(record: RunRecord): Promise<void>;
  readonly notifier: Notifier;
  readonly intervalMs: number;
  /** Between 0 and 1. */
  random(): number;
  /** Ends the loop after the run that is under way. */
  readonly stop: AbortSignal;
  /** Resolves when somebody wants a run now. */
  wake(): Promise<void>;
}

const firstRetryMs = 15_000;
const longestRetryMs = 30 * 60_000;

/**
 * Looks again and again: by the clock with some jitter, so that a hundred hosts do not ask at once; sooner when told
 * to.
 */
export async function watchHost(watching: Watching): Promise<void> {
  const { notifier, stop } = watching;
  const beat =
    notifier.watchdogMs === undefined ? undefined : setInterval(() => void notifier.alive(), notifier.watchdogMs);
  try {
    for (let failures = 0; !stop.aborted; ) {
      const record = await watching.run();
      await watching.tell(record);
      await notifier.ready(describeRun(record));
      // A unit that is down must not keep the commit that repairs it waiting: it has a back-off of its own.
      failures = record.outcome === "error" || record.outcome === "refused" ? failures + 1 : 0;
      await pause(watching, Math.min(delayAfter(failures, watching), untilRetry(record)));
    }
  } finally {
    clearInterval(beat);
    await notifier.stopping();
  }
}

/**
 * After failures sooner than the interval at first, then ever later: a remote that is down is not helped by being
 * asked.
 */
export function delayAfter(failures: number, { intervalMs, random }: Pick<Watching, "intervalMs" | "random">): number {
  const longest = Math.max(longestRetryMs, intervalMs);
  const base = failures === 0 ? intervalMs : doubledDelay(failures, firstRetryMs, longest);
  return base * (0.9 + 0.2 * random());
}

const soonestRetryMs = 15_000;

function untilRetry({ retryAt, startedAt, durationMs }: RunRecord): number {
  if (retryAt === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(soonestRetryMs, retryAt.getTime() - startedAt.getTime() - durationMs);
}

function pause({ stop, wake }: Watching, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const timer = setTimeout(done, delayMs);
    stop.addEventListener("abort", done, { once: true });
    void wake().then(done);
    function done(): void {
      clearTimeout(timer);
      stop.removeEventListener("abort", done);
      resolve();
    }
  });
}
