import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { InputError } from "../../core/diagnostic.ts";
import { Controller, type ControllerOptions } from "../../toolset/controller/controller.ts";
import type { HolmesNotice } from "../../toolset/controller/effects.ts";
import { type HealthTiming, probeAddress } from "../../toolset/controller/health.ts";
import { usualLeaseTiming } from "../../toolset/controller/leader.ts";
import { usualReflectorTiming } from "../../toolset/controller/reflector.ts";
import { createMetrics, jsonLog, serve } from "../../toolset/controller/telemetry.ts";
import { usualWorkTiming } from "../../toolset/controller/work-loop.ts";
import { defineCommand, type Parsed } from "../shell/command.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import { connectTo } from "./cluster.ts";
import { configMapOf, runOptions, sharedOptions } from "./options.ts";

type Values = CommonValues & Parsed<typeof runOptions & typeof sharedOptions>["values"];

export const command = defineCommand({
  name: "toolset run",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "The controller, until SIGTERM or SIGINT: does it again whenever something changes.",
  options: { ...runOptions, ...sharedOptions },
  example: "stet toolset run -n kubernaut-system --restart deployment/holmes",
  async run({ values }, io) {
    const stop = new AbortController();
    const onSignal = (): void => stop.abort();
    process.once("SIGTERM", onSignal);
    process.once("SIGINT", onSignal);
    try {
      await runUntil(stop.signal, values, io);
      return 0;
    } finally {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
    }
  },
});

async function runUntil(signal: AbortSignal, values: Values, io: Io): Promise<void> {
  const target = await configMapOf(values, io);
  const options = controllerOptions(values, target, io);
  const api = await connectTo(target, values.home, io);
  const log = jsonLog((line) => io.out(line), io.now);
  const metrics = createMetrics();
  const controller = new Controller(api, options, { log, metrics, signal, now: io.now });
  const server = await serve(values.listen, {
    healthy: () => controller.isHealthy(),
    notReady: () => controller.notReady(),
    metrics: () => metrics.render(),
  });
  log.info("Started", {
    namespace: target.namespace,
    configmap: target.name,
    port: server.port,
    identity: options.election?.identity,
  });
  try {
    await controller.run();
    log.info("Stopped");
  } finally {
    await server.close();
    api.close();
  }
}

/** What the options mean; throws where they can't be used. */
export function controllerOptions(
  values: Values,
  target: Awaited<ReturnType<typeof configMapOf>>,
  io: Io,
): ControllerOptions {
  const duration = parseDuration("lease-duration", values["lease-duration"]);
  const share = duration / usualLeaseTiming.duration;
  const lease = {
    duration,
    renewDeadline: usualLeaseTiming.renewDeadline * share,
    retry: usualLeaseTiming.retry * share,
    retryAfterFailure: usualLeaseTiming.retryAfterFailure,
  };
  const health = {
    interval: parseDuration("health-interval", values["health-interval"]),
    timeLimit: parseDuration("health-timeout", values["health-timeout"]),
    grace: parseDuration("health-grace", values["health-grace"]),
  } satisfies HealthTiming;
  return {
    target,
    watchNamespaces: target.watchNamespaces,
    notice: noticeOf(values),
    health: values["no-health-checks"] ? undefined : { probe: probeAddress, timing: health },
    election: values["no-leader-election"] ? undefined : { identity: identityOf(io), timing: lease },
    reflecting: { ...usualReflectorTiming, resync: parseDuration("resync", values.resync) },
    working: usualWorkTiming,
  };
}

/** Two processes must never have the same: a pod's name is unique, but two on one machine share the host's. */
function identityOf(io: Io): string {
  return `${io.env.POD_NAME ?? hostname()}_${randomUUID().slice(0, 8)}`;
}

function noticeOf(values: Values): HolmesNotice {
  const interval = parseDuration("restart-interval", values["restart-interval"]);
  const delay = parseDuration("reload-delay", values["reload-delay"]);
  const [restart, reload] = [restartOf(values.restart, interval), reloadOf(values["reload-url"], delay)];
  switch (values.reload) {
    case "auto":
      return { restart, reload };
    case "none":
      return { restart: undefined, reload: undefined };
    case "restart":
      if (restart === undefined)
        throw new InputError({ code: "usage", message: "--reload restart needs --restart deployment/NAME" });
      return { restart, reload: undefined };
    case "endpoint":
      if (reload === undefined)
        throw new InputError({ code: "usage", message: "--reload endpoint needs --reload-url URL" });
      return { restart: undefined, reload };
    default:
      throw new InputError({
        code: "usage",
        message: `--reload: '${values.reload}' is none of auto, endpoint, restart and none`,
      });
  }
}

function restartOf(restart: string | undefined, interval: number): HolmesNotice["restart"] {
  if (restart === undefined) return undefined;
  const [kind, deployment, ...rest] = restart.split("/");
  if (kind === "deployment" && deployment && rest.length === 0) return { deployment, interval };
  throw new InputError({ code: "usage", message: `--restart: '${restart}' should read deployment/NAME` });
}

function reloadOf(address: string | undefined, delay: number): HolmesNotice["reload"] {
  if (address === undefined) return undefined;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return { address, delay };
  throw new InputError({ code: "usage", message: `--reload-url: '${address}' is not an http(s) address` });
}
