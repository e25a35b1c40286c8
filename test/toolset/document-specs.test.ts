import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseOverrides } from "../../src/toolset/overrides.ts";
import {
  codes,
  configMap,
  effective,
  evaluate,
  grafana,
  holmes,
  jaeger,
  morning,
  noon,
  prometheus,
  service,
  tools,
  withOverrides,
} from "./sample.ts";

/**
 * The unit specs of the decision document (DD-TOOLSET-003), each under its own name. Number 15 needs an API:
 * `concurrent.test.ts`.
 */
describe("DD-TOOLSET-003, unit specs", () => {
  it("1. Should merge auto-generated and overrides", () => {
    const result = evaluate(
      [prometheus],
      withOverrides("tools:\n  - name: custom_prometheus\n    endpoint: http://prometheus.custom.svc:9090\n"),
    );
    expect(Object.keys(effective(result)).sort()).toEqual(["custom_prometheus", "prometheus_query"]);
    expect(tools(result).map((tool) => tool.name)).toEqual(["prometheus_query"]);
  });

  it("2. Should prioritize overrides over auto-generated", () => {
    const result = evaluate(
      [prometheus],
      withOverrides("tools:\n  - name: prometheus_query\n    endpoint: http://prometheus.prod.svc:9090\n"),
    );
    expect(holmes(result)["prometheus/metrics"]!.config).toEqual({ prometheus_url: "http://prometheus.prod.svc:9090" });
    expect(tools(result)[0]).toMatchObject({ endpoint: "http://prometheus-server.monitoring.svc.cluster.local:9090" });
  });

  it.each([undefined, "", "# nothing\n", "tools: []\n", "tools:\n"])(
    "3. Should handle empty overrides (%j)",
    (text) => {
      const result = evaluate([prometheus], text === undefined ? configMap({}) : withOverrides(text));
      expect(Object.keys(effective(result))).toEqual(["prometheus_query"]);
      expect(result.overrides.error).toBeUndefined();
      expect(result.annotations["kubernaut.io/override-services"]).toBe("0");
    },
  );

  it("4. Should handle empty auto-generated", () => {
    const result = evaluate([], withOverrides("tools:\n  - name: mine\n    endpoint: http://mine:1\n"));
    expect(tools(result)).toEqual([]);
    expect(Object.keys(holmes(result))).toEqual(["mine"]);
  });

  it("5. Should detect conflicts (same name)", () => {
    const text =
      "tools:\n  - name: prometheus_query\n    endpoint: http://a:1\n  - name: grafana_dashboard\n    enabled: false\n  - name: mine\n    endpoint: http://b:2\n";
    const result = evaluate([prometheus, grafana, jaeger], withOverrides(text));
    expect(result.entries.overridden).toEqual(["grafana_dashboard", "prometheus_query"]);
    expect(result.annotations["kubernaut.io/conflict-count"]).toBe("2");
  });

  it("6. Should preserve override order", () => {
    const text = "tools:\n  - name: zebra\n    endpoint: http://z:1\n  - name: ant\n    endpoint: http://a:1\n";
    const parsed = parseOverrides(text, "overrides.yaml");
    expect(parsed.kind === "valid" && parsed.overrides.tools.map((tool) => tool.name)).toEqual(["zebra", "ant"]);
    expect(evaluate([prometheus], withOverrides(text)).configMap.data!["overrides.yaml"]).toBe(text);
  });

  it("7. Should remove stale auto-generated tools", () => {
    const both = evaluate([prometheus, grafana]);
    const result = evaluate([prometheus], both.configMap);
    expect(tools(result).map((tool) => tool.name)).toEqual(["prometheus_query"]);
    expect(Object.keys(holmes(result))).toEqual(["prometheus/metrics"]);
    expect(result.entries.entries.find((entry) => entry.name === "grafana_dashboard")).toMatchObject({
      verdict: "remove",
      changed: true,
    });
  });

  it("8. Should handle invalid override YAML gracefully", () => {
    const result = evaluate([prometheus], withOverrides("tools:\n  - name: a\n   endpoint: b: c\n"));
    expect(Object.keys(effective(result))).toEqual(["prometheus_query"]);
    expect(codes(result)).toContain("invalid-overrides");
    expect(result.annotations["kubernaut.io/override-error"]).toMatch(/^overrides\.yaml:3:\d+: /);
  });

  it("9. Should serialize toolset correctly", () => {
    expect(evaluate([prometheus]).data["toolset.yaml"]).toBe(
      `# ⚠️ WARNING: This section is AUTO-GENERATED and will be OVERWRITTEN
# To change, add or switch off a tool, write it into 'overrides.yaml' of this ConfigMap
tools:
  - name: prometheus_query
    type: http
    description: Query Prometheus metrics
    endpoint: http://prometheus-server.monitoring.svc.cluster.local:9090
    # Auto-discovered from Service: monitoring/prometheus-server
    # Last updated: 2026-11-15T08:00:00Z
`,
    );
  });

  it("10. Should parse toolset correctly", () => {
    const text =
      "tools:\n  - name: a\n    type: http\n    description: A\n    endpoint: http://a:1\n    parameters:\n      timeout: 30s\n      max_retries: 3\n";
    const parsed = parseOverrides(text, "overrides.yaml");
    expect(
      parsed.kind === "valid" && parsed.overrides.tools.map((tool) => ({ ...tool, fields: { ...tool.fields } })),
    ).toEqual([
      {
        name: "a",
        enabled: true,
        fields: {
          type: "http",
          description: "A",
          endpoint: "http://a:1",
          parameters: { timeout: "30s", max_retries: 3 },
        },
      },
    ]);
  });

  it("11. Should update ConfigMap annotations", () => {
    const current = withOverrides(
      "tools:\n  - name: prometheus_query\n    description: Mine\n  - name: mine\n    endpoint: http://mine:1\n",
    );
    const result = evaluate([prometheus, grafana], {
      ...current,
      metadata: { ...current.metadata, annotations: { "team/owner": "sre" } },
    });
    expect(result.configMap.metadata.annotations).toMatchObject({
      "team/owner": "sre",
      "kubernaut.io/last-reconciliation": "2026-11-15T08:00:00Z",
      "kubernaut.io/discovered-services": "2",
      "kubernaut.io/override-services": "2",
      "kubernaut.io/conflict-count": "1",
    });
  });

  it("12. Should skip update when no changes", () => {
    const first = evaluate(
      [prometheus, grafana],
      withOverrides("tools:\n  - name: prometheus_query\n    description: Mine\n"),
    );
    const second = evaluate([grafana, prometheus], first.configMap, { now: noon });
    expect(first.inSync).toBe(false);
    expect(second.inSync).toBe(true);
    expect(second.configMap).toEqual(first.configMap);
    expect(second.entries.entries.filter((entry) => entry.changed)).toEqual([]);
  });

  it("13. Should merge deterministically (same inputs → same output)", () => {
    const services = [prometheus, grafana, jaeger, service("prod", "prometheus", { labels: { app: "prometheus" } })];
    const overrides = withOverrides("tools:\n  - name: grafana_dashboard\n    description: Mine\n");
    const forwards = evaluate(services, overrides);
    const backwards = evaluate([...services].reverse(), overrides);
    expect(backwards.data).toEqual(forwards.data);
    expect(backwards.annotations).toEqual(forwards.annotations);
  });

  it("14. Should handle large toolsets (100+ tools)", () => {
    const services = Array.from({ length: 150 }, (_, i) =>
      service("monitoring", `prometheus-${i}`, { labels: { app: "prometheus" } }),
    );
    const overrides = Array.from(
      { length: 120 },
      (_, i) => `  - name: tool_${i}\n    endpoint: http://tool-${i}:80\n`,
    ).join("");
    const result = evaluate(services, withOverrides(`tools:\n${overrides}`));
    expect(result.entries.effective).toHaveLength(270);
    expect(tools(result)).toHaveLength(150);
    expect(holmes(result)["prometheus/metrics"]!.config.instances).toHaveLength(150);
    expect(Object.keys(holmes(result))).toHaveLength(121);
  });
});

