import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameTools } from "../../src/toolset/discover/claims.ts";
import { builtinDetectors } from "../../src/toolset/discover/detectors.ts";
import { type Discovery, discoverTools, tellUnused } from "../../src/toolset/discover/discover.ts";
import { readDetectors } from "../../src/toolset/discover/read-objects.ts";
import { serviceFacts } from "../../src/toolset/discover/service.ts";
import { discovered, rules, service } from "./sample.ts";

/** Service → what it is taken for: kind, port of the endpoint; or nothing. */
const rows: [string, Parameters<typeof service>, string | undefined][] = [
  [
    "label app",
    ["m", "x", { labels: { app: "prometheus" }, ports: [{ port: 80 }] }],
    "prometheus http://x.m.svc.cluster.local:80",
  ],
  [
    "label app.kubernetes.io/name",
    ["m", "x", { labels: { "app.kubernetes.io/name": "grafana" }, ports: [{ port: 80 }] }],
    "grafana http://x.m.svc.cluster.local:80",
  ],
  [
    "a word of the name, and the port agrees",
    ["m", "kube-prometheus-stack-prometheus", { ports: [{ name: "http-web", port: 9090 }] }],
    "prometheus http://kube-prometheus-stack-prometheus.m.svc.cluster.local:9090",
  ],
  [
    "a word of the name, and the port's name agrees",
    ["m", "jaeger-query", { ports: [{ name: "query", port: 80 }] }],
    "jaeger http://jaeger-query.m.svc.cluster.local:80",
  ],
  ["only a word of the name", ["m", "prometheus-adapter-docs", { ports: [{ name: "docs", port: 80 }] }], undefined],
  ["part of a word is no word", ["m", "myprometheus", { ports: [{ port: 9090 }] }], undefined],
  [
    "a label that only begins alike",
    ["m", "x", { labels: { app: "prometheus-adapter" }, ports: [{ port: 443 }] }],
    undefined,
  ],
  [
    "another component under the same label",
    ["m", "x", { labels: { app: "prometheus", component: "pushgateway" }, ports: [{ port: 9091 }] }],
    undefined,
  ],
  [
    "opensearch",
    ["m", "opensearch", { ports: [{ port: 9200 }] }],
    "elasticsearch http://opensearch.m.svc.cluster.local:9200",
  ],
  ["loki", ["m", "loki", { ports: [{ port: 3100 }] }], "loki http://loki.m.svc.cluster.local:3100"],
  ["tempo", ["m", "tempo", { ports: [{ port: 3200 }] }], "tempo http://tempo.m.svc.cluster.local:3200"],
  [
    "the port by name before the port by number",
    ["m", "p", { labels: { app: "prometheus" }, ports: [{ port: 9090 }, { name: "web", port: 80 }] }],
    "prometheus http://p.m.svc.cluster.local:80",
  ],
  [
    "the port by number before the first",
    ["m", "p", { labels: { app: "prometheus" }, ports: [{ port: 80 }, { port: 9090 }] }],
    "prometheus http://p.m.svc.cluster.local:9090",
  ],
  [
    "grafana's names in order",
    [
      "m",
      "g",
      {
        labels: { app: "grafana" },
        ports: [
          { name: "http", port: 1 },
          { name: "service", port: 2 },
        ],
      },
    ],
    "grafana http://g.m.svc.cluster.local:2",
  ],
  [
    "https where the port says so",
    ["m", "p", { labels: { app: "prometheus" }, ports: [{ port: 9090, appProtocol: "HTTPS" }] }],
    "prometheus https://p.m.svc.cluster.local:9090",
  ],
  [
    "the first type that matches counts",
    ["m", "x", { labels: { app: "grafana", "app.kubernetes.io/name": "prometheus" } }],
    "prometheus http://x.m.svc.cluster.local:9090",
  ],
  [
    "annotated",
    ["m", "x", { annotations: { "kubernaut.io/toolset": "true", "kubernaut.io/toolset-type": "api" } }],
    "api http://x.m.svc.cluster.local:9090",
  ],
  [
    "annotated, with an endpoint",
    [
      "m",
      "x",
      {
        annotations: {
          "kubernaut.io/toolset": "enabled",
          "kubernaut.io/toolset-type": "api",
          "kubernaut.io/toolset-endpoint": "https://api.example.org/v1",
        },
        ports: [],
      },
    ],
    "api https://api.example.org/v1",
  ],
  [
    "annotated, but not enabled",
    ["m", "x", { annotations: { "kubernaut.io/toolset": "maybe", "kubernaut.io/toolset-type": "api" } }],
    undefined,
  ],
  [
    "switched off",
    ["m", "x", { labels: { app: "prometheus" }, annotations: { "kubernaut.io/toolset": "false" } }],
    undefined,
  ],
];

