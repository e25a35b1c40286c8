import { describe, expect, it } from "vitest";
import { readServices } from "../../src/toolset/discover/read-objects.ts";
import { charts } from "./charts.ts";
import { loadAsHolmes } from "./holmes-schema.ts";
import { codes, discovered, evaluate, service, tools } from "./sample.ts";

describe("of the Services that charts make, the right ones are tools", () => {
  it.each(charts.map((chart) => [chart.chart, chart] as const))("%s", (_, { services, tools: expected }) => {
    const done = evaluate(services);
    expect(tools(done).map((tool) => `${String(tool.name)} ${String(tool.endpoint)}`)).toEqual(expected);
    expect(codes(done)).toEqual([]);
    loadAsHolmes(done.data["custom_toolset.yaml"]!);
  });

  it("also as kubectl prints them into a file", () => {
    for (const { chart, services, tools: expected } of charts) {
      const text = JSON.stringify({ apiVersion: "v1", kind: "ServiceList", items: services });
      const done = evaluate(readServices(text, "services.json"));
      expect(
        tools(done).map((tool) => `${String(tool.name)} ${String(tool.endpoint)}`),
        chart,
      ).toEqual(expected);
    }
    const spec = { type: "ExternalName", externalName: "x.example", ports: [{ port: 80 }] };
    const external = { kind: "Service", metadata: { name: "e", labels: { app: "grafana" } }, spec };
    expect(discovered(readServices(JSON.stringify(external), "s")).unused).toMatchObject([{ reason: "external-name" }]);
  });

  it("also all at once, each in its namespace, in any order", () => {
    const all = charts.flatMap(({ services }, i) =>
      services.map((each) => ({ ...each, metadata: { ...each.metadata!, namespace: `ns${i}` } })),
    );
    const done = evaluate(all);
    expect(tools(done)).toHaveLength(charts.flatMap((chart) => chart.tools).length);
    expect(discovered(all.toReversed())).toEqual(discovered(all));
    loadAsHolmes(done.data["custom_toolset.yaml"]!);
  });
});

describe("addresses", () => {
  const one = (spec: object, rules = {}) =>
    discovered([{ ...service("m", "prometheus", { labels: { app: "prometheus" } }), spec }], rules).discoveries.map(
      (each) => each.fields.endpoint,
    );

  it("have the cluster's own domain", () => {
    expect(one({ ports: [{ port: 9090 }] }, { clusterDomain: "corp.example" })).toEqual([
      "http://prometheus.m.svc.corp.example:9090",
    ]);
  });

  it("are https where the port's protocol, name or number says so", () => {
    expect(one({ ports: [{ port: 443 }] })).toEqual(["https://prometheus.m.svc.cluster.local:443"]);
    expect(one({ ports: [{ name: "https-web", port: 9090 }] })).toEqual([
      "https://prometheus.m.svc.cluster.local:9090",
    ]);
    expect(one({ ports: [{ name: "web", port: 9090, appProtocol: "http" }] })).toEqual([
      "http://prometheus.m.svc.cluster.local:9090",
    ]);
  });

  it("are never of a port that speaks UDP", () => {
    expect(one({ ports: [{ name: "web", port: 9090, protocol: "UDP" }, { port: 80 }] })).toEqual([
      "http://prometheus.m.svc.cluster.local:80",
    ]);
  });

  it("of an ExternalName are the operator's to allow", () => {
    const spec = { type: "ExternalName", externalName: "metadata.internal", ports: [{ port: 9090 }] };
    expect(one(spec)).toEqual([]);
    expect(one(spec, { allowed: ["metadata.internal"] })).toHaveLength(1);
  });

  it("a part that nobody knows is the tool where it is alone", () => {
    const part = (name: string, component: string) =>
      service("m", name, {
        labels: { app: "loki", component, "app.kubernetes.io/instance": "x" },
        ports: [{ port: 3100 }],
      });
    const names = (...all: ReturnType<typeof part>[]) => discovered(all).discoveries.map((each) => each.source.name);
    expect(names(part("a", "logging"))).toEqual(["a"]);
    expect(names(part("a", "logging"), part("b", "read"))).toEqual(["b"]);
    expect(names(part("a", "ingester"))).toEqual([]);
  });

  it("a flood of Services costs no more than it must", () => {
    const flood = Array.from({ length: 5000 }, (_, i) => ({
      ...service("m", `p${i}`, { labels: { app: "prometheus" } }),
      spec: { ports: [{ port: 9090 }], selector: { app: "prometheus", n: String(i) } },
    }));
    const before = process.cpuUsage();
    expect(discovered(flood).discoveries).toHaveLength(5000);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });

  it("two doors to the same pods are one tool, two installations are two", () => {
    const door = (name: string, selector: Record<string, string>) => ({
      ...service("m", name, { labels: { app: "grafana" } }),
      spec: { ports: [{ port: 3000 }], selector },
    });
    const count = (...all: ReturnType<typeof door>[]) => discovered(all).discoveries.length;
    expect(count(door("grafana", { app: "g" }), door("grafana-lb", { app: "g" }))).toBe(1);
    expect(count(door("grafana", { app: "g" }), door("grafana-b", { app: "h" }))).toBe(2);
  });
});
