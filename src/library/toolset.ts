import { InputError } from "../core/diagnostic.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import type { ValueMap } from "../core/value.ts";
import type { UnusedReason } from "../toolset/discover/discover.ts";
import type { ConfigMap } from "../toolset/render/configmap.ts";
import { insist } from "./arguments.ts";

export interface DiscoverOptions {
  /** Look for Services only in these namespaces. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** More kinds of services to recognise: the text of a file of detectors. */
  readonly detectors?: string | undefined;
  /** Addresses that annotations may name elsewhere: `[SCHEME://]HOST[:PORT]`, `*` is any text. */
  readonly allowEndpoints?: readonly string[] | undefined;
  /** The domain of the Services' names. Default: `cluster.local`. */
  readonly clusterDomain?: string | undefined;
}

/** Which Services are tools, and which are not although they look like it. Both sorted by namespace and name. */
export interface DiscoveredTools {
  readonly tools: readonly FoundTool[];
  readonly unused: readonly UnusedTool[];
}

export interface FoundTool {
  readonly namespace: string;
  readonly service: string;
  /** The detector's type (`prometheus`), or what the Service's annotation says. */
  readonly kind: string;
  /** The name it gets if no other Service has it. */
  readonly name: string;
  readonly fields: ValueMap;
}

export interface UnusedTool {
  readonly namespace: string;
  readonly service: string;
  readonly reason: UnusedReason;
  /** What is wrong with it, after its name. */
  readonly why: string;
}

/**
 * Which of these Services are tools: a text as `kubectl get services -A -o json` prints it, or the objects themselves.
 * Asks nobody: health is not looked at.
 *
 * @example
 * import { discover } from "stet";
 *
 * const metadata = { name: "prometheus-server", namespace: "monitoring", labels: { app: "prometheus" } };
 * const services = [{ apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 9090 }] } }];
 * const { tools } = await discover(services);
 * console.log(tools[0].kind, tools[0].namespace); // prometheus monitoring
 */
export async function discover(
  services: string | readonly object[],
  options: DiscoverOptions = {},
): Promise<DiscoveredTools> {
  const { discovered } = await discovering(services, options);
  const of = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, service: name });
  return {
    tools: discovered.discoveries.map(({ source, kind, wantedName, fields }) => ({
      ...of(source),
      kind,
      name: wantedName,
      fields,
    })),
    unused: discovered.unused.map(({ source, reason, why }) => ({ ...of(source), reason, why })),
  };
}

export interface MergeToolsetOptions extends DiscoverOptions {
  /** The ConfigMap as it is: a text, or the object. Left out: there is none yet. */
  readonly configMap?: string | ConfigMap | undefined;
  /** The text of `overrides.yaml`, where it is kept elsewhere than in the ConfigMap. */
  readonly overrides?: string | undefined;
  /** The HolmesGPT to write for, such as `0.31.1`. Default: any from 0.20 on. */
  readonly holmes?: string | undefined;
  /** Of a new ConfigMap. Default: `kubernaut-system`. */
  readonly namespace?: string | undefined;
  /** Of a new ConfigMap. Default: `kubernaut-toolset-config`. */
  readonly name?: string | undefined;
  /** Begin a new ConfigMap with an `overrides.yaml` that explains itself. */
  readonly starter?: boolean | undefined;
  /** The time to note. Default: now. */
  readonly now?: Date | undefined;
}

export interface MergedToolset {
  /** What `stet toolset plan --json` prints. */
  readonly document: PlanDocument;
  /** The whole ConfigMap afterwards; what is not ours is as it was. */
  readonly configMap: ConfigMap;
  /** Whether anything but the time differs from what was there. */
  readonly changed: boolean;
}

/**
 * Discovered services under the user's overrides, in one ConfigMap. A pure step: Services and ConfigMap in, ConfigMap
 * out.
 *
 * @example
 * import { mergeToolset } from "stet";
 *
 * const metadata = { name: "prometheus-server", namespace: "monitoring", labels: { app: "prometheus" } };
 * const services = [{ apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 9090 }] } }];
 * const { configMap, changed } = await mergeToolset(services);
 * console.log(configMap.metadata.name, changed); // kubernaut-toolset-config true
 * console.log((await mergeToolset(services, { configMap })).changed); // false
 */
