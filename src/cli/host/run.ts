import { writeAudit } from "../../host/effects/audit.ts";
import { type AfterRun, type RunRecord, recordRun } from "../../host/effects/run-record.ts";
import { readRecords } from "../../host/observe-host.ts";
import { type Reconciled, reconcile } from "../../host/reconcile.ts";
import { pausesOf } from "../../host/registry.ts";
import type { HostTarget } from "../../host/target.ts";
import type { Io } from "../shell/io.ts";
import { activates, type HostValues, takeOverState } from "./options.ts";
import { type RunOptions, reconcilingOf } from "./setup.ts";

/** One run and its record. Options are read anew each time: a token or key file that was replaced counts. */
export async function oneRun(
  values: HostValues,
  io: Io,
  options: RunOptions,
): Promise<{ record: RunRecord; done: Reconciled | Error }> {
  await takeOverState(values, io);
  const reconciling = reconcilingOf(values, io, options);
  const [startedAt, started] = [io.now(), performance.now()];
  const done = await reconcile(reconciling).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  const { host, source, target } = reconciling;
  const facts = {
    host,
    repo: source.repo,
    startedAt,
    durationMs: performance.now() - started,
    after: afterRun(target),
  };
  return { record: recordRun(done, facts), done };
}

/** Where even the records can't be read, the run has said why. */
function afterRun(target: HostTarget): AfterRun {
  try {
    const { registry } = readRecords(target);
    return { running: registry?.version, held: registry?.held, paused: pausesOf(registry, target.now()).length > 0 };
  } catch {
    return { running: undefined, held: undefined, paused: false };
  }
}

/** To the journal of the machine that was changed; what is written into a root elsewhere is nothing to it. */
export async function audit(record: RunRecord, values: HostValues, io: Io): Promise<void> {
  if (activates(values) && values["no-audit"] !== true) await writeAudit(record, io.env);
}
