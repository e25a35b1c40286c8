import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { jsonText } from "../../report/json-text.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import { makeFolders } from "../../store/records/state-dir.ts";
import { Controller, type ControllerOptions } from "../../toolset/controller/controller.ts";
import type { HolmesNotice } from "../../toolset/controller/effects.ts";
import { type HealthTiming, probeAddress } from "../../toolset/controller/health.ts";
import { usualLeaseTiming } from "../../toolset/controller/leader.ts";
import { usualReflectorTiming } from "../../toolset/controller/reflector.ts";
import { createMetrics, jsonLog, serve } from "../../toolset/controller/telemetry.ts";
import { usualWorkTiming } from "../../toolset/controller/work-loop.ts";
import {
  components,
  componentText,
  type DeployManifest,
  type DeployOptions,
  disruptionBudgets,
  kustomization,
  manifests,
  manifestText,
  monitoring,
  networkPolicies,
} from "../../toolset/manifests.ts";
import { defineCommand, type Options, type Parsed } from "../shell/command.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import { connectTo } from "./cluster.ts";
import { configMapOf, readInputFile, runOptions, sharedOptions } from "./options.ts";

type Values = CommonValues & Parsed<typeof runOptions & typeof sharedOptions>["values"];

export const runToolsetCommand = defineCommand({
  name: "toolset run",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "Runs the controller until SIGTERM or SIGINT. It applies whenever something changes.",
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
        message: `--reload: '${values.reload}' is not one of auto, endpoint, restart and none`,
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

export const manifestsToolsetCommand = defineCommand({
  name: "toolset manifests",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "Prints everything needed to deploy the controller as one text, or writes it as a kustomize base.",
  options: {
    ...sharedOptions,
    ...runOptions,
    image: {
      type: "string",
      default: "stet:latest",
      value: "IMAGE",
      help: "the controller's image (default: stet:latest)",
    },
    replicas: { type: "string", default: "2", value: "N", help: "how many replicas; one of them leads (default: 2)" },
    "with-alerts": { type: "boolean", help: "add a ServiceMonitor and alert rules (needs the Prometheus operator)" },
    "with-disruption-budget": { type: "boolean", help: "add a PodDisruptionBudget (Kubernetes 1.21 and later)" },
    "with-network-policy": { type: "boolean", help: "add a NetworkPolicy" },
    "output-dir": {
      type: "string",
      value: "DIR",
      help: "write a kustomize base with its components to DIR instead of printing",
    },
  },
  example: "stet toolset manifests --image images.example.test/stet:0.1 | kubectl apply -f -",
  async run({ values }, io) {
    const target = await configMapOf(values, io);
    const restart = values.restart?.replace(/^deployment\//, "");
    // What `run` would refuse is refused here, and not by a pod that does not start.
    controllerOptions(
      { ...values, ...(restart === undefined ? {} : { restart: `deployment/${restart}` }) },
      target,
      io,
    );
    const made: DeployOptions = {
      ...target,
      holmesDeployment: target.holmes.deployment,
      restart,
      image: values.image,
      replicas: replicasOf(values.replicas),
      detectors: values.detectors === undefined ? undefined : await readInputFile(values.detectors, io),
      extraArguments: extraArguments(values),
    };
    if (values["output-dir"] !== undefined) {
      await writeBase(made, resolve(io.cwd, values["output-dir"]));
      return 0;
    }
    const extras = [
      ...(values["with-alerts"] ? [monitoring(made)] : []),
      ...(values["with-disruption-budget"] ? [disruptionBudgets(made)] : []),
      ...(values["with-network-policy"] ? [networkPolicies(made)] : []),
    ];
    io.out(printed([...manifests(made), ...extras], values.json === true));
    return 0;
  },
});

/** What the pod finds out by itself, or what the objects say in their own way. */
const saidOtherwise = [
  "namespace",
  "configmap-name",
  "kubeconfig",
  "context",
  "watch-namespace",
  "overrides-configmap",
  "restart",
  "listen",
  "detectors",
];

/** Every other option that was given, as `run` takes it. */
function extraArguments(values: Readonly<Record<string, unknown>>): string[] {
  const known: Options = { ...sharedOptions, ...runOptions };
  return Object.entries(known)
    .filter(([name]) => !saidOtherwise.includes(name))
    .flatMap(([name, option]) => {
      const value = values[name];
      if (value === undefined || value === false || value === option.default) return [];
      if (value === true) return [`--${name}`];
      return (Array.isArray(value) ? value : [value]).map((each) => `--${name}=${String(each)}`);
    });
}

function replicasOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InputError({ code: "usage", message: `--replicas: '${text}' is not a number from 1 to 999` });
}

/** kubectl takes both: YAML documents, or one JSON document with all of them. */
function printed(all: readonly DeployManifest[], asJson: boolean): string {
  if (!asJson) return all.map(manifestText).join("---\n");
  return `${jsonText({ apiVersion: "v1", kind: "List", items: all.flatMap(({ objects }) => objects) })}\n`;
}

async function writeBase(options: DeployOptions, base: string): Promise<void> {
  const [all, parts] = [manifests(options), components(options)];
  const texts = [
    ...all.map((each) => [each.file, manifestText(each)] as const),
    ["kustomization.yaml", kustomization(all, parts)] as const,
    ...parts.flatMap((part) => [
      ...part.manifests.map((each) => [join("components", part.name, each.file), manifestText(each)] as const),
      [join("components", part.name, "kustomization.yaml"), componentText(part)] as const,
    ]),
  ];
  const gate = diskGate();
  for (const [file] of texts) refuseForeignLinks(gate, join(base, file));
  for (const [file, text] of texts) {
    makeFolders(gate, dirname(join(base, file)), 0o777);
    await writeFile(join(base, file), text);
  }
}
