import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { jsonText } from "../../report/json-text.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
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
import { defineCommand, type Options } from "../shell/command.ts";
import { configMapOf, readInputFile, runOptions, sharedOptions } from "./options.ts";
import { controllerOptions } from "./run.ts";

export const command = defineCommand({
  name: "toolset manifests",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "Everything to deploy the controller: printed as one text, or written as a kustomize base.",
  options: {
    ...sharedOptions,
    ...runOptions,
    image: { type: "string", default: "stet:latest", value: "IMAGE", help: "the controller's image (stet:latest)" },
    replicas: { type: "string", default: "2", value: "N", help: "how many, one of them leading (2)" },
    "with-alerts": { type: "boolean", help: "a ServiceMonitor and alert rules, too (needs the Prometheus operator)" },
    "with-disruption-budget": { type: "boolean", help: "a PodDisruptionBudget, too (Kubernetes 1.21 and later)" },
    "with-network-policy": { type: "boolean", help: "a NetworkPolicy, too" },
    "output-dir": {
      type: "string",
      value: "DIR",
      help: "write a kustomize base with its components there instead of printing",
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
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), text);
  }
}
