import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type DoneAction, verifyPlan } from "../../host/apply.ts";
import type { FailedUnit } from "../../host/effects/health.ts";
import { describeRun, type RunRecord, readCounters, renderMetrics } from "../../host/effects/run-record.ts";
import { type HostPlanDocument, hostChanges, type PlanResult } from "../../host/plan.ts";
import {
  evaluateRun,
  notifier,
  planHostRollback,
  type ReconciledHost,
  rollBack,
  watchHost,
} from "../../host/reconcile.ts";
import { pauseHost, resumeHost } from "../../host/registry.ts";
import { printableLine } from "../../report/colour.ts";
import { maskLines } from "../../report/mask/mask.ts";
import { writeAtomically } from "../../store/transaction/atomic.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, type Io, tell } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import { exitCodes, type HostValues, hostOptions, hostTargetOf, takeOverState } from "./options.ts";
import {
  drawnFor,
  failureText,
  hostPlanText,
  painter,
  pauseLine,
  printDiagnostics,
  printJson,
  refuse,
  short,
  shownPlan,
} from "./output.ts";
import { audit, oneRun, reconcilingOf, untilSignal } from "./run.ts";

export const planHostCommand = defineCommand({
  name: "host plan",
  about: "Shows what apply would change on this host, and why. Writes nothing.",
  options: hostOptions,
  notes: exitCodes,
  example: "stet host plan --repo ~/homelab --host kadath --diff",
  async run({ values }, io) {
    const reconciling = reconcilingOf(values, io);
    const wanted = await evaluateRun(reconciling);
    const first = await wanted.plan();
    const planned = first.kind === "refused" ? first : await verifyPlan(first.plan, reconciling.effects);
    return showPlanned(planned, values, io, { host: wanted.evaluation.host, rev: wanted.source.rev });
  },
});

export const applyHostCommand = defineCommand({
  name: "host apply",
  about: "Makes the host match the repository: files first, then units.",
  options: { "dry-run": { type: "boolean", help: "only show what would change, as plan does" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host apply --repo ssh://git@git.example.org/homelab.git",
  async run({ values }, io, args) {
    if (values["dry-run"])
      return planHostCommand.run(
        args.filter((arg) => arg !== "--dry-run"),
        io,
      );
    return untilSignal(io, values.json === true, async (interrupt) => {
      const { record, done } = await oneRun(values, io, { interrupt });
      await audit(record, values, io);
      if (done instanceof Error) throw done;
      io.keepCompiled?.();
      return showReconciled(done, values, io);
    });
  },
});

export const rollbackHostCommand = defineCommand({
  name: "host rollback",
  about: `Goes back to the state before the last commit, or to a generation. The commit you leave
is held: it is not applied again until a newer one comes or you say apply --unhold.`,
  options: {
    to: { type: "string", value: "N", help: "the generation to go back to (see host history)" },
    "dry-run": { type: "boolean", help: "only show what would change" },
    yes: { type: "boolean", help: "go back even if that leaves nothing on this host" },
    ...hostOptions,
  },
  notes: exitCodes,
  example: "stet host rollback",
  async run({ values }, io) {
    const going = { to: generationOf(values.to), allowEmpty: values.yes === true };
    if (values["dry-run"]) {
      const { target, effects } = reconcilingOf(values, io);
      return showPlanned(await planHostRollback(target, effects, { ...going, allowEmpty: true }), values, io);
    }
    await takeOverState(values, io);
    return untilSignal(io, values.json === true, async (interrupt) => {
      const { target, effects } = reconcilingOf(values, io, { interrupt });
      const done = await rollBack(target, effects, going);
      if (done.kind === "refused") return refuse(io, values, done.diagnostics);
      showDone({ ...done, document: done.plan.document }, values, io);
      return hasFailed(done) ? 4 : 0;
    });
  },
});

function generationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new InputError({ code: "usage", message: `--to ${text}: give the number of a generation` });
  return Number(text);
}

function showPlanned(
  planned: PlanResult,
  values: HostValues,
  io: Io,
  about: { host?: string; rev?: string | undefined } = {},
): number {
  if (planned.kind === "refused") return refuse(io, values, planned.diagnostics, about);
  const document = shownPlan(values, planned.plan.document);
  if (values.json) printJson(io, document);
  else if (!values.quiet)
    io.out(hostPlanText(document, { ...drawnFor(values, io), diff: values.diff === true, tense: "plan" }));
  printDiagnostics(io, values, document.diagnostics);
  return values["exit-code"] && hostChanges(planned.plan) ? 2 : 0;
}

/** What a run did, and its exit code. */
export function showReconciled(done: ReconciledHost, values: HostValues, io: Io): number {
  if (done.kind === "refused") return refuse(io, values, done.diagnostics, { rev: done.rev });
  const { document, rolledBack } = done;
  showDone(done, values, io, { rolled_back: rolledBack });
  if (rolledBack)
    complain(
      io,
      `${io.program}: ${short(document.version)} was rolled back and is held; the state before it runs again\n`,
    );
  if (hasFailed(done) || document.held !== null || document.waiting.length > 0) return 4;
  return values.strict && document.entries.some(({ verdict }) => verdict === "keep") ? 3 : 0;
}

interface Done {
  readonly document: HostPlanDocument;
  readonly actions: readonly DoneAction[];
  readonly failed: readonly FailedUnit[];
  readonly generation: number | undefined;
}

function showDone(done: Done, values: HostValues, io: Io, more: Readonly<Record<string, unknown>> = {}): void {
  const document = shownPlan(values, done.document);
  const { actions, generation = null } = done;
  // The last words of a unit are what a program of somebody's said.
  const failed = values["show-secrets"]
    ? done.failed
    : done.failed.map((unit) => ({ ...unit, log: unit.log.map(maskLines) }));
  if (values.json) printJson(io, { ...document, actions, failed, ...more, generation });
  else if (!values.quiet)
    io.out(hostPlanText(document, { ...drawnFor(values, io), diff: values.diff === true, tense: "apply" }));
  printDiagnostics(io, values, document.diagnostics);
  complain(io, failureText(failed, actions));
}

function hasFailed({ failed, actions }: Pick<Done, "failed" | "actions">): boolean {
  return failed.length > 0 || actions.some(({ outcome }) => outcome === "failed");
}

export const pauseHostCommand = defineCommand({
  name: "host pause",
  usage: "[UNIT]",
  argument: "nothing",
  most: 1,
  about: `For maintenance: until the pause ends, apply and watch change, start, stop and undo nothing
on this host, or nothing that concerns one unit. Reports say so in the meantime.`,
  options: {
    for: { type: "string", value: "DURATION", help: "how long (default: until host resume)" },
    ...hostOptions,
  },
  example: "stet host pause web.container --for 2h",
  async run({ values, positionals }, io) {
    const forMs = values.for === undefined ? undefined : parseDuration("for", values.for);
    await takeOverState(values, io);
    const paused = await pauseHost(hostTargetOf(values, io), positionals[0], forMs);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) for (const pause of paused) tell(io, `${pauseLine(pause, painter(values, io))}\n`);
    return 0;
  },
});

