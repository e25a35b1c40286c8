import type { Diagnostic } from "../../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";

/**
 * What HolmesGPT's own toolsets take under `config`, by name and type. `seconds` also takes `30s` and `2m`.
 * A key that is not here reaches nobody: HolmesGPT would ignore it, or refuse the whole toolset.
 */
export type ConfigKeys = Readonly<Record<string, ConfigKey>>;

interface ConfigKey {
  readonly type: "text" | "map" | "list" | "whole number" | "seconds" | "truth value";
  /** What HolmesGPT calls it, where people call it otherwise. */
  readonly as?: string;
}

const [text, map, list, count, flag] = [
  { type: "text" },
  { type: "map" },
  { type: "list" },
  { type: "whole number" },
  { type: "truth value" },
] as const satisfies ConfigKey[];

const seconds = (as?: string): ConfigKey => (as === undefined ? { type: "seconds" } : { type: "seconds", as });

const login = { api_key: text, username: text, password: text } as const;

const grafanaKeys: ConfigKeys = {
  ...login,
  timeout: seconds("timeout_seconds"),
  timeout_seconds: seconds(),
  headers: map,
  additional_headers: map,
  grafana_datasource_uid: text,
  external_url: text,
  verify_ssl: flag,
  max_retries: count,
};

const elasticsearchKeys: ConfigKeys = {
  ...login,
  timeout: seconds("timeout_seconds"),
  timeout_seconds: seconds(),
  verify_ssl: flag,
  client_cert: text,
  client_key: text,
};

export const configKeys: Readonly<Record<string, ConfigKeys>> = {
  "prometheus/metrics": {
    // These spellings are known to every release; newer ones have others besides.
    timeout: seconds("default_query_timeout_seconds"),
    timeout_seconds: seconds("default_query_timeout_seconds"),
    verify_ssl: { type: "truth value", as: "prometheus_ssl_enabled" },
    headers: map,
    additional_headers: map,
    additional_labels: map,
    default_metadata_time_window_hrs: count,
    default_query_timeout_seconds: seconds(),
    max_query_timeout_seconds: seconds(),
    default_metadata_timeout_seconds: seconds(),
    max_metadata_timeout_seconds: seconds(),
    discover_metrics_from_last_hours: count,
    query_timeout_seconds_default: seconds(),
    query_timeout_seconds_hard_max: seconds(),
    healthcheck: text,
    prometheus_ssl_enabled: flag,
    query_response_size_limit_pct: count,
    rules_cache_duration_seconds: seconds(),
    tool_calls_return_data: flag,
    aws_access_key: text,
    aws_secret_access_key: text,
    aws_region: text,
    aws_service_name: text,
    assume_role_arn: text,
    azure_client_id: text,
    azure_client_secret: text,
    azure_tenant_id: text,
    azure_use_managed_id: flag,
  },
  "grafana/dashboards": grafanaKeys,
  "grafana/loki": grafanaKeys,
  "grafana/tempo": { ...grafanaKeys, labels: map },
  "elasticsearch/data": elasticsearchKeys,
  "elasticsearch/cluster": elasticsearchKeys,
  "rabbitmq/core": {
    username: text,
    password: text,
    timeout: seconds("request_timeout_seconds"),
    request_timeout_seconds: seconds(),
    verify_ssl: { type: "truth value", as: "verify_certs" },
    verify_certs: flag,
  },
  mongodb: { default_database: text, read_only: flag, verify_ssl: flag, max_rows: count },
  "kafka/admin": { username: text, password: text, security_protocol: text, sasl_mechanism: text, client_id: text },
};

/** The config of a toolset of type `http`, without its endpoints. */
export const httpKeys: ConfigKeys = {
  timeout: seconds("timeout_seconds"),
  timeout_seconds: seconds(),
  verify_ssl: flag,
  headers: { type: "map", as: "default_headers" },
  default_headers: map,
  extra_headers: map,
  client_cert_path: text,
  client_key_path: text,
};

/** The endpoint of a toolset of type `http`. */
export const httpEndpointKeys: ConfigKeys = {
  hosts: list,
  paths: list,
  methods: list,
  auth: map,
  health_check_url: text,
};

export interface Translated {
  readonly config: readonly (readonly [string, Value])[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A tool's parameters as HolmesGPT's keys. What has no counterpart, or another type, is left out by name. Null says
 * nothing.
 */
export function translateParameters(tool: string, parameters: ValueMap, keys: ConfigKeys, what: string): Translated {
  const config: [string, Value][] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) continue;
    const key = Object.hasOwn(keys, name) ? keys[name]! : undefined;
    const translated = key && valueAs(key.type, value);
    if (key && translated !== undefined) config.push([key.as ?? name, translated]);
    else diagnostics.push(leftOut(tool, name, what, key));
  }
  return { config: [...new Map(config)], diagnostics };
}

