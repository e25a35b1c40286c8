import { describe, expect, it } from "vitest";
import type { KubeService } from "../../src/toolset/discover/service.ts";
import type { ToolsetEvaluation } from "../../src/toolset/evaluate.ts";
import { codes, discovered, effective, evaluate, holmes, service, tools, withOverrides } from "../toolset/sample.ts";

const grafanaIn = (namespace: string): KubeService =>
  service(namespace, "grafana", { labels: { app: "grafana" }, ports: [{ name: "service", port: 80 }] });
const [ours, evil] = [grafanaIn("monitoring"), grafanaIn("evil")];
const address = (namespace: string) => `http://grafana.${namespace}.svc.cluster.local:80`;
const secret = 'tools:\n  - name: grafana_dashboard\n    parameters: {api_key: "s3cret"}\n';

/** Every address that HolmesGPT would send the secret to. */
function sentTo(evaluation: ToolsetEvaluation): string[] {
  return evaluation.entries.effective
    .filter((tool) => JSON.stringify(tool.fields).includes("s3cret") && tool.fields.endpoint !== undefined)
    .map((tool) => String(tool.fields.endpoint));
}

const names = (evaluation: ToolsetEvaluation) =>
  tools(evaluation).map((tool) => `${String(tool.name)} ${String(tool.endpoint)}`);

