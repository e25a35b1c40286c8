import type { KubeService } from "../../src/toolset/discover/service.ts";

/**
 * The Services that charts and operators make, as their templates write them: names, labels, selectors and ports that
 * discovery looks at.
 */
export interface Chart {
  readonly chart: string;
  readonly services: readonly KubeService[];
  /** Which of them are tools, where they are asked, and why these. */
  readonly tools: readonly string[];
  readonly why: string;
}

type Port = string | number;

interface Made {
  /** `app.kubernetes.io/name`, and with it the instance `rel`. */
  readonly app?: string;
  readonly component?: string;
  readonly labels?: Record<string, string>;
  readonly selector?: Record<string, string>;
  /** `name:port`, `name:port/UDP`, or a number. */
  readonly ports: readonly Port[];
  readonly headless?: boolean;
}

const recommended = (app: string | undefined, component: string | undefined): Record<string, string> => ({
  ...(app === undefined ? {} : { "app.kubernetes.io/name": app, "app.kubernetes.io/instance": "rel" }),
  ...(component === undefined ? {} : { "app.kubernetes.io/component": component }),
});

function made(name: string, { app, component, labels = {}, selector, ports, headless = false }: Made): KubeService {
  const own = recommended(app, component);
  return {
    metadata: { namespace: "ns", name, labels: { ...own, ...labels } },
    spec: {
      type: "ClusterIP",
      ...(headless ? { clusterIP: "None" } : {}),
      selector: selector ?? own,
      ports: ports.map(portOf),
    },
  };
}

function portOf(port: Port) {
  if (typeof port === "number") return { port, protocol: "TCP" };
  const [name = "", rest = ""] = port.split(":");
  const [number = "", protocol = "TCP"] = rest.split("/");
  return { name, port: Number(number), protocol };
}

const at = (service: string, port: number, rest = "") => `http://${service}.ns.svc.cluster.local:${port}${rest}`;
const stack = (part: string) => ({
  app: `kube-prometheus-stack-${part}`,
  "app.kubernetes.io/instance": "rel",
  release: "rel",
});
const operated = { "app.kubernetes.io/name": "prometheus", "operator.prometheus.io/name": "rel-prometheus" };
const [lokiPorts, lokiHttp] = [["http-metrics:3100", "grpc:9095"], ["http-metrics:3100"]];

