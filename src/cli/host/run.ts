import { writeAudit } from "../../host/effects/audit.ts";
import { type RunRecord, recordRun } from "../../host/effects/run-record.ts";
import { type Reconciled, reconcile } from "../../host/reconcile.ts";
import type { Io } from "../shell/io.ts";
import { activates, type HostValues } from "./options.ts";
import { reconcilingOf } from "./setup.ts";

/** One run and its record. Options are read anew each time: a token or key file that was replaced counts. */
export async function oneRun(values: HostValues, io: Io, interrupt: AbortSignal): Promise<{ record: RunRecord; done: Reconciled | Error }> {
  const reconciling = reconcilingOf(values, io, interrupt);
  const [startedAt, started] = [io.now(), performance.now()];
  const done = await reconcile(reconciling).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const facts = { host: reconciling.host, repo: reconciling.source.repo, startedAt, durationMs: performance.now() - started };
  return { record: recordRun(done, facts), done };
}

/** To the journal of the machine that was changed; what is written into a root elsewhere is nothing to it. */
export async function audit(record: RunRecord, values: HostValues, io: Io): Promise<void> {
  if (activates(values) && values["no-audit"] !== true) await writeAudit(record, io.env);
}
