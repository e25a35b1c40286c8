/** How one type of service is recognised, reached, and told to HolmesGPT. A new type is one row. */
export interface Detector {
  readonly type: string;
  /** What the label `app` or `app.kubernetes.io/name` says, or one dash-separated word of the Service's name. */
  readonly names: readonly string[];
  /** Components that carry the same label and are something else (`component`, `app.kubernetes.io/component`). */
  readonly otherComponents: readonly string[];
  /** The port to use: the first of these names, else this number, else the Service's first. */
  readonly portNames: readonly string[];
  readonly port: number;
  readonly healthPath: string;
  readonly toolName: string;
  readonly description: string;
  readonly holmes: HolmesTarget;
}

/**
 * `builtin`: HolmesGPT has toolsets for it, which take the address in a field of their config.
 * `http`: it has none; the tool becomes a toolset of its own, of HolmesGPT's type `http`.
 */
export type HolmesTarget =
  | {
      readonly kind: "builtin";
      readonly toolsets: readonly string[];
      readonly addressField: string;
      /** `clusters`: the toolset takes a list of them, each named by `idField`. */
      readonly shape?: "flat" | "clusters";
      readonly idField?: string;
    }
  | { readonly kind: "http" };

/** The first row that matches counts. */
export const builtinDetectors: readonly Detector[] = [
  {
    type: "prometheus",
    names: ["prometheus"],
    otherComponents: ["alertmanager", "kube-state-metrics", "node-exporter", "operator", "pushgateway"],
    portNames: ["web"],
    port: 9090,
    healthPath: "/-/healthy",
    toolName: "prometheus_query",
    description: "Query Prometheus metrics",
    holmes: { kind: "builtin", toolsets: ["prometheus/metrics"], addressField: "prometheus_url" },
  },
  {
    type: "grafana",
    names: ["grafana"],
    otherComponents: [],
    portNames: ["service", "http"],
    port: 3000,
    healthPath: "/api/health",
    toolName: "grafana_dashboard",
    description: "Access Grafana dashboards",
    holmes: { kind: "builtin", toolsets: ["grafana/dashboards"], addressField: "api_url" },
  },
  {
    type: "jaeger",
    names: ["jaeger"],
    otherComponents: ["agent", "collector", "operator"],
    portNames: ["query", "ui"],
    port: 16686,
    healthPath: "/",
    toolName: "jaeger_query",
    description: "Query Jaeger traces",
    holmes: { kind: "http" },
  },
  {
    type: "elasticsearch",
    names: ["elasticsearch", "opensearch"],
    otherComponents: ["dashboards", "exporter", "operator"],
    portNames: ["http", "api"],
    port: 9200,
    healthPath: "/_cluster/health",
    toolName: "elasticsearch_search",
    description: "Search Elasticsearch indices",
    holmes: { kind: "builtin", toolsets: ["elasticsearch/data", "elasticsearch/cluster"], addressField: "api_url" },
  },
  {
    type: "loki",
    names: ["loki"],
    otherComponents: ["canary", "memcached", "promtail"],
    portNames: ["http-metrics", "http"],
    port: 3100,
    healthPath: "/ready",
    toolName: "loki_query",
    description: "Query Loki logs",
    holmes: { kind: "builtin", toolsets: ["grafana/loki"], addressField: "api_url" },
  },
  {
    type: "tempo",
    names: ["tempo"],
    otherComponents: ["memcached"],
    portNames: ["http-metrics", "http"],
    port: 3200,
    healthPath: "/ready",
    toolName: "tempo_query",
    description: "Query Tempo traces",
    holmes: { kind: "builtin", toolsets: ["grafana/tempo"], addressField: "api_url" },
  },
];
