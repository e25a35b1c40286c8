import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/toolset/api/api.ts";
import { reconcileToolset } from "../../src/toolset/reconcile.ts";
import { configKeys, httpKeys } from "../../src/toolset/render/holmes-config.ts";
import { parseRelease, releaseOfImage } from "../../src/toolset/render/holmes-release.ts";
import { knownMinors, takenBy } from "./holmes-history.ts";
import { loadAsHolmes } from "./holmes-schema.ts";
import { MemoryApi } from "./memory-api.ts";
import {
  codes,
  discovered,
  evaluate,
  grafana,
  holmes,
  morning,
  prometheus,
  rules,
  service,
  withOverrides,
} from "./sample.ts";

const other = (name: string, app: string, port: number) =>
  service("tenant", name, { labels: { app }, ports: [{ port }] });
const cluster = [
  prometheus,
  grafana,
  other("prometheus", "prometheus", 9090),
  other("grafana", "grafana", 3000),
  service("logs", "loki", { labels: { app: "loki" }, ports: [{ port: 3100 }] }),
  other("loki", "loki", 3100),
];

type Config = Record<string, unknown> & { readonly instances?: readonly Record<string, unknown>[] };

/** What a release from before `instances` reads: the flat keys. */
function olderReads(config: Config): Record<string, unknown>[] {
  const { instances: _, ...flat } = config;
  return [flat];
}

/**
 * What a newer one reads: each instance, with every flat key that it does not set. Of a group of logins it takes all or
 * none.
 */
function newerReads(config: Config): Record<string, unknown>[] {
  const { instances, ...flat } = config;
  const logins = ["api_key", "username", "password", "bearer_token"];
  return (instances ?? [flat]).map((instance) => {
    const hasLogin = logins.some((name) => Object.hasOwn(instance, name));
    const inherited = Object.entries(flat).filter(([name]) => !(hasLogin && logins.includes(name)));
    return { ...Object.fromEntries(inherited), ...instance };
  });
}

/** Every address that gets the secret. */
function sentTo(instances: readonly Record<string, unknown>[], secret: string): unknown[] {
  return instances
    .filter((each) => JSON.stringify(each).includes(secret))
    .map((each) => each.api_url ?? each.prometheus_url);
}

const mine = "http://grafana.monitoring.svc.cluster.local:80";

describe("several services of one type", () => {
  it("stand flat for older releases, and as instances for newer ones", () => {
    for (const { config } of Object.values(holmes(evaluate(cluster)))) {
      const [older, newer] = [olderReads(config), newerReads(config)];
      expect(older).toHaveLength(1);
      expect(newer).toHaveLength(2);
      const address = (each: Record<string, unknown>) => each.api_url ?? each.prometheus_url;
      expect(address(older[0]!)).toBe(address(newer[0]!));
      expect(new Set(newer.map(address)).size).toBe(2);
    }
  });

  it.each([
    ["a key", "parameters: {api_key: s3cret}"],
    ["headers", "parameters: {headers: {Authorization: s3cret}}"],
    ["headers by their other name", "parameters: {additional_headers: {Authorization: s3cret}}"],
    ["a login", "parameters: {username: me, password: s3cret}"],
  ])("do not share %s", (_, line) => {
    const first = evaluate(cluster);
    const done = evaluate(
      cluster,
      withOverrides(`tools:\n  - name: grafana_dashboard\n    ${line}\n`, first.configMap),
    );
    const { config } = holmes(done)["grafana/dashboards"]!;
    for (const reads of [olderReads, newerReads]) expect(sentTo(reads(config), "s3cret")).toEqual([mine]);
  });

  it("do not share a switch: who does not check certificates is alone in that", () => {
    const first = evaluate(cluster);
    const text = "tools:\n  - {name: grafana_dashboard, parameters: {verify_ssl: false, timeout: 5s}}\n";
    const { config } = holmes(evaluate(cluster, withOverrides(text, first.configMap)))["grafana/dashboards"]!;
    expect(newerReads(config).map((each) => each.verify_ssl)).toEqual([false, true]);
  });

  it("one of Amazon's does not stand flat: a newer release would take the others for Amazon's, too", () => {
    const first = evaluate(cluster);
    const text = "tools:\n  - {name: prometheus_query, parameters: {aws_region: eu, aws_access_key: s3cret}}\n";
    const { config } = holmes(evaluate(cluster, withOverrides(text, first.configMap)))["prometheus/metrics"]!;
    expect(newerReads(config).map((each) => each.aws_region)).toEqual(["eu", undefined]);
    expect(olderReads(config)[0]).toEqual({ prometheus_url: "http://prometheus.tenant.svc.cluster.local:9090" });
  });

  it("of several types that share a toolset, Prometheus itself stands flat", () => {
    const mimir = service("a", "mimir", { labels: { app: "mimir" }, ports: [{ port: 8080 }] });
    const { config } = holmes(evaluate([mimir, prometheus]))["prometheus/metrics"]!;
    expect(olderReads(config)[0]).toEqual({
      prometheus_url: "http://prometheus-server.monitoring.svc.cluster.local:9090",
    });
  });

  it("do not share what the overrides say of the whole toolset: it is the plain name's", () => {
    const text = 'toolsets:\n  grafana/dashboards:\n    config: {api_key: "s3cret"}\n';
    const first = evaluate(cluster);
    const done = evaluate(cluster, withOverrides(text, first.configMap));
    const { config } = holmes(done)["grafana/dashboards"]!;
    for (const reads of [olderReads, newerReads]) expect(sentTo(reads(config), "s3cret")).toEqual([mine]);
    // Before it is on record whose that is, nobody gets it.
    const fresh = evaluate(cluster, withOverrides(text));
    expect(JSON.stringify(holmes(fresh))).not.toContain("s3cret");
    expect(codes(fresh)).toContain("ambiguous-override");
  });
});

