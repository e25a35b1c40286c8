import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import {
  auditFields,
  describeRun,
  type RunOutcome,
  type RunRecord,
  readCounters,
  recordRun,
  renderMetrics,
} from "../../src/host/effects/run-record.ts";
import { delayAfter, type Notifier, watchHost } from "../../src/host/reconcile.ts";

function record(outcome: RunOutcome, more: Partial<RunRecord> = {}): RunRecord {
  const startedAt = new Date("2026-11-15T12:00:00Z");
  return {
    outcome,
    host: "box",
    repo: "ssh://git@example.org/x",
    commit: "c0ffee".repeat(7).slice(0, 40),
    running: "c0ffee".repeat(7).slice(0, 40),
    held: undefined,
    paused: false,
    retryAt: undefined,
    signer: undefined,
    changed: 0,
    files: [],
    actions: [],
    failed: [],
    errors: [],
    startedAt,
    durationMs: 1500,
    ...more,
  };
}

const silent: Notifier = {
  ready: async () => {},
  stopping: async () => {},
  watchdogMs: undefined,
  alive: async () => {},
};

describe("the loop", () => {
  test("runs, tells, and runs again at once when woken; ends after the run in which it is told to", async () => {
    const stop = new AbortController();
    const told: string[] = [];
    let runs = 0;
    await watchHost({
      run: async () => {
        runs++;
        if (runs === 3) stop.abort();
        return record(runs === 2 ? "error" : "unchanged");
      },
      tell: async ({ outcome }) => void told.push(outcome),
      notifier: {
        ...silent,
        ready: async (status) => void told.push(`ready: ${status.slice(0, 3)}`),
        stopping: async () => void told.push("stopping"),
      },
      intervalMs: 3_600_000,
      random: () => 0.5,
      stop: stop.signal,
      wake: async () => {},
    });
    expect(told).toEqual(["unchanged", "ready: box", "error", "ready: box", "unchanged", "ready: box", "stopping"]);
  });

  test("the interval has a jitter of a tenth either way", () => {
    expect(delayAfter(0, { intervalMs: 100_000, random: () => 0 })).toBe(90_000);
    expect(delayAfter(0, { intervalMs: 100_000, random: () => 1 })).toBeCloseTo(110_000);
  });

  test("after failures it comes back soon, then ever later, and never later than half an hour or the interval", () => {
    const delays = [1, 2, 3, 20].map((failures) => delayAfter(failures, { intervalMs: 300_000, random: () => 0.5 }));
    expect(delays).toEqual([15_000, 30_000, 60_000, 1_800_000]);
    expect(delayAfter(30, { intervalMs: 7_200_000, random: () => 0.5 })).toBe(7_200_000);
  });
});

describe("the record of a run", () => {
  const after = { running: undefined, held: undefined, paused: false };
  const facts = { host: "box", repo: "https://user:pw@example.org/x", startedAt: new Date(0), durationMs: 1, after };

  test("an error is told in one line, without credentials", () => {
    const made = recordRun(new InputError({ code: "remote-unreachable", message: "can't be reached" }), facts);
    expect(made).toMatchObject({ outcome: "error", repo: "https://***@example.org/x", errors: ["can't be reached"] });
    expect(describeRun(made)).toBe("box: can't be reached");
  });

  test("a refusal carries its errors with their places", () => {
    const diagnostics = [
      {
        code: "unknown-service" as const,
        severity: "error" as const,
        message: "selects x",
        file: "hosts/box/host.yaml",
        line: 3,
      },
    ];
    expect(recordRun({ kind: "refused", rev: "abc", diagnostics }, facts)).toMatchObject({
      outcome: "refused",
      errors: ["hosts/box/host.yaml:3: selects x"],
    });
  });

  test("the journal's fields: one line each, whatever a message holds", () => {
    const fields = auditFields(
      record("failed", { failed: ["web.service"], errors: ["two\nlines"], signer: "deploy@example.org\nPRIORITY=0" }),
    );
    const lines = fields.trimEnd().split("\n");
    expect(lines).toContain("STET_HOST=box");
    expect(lines).toContain("STET_OUTCOME=failed");
    expect(lines).toContain("PRIORITY=3");
    expect(lines).toContain("STET_SIGNER=deploy@example.org PRIORITY=0");
    expect(lines.filter((line) => line.startsWith("PRIORITY="))).toHaveLength(1);
    expect(lines.every((line) => /^[A-Z_]+=/.test(line))).toBe(true);
  });
});

describe("metrics", () => {
  test("counters go on where the file stands", () => {
    const first = renderMetrics(readCounters(""), record("changed", { changed: 3 }));
    const second = renderMetrics(readCounters(first), record("error"));
    expect(second).toContain('stet_host_runs_total{outcome="changed"} 1');
    expect(second).toContain('stet_host_runs_total{outcome="error"} 1');
    expect(second).toContain("stet_host_files_changed_total 3");
    expect(second).toContain(`stet_host_last_success_timestamp_seconds ${Date.parse("2026-11-15T12:00:01.5Z") / 1000}`);
  });

  test("every metric has its help and type once, and every line is one that Prometheus reads", () => {
    const text = renderMetrics(readCounters("garbage\n"), record("unchanged", { host: 'a"b\\c' }));
    const lines = text.trimEnd().split("\n");
    expect(
      lines.every((line) => /^(# (HELP|TYPE) stet_host_\w+ .+|stet_host_\w+(\{[^{}]*\})? [0-9.eE+-]+)$/.test(line)),
    ).toBe(true);
    expect(new Set(lines.filter((line) => line.startsWith("# TYPE"))).size).toBe(10);
    expect(text).toContain('host="a\\"b\\\\c"');
  });
});
