/** How one type of service is recognised, reached, and told to HolmesGPT. A new type is one row. */
export interface Detector {
  readonly type: string;
  /** What a label says the Service is, or one dash-separated word of its name. */
  readonly names: readonly string[];
  /** Components that carry the same label and are something else. */
  readonly otherComponents: readonly string[];
  /**
   * Of a system in several parts: the components that answer queries, the one to ask first in front. Any other
   * component is not the tool. Undefined: the system has one part.
   */
  readonly roles?: readonly Role[] | undefined;
  /** The port to use: the first of these names, else this number, else the Service's first that speaks HTTP. */
  readonly portNames: readonly string[];
  readonly port: number;
  /** What the addresses begin with, where it is not HTTP. */
  readonly scheme?: string | undefined;
  /** Where below the Service's address its API stands. */
  readonly path?: string | undefined;
  /** Below the Service's own address; empty: it is well when it can be connected to. */
  readonly healthPath: string;
  readonly toolName: string;
  readonly description: string;
  readonly holmes: HolmesTarget;
}

export interface Role {
  /** The component's label; empty: a Service without one. */
  readonly component: string;
  readonly healthPath?: string;
}

/**
 * `builtin`: HolmesGPT has toolsets for it, which take the address in a field of their config.
 * `typed`: HolmesGPT has a type for it; each tool is a toolset of its own.
 * `http`: it has neither; the tool becomes a toolset of its own, of HolmesGPT's type `http`.
 */
export type HolmesTarget =
  | {
      readonly kind: "builtin";
      readonly toolsets: readonly string[];
      readonly addressField: string;
      /** `clusters`: the toolset takes a list of them, each named by `idField`. */
      readonly shape?: "flat" | "clusters";
      readonly idField?: string;
      /** The first release (`0.N`) that has it; undefined: all do. */
      readonly since?: number;
      /** Where the release is older or not known, the type `http` stands in. */
      readonly elseHttp?: boolean;
      /** What releases before 0.20 call the address, and the list of clusters. */
      readonly before20?: { readonly addressField: string; readonly clusters?: string };
    }
  | { readonly kind: "typed"; readonly type: string; readonly addressField: string; readonly since?: number }
  | { readonly kind: "http" };

const prometheusApi: HolmesTarget = {
  kind: "builtin",
  toolsets: ["prometheus/metrics"],
  addressField: "prometheus_url",
};
const grafanaApi = (toolset: string): HolmesTarget => ({
  kind: "builtin",
  toolsets: [toolset],
  addressField: "api_url",
  before20: { addressField: "url" },
});

/** Gateways of Grafana's charts are web servers in front: they know no `/ready`. */
const gateway: Role = { component: "gateway", healthPath: "/" };
const role = (component: string): Role => ({ component });