export async function mergeToolset(
  services: string | readonly object[],
  options: MergeToolsetOptions = {},
): Promise<MergedToolset> {
  const [{ evaluateToolset }, { toolsetDocument }, { dataKeys, defaultName, defaultNamespace }] = await Promise.all([
    import("../toolset/evaluate.ts"),
    import("../toolset/plan.ts"),
    import("../toolset/render/configmap.ts"),
  ]);
  const { discovered, detectors } = await discovering(services, options);
  const current = await configMapFrom(options.configMap);
  const evaluation = evaluateToolset({
    discovered,
    detectors,
    current,
    release: await releaseFrom(options.holmes),
    separateOverrides:
      options.overrides === undefined ? undefined : { file: dataKeys.overrides, text: options.overrides },
    lastWritten: undefined,
    namespace: options.namespace ?? defaultNamespace,
    name: options.name ?? defaultName,
    starter: options.starter ?? false,
    now: options.now ?? new Date(),
  });
  const refusals = evaluation.diagnostics.filter(({ severity }) => severity === "error");
  if (refusals.length > 0) throw new InputError(refusals[0]!, refusals.slice(1));
  const { configMap, inSync } = evaluation;
  return { document: toolsetDocument(evaluation, current), configMap, changed: !inSync };
}

async function discovering(services: string | readonly object[], options: DiscoverOptions) {
  const [{ faultOfPattern }, { readDetectors }, { builtinDetectors }, discovery, { readServices }, { serviceFacts }] =
    await Promise.all([
      import("../toolset/discover/service.ts"),
      import("../toolset/discover/read-objects.ts"),
      import("../toolset/discover/detectors.ts"),
      import("../toolset/discover/discover.ts"),
      import("../toolset/discover/read-objects.ts"),
      import("../toolset/discover/service.ts"),
    ]);
  const { namespaces = [], allowEndpoints: allowed = [], clusterDomain = "cluster.local" } = options;
  for (const pattern of allowed) {
    const fault = faultOfPattern(pattern);
    if (fault !== undefined) throw new InputError({ code: "usage", message: `allowEndpoints: '${pattern}' ${fault}` });
  }
  const own = options.detectors === undefined ? [] : readDetectors(options.detectors, "detectors");
  const detectors = [...own, ...builtinDetectors];
  const isRight = typeof services === "string" || Array.isArray(services);
  insist(isRight, "discover and mergeToolset take Services as a text or as a list; of a List object pass its items");
  const text = typeof services === "string" ? services : JSON.stringify({ kind: "List", items: services });
  const facts = readServices(text, "services").flatMap((service) => serviceFacts(service) ?? []);
  const watched = facts.filter(({ namespace }) => namespaces.length === 0 || namespaces.includes(namespace));
  return { detectors, discovered: discovery.discoverTools(watched, { detectors, allowed, clusterDomain }) };
}

async function configMapFrom(given: string | ConfigMap | undefined): Promise<ConfigMap | undefined> {
  if (given === undefined) return undefined;
  const isRight = typeof given === "string" || (typeof given === "object" && given !== null);
  insist(isRight, "mergeToolset: { configMap } is a text or the object");
  const { readConfigMaps } = await import("../toolset/discover/read-objects.ts");
  const [first, ...others] = readConfigMaps(typeof given === "string" ? given : JSON.stringify(given), "configMap");
  if (others.length === 0) return first;
  throw new InputError({
    code: "malformed-input",
    message: "it holds several ConfigMaps; keep only one",
    file: "configMap",
  });
}

async function releaseFrom(version: string | undefined) {
  if (version === undefined || version === "auto") return undefined;
  const { parseRelease } = await import("../toolset/render/holmes-release.ts");
  const release = parseRelease(version);
  if (release !== undefined) return release;
  throw new InputError({ code: "usage", message: `holmes: '${version}' should be a version such as 0.31.1, or auto` });
}