describe("whose an override is", () => {
  it("a Service that comes first in the alphabet does not get another's override", () => {
    const before = evaluate([ours], withOverrides(secret));
    expect(sentTo(before)).toEqual([address("monitoring")]);
    const after = evaluate([evil, ours], before.configMap);
    expect(sentTo(after)).toEqual([address("monitoring")]);
    expect(names(after)).toContain(`grafana_dashboard_evil_grafana ${address("evil")}`);
  });

  it("a changed claimant is a conflict that keeps the old endpoint, and the old one may come back", () => {
    const before = evaluate([ours], withOverrides(secret));
    const after = evaluate([evil], before.configMap);
    expect(sentTo(after)).toEqual([address("monitoring")]);
    expect(names(after)).toEqual([`grafana_dashboard_evil_grafana ${address("evil")}`]);
    expect(codes(after)).toContain("changed-claimant");
    expect(after.entries.entries.find((entry) => entry.name === "grafana_dashboard")).toMatchObject({
      verdict: "conflict",
      reason: "owners-differ",
    });
    const again = evaluate([evil], after.configMap);
    expect(again.inSync).toBe(true);
    const back = evaluate([evil, ours], again.configMap);
    expect(sentTo(back)).toEqual([address("monitoring")]);
    expect(codes(back)).toEqual([]);
    expect(names(back)).toContain(`grafana_dashboard ${address("monitoring")}`);
  });

  it("is remembered while nobody wants the name", () => {
    let map = evaluate([ours], withOverrides(secret)).configMap;
    for (const cluster of [[], [], [evil], [], [evil]]) {
      const done = evaluate(cluster, map);
      expect(sentTo(done)).not.toContain(address("evil"));
      map = done.configMap;
    }
    expect(sentTo(evaluate([ours], map))).toEqual([address("monitoring")]);
  });

  it("where several claim a name and nothing is on record, an override without an endpoint applies to none", () => {
    const first = evaluate([evil, ours], withOverrides(secret));
    expect(sentTo(first)).toEqual([]);
    expect(names(first)).toEqual([
      `grafana_dashboard_evil_grafana ${address("evil")}`,
      `grafana_dashboard_monitoring_grafana ${address("monitoring")}`,
    ]);
    expect(first.diagnostics.find((each) => each.code === "ambiguous-override")?.message).toContain(
      "could be for evil/grafana or monitoring/grafana; it applies to none",
    );
    const second = evaluate([evil, ours], first.configMap);
    expect(second.inSync).toBe(true);
    expect(sentTo(second)).toEqual([]);
    expect(codes(second)).toEqual(["ambiguous-override"]);
    // Nor does one of them get it by outlasting the other.
    const third = evaluate([evil], second.configMap);
    expect(sentTo(third)).toEqual([]);
    expect(codes(third)).toEqual(["ambiguous-override"]);
  });

  it("one that is not well counts among the several", () => {
    const found = discovered([evil, ours]);
    const [first, second] = found.discoveries;
    const done = evaluate([], withOverrides(secret), {
      discovered: { discoveries: [first!], waiting: [second!], unused: [] },
    });
    expect(sentTo(done)).toEqual([]);
    expect(codes(done)).toContain("ambiguous-override");
  });

  it("'service:' settles it, whatever is on record", () => {
    const settled = secret.replace("parameters", "service: monitoring/grafana\n    parameters");
    const fresh = evaluate([evil, ours], withOverrides(settled));
    expect(sentTo(fresh)).toEqual([address("monitoring")]);
    expect(names(fresh)).toContain(`grafana_dashboard ${address("monitoring")}`);
    expect(JSON.stringify(effective(fresh))).not.toContain("monitoring/grafana");
    const moved = evaluate(
      [evil],
      withOverrides(secret.replace("parameters", "service: evil/grafana\n    parameters"), fresh.configMap),
    );
    expect(sentTo(moved)).toEqual([address("evil")]);
    expect(codes(moved)).toEqual([]);
    const gone = evaluate([evil], withOverrides(settled, fresh.configMap));
    expect(sentTo(gone)).toEqual([]);
  });

  it("a name without an override moves with discovery", () => {
    const before = evaluate([ours]);
    const after = evaluate([evil], before.configMap);
    expect(names(after)).toEqual([`grafana_dashboard ${address("evil")}`]);
    expect(codes(after)).toEqual([]);
  });

  it("a Service that is not well has its name when it comes back", () => {
    const both = discovered([evil, ours]);
    const before = evaluate([ours]);
    const [evilOne, oursOne] = both.discoveries;
    const ill = { discovered: { discoveries: [evilOne!], waiting: [oursOne!], unused: [] } };
    let map = before.configMap;
    for (let pass = 0; pass < 2; pass++) {
      const done = evaluate([], map, ill);
      expect(names(done)).toEqual([`grafana_dashboard_evil_grafana ${address("evil")}`]);
      map = done.configMap;
    }
    expect(names(evaluate([evil, ours], map))).toContain(`grafana_dashboard ${address("monitoring")}`);
  });

  it("another door to the same thing is no other claimant", () => {
    const part = (name: string, component: string) =>
      service("logs", name, {
        labels: {
          "app.kubernetes.io/name": "loki",
          "app.kubernetes.io/instance": "l",
          "app.kubernetes.io/component": component,
        },
        ports: [{ name: "http-metrics", port: 3100 }],
      });
    const override = 'tools:\n  - name: loki_query\n    parameters: {api_key: "s3cret"}\n';
    const before = evaluate([part("loki-read", "read")], withOverrides(override));
    const after = evaluate([part("loki-read", "read"), part("loki-gateway", "gateway")], before.configMap);
    expect(sentTo(after)).toEqual(["http://loki-gateway.logs.svc.cluster.local:3100"]);
    expect(codes(after)).toEqual([]);
  });

  it("an annotation that spells out another's name takes nothing", () => {
    const wants = {
      "kubernaut.io/toolset": "true",
      "kubernaut.io/toolset-type": "x",
      "kubernaut.io/toolset-name": "grafana_dashboard",
    };
    const before = evaluate([ours], withOverrides(secret));
    const after = evaluate([service("a", "a", { annotations: wants }), ours], before.configMap);
    expect(sentTo(after)).toEqual([address("monitoring")]);
  });

  it.each(["grafana", "a/b/c", "A/b", "{{ x }}/y", "7"])("'service: %s' is an error with its place", (text) => {
    const done = evaluate([ours], withOverrides(secret.replace("parameters", `service: "${text}"\n    parameters`)));
    expect(done.overrides.error).toMatch(
      /^overrides\.yaml:3:14: 'service' of tool 'grafana_dashboard' must be a Service as namespace\/name/,
    );
  });
});

