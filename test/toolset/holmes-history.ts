/**
 * What HolmesGPT's releases take, in our own words: read from the config classes of each release, and each combination
 * tried with its own loader and a server that answers every health check. A release takes what the ones before it take:
 * renamed keys are still understood.
 */
interface Change {
  readonly minor: number;
  /** Toolsets and types that are new, or whose keys are new. The first key is the address, which must be there. */
  readonly takes: Readonly<Record<string, string>>;
}

const prometheus =
  "prometheus_url headers additional_labels default_metadata_time_window_hrs default_query_timeout_seconds " +
  "max_query_timeout_seconds default_metadata_timeout_seconds max_metadata_timeout_seconds prometheus_ssl_enabled " +
  "query_response_size_limit_pct rules_cache_duration_seconds tool_calls_return_data healthcheck " +
  "aws_access_key aws_secret_access_key aws_region aws_service_name assume_role_arn";
const grafana = "url api_key headers grafana_datasource_uid external_url";
const newGrafana = "api_url additional_headers";
const elasticsearch = "url api_key username password verify_ssl timeout";
const newElasticsearch = "api_url timeout_seconds";
const kafka =
  "kafka_broker kafka_username kafka_password kafka_security_protocol kafka_sasl_mechanism kafka_client_id name";

const changes: readonly Change[] = [
  {
    minor: 16,
    takes: {
      "prometheus/metrics": prometheus,
      "grafana/dashboards": grafana,
      "grafana/loki": grafana,
      "grafana/tempo": `${grafana} labels`,
      "rabbitmq/core": "management_url id username password request_timeout_seconds verify_certs",
      "kafka/admin": kafka,
    },
  },
  {
    minor: 18,
    takes: {
      "elasticsearch/data": elasticsearch,
      "elasticsearch/cluster": elasticsearch,
      "prometheus/metrics": "azure_client_id azure_client_secret azure_tenant_id azure_use_managed_id",
    },
  },
  {
    minor: 19,
    takes: { "grafana/dashboards": "verify_ssl", "grafana/loki": "verify_ssl", "grafana/tempo": "verify_ssl" },
  },
  {
    minor: 20,
    takes: {
      "prometheus/metrics": "additional_headers",
      "grafana/dashboards": newGrafana,
      "grafana/loki": newGrafana,
      "grafana/tempo": newGrafana,
      "elasticsearch/data": newElasticsearch,
      "elasticsearch/cluster": newElasticsearch,
      "kafka/admin": "broker username password security_protocol sasl_mechanism client_id",
      "type http": "endpoints verify_ssl timeout_seconds default_headers extra_headers",
    },
  },
  {
    minor: 22,
    takes: {
      "type mongodb": "connection_url default_database read_only verify_ssl max_rows timeout_seconds",
      "elasticsearch/data": "client_cert client_key",
      "elasticsearch/cluster": "client_cert client_key",
      "type http": "client_cert_path client_key_path",
    },
  },
  { minor: 23, takes: { "grafana/dashboards": "enable_rendering" } },
  {
    minor: 24,
    takes: {
      "kafka/admin":
        "ssl_ca_cert_path ssl_client_cert_path ssl_client_key_path ssl_ca_cert ssl_client_cert ssl_client_key",
    },
  },
  {
    minor: 26,
    takes: {
      victorialogs: "api_url username password bearer_token headers timeout_seconds verify_ssl external_url",
      "grafana/dashboards": "timeout_seconds max_retries",
      "grafana/loki": "timeout_seconds max_retries",
      "grafana/tempo": "timeout_seconds max_retries",
    },
  },
  {
    minor: 31,
    takes: {
      "grafana/dashboards": "username password",
      "grafana/loki": "username password",
      "grafana/tempo": "username password",
    },
  },
];

/** The releases at which something changed. */
export const knownMinors = changes.map(({ minor }) => minor);

export interface TakenKeys {
  /** One of these must be there. */
  readonly addresses: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

/** What release `0.minor` takes, by toolset, or by `type …`. */
export function takenBy(minor: number): Map<string, TakenKeys> {
  const all = new Map<string, { addresses: Set<string>; keys: Set<string> }>();
  for (const change of changes) {
    if (change.minor > minor) break;
    for (const [toolset, names] of Object.entries(change.takes)) {
      const taken = all.get(toolset) ?? { addresses: new Set(), keys: new Set() };
      const words = names.split(" ");
      if (taken.keys.size === 0 || /(url|broker)$/.test(words[0]!)) taken.addresses.add(words[0]!);
      for (const word of words) taken.keys.add(word);
      all.set(toolset, taken);
    }
  }
  return all;
}