/** One Service of every type that is not `http` alone, and every parameter that a newer release takes for it. */
const everything: readonly (readonly [tool: string, app: string, port: number, toolset: string])[] = [
  ["prometheus_query", "prometheus", 9090, "prometheus/metrics"],
  ["grafana_dashboard", "grafana", 3000, "grafana/dashboards"],
  ["loki_query", "loki", 3100, "grafana/loki"],
  ["tempo_query", "tempo", 3200, "grafana/tempo"],
  ["elasticsearch_search", "elasticsearch", 9200, "elasticsearch/data"],
  ["rabbitmq_queues", "rabbitmq", 15672, "rabbitmq/core"],
  ["kafka_admin", "kafka", 9092, "kafka/admin"],
  ["mongodb_query", "mongodb", 27017, "mongodb"],
  ["victorialogs_query", "victoria-logs", 9428, "victorialogs"],
  ["jaeger_query", "jaeger", 16686, "http"],
];

const sampleOf = { text: "t", map: { a: "b" }, list: ["l"], "whole number": 2, seconds: "30s", "truth value": true };

function everyParameter(toolset: string): Record<string, unknown> {
  const keys = toolset === "http" ? httpKeys : configKeys[toolset]!;
  return Object.fromEntries(Object.entries(keys).map(([name, { type }]) => [name, sampleOf[type]]));
}