describe("discovery", () => {
  it.each(rows)("%s", (_, args, expected) => {
    const found = discovered([service(...args)], { allowed: ["api.example.org"] }).discoveries.map(
      (each) => `${each.kind} ${String(each.fields.endpoint)}`,
    );
    expect(found).toEqual(expected === undefined ? [] : [expected]);
  });

  it("tells what it had to leave out, and why", () => {
    const annotated = service("m", "typeless", { annotations: { "kubernaut.io/toolset": "true" } });
    const portless = service("m", "portless", { labels: { app: "grafana" }, ports: [] });
    const { discoveries, unused } = discovered([annotated, portless]);
    expect(discoveries).toEqual([]);
    expect(unused.map((each) => tellUnused(each).message)).toEqual([
      "Service m/portless looks like grafana but has no port; it is left out",
      "Service m/typeless asks to be a tool, but lacks the annotation kubernaut.io/toolset-type; it is left out",
    ]);
  });

  it.each([
    ["prometheus", { labels: { app: "prometheus" } }, "http://x.m.svc.cluster.local:9090/-/healthy"],
    [
      "grafana",
      { labels: { app: "grafana" }, ports: [{ port: 3000 }] },
      "http://x.m.svc.cluster.local:3000/api/health",
    ],
    [
      "elasticsearch",
      { labels: { app: "elasticsearch" }, ports: [{ port: 9200 }] },
      "http://x.m.svc.cluster.local:9200/_cluster/health",
    ],
    [
      "annotated",
      {
        annotations: {
          "kubernaut.io/toolset": "true",
          "kubernaut.io/toolset-type": "api",
          "kubernaut.io/toolset-health-path": "up",
        },
      },
      "http://x.m.svc.cluster.local:9090/up",
    ],
  ])("knows where to ask %s for its health", (_, more, address) => {
    expect(discovered([service("m", "x", more)]).discoveries[0]?.healthAddress).toBe(address);
  });

  it("passes over a Service that is on its way out", () => {
    const going = service("m", "p", { labels: { app: "prometheus" } });
    expect(
      serviceFacts({ ...going, metadata: { ...going.metadata!, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ).toBeUndefined();
  });

  it("does not depend on the order of Services", () => {
    const all = rows.map(([, [, name, more]], i) => service(`n${i % 3}`, `${name}-${i}`, more));
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(discovered(shuffled)).toEqual(discovered(all));
      }),
      { numRuns: 20 },
    );
  });
});

describe("names", () => {
  const two = () =>
    discovered([
      service("b", "second", { labels: { app: "prometheus" } }),
      service("a", "first", { labels: { app: "prometheus" } }),
    ]).discoveries;

  const named = (discoveries: readonly Discovery[], record: ReadonlyMap<string, string>) =>
    nameTools({ discoveries, waiting: [], record, overrides: new Map() }).tools;

  it("the first of a type gets the plain name, others a suffix", () => {
    expect(named(two(), new Map()).map((tool) => tool.name)).toEqual(["prometheus_query", "prometheus_query_b_second"]);
  });

  it("a name stays with its Service, whoever comes before it now", () => {
    const former = new Map([["prometheus_query", "b/second"]]);
    expect(named(two(), former).map((tool) => [tool.name, tool.source.name])).toEqual([
      ["prometheus_query_a_first", "first"],
      ["prometheus_query", "second"],
    ]);
  });

  it("a suffixed name stays, too, when the plain one gets free", () => {
    const [, second] = two();
    expect(named([second!], new Map([["prometheus_query_b_second", "b/second"]])).map((tool) => tool.name)).toEqual([
      "prometheus_query_b_second",
    ]);
  });

  it("are never given twice, whatever annotations ask for", () => {
    const name = fc.constantFrom("prometheus_query", "prometheus_query_a_y", "z");
    const one = fc.record({
      namespace: fc.constantFrom("a", "b"),
      service: fc.constantFrom("x", "y"),
      name,
      former: fc.option(name),
    });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (each) => `${each.namespace}/${each.service}` }), (all) => {
        const services = all.map((each) =>
          service(each.namespace, each.service, {
            labels: { app: "prometheus" },
            annotations: { "kubernaut.io/toolset-name": each.name },
          }),
        );
        const former = new Map(
          all.flatMap((each) =>
            each.former === null ? [] : [[each.former, `${each.namespace}/${each.service}`] as const],
          ),
        );
        const names = named(discovered(services).discoveries, former).map((tool) => tool.name);
        expect(new Set(names).size).toBe(services.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the user's own detectors", () => {
  const row =
    "detectors:\n  - type: kiali\n    names: [kiali]\n    port: 20001\n    tool-name: kiali_graph\n    description: The mesh\n";

  it("come before the built-in ones, and may replace one", () => {
    const own = readDetectors(row.replace("[kiali]", "[grafana]").replace("20001", "3000"), "detectors.yaml");
    const facts = serviceFacts(service("m", "grafana", { labels: { app: "grafana" } }))!;
    expect(
      discoverTools([facts], { ...rules, detectors: [...own, ...builtinDetectors] }).discoveries[0]?.wantedName,
    ).toBe("kiali_graph");
  });

  it.each([
    ["an unknown key", `${row}    colour: red\n`, /^detectors\.yaml: detectors\.0\.colour: /],
    [
      "a type of its own that is everybody's",
      row.replace("kiali", "http"),
      /^detectors\.yaml: detectors\.0\.type: must not be 'http'/,
    ],
    ["a missing one", row.replace("    port: 20001\n", ""), /^detectors\.yaml: detectors\.0\.port: /],
    ["no YAML", "detectors: [\n", /^detectors\.yaml:2:1: /],
  ])("are refused with %s", (_, text, message) => {
    expect(() => readDetectors(text, "detectors.yaml")).toThrow(message);
  });
});