/** The first row that matches counts. */
export const builtinDetectors: readonly Detector[] = [
  {
    type: "prometheus",
    names: ["prometheus"],
    otherComponents: [
      "alertmanager",
      "kube-state-metrics",
      "node-exporter",
      "operator",
      "pushgateway",
      "thanos-ruler",
      "thanos-sidecar",
    ],
    portNames: ["web"],
    port: 9090,
    healthPath: "/-/healthy",
    toolName: "prometheus_query",
    description: "Query Prometheus metrics",
    holmes: prometheusApi,
  },
  {
    type: "grafana",
    names: ["grafana"],
    otherComponents: ["image-renderer", "operator"],
    portNames: ["service", "http"],
    port: 3000,
    healthPath: "/api/health",
    toolName: "grafana_dashboard",
    description: "Access Grafana dashboards",
    holmes: grafanaApi("grafana/dashboards"),
  },
  {
    type: "jaeger",
    names: ["jaeger"],
    otherComponents: [],
    roles: [role("query"), role("service-query"), role("all-in-one"), role("")],
    portNames: ["query", "ui", "http-query"],
    port: 16686,
    healthPath: "/",
    toolName: "jaeger_query",
    description: "Query Jaeger traces",
    holmes: { kind: "http" },
  },
  {
    type: "elasticsearch",
    names: ["elasticsearch", "opensearch"],
    otherComponents: ["curator", "dashboards", "exporter", "metrics", "operator"],
    roles: [role("coordinating-only"), role("ingest"), role("")],
    portNames: ["http", "api", "https"],
    port: 9200,
    healthPath: "/_cluster/health",
    toolName: "elasticsearch_search",
    description: "Search Elasticsearch indices",
    holmes: {
      kind: "builtin",
      toolsets: ["elasticsearch/data", "elasticsearch/cluster"],
      addressField: "api_url",
      since: 18,
      before20: { addressField: "url" },
    },
  },
  {
    type: "loki",
    names: ["loki"],
    otherComponents: [],
    roles: [gateway, role("query-frontend"), role("read"), role("single-binary"), role("loki"), role("")],
    portNames: ["http-metrics", "http"],
    port: 3100,
    healthPath: "/ready",
    toolName: "loki_query",
    description: "Query Loki logs",
    holmes: grafanaApi("grafana/loki"),
  },
  {
    type: "tempo",
    names: ["tempo"],
    otherComponents: [],
    roles: [gateway, role("query-frontend"), role("tempo"), role("")],
    portNames: ["http-metrics", "http", "tempo-prom-metrics"],
    port: 3200,
    healthPath: "/ready",
    toolName: "tempo_query",
    description: "Query Tempo traces",
    holmes: grafanaApi("grafana/tempo"),
  },
  {
    type: "mimir",
    names: ["mimir"],
    otherComponents: [],
    roles: [gateway, { component: "nginx", healthPath: "/" }, role("query-frontend"), role("mimir"), role("")],
    portNames: ["http-metrics", "http"],
    port: 8080,
    path: "/prometheus",
    healthPath: "/ready",
    toolName: "mimir_query",
    description: "Query Mimir metrics",
    holmes: prometheusApi,
  },
  {
    type: "thanos",
    names: ["thanos", "thanos-query", "thanos-query-frontend"],
    otherComponents: [],
    roles: [role("query-frontend"), role("query"), role("query-layer"), role("querier")],
    portNames: ["http"],
    port: 9090,
    healthPath: "/-/healthy",
    toolName: "thanos_query",
    description: "Query Thanos metrics",
    holmes: prometheusApi,
  },
  {
    type: "victoriametrics-cluster",
    names: ["vmselect", "victoria-metrics-cluster"],
    otherComponents: [],
    roles: [role("vmselect"), role("monitoring")],
    portNames: ["http"],
    port: 8481,
    path: "/select/0/prometheus",
    healthPath: "/health",
    toolName: "victoriametrics_query",
    description: "Query VictoriaMetrics metrics",
    holmes: prometheusApi,
  },
  {
    type: "victoriametrics",
    names: ["vmsingle", "victoria-metrics-single", "victoria-metrics"],
    otherComponents: [],
    roles: [role("server"), role("monitoring"), role("")],
    portNames: ["http"],
    port: 8428,
    healthPath: "/health",
    toolName: "victoriametrics_query",
    description: "Query VictoriaMetrics metrics",
    holmes: prometheusApi,
  },
  {
    type: "victorialogs",
    names: ["victoria-logs-single", "victoria-logs-cluster", "victoria-logs", "vlogs", "vlsingle", "vlselect"],
    otherComponents: [],
    roles: [role("vlselect"), role("server"), role("monitoring"), role("")],
    portNames: ["http"],
    port: 9428,
    healthPath: "/health",
    toolName: "victorialogs_query",
    description: "Query VictoriaLogs logs",
    holmes: { kind: "builtin", toolsets: ["victorialogs"], addressField: "api_url", since: 26, elseHttp: true },
  },
  {
    type: "alertmanager",
    names: ["alertmanager"],
    otherComponents: [],
    portNames: ["web", "http-web", "http"],
    port: 9093,
    healthPath: "/-/healthy",
    toolName: "alertmanager_alerts",
    description: "Look at alerts and silences in Alertmanager",
    holmes: { kind: "http" },
  },
  {
    type: "argocd",
    names: ["argocd-server"],
    otherComponents: [],
    portNames: ["https", "http"],
    port: 443,
    healthPath: "/healthz",
    toolName: "argocd_applications",
    description: "Look at applications in Argo CD",
    holmes: { kind: "http" },
  },
  {
    type: "kiali",
    names: ["kiali"],
    otherComponents: ["operator"],
    portNames: ["http", "tcp"],
    port: 20001,
    path: "/kiali",
    healthPath: "/kiali/healthz",
    toolName: "kiali_graph",
    description: "Look at the service mesh in Kiali",
    holmes: { kind: "http" },
  },
  {
    type: "rabbitmq",
    names: ["rabbitmq"],
    otherComponents: ["rabbitmq-operator"],
    portNames: ["management", "http-stats", "stats", "management-tls"],
    port: 15672,
    healthPath: "/",
    toolName: "rabbitmq_queues",
    description: "Look at RabbitMQ queues and nodes",
    holmes: {
      kind: "builtin",
      toolsets: ["rabbitmq/core"],
      addressField: "management_url",
      shape: "clusters",
      idField: "id",
    },
  },
  {
    type: "kafka",
    names: ["kafka"],
    otherComponents: ["cruise-control", "entity-operator", "kafka-exporter", "metrics", "zookeeper", "kafka-bridge"],
    portNames: ["tcp-plain", "tcp-client", "tcp-clients", "plaintext"],
    port: 9092,
    scheme: "kafka",
    healthPath: "",
    toolName: "kafka_admin",
    description: "Look at Kafka topics and consumers",
    holmes: {
      kind: "builtin",
      toolsets: ["kafka/admin"],
      addressField: "broker",
      shape: "clusters",
      idField: "name",
      before20: { addressField: "kafka_broker", clusters: "kafka_clusters" },
    },
  },
  {
    type: "mongodb",
    names: ["mongodb"],
    otherComponents: ["arbiter", "hidden", "metrics", "operator"],
    portNames: ["mongodb"],
    port: 27017,
    scheme: "mongodb",
    healthPath: "",
    toolName: "mongodb_query",
    description: "Query MongoDB",
    holmes: { kind: "typed", type: "mongodb", addressField: "connection_url", since: 22 },
  },
];
