import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { InputError } from "../../core/diagnostic.ts";
import { Controller, type ControllerOptions } from "../../toolset/controller/controller.ts";
import { type HealthTiming, probeAddress } from "../../toolset/controller/health.ts";
import { serve } from "../../toolset/controller/http-server.ts";
import { usualLeaseTiming } from "../../toolset/controller/leader.ts";
import { jsonLog } from "../../toolset/controller/log.ts";
import { createMetrics } from "../../toolset/controller/metrics.ts";
import { usualReflectorTiming } from "../../toolset/controller/reflector.ts";
import { usualWorkTiming } from "../../toolset/controller/work-loop.ts";
import { defineCommand, type Options, type Parsed } from "../shell/command.ts";
import type { CommonValues } from "../shell/common-options.ts";
import { parseDuration } from "../shell/duration.ts";
import type { Io } from "../shell/io.ts";
import { connectTo } from "./cluster.ts";
import { sharedOptions, targetOf } from "./options.ts";

const options = {
  listen: { type: "string", default: "0.0.0.0:8080", value: "ADDRESS", help: "for /health, /ready and /metrics (0.0.0.0:8080)" },
  restart: {
    type: "string",
    value: "deployment/NAME",
    help: "restart HolmesGPT after a change by patching an annotation of its Deployment",
  },
  "restart-interval": { type: "string", default: "30s", value: "DURATION", help: "and then leave it alone for this long (30s)" },
  resync: { type: "string", default: "10m", value: "DURATION", help: "look at everything again this often (10m)" },
  "no-health-checks": { type: "boolean", help: "take Services as tools without asking them" },
  "health-interval": { type: "string", default: "30s", value: "DURATION", help: "between two health checks (30s)" },
  "health-timeout": { type: "string", default: "5s", value: "DURATION", help: "how long an answer may take (5s)" },
  "health-grace": { type: "string", default: "5m", value: "DURATION", help: "how long an unhealthy service keeps its tool (5m)" },
  "lease-duration": { type: "string", default: "15s", value: "DURATION", help: "how long a lost leader is waited for (15s)" },
  "no-leader-election": { type: "boolean", help: "for a single replica" },
} as const satisfies Options;

type Values = CommonValues & Parsed<typeof options & typeof sharedOptions>["values"];

export const command = defineCommand({
  name: "toolset run",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "The controller, until SIGTERM or SIGINT: does it again whenever something changes.",
  options: { ...options, ...sharedOptions },
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
  const target = await targetOf(values, io);
  const controllerOptions = optionsOf(values, target, io);
  const api = await connectTo(target, values.home, io);
  const log = jsonLog((line) => io.out(line), io.now);
  const metrics = createMetrics();
  const controller = new Controller(api, controllerOptions, { log, metrics, signal, now: io.now });
  const server = await serve(values.listen, {
    healthy: () => controller.isHealthy(),
    notReady: () => controller.notReady(),
    metrics: () => metrics.render(),
  });
  log.info("Started", {
    namespace: target.namespace,
    configmap: target.name,
    port: server.port,
    identity: controllerOptions.election?.identity,
  });
  try {
    await controller.run();
    log.info("Stopped");
  } finally {
    await server.close();
    api.close();
  }
}

function optionsOf(values: Values, target: Awaited<ReturnType<typeof targetOf>>, io: Io): ControllerOptions {
  const duration = parseDuration("lease-duration", values["lease-duration"]);
  const share = duration / usualLeaseTiming.duration;
  const lease = { duration, renewDeadline: usualLeaseTiming.renewDeadline * share, retry: usualLeaseTiming.retry * share };
  const health = {
    interval: parseDuration("health-interval", values["health-interval"]),
    timeLimit: parseDuration("health-timeout", values["health-timeout"]),
    grace: parseDuration("health-grace", values["health-grace"]),
  } satisfies HealthTiming;
  return {
    target,
    watchNamespaces: target.watchNamespaces,
    restart: restartOf(values),
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

function restartOf(values: Values): ControllerOptions["restart"] {
  const interval = parseDuration("restart-interval", values["restart-interval"]);
  if (values.restart === undefined) return undefined;
  const [kind, deployment, ...rest] = values.restart.split("/");
  if (kind === "deployment" && deployment && rest.length === 0) return { deployment, interval };
  throw new InputError({ code: "usage", message: `--restart: '${values.restart}' should read deployment/NAME` });
}
