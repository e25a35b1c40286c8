import { existsSync } from "node:fs";
import { constants, userInfo } from "node:os";
import { InputError } from "../../core/diagnostic.ts";
import { findGenerator, podman } from "../../host/effects/podman.ts";
import { type AfterRun, type RunRecord, recordRun, writeAudit } from "../../host/effects/run-record.ts";
import { setOwners, systemctl } from "../../host/effects/systemd.ts";
import { readHostRecords } from "../../host/observe.ts";
import { type ReconciledHost, type Reconciling, reconcileHost } from "../../host/reconcile.ts";
import { pausesOf } from "../../host/registry.ts";
import type { HostTarget } from "../../host/target.ts";
import { verifyUnits } from "../../host/units/verify-units.ts";
import { printableLine } from "../../report/colour.ts";
import { complain, type Io } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import { activates, type HostValues, hostIdentity, hostTargetOf, repositoryFrom, takeOverState } from "./options.ts";

const settleMs = 2000;
const pullTimeoutMs = 30 * 60_000;

export interface RunOptions {
  /** Ends the run early. */
  readonly interrupt?: AbortSignal | undefined;
  /** Start units at once that failed before: a person who calls wants to see it. */
  readonly retryNow?: boolean | undefined;
}

/** Everything a run needs, from the command line and the outside. */
export function reconcilingOf(
  values: HostValues,
  io: Io,
  { interrupt, retryNow = true }: RunOptions = {},
): Reconciling {
  const target = hostTargetOf(values, io);
  const activate = activates(values);
  const waitMs = parseDuration("wait", typeof values.wait === "string" ? values.wait : "60s");
  const env = target.scope === "user" ? userEnv(io) : io.env;
  const generator = findGenerator(target.scope, env);
  return {
    host: hostIdentity(values, io),
    source: repositoryFrom(values, io, target),
    target,
    effects: {
      manager: activate
        ? systemctl({ scope: target.scope, env, timeoutMs: waitMs + 5 * 60_000, interrupt })
        : undefined,
      podman: podman({ env, timeoutMs: pullTimeoutMs, interrupt }),
      // systemd-analyze knows this machine's programs and units, not those of another root.
      verify: (plan) => verifyUnits(plan, target, { generator, analyze: activate && target.root === "/", env }),
      setOwners: (plan) => setOwners(plan, target, io.env),
      interrupt,
      lingers: target.scope === "user" && activate ? lingers() : undefined,
      waiting: { waitMs, settleMs: Math.min(settleMs, waitMs) },
    },
    options: {
      keepDrift: values["keep-drift"] === true,
      activate,
      retryNow,
      recreate: values.recreate === true,
      hostChanged: values["host-changed"] === true,
    },
    unhold: values.unhold === true,
    rollbackOnFailure: values["rollback-on-failure"] === true,
    strict: values.strict === true,
  };
}

/** A user's systemd is found by its sockets; from cron, sudo or a unit of the system nobody has said where they are. */
function userEnv(io: Io): Io["env"] {
  const usual = `/run/user/${process.getuid?.()}`;
  return io.env.XDG_RUNTIME_DIR || !existsSync(usual) ? io.env : { ...io.env, XDG_RUNTIME_DIR: usual };
}

/**
 * Whether this user's units go on when nobody is logged in: systemd-logind keeps a file for each user for whom they do.
 */
function lingers(): boolean {
  return existsSync(`/var/lib/systemd/linger/${userInfo().username}`);
}

/** One run and its record. Options are read anew each time: a token or key file that was replaced counts. */
export async function oneRun(
  values: HostValues,
  io: Io,
  options: RunOptions,
): Promise<{ record: RunRecord; done: ReconciledHost | Error }> {
  await takeOverState(values, io);
  const reconciling = reconcilingOf(values, io, options);
  const [startedAt, started] = [io.now(), performance.now()];
  const done = await reconcileHost(reconciling).catch((error: unknown) =>
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
    const { registry } = readHostRecords(target);
    return { running: registry?.version, held: registry?.held, paused: pausesOf(registry, target.now()).length > 0 };
  } catch {
    return { running: undefined, held: undefined, paused: false };
  }
}

/** To the journal of the machine that was changed; what is written into a root elsewhere is nothing to it. */
export async function audit(record: RunRecord, values: HostValues, io: Io): Promise<void> {
  if (activates(values) && values["no-audit"] !== true) await writeAudit(record, io.env);
}

/**
 * Runs something that ends early, with what is left on record, when SIGTERM or SIGINT comes. Its exit code is then the
 * signal's.
 */
export async function untilSignal(
  io: Io,
  json: boolean,
  run: (interrupt: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController();
  let received: "SIGTERM" | "SIGINT" = "SIGTERM";
  const onSignal = (signal: NodeJS.Signals) => {
    received = signal === "SIGINT" ? signal : "SIGTERM";
    interrupt.abort();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    return await run(interrupt.signal);
  } catch (error) {
    if (!(error instanceof InputError) || error.diagnostic.code !== "interrupted") throw error;
    complain(io, `${io.program}: ${printableLine(error.message)}\n`);
    if (json) io.out((await import("../../report/json-text.ts")).failureDocument(error.diagnostics));
    return 128 + constants.signals[received];
  } finally {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  }
}
