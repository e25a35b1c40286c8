import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { builtinDetectors } from "../../toolset/discover/detectors.ts";
import type { DiscoveryRules } from "../../toolset/discover/discover.ts";
import { readDetectors } from "../../toolset/discover/read-objects.ts";
import { faultOfPattern, isObjectName } from "../../toolset/discover/service.ts";
import type { HolmesChoice } from "../../toolset/reconcile.ts";
import { defaultName, defaultNamespace } from "../../toolset/render/configmap.ts";
import { parseRelease } from "../../toolset/render/holmes-release.ts";
import type { Options } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";

/** Options that every toolset command takes. */
export const sharedOptions = {
  namespace: { type: "string", short: "n", value: "NS", help: "the ConfigMap's namespace (default: kubernaut-system)" },
  "configmap-name": { type: "string", value: "NAME", help: "the ConfigMap's name (default: kubernaut-toolset-config)" },
  kubeconfig: { type: "string", value: "FILE", help: "default: in-cluster, else $KUBECONFIG, else ~/.kube/config" },
  context: { type: "string", value: "NAME", help: "which context of the kubeconfig to use" },
  "watch-namespace": {
    type: "string",
    multiple: true,
    value: "NS",
    help: "look for Services only in this namespace; repeatable (default: all)",
  },
  "overrides-configmap": {
    type: "string",
    value: "NAME",
    help: "read the overrides from a ConfigMap of their own, and never write it",
  },
  detectors: { type: "string", value: "FILE", help: "recognise more kinds of services" },
  "allow-endpoint": {
    type: "string",
    multiple: true,
    value: "PATTERN",
    help: "let annotations name other addresses: [SCHEME://]HOST[:PORT], * is any text; repeatable",
  },
  holmes: {
    type: "string",
    value: "VERSION|auto",
    help: "the HolmesGPT release to write for (auto: the one its Deployment runs, else any from 0.20 on)",
  },
  "holmes-deployment": {
    type: "string",
    value: "NS/NAME",
    help: "the Deployment of HolmesGPT to read its release from",
  },
  starter: { type: "boolean", help: "begin a new ConfigMap with an overrides.yaml that explains itself" },
  "cluster-domain": {
    type: "string",
    value: "DOMAIN",
    help: "the domain of the Services' names (default: cluster.local)",
  },
} as const satisfies Options;

/** Options of the controller. */
export const runOptions = {
  listen: {
    type: "string",
    default: "0.0.0.0:8080",
    value: "ADDRESS",
    help: "where to serve /health, /ready and /metrics (default: 0.0.0.0:8080)",
  },
  restart: {
    type: "string",
    value: "deployment/NAME",
    help: "restart HolmesGPT after a change, by an annotation of this Deployment",
  },
  "restart-interval": {
    type: "string",
    default: "30s",
    value: "DURATION",
    help: "how long to wait before it restarts again (default: 30s)",
  },
  reload: {
    type: "string",
    default: "auto",
    value: "auto|endpoint|restart|none",
    help: "how HolmesGPT learns of a change: by its own endpoint if it has one (--reload-url), else by a restart (--restart)",
  },
  "reload-url": {
    type: "string",
    value: "URL",
    help: "where HolmesGPT answers, such as http://holmes-holmes.holmes.svc:80",
  },
  "reload-delay": {
    type: "string",
    default: "90s",
    value: "DURATION",
    help: "how long a change takes to reach HolmesGPT's pod (default: 90s)",
  },
  resync: {
    type: "string",
    default: "10m",
    value: "DURATION",
    help: "list everything again this often (default: 10m)",
  },
  "no-health-checks": { type: "boolean", help: "use Services without checking their health" },
  "health-interval": {
    type: "string",
    default: "30s",
    value: "DURATION",
    help: "how long between two health checks (default: 30s)",
  },
  "health-timeout": {
    type: "string",
    default: "5s",
    value: "DURATION",
    help: "how long a health check may take (default: 5s)",
  },
  "health-grace": {
    type: "string",
    default: "5m",
    value: "DURATION",
    help: "how long an unhealthy service keeps its tool (default: 5m)",
  },
  "lease-duration": {
    type: "string",
    default: "15s",
    value: "DURATION",
    help: "how long to wait for a lost leader (default: 15s)",
  },
  "no-leader-election": { type: "boolean", help: "elect no leader: for a single replica" },
} as const satisfies Options;

