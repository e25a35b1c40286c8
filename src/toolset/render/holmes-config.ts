import type { Diagnostic } from "../../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { type HolmesRelease, isEarlierRelease, releaseText } from "./holmes-release.ts";

/**
 * What HolmesGPT's own toolsets take under `config`, by name and type. `seconds` also takes `30s` and `2m`.
 * A key that is not here reaches nobody: HolmesGPT would ignore it, or refuse the whole toolset.
 * Names and releases were read from HolmesGPT's own config classes, 0.16 to mid-2026. Where a name changed, the older
 * one is written: newer releases still take it.
 */
export type ConfigKeys = Readonly<Record<string, ConfigKey>>;

interface ConfigKey {
  readonly type: "text" | "map" | "list" | "whole number" | "seconds" | "truth value";
  /** What HolmesGPT calls it, where people call it otherwise. */
  readonly as?: string;
  /** The first release (`0.N`) that knows it; undefined: all do. */
  readonly since?: number;
  /** What releases before 0.20 call it. */
  readonly before20?: string;
  /** Of a truth value: what it is where nobody sets it. */
  readonly normal?: boolean;
}

const [text, map, list, count] = [
  { type: "text" },
  { type: "map" },
  { type: "list" },
  { type: "whole number" },
] as const satisfies ConfigKey[];

const flag = (normal: boolean): ConfigKey => ({ type: "truth value", normal });
const seconds = (as?: string): ConfigKey => (as === undefined ? { type: "seconds" } : { type: "seconds", as });
const from = (since: number, key: ConfigKey): ConfigKey => ({ ...key, since });

const login = { api_key: text, username: text, password: text } as const;
/** Every release knows `headers`; newer ones call them `additional_headers` besides. */
const headers = { headers: map, additional_headers: { type: "map", as: "headers" } } as const satisfies ConfigKeys;

const grafanaKeys: ConfigKeys = {
  api_key: text,
  username: from(31, text),
  password: from(31, text),
  timeout: from(26, seconds("timeout_seconds")),
  timeout_seconds: from(26, seconds()),
  ...headers,
  grafana_datasource_uid: text,
  external_url: text,
  verify_ssl: from(19, flag(true)),
  max_retries: from(26, count),
};

const elasticsearchKeys: ConfigKeys = {
  ...login,
  timeout: { type: "seconds", as: "timeout_seconds", before20: "timeout" },
  timeout_seconds: { type: "seconds", before20: "timeout" },
  verify_ssl: flag(true),
  client_cert: from(22, text),
  client_key: from(22, text),
};

const kafkaKey = (name: string): ConfigKey => ({ type: "text", before20: `kafka_${name}` });

export const configKeys: Readonly<Record<string, ConfigKeys>> = {
  "prometheus/metrics": {
    timeout: seconds("default_query_timeout_seconds"),
    timeout_seconds: seconds("default_query_timeout_seconds"),
    verify_ssl: { ...flag(true), as: "prometheus_ssl_enabled" },
    ...headers,
    additional_labels: map,
    default_metadata_time_window_hrs: count,
    discover_metrics_from_last_hours: { type: "whole number", as: "default_metadata_time_window_hrs" },
    default_query_timeout_seconds: seconds(),
    query_timeout_seconds_default: seconds("default_query_timeout_seconds"),
    max_query_timeout_seconds: seconds(),
    query_timeout_seconds_hard_max: seconds("max_query_timeout_seconds"),
    default_metadata_timeout_seconds: seconds(),
    metadata_timeout_seconds_default: seconds("default_metadata_timeout_seconds"),
    max_metadata_timeout_seconds: seconds(),
    metadata_timeout_seconds_hard_max: seconds("max_metadata_timeout_seconds"),
    healthcheck: text,
    prometheus_ssl_enabled: flag(true),
    query_response_size_limit_pct: count,
    rules_cache_duration_seconds: seconds(),
    tool_calls_return_data: flag(true),
    aws_access_key: text,
    aws_secret_access_key: text,
    aws_region: text,
    aws_service_name: text,
    assume_role_arn: text,
    azure_client_id: from(18, text),
    azure_client_secret: from(18, text),
    azure_tenant_id: from(18, text),
    azure_use_managed_id: from(18, flag(false)),
  },
  "grafana/dashboards": { ...grafanaKeys, enable_rendering: from(23, flag(false)) },
  "grafana/loki": grafanaKeys,
  "grafana/tempo": { ...grafanaKeys, labels: map },
  "elasticsearch/data": elasticsearchKeys,
  "elasticsearch/cluster": elasticsearchKeys,
  "rabbitmq/core": {
    username: text,
    password: text,
    timeout: seconds("request_timeout_seconds"),
    timeout_seconds: seconds("request_timeout_seconds"),
    request_timeout_seconds: seconds(),
    verify_ssl: { ...flag(true), as: "verify_certs" },
    verify_certs: flag(true),
  },
  mongodb: {
    default_database: text,
    read_only: flag(true),
    verify_ssl: flag(true),
    max_rows: count,
    timeout: seconds("timeout_seconds"),
    timeout_seconds: seconds(),
  },
  "kafka/admin": {
    username: kafkaKey("username"),
    password: kafkaKey("password"),
    security_protocol: kafkaKey("security_protocol"),
    sasl_mechanism: kafkaKey("sasl_mechanism"),
    client_id: kafkaKey("client_id"),
    ssl_ca_cert_path: from(24, text),
    ssl_client_cert_path: from(24, text),
    ssl_client_key_path: from(24, text),
    ssl_ca_cert: from(24, text),
    ssl_client_cert: from(24, text),
    ssl_client_key: from(24, text),
  },
  victorialogs: {
    username: text,
    password: text,
    bearer_token: text,
    headers: map,
    timeout: seconds("timeout_seconds"),
    timeout_seconds: seconds(),
    verify_ssl: flag(true),
    external_url: text,
  },
};

