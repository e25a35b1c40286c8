import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { describeRun, type RunRecord, readCounters, renderMetrics } from "../../host/effects/run-record.ts";
import { notifier, watchHost } from "../../host/reconcile.ts";
import { printableLine } from "../../report/colour.ts";
import { writeAtomically } from "../../store/gate/atomic.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, type Io } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import { showReconciled } from "./apply.ts";
import { exitCodes, type HostValues, hostOptions } from "./options.ts";
import { audit, oneRun, reconcilingOf, untilSignal } from "./run.ts";

type WatchValues = HostValues & { readonly "metrics-file"?: string | undefined };

export const command = defineCommand({
  name: "host watch",
  usage: "",
  argument: "nothing",
  most: 0,
  about: "Applies again and again. SIGHUP: look now; SIGTERM: end after this run.",
  options: {
    interval: { type: "string", value: "DURATION", help: "between two looks, give or take a tenth (5m)" },
    once: { type: "boolean", help: "check once and exit, for a systemd timer" },
    "metrics-file": { type: "string", value: "FILE", help: "for node_exporter's textfile collector" },
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
          await tell(record, values, io);
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
    await tell(record, values, io);
    if (done instanceof Error) throw done;
    return showReconciled(done, values, io);
  });
}

async function tell(record: RunRecord, values: WatchValues, io: Io): Promise<void> {
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
