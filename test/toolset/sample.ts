import { parse } from "yaml";
import { builtinDetectors } from "../../src/toolset/discover/detectors.ts";
import { type DiscoveryRules, discoverTools } from "../../src/toolset/discover/discover.ts";
import { type KubeService, serviceFacts } from "../../src/toolset/discover/service.ts";
import { evaluateToolset, type ToolsetEvaluation, type ToolsetInput } from "../../src/toolset/evaluate.ts";
import type { ConfigMap } from "../../src/toolset/render/configmap.ts";

export const morning = new Date("2026-11-15T08:00:00Z");
export const noon = new Date("2026-11-15T12:00:00Z");

export function service(namespace: string, name: string, more: Partial<Sample> = {}): KubeService {
  const { labels = {}, annotations = {}, ports = [{ name: "web", port: 9090 }] } = more;
  return { metadata: { namespace, name, labels, annotations }, spec: { ports } };
}

interface Sample {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly ports: { name?: string; port: number; appProtocol?: string }[];
}

export const prometheus = service("monitoring", "prometheus-server", { labels: { app: "prometheus" } });
export const grafana = service("monitoring", "grafana", {
  labels: { app: "grafana" },
  ports: [{ name: "service", port: 80 }],
});
export const jaeger = service("tracing", "jaeger-query", {
  labels: { "app.kubernetes.io/name": "jaeger" },
  ports: [{ name: "query", port: 16686 }],
});

export const rules: DiscoveryRules = { detectors: builtinDetectors, allowed: [], clusterDomain: "cluster.local" };

export function discovered(
  services: readonly KubeService[],
  more: Partial<DiscoveryRules> = {},
): ReturnType<typeof discoverTools> {
  const facts = services.map(serviceFacts).filter((each) => each !== undefined);
  return discoverTools(facts, { ...rules, ...more });
}

export function evaluate(
  services: readonly KubeService[],
  current?: ConfigMap,
  more: Partial<ToolsetInput> = {},
): ToolsetEvaluation {
  return evaluateToolset({
    discovered: discovered(services),
    detectors: builtinDetectors,
    release: undefined,
    current,
    separateOverrides: undefined,
    lastWritten: undefined,
    namespace: "kubernaut-system",
    name: "kubernaut-toolset-config",
    starter: false,
    now: morning,
    ...more,
  });
}

export function configMap(data: Record<string, string>, annotations: Record<string, string> = {}): ConfigMap {
  const metadata = { name: "kubernaut-toolset-config", namespace: "kubernaut-system", annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

/** A ConfigMap as a person leaves it after writing these overrides. */
export function withOverrides(overrides: string, before: ConfigMap = configMap({})): ConfigMap {
  return { ...before, data: { ...before.data, "overrides.yaml": overrides } };
}

export interface Toolset {
  readonly enabled: boolean;
  readonly type?: string;
  readonly description?: string;
  readonly config: Record<string, unknown>;
  readonly llm_instructions?: string;
}

/** What HolmesGPT would see. */
export function holmes(evaluation: ToolsetEvaluation): Record<string, Toolset> {
  return (parse(evaluation.data["custom_toolset.yaml"]!) as { toolsets: Record<string, Toolset> }).toolsets;
}

/** What `toolset.yaml` lists. */
export function tools(evaluation: ToolsetEvaluation): Record<string, unknown>[] {
  return (parse(evaluation.data["toolset.yaml"]!) as { tools: Record<string, unknown>[] }).tools;
}

/** The tools in effect, by name. */
export function effective(evaluation: ToolsetEvaluation): Record<string, unknown> {
  return Object.fromEntries(evaluation.entries.effective.map((tool) => [tool.name, { ...tool.fields }]));
}

export function codes(evaluation: ToolsetEvaluation): string[] {
  return evaluation.diagnostics.map((diagnostic) => diagnostic.code);
}