describe("what annotations say is data", () => {
  const annotated = (more: Record<string, string>) =>
    service("t", "svc", {
      annotations: { "kubernaut.io/toolset": "true", "kubernaut.io/toolset-type": "api", ...more },
      ports: [{ port: 80 }],
    });

  it.each([
    ["toolset-name", "{{ env.SECRET }}"],
    ["toolset-name", "kubernetes/logs"],
    ["toolset-name", "a\nb"],
    ["toolset-name", "x".repeat(65)],
    ["toolset-type", "{{ env.SECRET }}"],
    ["toolset-type", "x".repeat(100_000)],
    ["toolset-endpoint", "http://svc.t.svc:80/{{ env.SECRET }}"],
    ["toolset-endpoint", "http://svc.t.svc:80@attacker.example/"],
    ["toolset-endpoint", "http://svc.t.svc:80/?a=b"],
    ["toolset-endpoint", "http://%73vc.t.svc:80/"],
    ["toolset-endpoint", "file:///etc/passwd"],
    ["toolset-endpoint", `http://svc.t.svc:80/${"x".repeat(1000)}`],
    ["toolset-health-path", "/{% x %}"],
    ["toolset-health-path", "/a b"],
  ])("%s is refused, and blocks nobody else (%#)", (name, value) => {
    const done = evaluate([annotated({ [`kubernaut.io/${name}`]: value }), ours]);
    expect(tools(done).map((tool) => tool.name)).toEqual(["grafana_dashboard"]);
    expect(done.diagnostics.map((each) => each.message)).toEqual([
      expect.stringContaining(`annotation kubernaut.io/${name}`),
    ]);
    expect(JSON.stringify(done.configMap)).not.toContain("{{");
  });

  const endpoint = (value: string, allowed: string[] = []) =>
    discovered([annotated({ "kubernaut.io/toolset-endpoint": value })], { allowed }).discoveries.map(
      (each) => each.fields.endpoint,
    );

  it.each([
    "http://svc.t:80",
    "http://svc.t.svc",
    "http://svc.t.svc.cluster.local:80/api",
    "http://svc.t.svc.cluster.local.:80",
  ])("its own name and port need nobody's leave: %s", (value) => expect(endpoint(value)).toEqual([value]));

  it.each([
    "http://svc.t:81",
    "https://svc.t.svc",
    "http://169.254.169.254/latest",
    "http://other.t.svc:80",
    "http://svc.t.svc.evil:80",
  ])("elsewhere needs the operator's: %s", (value) => {
    expect(endpoint(value)).toEqual([]);
    expect(endpoint(value, [new URL(value).hostname])).toEqual([value]);
  });

  it("patterns mean scheme, host and port", () => {
    expect(endpoint("https://a.example.com", ["*.example.com"])).toHaveLength(1);
    expect(endpoint("https://a.example.com", ["https://*.example.com:443"])).toHaveLength(1);
    expect(endpoint("http://a.example.com", ["https://*.example.com"])).toEqual([]);
    expect(endpoint("https://a.example.com:8443", ["*.example.com:443"])).toEqual([]);
    expect(endpoint("https://a.example.com.attacker.org", ["*.example.com"])).toEqual([]);
  });
});

describe("a result that is too large", () => {
  const made = (i: number, created: string): KubeService => {
    const each = service(`n${i % 100}`, `loki-${i}`, { labels: { app: "loki" }, ports: [{ port: 3100 }] });
    return { ...each, metadata: { ...each.metadata!, creationTimestamp: created } };
  };

  it("leaves the newest discoveries out, says so, and stays so", () => {
    const flood = Array.from({ length: 6000 }, (_, i) => made(i, "2026-11-15T00:00:00Z"));
    const old = made(7000, "2020-01-01T00:00:00Z");
    const first = evaluate([...flood, old]);
    expect(first.tooLarge).toBe(false);
    expect(first.size).toBeGreaterThan(900_000);
    expect(tools(first).some((tool) => String(tool.endpoint).startsWith("http://loki-7000.n0."))).toBe(true);
    expect(first.diagnostics.find((each) => each.code === "configmap-full")?.message).toMatch(
      /^\d+ discovered Services are left out, the newest first/,
    );
    const second = evaluate([...flood, old], first.configMap);
    expect(second.inSync).toBe(true);
    // One that had a tool keeps it, whoever comes.
    const third = evaluate([...flood, old, made(8000, "2019-01-01T00:00:00Z")], first.configMap);
    expect(third.inSync).toBe(true);
    expect(Object.keys(holmes(first))).toEqual(["grafana/loki"]);
  });
});
