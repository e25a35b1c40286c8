import { existsSync } from "node:fs";
import { type Diagnostic, InputError, renderDiagnostic } from "../../core/diagnostic.ts";
import { maskLines } from "../../report/mask/lines.ts";
import { metricText, type Sample } from "../../report/prometheus.ts";
import { runProgram } from "../../system/run-program.ts";
import type { DoneAction } from "../apply.ts";
import { isPaused, type ReconciledHost } from "../reconcile.ts";
import { withoutCredentials } from "../repository/git.ts";

const runOutcomes = ["unchanged", "changed", "failed", "held", "paused", "rolled-back", "refused", "error"] as const;
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
      return `${where}: held, because it was rolled back; ${record.running?.slice(0, 12) ?? "nothing"} runs`;
    case "paused":
      return `${where}: paused`;
    case "rolled-back":
      return `${where}: rolled back, ${record.failed.join(", ")} did not come up`;
    default:
      return `${where}: ${record.errors[0] ?? record.outcome}`;
  }
}

/** How the records of stet are found: journalctl MESSAGE_ID=… */
const auditMessageId = "5b1d3c5f0c0a4e6c9f1d7a2b8e4c6f01";
const journalSocket = "/run/systemd/journal/socket";

/** syslog's severities: what a person has to look at is an error. */
const priorities = {
  unchanged: 6,
  changed: 5,
  failed: 3,
  held: 4,
  paused: 4,
  "rolled-back": 3,
  refused: 3,
  error: 3,
} as const;

/** The record as the journal's fields, one a line. */
export function auditFields(record: RunRecord): string {
  const fields: Record<string, string> = {
    MESSAGE: describeRun(record),
    MESSAGE_ID: auditMessageId,
    PRIORITY: String(priorities[record.outcome]),
    SYSLOG_IDENTIFIER: "stet",
    STET_HOST: record.host,
    STET_REPO: record.repo,
    STET_COMMIT: record.commit ?? "",
    STET_RUNNING: record.running ?? "",
    STET_HELD: record.held ?? "",
    STET_PAUSED: record.paused ? "1" : "0",
    STET_SIGNER: record.signer ?? "",
    STET_OUTCOME: record.outcome,
    STET_CHANGED: String(record.changed),
    STET_FILES: JSON.stringify(record.files),
    STET_ACTIONS: JSON.stringify(record.actions),
    STET_FAILED: JSON.stringify(record.failed),
    STET_ERRORS: JSON.stringify(record.errors),
    STET_STARTED: record.startedAt.toISOString(),
    STET_DURATION_MS: String(Math.round(record.durationMs)),
  };
  // A line end would begin another field: whatever a message holds, it stays in its own.
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value.replaceAll(/[\r\n]+/g, " ")}`);
  return `${lines.join("\n")}\n`;
}

/**
 * One record a run, where there is a journal. Node has no datagram sockets for it, so util-linux's logger carries it.
 */
export async function writeAudit(
  record: RunRecord,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  if (!existsSync(journalSocket)) return false;
  const result = await runProgram("logger", {
    args: ["--journald"],
    env: { PATH: env.PATH },
    timeoutMs: 10_000,
    input: auditFields(record),
  });
  return result.kind === "exited" && result.status === 0;
}

/** What survives from one run to the next, read back from the file itself: a timer starts a new process each time. */
interface Counters {
  readonly runs: Readonly<Record<RunOutcome, number>>;
  readonly filesChanged: number;
  readonly unitActions: number;
  readonly lastSuccess: number;
}

const line = /^(stet_host_\w+)(?:\{outcome="([\w-]+)"\})? ([0-9.eE+-]+)$/;

export function readCounters(text: string): Counters {
  const runs = Object.fromEntries(runOutcomes.map((outcome) => [outcome, 0])) as Record<RunOutcome, number>;
  const single = new Map<string, number>();
  for (const [, name = "", outcome, value] of text.split("\n").map((each) => line.exec(each) ?? [])) {
    const known = runOutcomes.find((each) => each === outcome);
    if (name === "stet_host_runs_total" && known) runs[known] = Number(value);
    else if (outcome === undefined && name !== "") single.set(name, Number(value));
  }
  return {
    runs,
    filesChanged: single.get("stet_host_files_changed_total") ?? 0,
    unitActions: single.get("stet_host_unit_actions_total") ?? 0,
    lastSuccess: single.get("stet_host_last_success_timestamp_seconds") ?? 0,
  };
}

/** node_exporter's textfile format, after one more run. */
export function renderMetrics(before: Counters, record: RunRecord): string {
  const ended = (record.startedAt.getTime() + record.durationMs) / 1000;
  const succeeded = record.outcome === "unchanged" || record.outcome === "changed" || record.outcome === "paused";
  const runs = { ...before.runs, [record.outcome]: before.runs[record.outcome] + 1 };
  const metric = (name: string, type: "counter" | "gauge", help: string, ...samples: readonly Sample[]) =>
    metricText({ name: `stet_host_${name}`, type, help, samples });
  const info = { host: record.host, commit: record.running ?? "" };
  const byOutcome = runOutcomes.map((outcome) => ({ labels: { outcome }, value: runs[outcome] }));
  const parts = [
    metric("runs_total", "counter", "Runs by outcome.", ...byOutcome),
    metric("files_changed_total", "counter", "Files written or removed.", {
      value: before.filesChanged + record.changed,
    }),
    metric("unit_actions_total", "counter", "Actions on units.", { value: before.unitActions + record.actions.length }),
    metric("units_failed", "gauge", "Units that should run and were down at the end of the last run.", {
      value: record.failed.length,
    }),
    metric("last_run_timestamp_seconds", "gauge", "When the last run ended.", { value: ended }),
    metric("last_success_timestamp_seconds", "gauge", "When a run last ended well.", {
      value: succeeded ? ended : before.lastSuccess,
    }),
    metric("last_run_duration_seconds", "gauge", "How long the last run took.", { value: record.durationMs / 1000 }),
    metric("held", "gauge", "Whether a commit that was rolled back is waiting.", {
      value: record.held === undefined ? 0 : 1,
    }),
    metric("paused", "gauge", "Whether the host or a unit is paused.", { value: record.paused ? 1 : 0 }),
    metric("info", "gauge", "The commit that runs.", { labels: info, value: 1 }),
  ];
  return parts.join("");
}
