import { existsSync } from "node:fs";
import { runProgram } from "../../system/run-program.ts";
import { describeRun, type RunRecord } from "./run-record.ts";

/** How the records of stet are found: journalctl MESSAGE_ID=… */
export const auditMessageId = "5b1d3c5f0c0a4e6c9f1d7a2b8e4c6f01";
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