/** What the shared options mean, defaults filled in. */
export interface ToolsetTarget {
  readonly namespace: string;
  readonly name: string;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly watchNamespaces: readonly string[];
  readonly overridesConfigMap: string | undefined;
  readonly starter: boolean;
  readonly rules: DiscoveryRules;
  readonly holmes: HolmesChoice;
}

type SharedValues = { readonly [name in keyof typeof sharedOptions]?: string | boolean | string[] | undefined };

export async function configMapOf(values: SharedValues, io: Io): Promise<ToolsetTarget> {
  const text = (name: keyof SharedValues): string | undefined => values[name] as string | undefined;
  const file = text("detectors");
  for (const option of ["namespace", "configmap-name", "overrides-configmap", "watch-namespace"] as const)
    for (const name of [values[option] ?? []].flat()) checkObjectName(option, String(name));
  return {
    namespace: text("namespace") ?? defaultNamespace,
    name: text("configmap-name") ?? defaultName,
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    watchNamespaces: [...new Set((values["watch-namespace"] as string[] | undefined) ?? [])].sort(),
    overridesConfigMap: text("overrides-configmap"),
    holmes: holmesOf(text("holmes") ?? "auto", text("holmes-deployment")),
    starter: values.starter === true && text("overrides-configmap") === undefined,
    rules: {
      detectors:
        file === undefined
          ? builtinDetectors
          : [...readDetectors(await readInputFile(file, io), file), ...builtinDetectors],
      allowed: allowedEndpoints((values["allow-endpoint"] as string[] | undefined) ?? []),
      clusterDomain: clusterDomainOf(text("cluster-domain") ?? (await domainOfPod(io))),
    },
  };
}

function checkObjectName(option: string, name: string): void {
  if (isObjectName(name)) return;
  const message = `--${option}: '${name}' is not a name that Kubernetes takes: lower-case letters, digits and -`;
  throw new InputError({ code: "usage", message });
}

function holmesOf(version: string, deployment: string | undefined): HolmesChoice {
  const release = version === "auto" ? undefined : parseRelease(version);
  if (version !== "auto" && release === undefined) {
    throw new InputError({
      code: "usage",
      message: `--holmes: '${version}' should be a version such as 0.31.1, or auto`,
    });
  }
  if (deployment === undefined) return { release, deployment: undefined };
  const [namespace = "", name = "", ...rest] = deployment.split("/");
  if (namespace !== "" && name !== "" && rest.length === 0) return { release, deployment: { namespace, name } };
  throw new InputError({ code: "usage", message: `--holmes-deployment: '${deployment}' should read NAMESPACE/NAME` });
}

function allowedEndpoints(patterns: readonly string[]): readonly string[] {
  for (const pattern of patterns) {
    const fault = faultOfPattern(pattern);
    if (fault !== undefined)
      throw new InputError({ code: "usage", message: `--allow-endpoint: '${pattern}' ${fault}` });
  }
  return patterns;
}

/** What a pod's resolver says the cluster's domain is; undefined: this is no pod, or it does not say. */
async function domainOfPod(io: Io): Promise<string | undefined> {
  if (!io.env.KUBERNETES_SERVICE_HOST) return undefined;
  const text = await readFile("/etc/resolv.conf", "utf8").catch(() => "");
  return searchDomain(text);
}

/** The search list of a pod holds `svc.` and the cluster's domain. */
export function searchDomain(text: string): string | undefined {
  const lists = text.split("\n").flatMap((line) => /^search\s+(.*)$/.exec(line)?.[1]?.split(/\s+/) ?? []);
  return lists
    .find((name) => name.startsWith("svc."))
    ?.slice("svc.".length)
    .replace(/\.$/, "");
}

function clusterDomainOf(domain = "cluster.local"): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$/.test(domain)) return domain;
  throw new InputError({
    code: "usage",
    message: `--cluster-domain: '${domain}' is not a domain such as cluster.local`,
  });
}

/** The text of a file, `-` being standard input. */
export async function readInputFile(file: string, io: Io): Promise<string> {
  if (file === "-") return io.readInput();
  try {
    const text = await readFile(resolve(io.cwd, file), "utf8");
    io.atWork?.(text.length);
    return text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such file" : code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
    throw new InputError({ code: "unreadable-file", message: why, file });
  }
}
