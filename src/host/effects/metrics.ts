import { metricText, type Sample } from "../../report/prometheus.ts";
import { type RunOutcome, type RunRecord, runOutcomes } from "./run-record.ts";

/** What survives from one run to the next, read back from the file itself: a timer starts a new process each time. */
export interface Counters {
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
    metric("held", "gauge", "Whether a commit that was rolled back from waits.", {
      value: record.held === undefined ? 0 : 1,
    }),
    metric("paused", "gauge", "Whether the host or a unit is paused.", { value: record.paused ? 1 : 0 }),
    metric("info", "gauge", "The commit that runs.", { labels: info, value: 1 }),
  ];
  return parts.join("");
}
