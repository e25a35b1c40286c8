import { type Diagnostic, InputError, renderDiagnostic } from "../../core/diagnostic.ts";
import { maskLines } from "../../report/mask/lines.ts";
import type { DoneAction } from "../apply.ts";
import { isPaused, type ReconciledHost } from "../reconcile.ts";
import { withoutCredentials } from "../repository/git.ts";

export const runOutcomes = [
  "unchanged",
  "changed",
  "failed",
  "held",
  "paused",
  "rolled-back",
  "refused",
  "error",
] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** What is told of a run to the journal, to metrics and to systemd. No file's content, no secret. */
export interface RunRecord {
  readonly outcome: RunOutcome;
  readonly host: string;
  readonly repo: string;
  /** The commit that was looked at. */
  readonly commit: string | undefined;
  /** The commit that runs after it; undefined where nothing is known of it. */
  readonly running: string | undefined;
  /** A commit that was rolled back from, and waits. */
  readonly held: string | undefined;
  readonly paused: boolean;
  readonly signer: string | undefined;
  readonly changed: number;
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly actions: readonly DoneAction[];
  readonly failed: readonly string[];
  readonly errors: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
  /** When a unit that failed again and again is due. */
  readonly retryAt: Date | undefined;
}

/** How a host stands after a run, as its records say. */
export interface AfterRun {
  readonly running: string | undefined;
  readonly held: string | undefined;
  readonly paused: boolean;
}

export interface RunFacts {
  readonly after: AfterRun;
  readonly host: string | undefined;
  readonly repo: string;
  readonly startedAt: Date;
  readonly durationMs: number;
}

export function recordRun(done: ReconciledHost | Error, facts: RunFacts): RunRecord {
  const base = {
    host: facts.host ?? "",
    repo: withoutCredentials(facts.repo),
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
  };
  const nothing = {
    ...facts.after,
    signer: undefined,
    changed: 0,
    files: [],
    actions: [],
    failed: [],
    retryAt: undefined,
  };
  if (done instanceof Error) {
    const told = done instanceof InputError ? done.message : `a bug: ${done.message}`;
    return { ...base, ...nothing, outcome: "error", commit: undefined, errors: [told] };
  }
  if (done.kind === "refused") {
    return { ...base, ...nothing, outcome: "refused", commit: done.rev, errors: errorsOf(done.diagnostics) };
  }
  return {
    ...base,
    ...facts.after,
    retryAt: done.retryAt,
    outcome: outcomeOf(done),
    commit: done.rev,
    signer: done.signer,
    changed: done.document.changed,
    files: done.document.files.filter(({ action }) => action !== "none").map(({ path, action }) => ({ path, action })),
    actions: done.actions,
    failed: done.failed.map(({ unit }) => unit),
    errors: [],
  };
}

function outcomeOf(done: Extract<ReconciledHost, { kind: "applied" }>): RunOutcome {
  if (done.rolledBack) return "rolled-back";
  if (done.failed.length > 0 || done.actions.some(({ outcome }) => outcome === "failed")) return "failed";
  if (isPaused(done.document)) return "paused";
  if (done.document.held !== null) return "held";
  return done.document.changed > 0 || done.actions.length > 0 ? "changed" : "unchanged";
}

function errorsOf(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map((diagnostic) => maskLines(renderDiagnostic(diagnostic)));
}

/** One line for people. */
export function describeRun(record: RunRecord): string {
  const where = `${record.host}${record.commit ? ` at ${record.commit.slice(0, 12)}` : ""}`;
  switch (record.outcome) {
    case "unchanged":
      return `${where}: nothing to do`;
    case "changed":
      return `${where}: ${record.changed} files changed, ${record.actions.length} unit actions`;
    case "failed":
      return `${where}: applied, but ${record.failed.join(", ") || "a unit action"} did not come up`;
    case "held":
      return `${where}: held, since it was rolled back from; ${record.running?.slice(0, 12) ?? "nothing"} runs`;
    case "paused":
      return `${where}: paused`;
    case "rolled-back":
      return `${where}: rolled back, ${record.failed.join(", ")} did not come up`;
    default:
      return `${where}: ${record.errors[0] ?? record.outcome}`;
  }
}