describe("the three user workflows of the document", () => {
  it("1: a custom tool is added and stays", () => {
    const text = "tools:\n  - name: my_custom_api\n    type: http\n    endpoint: http://my-api.custom.svc:8080\n";
    const first = evaluate([prometheus], withOverrides(text, evaluate([prometheus]).configMap));
    expect(first.entries.entries.find((entry) => entry.name === "my_custom_api")).toMatchObject({
      verdict: "create",
      reason: "user-owned",
    });
    const later = evaluate([prometheus, grafana], first.configMap, { now: noon });
    expect(holmes(later).my_custom_api).toBeDefined();
    expect(later.entries.entries.find((entry) => entry.name === "my_custom_api")).toMatchObject({
      verdict: "keep",
      changed: false,
    });
  });

  it("2: an override takes precedence, also when the Service changes", () => {
    const text =
      "tools:\n  - name: prometheus_query\n    type: http\n    endpoint: http://prometheus.prod.svc:9090  # Production\n";
    const first = evaluate([prometheus], withOverrides(text, evaluate([prometheus]).configMap));
    expect(first.entries.entries[0]).toMatchObject({ verdict: "merge", reason: "user-modified", changed: true });
    const moved = service("monitoring", "prometheus-server", {
      labels: { app: "prometheus" },
      ports: [{ name: "web", port: 9091 }],
    });
    const later = evaluate([moved], first.configMap, { now: noon });
    expect(later.entries.entries[0]).toMatchObject({ verdict: "conflict", reason: "both-changed" });
    expect(holmes(later)["prometheus/metrics"]!.config).toEqual({ prometheus_url: "http://prometheus.prod.svc:9090" });
  });

  it("3: without the override the discovered definition is back", () => {
    const overridden = evaluate(
      [prometheus],
      withOverrides("tools:\n  - name: prometheus_query\n    endpoint: http://a:1\n"),
    );
    const result = evaluate([prometheus], withOverrides("tools: []\n", overridden.configMap));
    expect(result.entries.entries[0]).toMatchObject({ verdict: "restore", changed: true });
    expect(holmes(result)["prometheus/metrics"]!.config).toEqual({
      prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090",
    });
  });
});

describe("time", () => {
  it("changes only for the tool that changed", () => {
    const first = evaluate([prometheus, grafana], undefined, { now: morning });
    const moved = service("monitoring", "grafana", {
      labels: { app: "grafana" },
      ports: [{ name: "service", port: 3000 }],
    });
    const second = evaluate([prometheus, moved], first.configMap, { now: noon });
    const times = [...second.data["toolset.yaml"]!.matchAll(/Last updated: (.*)/g)].map((match) => match[1]);
    expect(times).toEqual(["2026-11-15T12:00:00Z", "2026-11-15T08:00:00Z"]);
    expect(parse(second.data["toolset.yaml"]!)).toBeTruthy();
  });
});