describe("each release gets only what it takes, and all that it takes", () => {
  const services = everything.map(([, app, port]) => service("all", app, { labels: { app }, ports: [{ port }] }));
  const tools = everything.map(([name, , , toolset]) => ({ name, parameters: everyParameter(toolset) }));
  const written = (minor: number) =>
    evaluate(services, withOverrides(JSON.stringify({ tools })), { release: { major: 0, minor } });

  it.each(knownMinors)("0.%i", (minor) => {
    const taken = takenBy(minor);
    const done = written(minor);
    for (const [name, { type, config }] of Object.entries(holmes(done))) {
      const { addresses, keys } = taken.get(type === undefined ? name : `type ${type}`)!;
      const list = Object.entries(config).find(([key]) => key.endsWith("clusters"));
      expect([undefined, minor < 20 && name === "kafka/admin" ? "kafka_clusters" : "clusters"]).toContain(list?.[0]);
      const [own] = list ? (list[1] as Record<string, unknown>[]) : [config];
      const others = Object.keys(own!).filter((key) => !keys.has(key));
      expect({ name, others }).toEqual({ name, others: [] });
      expect(Object.keys(own!).filter((key) => addresses.has(key))).toHaveLength(1);
    }
    const forms = new Set(Object.values(holmes(done)).map(({ type }) => type));
    expect(forms.has("http")).toBe(taken.has("type http"));
    expect(forms.has("mongodb")).toBe(taken.has("type mongodb"));
    for (const name of ["victorialogs", "elasticsearch/data"])
      expect(Object.keys(holmes(done)).includes(name)).toBe(taken.has(name));
    const left = done.diagnostics.filter(({ code }) => code === "unsupported-tool").map(({ message }) => message);
    expect(left).toHaveLength([18, 20, 20, 22].filter((since) => minor < since).length);
    for (const message of left)
      expect(message).toMatch(/^tool '\w+': HolmesGPT 0\.\d+ can't use it, but 0\.\d+ and later can/);
  });

  it("what an older one has no counterpart for is told by name, with the release that has one", () => {
    expect(written(19).diagnostics.map(({ message }) => message)).toContain(
      "tool 'loki_query': the parameter 'timeout' has no counterpart in grafana/loki of HolmesGPT 0.19 (0.26 and later have one); it is not passed on to HolmesGPT",
    );
    expect(codes(written(31)).filter((code) => code !== "ambiguous-override")).toEqual([]);
  });
});

describe("the release of a running HolmesGPT", () => {
  const target = {
    namespace: "ns",
    name: "cm",
    overridesConfigMap: undefined,
    starter: false,
    rules,
    holmes: { release: undefined, deployment: { namespace: "h", name: "holmes" } },
  };
  const context = {
    discovered: discovered([grafana]),
    lastWritten: undefined,
    now: () => morning,
    signal: new AbortController().signal,
  };

  it("is read from its Deployment, where that is there and may be read", async () => {
    const api = new MemoryApi();
    const written = async () => (await reconcileToolset(api, target, context)).evaluation.data["custom_toolset.yaml"];
    expect(await written()).toContain("api_url:");
    const template = { spec: { containers: [{ image: "proxy" }, { image: "robustadev/holmes:0.18.2" }] } };
    await api.request({
      method: "POST",
      path: "/apis/apps/v1/namespaces/h/deployments",
      body: { metadata: { name: "holmes" }, spec: { template } },
    });
    expect(await written()).toMatch(/^ {6}url:/m);
    api.before = ({ path }) => {
      if (path.includes("/deployments/")) throw new ApiError(403, "Forbidden", "no");
    };
    expect(await written()).toContain("api_url:");
  });
});

describe("releases", () => {
  it.each([
    ["0.31.1", "0.31"],
    ["v0.20.0", "0.20"],
    ["0.18", "0.18"],
    ["0.31.1-alpine", "0.31"],
    ["latest", undefined],
    ["", undefined],
    ["sha-abc", undefined],
  ])("%j is %s", (text, expected) => {
    const release = parseRelease(text);
    expect(release && `${release.major}.${release.minor}`).toBe(expected);
  });

  it.each([
    ["robustadev/holmes:0.27.0", "0.27"],
    ["registry:5000/holmes:0.18.2@sha256:00", "0.18"],
    ["registry:5000/holmes", undefined],
    ["holmes@sha256:00", undefined],
  ])("the image %s is %s", (image, expected) => {
    const release = releaseOfImage(image);
    expect(release && `${release.major}.${release.minor}`).toBe(expected);
  });

  it("before 0.20 have other keys, and no toolsets of type http", () => {
    const api = service("m", "api", {
      annotations: { "kubernaut.io/toolset": "true", "kubernaut.io/toolset-type": "api" },
    });
    const done = evaluate([grafana, api], undefined, { release: { major: 0, minor: 18 } });
    expect(holmes(done)).toEqual({ "grafana/dashboards": { enabled: true, config: { url: mine } } });
    expect(codes(done)).toEqual(["unsupported-tool"]);
  });
});

describe("parameters", () => {
  const configOf = (tool: string, parameters: string, toolset: string) => {
    const done = evaluate(
      [prometheus, grafana],
      withOverrides(`tools:\n  - name: ${tool}\n    endpoint: http://x:1\n    parameters: ${parameters}\n`),
    );
    loadAsHolmes(done.data["custom_toolset.yaml"]!);
    return { config: holmes(done)[toolset]?.config, told: done.diagnostics.map((each) => each.message) };
  };

  it.each([
    ["prometheus_query", "prometheus/metrics", { default_query_timeout_seconds: 30 }],
    ["grafana_dashboard", "grafana/dashboards", { timeout_seconds: 30 }],
    ["elasticsearch_search", "elasticsearch/data", { timeout_seconds: 30 }],
    ["custom_prometheus", "custom_prometheus", { timeout_seconds: 30 }],
  ])("timeout: 30s of %s becomes what %s knows", (tool, toolset, expected) => {
    expect(configOf(tool, "{timeout: 30s}", toolset)).toMatchObject({ config: expected, told: [] });
  });

  it("without a counterpart are left out by name, and never passed on", () => {
    const { config, told } = configOf("custom_prometheus", "{timeout: 30s, max_retries: 3}", "custom_prometheus");
    expect(JSON.stringify(config)).not.toContain("max_retries");
    expect(told).toEqual([
      "tool 'custom_prometheus': the parameter 'max_retries' has no counterpart in a toolset of type http; it is not passed on to HolmesGPT",
    ]);
    expect(configOf("prometheus_query", "{timeout: soon, headers: x}", "prometheus/metrics").told).toEqual([
      "tool 'prometheus_query': the parameter 'timeout' must be a time such as 30s; it is not passed on to HolmesGPT",
      "tool 'prometheus_query': the parameter 'headers' must be a map; it is not passed on to HolmesGPT",
    ]);
  });
});

describe("what HolmesGPT would refuse is an error in the overrides", () => {
  const good = withOverrides("tools:\n  - {name: grafana_dashboard, parameters: {api_key: k}}\n");
  it.each([
    [
      "a dot in a key",
      "toolsets:\n  a.b: {enabled: true}\n",
      /^overrides\.yaml:2:3: HolmesGPT refuses a dot in a key, and 'a\.b' has one/,
    ],
    ["one further down", "toolsets:\n  a:\n    config: {x.y: 1}\n", /^overrides\.yaml:3:14: .*'x\.y'/],
    ["one in parameters", "tools:\n  - name: a\n    parameters: {x.y: 1}\n", /^overrides\.yaml:3:18: .*'x\.y'/],
    ["one of an MCP server", "mcp_servers:\n  a.b: {}\n", /^overrides\.yaml:2:3: .*'a\.b'/],
    [
      "a truth value that is none",
      "toolsets:\n  a: {enabled: maybe}\n",
      /^overrides\.yaml:2:16: 'enabled' of toolset 'a' must be true or false/,
    ],
    [
      "a time where seconds are wanted",
      "toolsets:\n  elasticsearch/data: {config: {timeout_seconds: 30s}}\n",
      /^overrides\.yaml:2:32: 'timeout_seconds' in the config of toolset 'elasticsearch\/data' must be a whole number of seconds/,
    ],
    [
      "a list where a map is wanted",
      "toolsets:\n  grafana/loki: {config: {headers: [a]}}\n",
      /^overrides\.yaml:2:26: 'headers' in the config of toolset 'grafana\/loki' must be a map/,
    ],
    [
      "instances that are no list",
      "toolsets:\n  grafana/loki: {config: {instances: {}}}\n",
      /'instances' in the config .* must be a list of maps/,
    ],
    [
      "a config that is no map",
      "toolsets:\n  a: {config: [x]}\n",
      /^overrides\.yaml:2:15: 'config' of toolset 'a' must be a map/,
    ],
  ])("%s", (_, text, message) => {
    const before = evaluate([grafana], good);
    const after = evaluate([grafana], withOverrides(text, before.configMap));
    expect(after.annotations["kubernaut.io/override-error"]).toMatch(message);
    expect(after.data["custom_toolset.yaml"]).toBe(before.data["custom_toolset.yaml"]);
  });

  it("but a field that we do not know is passed on, and told: a newer HolmesGPT may know it", () => {
    const done = evaluate([grafana], withOverrides("toolsets:\n  a: {enable: true}\n"));
    expect(codes(done)).toEqual(["unmapped-field"]);
    expect(holmes(done).a).toEqual({ enable: true });
  });

  it("but a tool named like a built-in toolset is only renamed", () => {
    const done = evaluate(
      [prometheus],
      withOverrides(
        "tools:\n  - {name: bash, endpoint: http://b:1}\n  - {name: prometheus/metrics, endpoint: http://p:1}\n",
      ),
    );
    expect(Object.keys(holmes(done))).toEqual(["bash_tool", "prometheus/metrics", "prometheus/metrics_tool"]);
    expect(codes(done)).toEqual(["reserved-name", "reserved-name"]);
  });
});