export const charts: readonly Chart[] = [
  {
    chart: "kube-prometheus-stack",
    services: [
      made("rel-kube-prometheus-stack-prometheus", {
        labels: stack("prometheus"),
        selector: operated,
        ports: ["http-web:9090", "reloader-web:8080"],
      }),
      made("prometheus-operated", {
        labels: { "operated-prometheus": "true" },
        selector: { "app.kubernetes.io/name": "prometheus" },
        ports: ["http-web:9090"],
        headless: true,
      }),
      made("rel-kube-prometheus-stack-thanos-discovery", {
        labels: stack("thanos-discovery"),
        selector: operated,
        ports: ["grpc:10901", "http:10902"],
        headless: true,
      }),
      made("rel-kube-prometheus-stack-alertmanager", {
        labels: stack("alertmanager"),
        selector: { "app.kubernetes.io/name": "alertmanager", alertmanager: "rel" },
        ports: ["http-web:9093", "reloader-web:8080"],
      }),
      made("alertmanager-operated", {
        labels: { "operated-alertmanager": "true" },
        selector: { "app.kubernetes.io/name": "alertmanager" },
        ports: ["http-web:9093", "tcp-mesh:9094", "udp-mesh:9094/UDP"],
        headless: true,
      }),
      made("rel-kube-prometheus-stack-prometheus-0", {
        labels: stack("prometheus"),
        selector: {
          "app.kubernetes.io/name": "prometheus",
          "statefulset.kubernetes.io/pod-name": "prometheus-rel-kube-prometheus-stack-prometheus-0",
        },
        ports: ["http-web:9090"],
      }),
      made("kube-prometheus-stack-thanos-ruler", {
        labels: { ...stack("thanos-ruler"), "self-monitor": "true" },
        selector: { "app.kubernetes.io/name": "thanos-ruler", "thanos-ruler": "rel" },
        ports: ["web:10902"],
      }),
      made("thanos-ruler-operated", {
        labels: { "operated-thanos-ruler": "true" },
        selector: { "app.kubernetes.io/name": "thanos-ruler" },
        ports: ["web:10902", "grpc:10901"],
        headless: true,
      }),
      made("rel-kube-prometheus-stack-operator", { labels: stack("operator"), ports: ["https:443"] }),
      made("rel-kube-prometheus-stack-operator-webhook", {
        labels: stack("operator-webhook"),
        ports: ["http:8080", "https:443"],
      }),
      made("rel-kube-prometheus-stack-kube-etcd", {
        labels: stack("kube-etcd"),
        selector: { component: "etcd" },
        ports: ["http-metrics:2381"],
        headless: true,
      }),
      made("rel-kube-prometheus-stack-coredns", {
        labels: stack("coredns"),
        ports: ["http-metrics:9153"],
        headless: true,
      }),
      made("rel-grafana", { app: "grafana", ports: ["http-web:80"] }),
      made("rel-kube-state-metrics", { app: "kube-state-metrics", component: "metrics", ports: ["http:8080"] }),
      made("rel-prometheus-node-exporter", {
        app: "prometheus-node-exporter",
        component: "metrics",
        ports: ["http-metrics:9100"],
      }),
    ],
    tools: [
      `alertmanager_alerts ${at("rel-kube-prometheus-stack-alertmanager", 9093)}`,
      `grafana_dashboard ${at("rel-grafana", 80)}`,
      `prometheus_query ${at("rel-kube-prometheus-stack-prometheus", 9090)}`,
    ],
    why: "the operated Services are headless second doors to the same pods; the others are companions",
  },
  {
    chart: "prometheus",
    services: [
      made("rel-prometheus-server", { app: "prometheus", component: "server", ports: ["http:80"] }),
      made("rel-alertmanager", { app: "alertmanager", ports: ["http:9093"] }),
      made("rel-alertmanager-headless", { app: "alertmanager", ports: ["http:9093"], headless: true }),
      made("rel-prometheus-pushgateway", { app: "prometheus-pushgateway", ports: ["http:9091"] }),
      made("rel-prometheus-node-exporter", {
        app: "prometheus-node-exporter",
        component: "metrics",
        ports: ["metrics:9100"],
      }),
    ],
    tools: [
      `alertmanager_alerts ${at("rel-alertmanager", 9093)}`,
      `prometheus_query ${at("rel-prometheus-server", 80)}`,
    ],
    why: "the server answers queries; the headless twin of the Alertmanager leads to the same pods",
  },
  {
    chart: "grafana",
    services: [
      made("rel-grafana", { app: "grafana", ports: ["service:80"] }),
      made("rel-grafana-headless", { app: "grafana", ports: ["gossip-tcp:9094"], headless: true }),
      made("rel-grafana-image-renderer", { app: "grafana-image-renderer", ports: ["http:8081"] }),
      made("rel-grafana-mcp", { app: "grafana-mcp", ports: ["mcp-http:8000"] }),
    ],
    tools: [`grafana_dashboard ${at("rel-grafana", 80)}`],
    why: "the headless Service is for gossip between replicas; the renderer and the MCP server are companions",
  },
  {
    chart: "exporters of the Prometheus community",
    services: [
      made("rel-prometheus-elasticsearch-exporter", { app: "prometheus-elasticsearch-exporter", ports: ["http:9108"] }),
      made("rel-prometheus-kafka-exporter", { app: "prometheus-kafka-exporter", ports: ["exporter-port:9308"] }),
      made("rel-prometheus-mongodb-exporter", { app: "prometheus-mongodb-exporter", ports: ["metrics:9216"] }),
      made("rel-prometheus-rabbitmq-exporter", {
        app: "prometheus-rabbitmq-exporter",
        ports: ["rabbitmq-exporter:9419"],
      }),
      made("rel-prometheus-adapter", { app: "prometheus-adapter", component: "metrics", ports: ["https:443"] }),
      made("rel-prometheus-blackbox-exporter", { app: "prometheus-blackbox-exporter", ports: ["http:9115"] }),
      made("rel-alertmanager-snmp-notifier", { app: "alertmanager-snmp-notifier", ports: ["http:9464"] }),
    ],
    tools: [],
    why: "they only hand out metrics of what they are named after",
  },
  {
    chart: "loki, single binary",
    services: [
      made("loki", { app: "loki", selector: { ...recommended("loki", "single-binary") }, ports: lokiPorts }),
      made("loki-headless", { app: "loki", labels: { variant: "headless" }, ports: lokiHttp, headless: true }),
      made("loki-memberlist", { app: "loki", ports: ["tcp:7946"], headless: true }),
      made("loki-gateway", { app: "loki", component: "gateway", ports: ["http-metrics:80"] }),
      made("loki-canary", { app: "loki", component: "canary", ports: ["http-metrics:3500"] }),
      made("loki-chunks-cache", {
        app: "loki",
        component: "memcached-chunks-cache",
        ports: ["memcached-client:11211", "http-metrics:9150"],
        headless: true,
      }),
      made("loki-results-cache", {
        app: "loki",
        component: "memcached-results-cache",
        ports: ["memcached-client:11211", "http-metrics:9150"],
        headless: true,
      }),
    ],
    tools: [`loki_query ${at("loki-gateway", 80)}`],
    why: "the gateway is the one door; the rest is behind it",
  },
  {
    chart: "loki, simple scalable, without a gateway",
    services: [
      made("loki-read", { app: "loki", component: "read", ports: lokiPorts }),
      made("loki-read-headless", { app: "loki", component: "read", ports: lokiPorts, headless: true }),
      made("loki-write", { app: "loki", component: "write", ports: lokiPorts }),
      made("loki-write-headless", { app: "loki", component: "write", ports: lokiPorts, headless: true }),
      made("loki-backend", { app: "loki", component: "backend", ports: lokiPorts }),
      made("loki-backend-headless", { app: "loki", component: "backend", ports: lokiPorts, headless: true }),
      made("query-scheduler-discovery", { app: "loki", component: "backend", ports: lokiPorts, headless: true }),
      made("loki-memberlist", { app: "loki", ports: ["tcp:7946"], headless: true }),
    ],
    tools: [`loki_query ${at("loki-read", 3100)}`],
    why: "of the three parts only the read path answers queries",
  },
  {
    chart: "loki, distributed, without a gateway",
    services: [
      ...["distributor", "ingester", "querier", "compactor", "index-gateway", "ruler", "query-scheduler"].map(
        (component) => made(`loki-${component}`, { app: "loki", component, ports: lokiPorts }),
      ),
      made("loki-query-frontend", { app: "loki", component: "query-frontend", ports: [...lokiPorts, "grpclb:9096"] }),
      made("loki-query-frontend-headless", {
        app: "loki",
        component: "query-frontend",
        ports: lokiPorts,
        headless: true,
      }),
      made("loki-ingester-headless", { app: "loki", component: "ingester", ports: lokiPorts, headless: true }),
      made("loki-memberlist", { app: "loki", ports: ["tcp:7946"], headless: true }),
    ],
    tools: [`loki_query ${at("loki-query-frontend", 3100)}`],
    why: "queries enter at the query frontend",
  },
  {
    chart: "tempo",
    services: [
      made("tempo", {
        app: "tempo",
        ports: [
          "tempo-jaeger-thrift-compact:6831/UDP",
          "tempo-prom-metrics:3200",
          "tempo-jaeger-grpc:14250",
          "tempo-otlp-http:4318",
          "grpc-tempo-otlp:4317",
        ],
      }),
    ],
    tools: [`tempo_query ${at("tempo", 3200)}`],
    why: "one Service with the receivers' ports beside the API's",
  },
  {
    chart: "tempo-distributed",
    services: [
      ...["compactor", "ingester", "querier", "metrics-generator"].map((component) =>
        made(`rel-tempo-${component}`, { app: "tempo", component, ports: ["http-metrics:3200", "grpc:9095"] }),
      ),
      made("rel-tempo-distributor", {
        app: "tempo",
        component: "distributor",
        ports: ["http-metrics:3200", "grpc:9095", "otlp-http:4318"],
      }),
      made("rel-tempo-query-frontend", {
        app: "tempo",
        component: "query-frontend",
        ports: ["http-metrics:3200", "grpc:9095"],
      }),
      made("rel-tempo-query-frontend-discovery", {
        app: "tempo",
        component: "query-frontend-discovery",
        selector: recommended("tempo", "query-frontend"),
        ports: ["http-metrics:3200", "grpc:9095", "grpclb:9096"],
        headless: true,
      }),
      made("rel-tempo-gossip-ring", {
        app: "tempo",
        component: "gossip-ring",
        ports: ["gossip-ring:7946"],
        headless: true,
      }),
      made("rel-tempo-memcached", {
        app: "tempo",
        component: "memcached",
        ports: ["memcached-client:11211", "http-metrics:9150"],
      }),
    ],
    tools: [`tempo_query ${at("rel-tempo-query-frontend", 3200)}`],
    why: "queries enter at the query frontend",
  },
  {
    chart: "mimir-distributed",
    services: [
      made("rel-mimir-gateway", { app: "mimir", component: "gateway", ports: ["http-metrics:80"] }),
      ...[
        "distributor",
        "ingester",
        "querier",
        "query-frontend",
        "store-gateway",
        "ruler",
        "compactor",
        "alertmanager",
      ].map((component) =>
        made(`rel-mimir-${component}`, { app: "mimir", component, ports: ["http-metrics:8080", "grpc:9095"] }),
      ),
      made("rel-mimir-gossip-ring", {
        app: "mimir",
        component: "gossip-ring",
        ports: ["gossip-ring:7946"],
        headless: true,
      }),
      made("rel-mimir-kafka", { app: "mimir", component: "kafka", ports: ["kafka:9092"] }),
    ],
    tools: [
      "kafka_admin kafka://rel-mimir-kafka.ns.svc.cluster.local:9092",
      `mimir_query ${at("rel-mimir-gateway", 80, "/prometheus")}`,
    ],
    why: "the gateway serves Prometheus' API below /prometheus; the Kafka it brings along is one",
  },
  {
    chart: "thanos",
    services: [
      made("rel-thanos-query", { app: "thanos", component: "query", ports: ["http:9090"] }),
      made("rel-thanos-query-grpc", { app: "thanos", component: "query", ports: ["grpc:10901"] }),
      made("rel-thanos-query-frontend", { app: "thanos", component: "query-frontend", ports: ["http:9090"] }),
      made("rel-thanos-storegateway", { app: "thanos", component: "storegateway", ports: ["http:9090", "grpc:10901"] }),
      made("rel-thanos-query-headless", { app: "thanos", component: "query", ports: ["http:9090"], headless: true }),
      made("rel-thanos-compactor", { app: "thanos", component: "compactor", ports: ["http:9090"] }),
      made("rel-thanos-bucketweb", { app: "thanos", component: "bucketweb", ports: ["http:8080"] }),
      made("rel-thanos-ruler", { app: "thanos", component: "ruler", ports: ["http:9090", "grpc:10901"] }),
      made("rel-thanos-receive", {
        app: "thanos",
        component: "receive",
        ports: ["http:10902", "grpc:10901", "remote:19291"],
      }),
    ],
    tools: [`thanos_query ${at("rel-thanos-query-frontend", 9090)}`],
    why: "the query frontend stands before the querier",
  },
  {
    chart: "victoria-metrics-single",
    services: [
      made("rel-victoria-metrics-single-server", {
        app: "victoria-metrics-single",
        component: "server",
        ports: ["http:8428"],
        headless: true,
      }),
    ],
    tools: [`victoriametrics_query ${at("rel-victoria-metrics-single-server", 8428)}`],
    why: "a headless Service is used where nothing else leads to its pods",
  },
  {
    chart: "victoria-metrics-cluster",
    services: [
      made("rel-victoria-metrics-cluster-vminsert", {
        app: "victoria-metrics-cluster",
        component: "vminsert",
        ports: ["http:8480"],
      }),
      made("rel-victoria-metrics-cluster-vmselect", {
        app: "victoria-metrics-cluster",
        component: "vmselect",
        ports: ["http:8481"],
      }),
      made("rel-victoria-metrics-cluster-vmstorage", {
        app: "victoria-metrics-cluster",
        component: "vmstorage",
        ports: ["http:8482"],
        headless: true,
      }),
    ],
    tools: [`victoriametrics_query ${at("rel-victoria-metrics-cluster-vmselect", 8481, "/select/0/prometheus")}`],
    why: "vmselect answers queries, below the tenant's path",
  },
  {
    chart: "victoria-logs-single and -cluster",
    services: [
      made("a-victoria-logs-single-server", {
        app: "victoria-logs-single",
        component: "server",
        labels: { "app.kubernetes.io/instance": "a" },
        ports: ["http:9428"],
      }),
      made("b-victoria-logs-cluster-vlinsert", {
        app: "victoria-logs-cluster",
        component: "vlinsert",
        ports: ["http:9481"],
      }),
      made("b-victoria-logs-cluster-vlselect", {
        app: "victoria-logs-cluster",
        component: "vlselect",
        ports: ["http:9471"],
      }),
      made("b-victoria-logs-cluster-vlstorage", {
        app: "victoria-logs-cluster",
        component: "vlstorage",
        ports: ["http:9491"],
        headless: true,
      }),
    ],
    tools: [
      `victorialogs_query ${at("a-victoria-logs-single-server", 9428)}`,
      `victorialogs_query_ns_b-victoria-logs-cluster-vlselect ${at("b-victoria-logs-cluster-vlselect", 9471)}`,
    ],
    why: "two installations are two tools; of the cluster, vlselect answers queries",
  },
  {
    chart: "opensearch and opensearch-dashboards",
    services: [
      made("opensearch-cluster-master", {
        app: "opensearch",
        component: "opensearch-cluster-master",
        ports: ["http:9200", "transport:9300", "metrics:9600"],
      }),
      made("opensearch-cluster-master-headless", {
        app: "opensearch",
        component: "opensearch-cluster-master",
        ports: ["http:9200", "transport:9300", "metrics:9600"],
        headless: true,
      }),
      made("rel-opensearch-dashboards", { app: "opensearch-dashboards", ports: ["http:5601", "metrics:9601"] }),
    ],
    tools: [`elasticsearch_search ${at("opensearch-cluster-master", 9200)}`],
    why: "the dashboards hold no data; the headless twin leads to the same pods",
  },
  {
    chart: "ECK",
    services: [
      ...["http", "internal-http"].map((kind) =>
        made(`quickstart-es-${kind}`, { labels: eck(), selector: eck(), ports: ["https:9200"] }),
      ),
      made("quickstart-es-transport", {
        labels: eck(),
        selector: eck(),
        ports: ["tls-transport:9300"],
        headless: true,
      }),
      made("quickstart-es-default", {
        labels: { ...eck(), "elasticsearch.k8s.elastic.co/statefulset-name": "quickstart-es-default" },
        selector: { ...eck(), "elasticsearch.k8s.elastic.co/statefulset-name": "quickstart-es-default" },
        ports: ["https:9200"],
        headless: true,
      }),
      made("quickstart-es-remote-cluster", { labels: eck(), selector: eck(), ports: ["rcs:9443"], headless: true }),
      made("quickstart-kb-http", { labels: { "common.k8s.elastic.co/type": "kibana" }, ports: ["https:5601"] }),
    ],
    tools: ["elasticsearch_search https://quickstart-es-http.ns.svc.cluster.local:9200"],
    why: "ECK speaks TLS; its Services lead to the same pods",
  },
  {
    chart: "elasticsearch (Helm chart of Elastic)",
    services: [
      made("elasticsearch-master", {
        labels: elastic(),
        selector: { app: "elasticsearch-master", chart: "elasticsearch", release: "rel" },
        ports: ["http:9200", "transport:9300"],
      }),
      made("elasticsearch-master-headless", {
        labels: elastic(),
        selector: { app: "elasticsearch-master" },
        ports: ["http:9200", "transport:9300"],
        headless: true,
      }),
    ],
    tools: [`elasticsearch_search ${at("elasticsearch-master", 9200)}`],
    why: "the headless twin leads to the same pods",
  },
  {
    chart: "elasticsearch (Bitnami)",
    services: [
      made("rel-elasticsearch", {
        app: "elasticsearch",
        component: "master",
        ports: ["tcp-rest-api:9200", "tcp-transport:9300"],
      }),
      ...["coordinating", "data", "ingest", "master"].map((part) =>
        made(`rel-elasticsearch-${part}-hl`, {
          app: "elasticsearch",
          component: part === "coordinating" ? "coordinating-only" : part,
          ports: ["tcp-rest-api:9200", "tcp-transport:9300"],
          headless: true,
        }),
      ),
      made("rel-elasticsearch-metrics", { app: "elasticsearch", component: "metrics", ports: ["http-metrics:9114"] }),
    ],
    tools: [`elasticsearch_search ${at("rel-elasticsearch", 9200)}`],
    why: "the nodes' own Services are doors to parts of the same cluster",
  },
  {
    chart: "jaeger, all in one and in parts",
    services: [
      made("rel-jaeger", {
        app: "jaeger",
        component: "all-in-one",
        ports: [
          "zk-compact-trft:5775/UDP",
          "config-rest:5778",
          "http-zipkin:9411",
          "otlp-http:4318",
          "http-query:16686",
          "grpc-query:16685",
        ],
      }),
      made("prod-jaeger-query", {
        app: "jaeger",
        component: "query",
        labels: { "app.kubernetes.io/instance": "prod" },
        ports: ["query:80", "grpc-query:16685"],
      }),
      made("prod-jaeger-collector", {
        app: "jaeger",
        component: "collector",
        labels: { "app.kubernetes.io/instance": "prod" },
        ports: ["grpc:14250", "http:14268"],
      }),
      made("prod-jaeger-agent", {
        app: "jaeger",
        component: "agent",
        labels: { "app.kubernetes.io/instance": "prod" },
        ports: ["sampling:5778", "compact:6831/UDP"],
      }),
    ],
    tools: [`jaeger_query ${at("prod-jaeger-query", 80)}`, `jaeger_query_ns_rel-jaeger ${at("rel-jaeger", 16686)}`],
    why: "the query service answers; collectors and agents only take in",
  },
  {
    chart: "strimzi",
    services: [
      made("my-kafka-bootstrap", {
        labels: strimzi("my", "kafka"),
        selector: { ...brokers("my"), "strimzi.io/broker-role": "true" },
        ports: ["tcp-replication:9091", "tcp-plain:9092", "tcp-tls:9093"],
      }),
      made("my-kafka-brokers", {
        labels: strimzi("my", "kafka"),
        selector: brokers("my"),
        ports: ["tcp-ctrlplane:9090", "tcp-replication:9091", "tcp-kafkaagent:8443", "tcp-plain:9092", "tcp-tls:9093"],
        headless: true,
      }),
      made("my-kafka-external-bootstrap", {
        labels: strimzi("my", "kafka"),
        selector: { ...brokers("my"), "strimzi.io/broker-role": "true" },
        ports: ["tcp-external:9094"],
      }),
      made("my-pool-0", {
        labels: strimzi("my", "kafka"),
        selector: { ...brokers("my"), "statefulset.kubernetes.io/pod-name": "my-pool-0" },
        ports: ["tcp-external:9094"],
      }),
      made("my-connect-connect-api", { labels: strimzi("my-connect", "kafka-connect"), ports: ["rest-api:8083"] }),
      made("my-bridge-bridge-service", { labels: strimzi("my-bridge", "kafka-bridge"), ports: ["rest-api:8080"] }),
      made("my-cruise-control", { labels: strimzi("my", "cruise-control"), ports: ["tcp-cruisecontrol:9090"] }),
      made("safe-kafka-bootstrap", {
        labels: strimzi("safe", "kafka"),
        selector: { ...brokers("safe"), "strimzi.io/broker-role": "true" },
        ports: ["tcp-replication:9091", "tcp-tls:9093"],
      }),
      made("two-kafka-bootstrap", {
        labels: strimzi("two", "kafka"),
        selector: { ...brokers("two"), "strimzi.io/broker-role": "true" },
        ports: ["tcp-replication:9091", "tcp-tls:9093", "tcp-inside:9092"],
      }),
    ],
    tools: [
      "kafka_admin kafka://my-kafka-bootstrap.ns.svc.cluster.local:9092",
      "kafka_admin_ns_safe-kafka-bootstrap kafka://safe-kafka-bootstrap.ns.svc.cluster.local:9093",
      "kafka_admin_ns_two-kafka-bootstrap kafka://two-kafka-bootstrap.ns.svc.cluster.local:9092",
    ],
    why: "clients begin at the bootstrap Service; where it has no plain listener, at the one with TLS",
  },
  {
    chart: "kafka (Bitnami)",
    services: [
      made("rel-kafka", {
        app: "kafka",
        component: "kafka",
        selector: { ...recommended("kafka", undefined), "app.kubernetes.io/part-of": "kafka" },
        ports: ["tcp-client:9092"],
      }),
      made("rel-kafka-controller-headless", {
        app: "kafka",
        component: "controller-eligible",
        selector: { ...recommended("kafka", "controller-eligible"), "app.kubernetes.io/part-of": "kafka" },
        ports: ["tcp-interbroker:9094", "tcp-client:9092", "tcp-controller:9093"],
        headless: true,
      }),
      made("rel-kafka-jmx-metrics", { app: "kafka", component: "metrics", ports: ["http-metrics:5556"] }),
    ],
    tools: ["kafka_admin kafka://rel-kafka.ns.svc.cluster.local:9092"],
    why: "the headless Service leads to the same pods",
  },
  {
    chart: "rabbitmq cluster operator",
    services: [
      made("hello", {
        labels: rabbit(),
        selector: { "app.kubernetes.io/name": "hello" },
        ports: ["amqp:5672", "management:15672", "prometheus:15692"],
      }),
      made("hello-nodes", {
        labels: rabbit(),
        selector: { "app.kubernetes.io/name": "hello" },
        ports: ["epmd:4369", "cluster-rpc:25672"],
        headless: true,
      }),
    ],
    tools: [`rabbitmq_queues ${at("hello", 15672)}`],
    why: "the management port is the API; the nodes' Service has none",
  },
  {
    chart: "argo-cd",
    services: [
      made("rel-argocd-server", { app: "argocd-server", component: "server", ports: ["http:80", "https:443"] }),
      made("rel-argocd-repo-server", {
        app: "argocd-repo-server",
        component: "repo-server",
        ports: ["tcp-repo-server:8081"],
      }),
      made("rel-argocd-redis", { app: "argocd-redis", component: "redis", ports: ["tcp-redis:6379"] }),
      made("rel-argocd-applicationset-controller", {
        app: "argocd-applicationset-controller",
        ports: ["http-webhook:7000"],
      }),
    ],
    tools: ["argocd_applications https://rel-argocd-server.ns.svc.cluster.local:443"],
    why: "the server has the API; its http port only sends on to https",
  },
  {
    chart: "mongodb (Bitnami), standalone; kiali",
    services: [
      made("rel-mongodb", { app: "mongodb", component: "mongodb", ports: ["mongodb:27017"] }),
      made("rel-mongodb-metrics", { app: "mongodb", component: "metrics", ports: ["http-metrics:9216"] }),
      made("kiali", { app: "kiali", ports: ["http:20001", "http-metrics:9090"] }),
    ],
    tools: [
      `kiali_graph ${at("kiali", 20001, "/kiali")}`,
      "mongodb_query mongodb://rel-mongodb.ns.svc.cluster.local:27017",
    ],
    why: "Kiali's metrics port 9090 is not Prometheus",
  },
  {
    chart: "mongodb (Bitnami), replica set; MongoDB's own operator",
    services: [
      made("rel-mongodb-headless", { app: "mongodb", component: "mongodb", ports: ["mongodb:27017"], headless: true }),
      ...[0, 1].map((i) =>
        made(`rel-mongodb-${i}`, {
          app: "mongodb",
          component: "mongodb",
          selector: {
            ...recommended("mongodb", "mongodb"),
            "statefulset.kubernetes.io/pod-name": `rel-mongodb-${i}`,
          },
          ports: ["mongodb:27017"],
        }),
      ),
      made("rel-mongodb-arbiter-headless", {
        app: "mongodb",
        component: "arbiter",
        ports: ["tcp-mongodb:27017"],
        headless: true,
      }),
      made("rel-mongodb-hidden-headless", {
        app: "mongodb",
        component: "hidden",
        ports: ["mongodb:27017"],
        headless: true,
      }),
      made("example-mongodb-svc", {
        labels: { app: "example-mongodb-svc" },
        selector: { app: "example-mongodb-svc" },
        ports: ["mongodb:27017", "prometheus:9216"],
        headless: true,
      }),
    ],
    tools: [
      "mongodb_query mongodb://example-mongodb-svc.ns.svc.cluster.local:27017",
      "mongodb_query_ns_rel-mongodb-headless mongodb://rel-mongodb-headless.ns.svc.cluster.local:27017",
    ],
    why: "a replica set is reached by the Service that names all its members; arbiters and hidden members hold nothing to ask for",
  },
  {
    chart: "robusta",
    services: [
      made("robusta-runner", {
        labels: { app: "robusta-runner", target: "robusta-runner" },
        selector: { app: "robusta-runner" },
        ports: ["http:80"],
      }),
      made("robusta-forwarder", {
        labels: { app: "robusta-forwarder" },
        selector: { app: "robusta-forwarder" },
        ports: ["forwarder-metrics:80"],
      }),
      made("robusta-holmes", { labels: { app: "holmes" }, selector: { app: "holmes" }, ports: ["http:80"] }),
    ],
    tools: [],
    why: "HolmesGPT reaches Robusta's platform by itself, and is no tool of its own",
  },
];

function eck(): Record<string, string> {
  return { "common.k8s.elastic.co/type": "elasticsearch", "elasticsearch.k8s.elastic.co/cluster-name": "quickstart" };
}

function elastic(): Record<string, string> {
  return { heritage: "Helm", release: "rel", chart: "elasticsearch", app: "elasticsearch-master" };
}

function strimzi(cluster: string, type: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": type,
    "app.kubernetes.io/instance": cluster,
    "app.kubernetes.io/part-of": `strimzi-${cluster}`,
    "strimzi.io/cluster": cluster,
    "strimzi.io/component-type": type,
  };
}

function brokers(cluster: string): Record<string, string> {
  return { "strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": `${cluster}-kafka` };
}

function rabbit(): Record<string, string> {
  return {
    "app.kubernetes.io/name": "hello",
    "app.kubernetes.io/component": "rabbitmq",
    "app.kubernetes.io/part-of": "rabbitmq",
  };
}