export const resumeHostCommand = defineCommand({
  name: "host resume",
  usage: "[UNIT]",
  argument: "nothing",
  most: 1,
  about: "Ends the pause of a unit, or all pauses if none is named. The next run does what had to wait.",
  options: hostOptions,
  example: "stet host resume",
  async run({ values, positionals }, io) {
    await takeOverState(values, io);
    const paused = await resumeHost(hostTargetOf(values, io), positionals[0]);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) {
      if (paused.length === 0) tell(io, "nothing is paused now\n");
      for (const pause of paused) tell(io, `${pauseLine(pause, painter(values, io))}\n`);
    }
    return 0;
  },
});

type WatchValues = HostValues & { readonly "metrics-file"?: string | undefined };

export const watchHostCommand = defineCommand({
  name: "host watch",
  about: "Applies again and again. SIGHUP: look now; SIGTERM: end after this run.",
  options: {
    interval: { type: "string", value: "DURATION", help: "how often to look, give or take a tenth (default: 5m)" },
    once: { type: "boolean", help: "run once and exit, for a systemd timer" },
    "metrics-file": {
      type: "string",
      value: "FILE",
      help: "write metrics here, for node_exporter's textfile collector",
    },
    ...hostOptions,
  },
  notes: exitCodes,
  example: "stet host watch --repo ssh://git@git.example.org/homelab.git --interval 10m",
  async run({ values }, io) {
    if (values.once) return runOnce(values, io);
    const stop = new AbortController();
    const signals = listen(stop);
    try {
      await watchHost({
        run: async () => (await oneRun(values, io, { interrupt: stop.signal, retryNow: false })).record,
        tell: async (record) => {
          await tellRun(record, values, io);
          if (!values.quiet)
            io.out(values.json ? `${JSON.stringify(record)}\n` : `${printableLine(describeRun(record))}\n`);
        },
        notifier: notifier(io.env),
        intervalMs: parseDuration("interval", typeof values.interval === "string" ? values.interval : "5m"),
        random: Math.random,
        stop: stop.signal,
        wake: signals.wake,
      });
      return 0;
    } finally {
      signals.forget();
    }
  },
});

function runOnce(values: WatchValues, io: Io): Promise<number> {
  return untilSignal(io, values.json === true, async (interrupt) => {
    const { record, done } = await oneRun(values, io, { interrupt, retryNow: false });
    await tellRun(record, values, io);
    if (done instanceof Error) throw done;
    return showReconciled(done, values, io);
  });
}

async function tellRun(record: RunRecord, values: WatchValues, io: Io): Promise<void> {
  await audit(record, values, io);
  const file = values["metrics-file"];
  if (typeof file !== "string" || file === "") return;
  const { gate } = reconcilingOf(values, io).target;
  const path = resolve(io.cwd, file);
  try {
    const before = readCounters(gate.read(path)?.toString("utf8") ?? "");
    writeAtomically(gate, path, Buffer.from(renderMetrics(before, record)), 0o644);
  } catch (error) {
    // Metrics that can't be written are a pity; a host that is no longer kept current for it would be worse.
    if (!(error instanceof InputError)) throw error;
    complain(io, `${io.program}: ${printableLine(error.message)}\n`);
  }
}

/** SIGHUP: now. SIGTERM and SIGINT: the run under way ends, with what it leaves on record, and no other begins. */
function listen(stop: AbortController): { wake(): Promise<void>; forget(): void } {
  let wakeUp: (() => void) | undefined;
  // Remembered while a run is under way: whoever asks then wants another one.
  let isWanted = false;
  const onHangup = () => {
    isWanted = true;
    wakeUp?.();
  };
  const onEnd = () => stop.abort();
  process.on("SIGHUP", onHangup);
  process.on("SIGTERM", onEnd);
  process.on("SIGINT", onEnd);
  return {
    wake: () =>
      new Promise((resolve) => {
        wakeUp = () => {
          isWanted = false;
          resolve();
        };
        if (isWanted) wakeUp();
      }),
    forget() {
      process.off("SIGHUP", onHangup);
      process.off("SIGTERM", onEnd);
      process.off("SIGINT", onEnd);
    },
  };
}
