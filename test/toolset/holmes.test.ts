import { describe, expect, it } from "vitest";
import { loadAsHolmes } from "./holmes-schema.ts";
import { codes, evaluate, grafana, jaeger, prometheus, service, withOverrides } from "./sample.ts";

function load(...args: Parameters<typeof evaluate>) {
  return loadAsHolmes(evaluate(...args).data["custom_toolset.yaml"]!);
}

const elasticsearch = service("logging", "es", {
  labels: { app: "elasticsearch" },
  ports: [{ name: "http", port: 9200 }],
});
const loki = service("logging", "loki", { labels: { app: "loki" }, ports: [{ port: 3100 }] });
const tempo = service("tracing", "tempo", { labels: { app: "tempo" }, ports: [{ port: 3200 }] });

describe("what HolmesGPT loads", () => {
  it("knows every type that is discovered", () => {
    expect(load([prometheus, grafana, jaeger, elasticsearch, loki, tempo])).toEqual({
      mcp_servers: {},
      toolsets: {
        "elasticsearch/cluster": { enabled: true, config: { api_url: "http://es.logging.svc.cluster.local:9200" } },
        "elasticsearch/data": { enabled: true, config: { api_url: "http://es.logging.svc.cluster.local:9200" } },
        "grafana/dashboards": { enabled: true, config: { api_url: "http://grafana.monitoring.svc.cluster.local:80" } },
        "grafana/loki": { enabled: true, config: { api_url: "http://loki.logging.svc.cluster.local:3100" } },
        "grafana/tempo": { enabled: true, config: { api_url: "http://tempo.tracing.svc.cluster.local:3200" } },
        "prometheus/metrics": {
          enabled: true,
          config: { prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090" },
        },
        jaeger_query: {
          description: "Query Jaeger traces",
          enabled: true,
          type: "http",
          config: {
            endpoints: [{ hosts: ["jaeger-query.tracing.svc.cluster.local"], paths: ["*"], methods: ["GET"] }],
          },
          llm_instructions: "Query Jaeger traces. Base address: http://jaeger-query.tracing.svc.cluster.local:16686",
        },
      },
    });
  });

  it("has several of one type as instances, each with its own parameters", () => {
    const second = service("prod", "prometheus", { labels: { app: "prometheus" } });
    const overrides = withOverrides(
      "tools:\n  - name: prometheus_query_prod_prometheus\n    parameters:\n      headers: {X-Scope-OrgID: prod}\n",
    );
    expect(load([prometheus, second], overrides).toolsets["prometheus/metrics"]?.config).toEqual({
      prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090",
      instances: [
        { name: "prometheus_query", prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090" },
        {
          name: "prometheus_query_prod_prometheus",
          prometheus_url: "http://prometheus.prod.svc.cluster.local:9090",
          headers: { "X-Scope-OrgID": "prod" },
        },
      ],
    });
  });

  it("is told of an override's endpoint and parameters", () => {
    const text = `tools:
  - name: my_api
    description: The orders
    endpoint: https://api.example.org:8443/v1/
    parameters:
      timeout: 2m
      methods: [GET, POST]
      auth: {type: bearer, token: "{{ env.TOKEN }}"}
      verify_ssl: false
    llm_instructions: Ask for orders only
    tags: [core]
`;
    expect(load([], withOverrides(text)).toolsets.my_api).toEqual({
      description: "The orders",
      enabled: true,
      type: "http",
      tags: ["core"],
      config: {
        endpoints: [
          {
            hosts: ["api.example.org"],
            paths: ["/v1", "/v1/*"],
            methods: ["GET", "POST"],
            auth: { type: "bearer", token: "{{ env.TOKEN }}" },
          },
        ],
        timeout_seconds: 120,
        verify_ssl: false,
      },
      llm_instructions: "Ask for orders only",
    });
  });

  it("takes a tool nobody discovered for what its type or its name says", () => {
    const text =
      "tools:\n  - {name: ours, type: prometheus, endpoint: http://p:1}\n  - {name: grafana_dashboard, endpoint: http://g:1}\n";
    expect(load([], withOverrides(text)).toolsets).toEqual({
      "prometheus/metrics": { enabled: true, config: { prometheus_url: "http://p:1" } },
      "grafana/dashboards": { enabled: true, config: { api_url: "http://g:1" } },
    });
  });

  it("takes a discovered tool for what an override says it is", () => {
    const api = service("m", "metrics", {
      annotations: { "kubernaut.io/toolset": "true", "kubernaut.io/toolset-type": "api" },
    });
    expect(Object.keys(load([api]).toolsets)).toEqual(["metrics"]);
    expect(Object.keys(load([api], withOverrides("tools:\n  - {name: metrics, type: prometheus}\n")).toolsets)).toEqual(
      ["prometheus/metrics"],
    );
  });

  it("is not told of fields it has no place for, and you are", () => {
    const text =
      "tools:\n  - {name: prometheus_query, headers: {A: b}, tags: [core]}\n  - {name: mine, endpoint: http://m:1, tags: [core], retries: 3}\n";
    const result = evaluate([prometheus], withOverrides(text));
    expect(result.diagnostics.map((each) => each.message)).toEqual([
      "tool 'mine': HolmesGPT does not get 'retries'; put what it should get under 'parameters'",
      "tool 'prometheus_query': HolmesGPT does not get 'headers', 'tags'; put what it should get under 'parameters'",
    ]);
  });

  it("gets HolmesGPT's own forms as they are, over what is discovered", () => {
    const text = `toolsets:
  prometheus/metrics:
    config:
      headers: {Authorization: "Bearer {{ env.T }}"}
  kubernetes/logs:
    enabled: false
mcp_servers:
  mine:
    description: An MCP server
    config: {url: http://mcp:8000/mcp, mode: streamable-http}
`;
    expect(load([prometheus], withOverrides(text))).toEqual({
      toolsets: {
        "kubernetes/logs": { enabled: false },
        "prometheus/metrics": {
          enabled: true,
          config: {
            prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090",
            headers: { Authorization: "Bearer {{ env.T }}" },
          },
        },
      },
      mcp_servers: {
        mine: { description: "An MCP server", config: { url: "http://mcp:8000/mcp", mode: "streamable-http" } },
      },
    });
  });

  it("starts also when nothing is there yet", () => {
    expect(Object.values(load([]).toolsets)).toMatchObject([{ enabled: false }]);
  });

  it("is spared names with a dot; other keys with one are an error", () => {
    const dotted = evaluate(
      [],
      withOverrides("tools:\n  - {name: my.api, endpoint: http://a:1}\n  - {name: my_api, endpoint: http://b:1}\n"),
    );
    expect(Object.keys(loadAsHolmes(dotted.data["custom_toolset.yaml"]!).toolsets)).toEqual(["my_api", "my_api_2"]);
    expect(codes(dotted)).toEqual([]);
    expect(codes(evaluate([], withOverrides("toolsets:\n  a.b: {enabled: true}\n")))).toEqual(["invalid-overrides"]);
  });

  it.each(["prometheus:9090", "ftp://x", "http://", "just text"])("is not given %s for an address", (endpoint) => {
    const result = evaluate([prometheus], withOverrides(`tools:\n  - {name: mine, endpoint: "${endpoint}"}\n`));
    expect(codes(result)).toEqual(["invalid-endpoint"]);
    expect(Object.keys(loadAsHolmes(result.data["custom_toolset.yaml"]!).toolsets)).toEqual(["prometheus/metrics"]);
  });
});