/** The config of a toolset of type `http`, without its endpoints. */
export const httpKeys: ConfigKeys = {
  timeout: seconds("timeout_seconds"),
  timeout_seconds: seconds(),
  verify_ssl: flag(true),
  headers: { type: "map", as: "default_headers" },
  default_headers: map,
  extra_headers: map,
  client_cert_path: from(22, text),
  client_key_path: from(22, text),
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

/** Whose keys they are: what they belong to, as people call it, and the release; undefined: any from 0.20 on. */
export interface KeysOf {
  readonly keys: ConfigKeys;
  readonly what: string;
  readonly release: HolmesRelease | undefined;
}

/**
 * A tool's parameters as HolmesGPT's keys. What has no counterpart, or another type, is left out by name. Null says
 * nothing.
 */
export function translateParameters(tool: string, parameters: ValueMap, of: KeysOf): Translated {
  const config: [string, Value][] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) continue;
    const key = Object.hasOwn(of.keys, name) ? of.keys[name]! : undefined;
    const fault = faultOfParameter(key, value, of);
    if (key === undefined || fault !== undefined) diagnostics.push(leftOut(tool, name, fault!));
    else config.push([nameFor(of.release, name, key), valueAs(key.type, value)!]);
  }
  return { config: [...new Map(config)], diagnostics };
}

function nameFor(release: HolmesRelease | undefined, name: string, { as = name, before20 }: ConfigKey): string {
  return before20 !== undefined && isEarlierRelease(release, 20) ? before20 : as;
}

/** Why HolmesGPT can't be told of a parameter; undefined: it can. */
function faultOfParameter(key: ConfigKey | undefined, value: Value, { what, release }: KeysOf): string | undefined {
  if (key === undefined) return `has no counterpart in ${what}`;
  if (key.since !== undefined && release !== undefined && isEarlierRelease(release, key.since))
    return `has no counterpart in ${what} of HolmesGPT ${releaseText(release)} (0.${key.since} and later have one)`;
  if (valueAs(key.type, value) !== undefined) return undefined;
  return `must be ${key.type === "seconds" ? "a time such as 30s" : `a ${key.type}`}`;
}

function leftOut(tool: string, name: string, why: string): Diagnostic {
  const message = `tool '${tool}': the parameter '${name}' ${why}; it is not passed on to HolmesGPT`;
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
 * not set it itself: what could be a credential is set to nothing here, and a switch to what it normally is, so that no
 * instance runs with another tenant's login, or without checking certificates because another does.
 */
export function instanceBeside(flat: ValueMap, own: ValueMap, keys: ConfigKeys): ValueMap {
  const missing = Object.keys(flat).filter((name) => !Object.hasOwn(own, name));
  return mapOf([...Object.entries(own), ...missing.flatMap((name) => unset(name, flat[name]!, keys))]);
}

function unset(name: string, value: Value, keys: ConfigKeys): [string, Value][] {
  if (isMap(value)) return [[name, mapOf([])]];
  if (isList(value)) return [[name, []]];
  if (typeof value === "string") return [[name, null]];
  const normal = Object.hasOwn(keys, name) ? keys[name]!.normal : undefined;
  return typeof value === "boolean" && normal !== undefined ? [[name, normal]] : [];
}

/** Names of toolsets that some HolmesGPT has built in. Another toolset of such a name would replace it. */
export const builtinToolsets: ReadonlySet<string> = new Set([
  ...Object.keys(configKeys),
  ..."MongoDBAtlas aks/core aks/node-health argocd/core aws/rds aws/security azure/sql bash cilium/core".split(" "),
  ..."confluence connectivity_check coralogix coralogix/logs core_investigation crossplane/core".split(" "),
  ..."database database/sql datadog/general datadog/logs datadog/metrics datadog/rds datadog/traces".split(" "),
  ..."docker/core freshservice git helm/core http hubble/observability internet kubectl-run".split(" "),
  ..."kubernetes/core kubernetes/kube-lineage-extras kubernetes/kube-prometheus-stack".split(" "),
  ..."kubernetes/live-metrics kubernetes/logs kubevela/core mongodb-atlas newrelic notion".split(" "),
  ..."opensearch/logs opensearch/query_assist opensearch/status opensearch/traces openshift/core".split(" "),
  ..."openshift/live-metrics openshift/logs openshift/security robusta runbook servicenow/tables".split(" "),
  ..."skills slab".split(" "),
]);