function leftOut(tool: string, name: string, what: string, key: ConfigKey | undefined): Diagnostic {
  const why = key
    ? `must be ${key.type === "seconds" ? "a time such as 30s" : `a ${key.type}`}`
    : `has no counterpart in ${what}`;
  const message = `tool '${tool}': the parameter '${name}' ${why}; HolmesGPT is not told of it`;
  return { code: "unmapped-field", severity: "warning", message };
}

/** Placeholders are texts until HolmesGPT fills them in; where a number is wanted it then has one. */
function valueAs(type: ConfigKey["type"], value: Value): Value | undefined {
  switch (type) {
    case "text":
      return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    case "map":
      return isMap(value) ? value : undefined;
    case "list":
      return isList(value) ? value : undefined;
    case "truth value":
      return typeof value === "boolean" ? value : undefined;
    case "whole number":
      return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
    case "seconds":
      return secondsOf(value);
  }
}

/** What HolmesGPT would refuse in the config of one of its own toolsets; undefined: nothing that we know of. */
export function faultOfConfig(toolset: string, config: Value): string | undefined {
  const keys = Object.hasOwn(configKeys, toolset) ? configKeys[toolset]! : undefined;
  if (keys === undefined || !isMap(config)) return undefined;
  for (const [name, value] of Object.entries(config)) {
    const type = Object.hasOwn(keys, name) ? keys[name]!.type : undefined;
    if (type === undefined || value === null || isPlaceholder(value) || isOfType(type, value)) continue;
    return `'${name}' in the config of toolset '${toolset}' must be ${type === "seconds" ? "a whole number of seconds" : `a ${type}`}`;
  }
  const { instances = [] } = config;
  if (isList(instances) && instances.every((instance) => isMap(instance))) return undefined;
  return `'instances' in the config of toolset '${toolset}' must be a list of maps`;
}

function isPlaceholder(value: Value): boolean {
  return typeof value === "string" && value.includes("{{");
}

/** As HolmesGPT reads it: there nothing is translated any more. */
function isOfType(type: ConfigKey["type"], value: Value): boolean {
  if (type === "seconds") return typeof value === "number" && Number.isSafeInteger(value);
  return type === "text" ? typeof value === "string" : valueAs(type, value) !== undefined;
}

function secondsOf(value: Value): number | undefined {
  if (typeof value === "number") return value > 0 ? Math.ceil(value) : undefined;
  const match = typeof value === "string" ? /^(\d{1,9})(ms|s|m|h)?$/.exec(value) : null;
  if (!match) return undefined;
  const unit = { ms: 0.001, s: 1, m: 60, h: 3600 }[match[2] ?? "s"]!;
  return Math.max(1, Math.ceil(Number(match[1]) * unit));
}

/**
 * An instance beside the flat keys that older releases read. Newer ones give every flat key to each instance that does
 * not set it itself: whatever could be a credential is set to nothing here, so that no other tenant's instance gets it.
 */
export function instanceBeside(flat: ValueMap, own: ValueMap): ValueMap {
  const missing = Object.keys(flat).filter((name) => !Object.hasOwn(own, name));
  return mapOf([...Object.entries(own), ...missing.flatMap((name) => emptyLike(name, flat[name]!))]);
}

function emptyLike(name: string, value: Value): [string, Value][] {
  if (isMap(value)) return [[name, mapOf([])]];
  if (isList(value)) return [[name, []]];
  return typeof value === "string" ? [[name, null]] : [];
}

/**
 * Names of toolsets that HolmesGPT has built in, and of the types it knows. Another toolset of such a name would
 * replace it.
 */
export const builtinToolsets: ReadonlySet<string> = new Set([
  ...Object.keys(configKeys),
  ...[
    "aks/core",
    "aks/node-health",
    "argocd/core",
    "aws/rds",
    "aws/security",
    "azure/sql",
    "bash",
    "cilium/core",
    "confluence",
  ],
  ...[
    "connectivity_check",
    "coralogix",
    "coralogix/logs",
    "core_investigation",
    "database",
    "datadog/general",
    "datadog/logs",
  ],
  ...["datadog/metrics", "datadog/rds", "datadog/traces", "docker/core", "freshservice", "git", "helm/core", "http"],
  ...["hubble/observability", "internet", "kubectl-run", "kubernetes/core", "kubernetes/kube-prometheus-stack"],
  ...[
    "kubernetes/live-metrics",
    "kubernetes/logs",
    "mongodb",
    "mongodb-atlas",
    "newrelic",
    "notion",
    "opensearch/logs",
  ],
  ...["opensearch/query_assist", "opensearch/status", "opensearch/traces", "openshift/core", "openshift/live-metrics"],
  ...[
    "openshift/logs",
    "openshift/security",
    "robusta",
    "runbook",
    "servicenow/tables",
    "skills",
    "slab",
    "victorialogs",
  ],
]);
