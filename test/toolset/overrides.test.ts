import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseOverrides } from "../../src/toolset/overrides.ts";
import {
  codes,
  configMap,
  effective,
  evaluate,
  grafana,
  holmes,
  noon,
  prometheus,
  service,
  tools,
  withOverrides,
} from "./sample.ts";

function problem(text: string): string {
  const result = parseOverrides(text, "overrides.yaml");
  if (result.kind === "valid") return "valid";
  const { line, column, message } = result.diagnostic;
  return `${line}:${column} ${message}`;
}

describe("reading overrides", () => {
  it.each([
    [
      "a nameless tool",
      "tools:\n  - name: a\n    endpoint: http://a\n  - endpoint: http://b\n",
      "4:5 a tool has no 'name' (a text); give it one",
    ],
    ["a name that is no text", "tools:\n  - name: 5\n", "2:11 a tool has no 'name' (a text); give it one"],
    ["no list", "tools:\n  name: a\n", "2:3 'tools' must be a list"],
    ["no map", "- name: a\n", "1:1 the overrides must be a map that contains 'tools:'"],
    ["a tool that is a text", "tools:\n  - a\n", "2:5 a tool must be a map with a 'name'"],
    [
      "a typing error at the root",
      "tool:\n  - name: a\n",
      "1:1 unknown key 'tool'; overrides have 'tools:', 'toolsets:' and 'mcp_servers:'",
    ],
    [
      "an endpoint that is no text",
      "tools:\n  - name: a\n    endpoint: [x]\n",
      "3:15 'endpoint' of tool 'a' must be a text",
    ],
    [
      "enabled that is no truth value",
      'tools:\n  - name: a\n    enabled: "no"\n',
      "3:14 'enabled' of tool 'a' must be true or false",
    ],
    [
      "parameters that are no map",
      "tools:\n  - name: a\n    parameters: 30s\n",
      "3:17 'parameters' of tool 'a' must be a map",
    ],
    ["toolsets in the old form", "toolsets:\n  - name: a\n", "2:3 'toolsets' must be a map from names to definitions"],
    ["a toolset that is no map", "toolsets:\n  a: true\n", "2:6 'a' must be a map"],
    [
      "a merge key of another type",
      "tools:\n  - name: a\n    <<: 5\n",
      "3:9 a merge key (<<) takes a map, or a list of maps",
    ],
    ["a toolset without a name", "toolsets:\n  : { enabled: true }\n", "2:3 a key must be a text"],
    ["line ends of another age", "tools:\r  - name: a\r", "1:7 Nested mappings are not allowed in compact mappings"],
    ["a name of the root twice", "tools: []\ntools: []\n", "2:1 one map has this key twice; remove one of them"],
    [
      "a field twice",
      "tools:\n  - name: a\n    x: { y: 1, y: 2 }\n",
      "3:16 one map has this key twice; remove one of them",
    ],
    ["two documents", "tools: []\n---\ntools: []\n", "2:1 only one document is allowed; remove the '---'"],
  ])("%s is an error with its place", (_, text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  // Each compared with each, they would take longer than a test may.
  it("as many names as a ConfigMap can hold are looked at once, also where something is wrong", () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `  n${i}: {}\n`).join("");
    expect(problem(`toolsets:\n${names}  n0: {}\n`)).toBe("60002:3 one map has this key twice; remove one of them");
  });

  it("never throws, whatever a person writes", () => {
    const pieces = fc.constantFrom(
      "tools:",
      "\n",
      "  ",
      "- ",
      "name: a",
      "endpoint: http://x",
      "enabled: false",
      "parameters:",
      "&a",
      "*a",
      "{",
      "}",
      "[",
      "]",
      '"',
      "|",
      "toolsets:",
      "\t",
      ":",
      "é",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join("")),
        ),
        (text) => {
          expect(["valid", "invalid"]).toContain(parseOverrides(text, "f").kind);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("knows merge keys, and keeps out of what only anchors", () => {
    const text =
      "x-common: &common {parameters: {timeout: 5s}, endpoint: http://a}\nx-more: &more {description: d, endpoint: http://b}\n" +
      'tools:\n  - <<: *common\n    name: a\n    endpoint: http://own\n  - {name: b, <<: [*common, *more]}\n  - {name: c, "<<": 1}\n';
    const result = parseOverrides(text, "f");
    expect(result.kind === "valid" && result.overrides.tools.map(({ name, fields }) => ({ name, ...fields }))).toEqual([
      { name: "a", endpoint: "http://own", parameters: { timeout: "5s" } },
      { name: "b", parameters: { timeout: "5s" }, endpoint: "http://a", description: "d" },
      { name: "c", "<<": 1 },
    ]);
  });

  it("writes aliases out, and refuses them when they explode", () => {
    const shared = parseOverrides(
      "tools:\n  - name: a\n    parameters: &p {timeout: 5s}\n  - name: b\n    parameters: *p\n",
      "f",
    );
    expect(shared.kind === "valid" && shared.overrides.tools[1]?.fields.parameters).toEqual({ timeout: "5s" });
    const bomb = `tools:\n  - name: a\n    a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => `    a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]\n`).join("")}`;
    expect(problem(bomb)).toContain("too many values");
    expect(problem("tools:\n  - name: a\n    x: &x [*x]\n")).toContain("nested too deeply");
    expect(problem(`tools: ${"[".repeat(3000)}${"]".repeat(3000)}`)).toContain("nested too deeply");
  });
});

describe("overrides in effect", () => {
  it("may name only the fields they change", () => {
    const text = "tools:\n  - name: grafana_dashboard\n    parameters:\n      api_key: k\n";
    const result = evaluate([grafana], withOverrides(text));
    expect(holmes(result)["grafana/dashboards"]!.config).toEqual({
      api_url: "http://grafana.monitoring.svc.cluster.local:80",
      api_key: "k",
    });
  });

  it("a field that says the same as discovery today still stands tomorrow", () => {
    const text =
      "tools:\n  - name: prometheus_query\n    endpoint: http://prometheus-server.monitoring.svc.cluster.local:9090\n";
    const first = evaluate([prometheus], withOverrides(text));
    const moved = service("monitoring", "prometheus-server", { labels: { app: "prometheus" }, ports: [{ port: 1 }] });
    const later = evaluate([moved], first.configMap, { now: noon });
    expect(holmes(later)["prometheus/metrics"]!.config.prometheus_url).toBe(
      "http://prometheus-server.monitoring.svc.cluster.local:9090",
    );
  });

  it("written before the Service exists, they hold when it comes", () => {
    const waiting = evaluate([], withOverrides("tools:\n  - name: prometheus_query\n    description: Mine\n"));
    expect(codes(waiting)).toContain("incomplete-tool");
    const result = evaluate([prometheus], waiting.configMap, { now: noon });
    expect(effective(result).prometheus_query).toMatchObject({
      description: "Mine",
      endpoint: "http://prometheus-server.monitoring.svc.cluster.local:9090",
    });
  });

  it("a tool that is not there may be a misspelt one", () => {
    const text = "tools:\n  - { name: grafana, enabled: false }\n  - { name: prometheus_qery, description: Mine }\n";
    const told = evaluate([prometheus, grafana], withOverrides(text)).diagnostics;
    expect(told.map(({ code, severity, message }) => `${severity} ${code}: ${message}`)).toEqual([
      "warning incomplete-tool: tool 'prometheus_qery' has no endpoint, and no Service is discovered under this name (did you mean prometheus_query?); the tool is left out until it has one",
      "info idle-override: overrides.yaml switches off the tool 'grafana', but no Service is discovered under that name (did you mean grafana_dashboard?)",
    ]);
  });

  it("enabled: false switches a tool off, and its absence on again", () => {
    const off = evaluate(
      [prometheus, grafana],
      withOverrides("tools:\n  - name: prometheus_query\n    enabled: false\n"),
    );
    expect(Object.keys(holmes(off))).toEqual(["grafana/dashboards"]);
    expect(tools(off)).toHaveLength(2);
    const again = evaluate([prometheus, grafana], off.configMap, { now: noon });
    expect(again.entries.entries.find((entry) => entry.name === "prometheus_query")).toMatchObject({
      verdict: "keep",
      reason: "user-deleted",
      changed: false,
    });
    const on = evaluate([prometheus, grafana], withOverrides("", off.configMap));
    expect(Object.keys(holmes(on))).toEqual(["grafana/dashboards", "prometheus/metrics"]);
  });

  it("of a doubled name the last counts, with a warning", () => {
    const text = "tools:\n  - name: a\n    endpoint: http://one\n  - name: a\n    endpoint: http://two\n";
    const result = evaluate([], withOverrides(text));
    expect(result.diagnostics).toMatchObject([
      { code: "doubled-override", line: 4, column: 5, file: "overrides.yaml" },
    ]);
    expect(effective(result).a).toEqual({ endpoint: "http://two" });
    expect(result.annotations["kubernaut.io/override-services"]).toBe("1");
  });

  it("a Service that goes leaves a whole override standing, and a partial one waiting", () => {
    const text =
      "tools:\n  - name: prometheus_query\n    endpoint: http://mine:1\n  - name: grafana_dashboard\n    description: Mine\n";
    const first = evaluate([prometheus, grafana], withOverrides(text));
    const gone = evaluate([], first.configMap, { now: noon });
    expect(Object.keys(holmes(gone))).toEqual(["prometheus/metrics"]);
    expect(gone.entries.entries.map((entry) => [entry.name, entry.verdict, entry.reason])).toEqual([
      ["grafana_dashboard", "update", "obsolete-modified"],
      ["prometheus_query", "update", "obsolete-modified"],
    ]);
    expect(evaluate([], gone.configMap, { now: noon }).inSync).toBe(true);
  });
});

describe("malformed overrides", () => {
  const good = "tools:\n  - name: prometheus_query\n    endpoint: http://good:1\n";
  const broken = `${good}  oops\n`;

  it("leave the last good ones in effect, and say so; the word goes when they are mended", () => {
    const first = evaluate([prometheus], withOverrides(good));
    const bad = evaluate([prometheus], withOverrides(broken, first.configMap), { now: noon });
    expect(holmes(bad)["prometheus/metrics"]!.config.prometheus_url).toBe("http://good:1");
    expect(bad.configMap.data).toMatchObject({ "overrides.yaml": broken, "overrides.last-good.yaml": good });
    expect(bad.annotations["kubernaut.io/override-error"]).toMatch(/^overrides\.yaml:\d+:\d+: /);
    expect(evaluate([prometheus], bad.configMap, { now: noon }).inSync).toBe(true);
    const mended = evaluate([prometheus], withOverrides(good, bad.configMap), { now: noon });
    expect(mended.configMap.metadata.annotations).not.toHaveProperty("kubernaut.io/override-error");
    expect(mended.inSync).toBe(false);
  });

  it("that never were good count as none", () => {
    expect(Object.keys(effective(evaluate([prometheus], withOverrides(broken))))).toEqual(["prometheus_query"]);
  });

  it("may get so long that an annotation can't hold their error", () => {
    const result = evaluate([], withOverrides(`tools:\n  - name: ${"a".repeat(5000)}\n    endpoint: []\n`));
    expect(result.annotations["kubernaut.io/override-error"]!.length).toBe(1024);
  });
});

describe("the text of toolset.yaml", () => {
  it("edited by hand is overwritten, with the difference told", () => {
    const first = evaluate([prometheus]);
    const text = first.data["toolset.yaml"]!;
    const edited = configMap(
      { ...first.configMap.data, "toolset.yaml": text.replace(":9090", ":1") },
      { ...first.annotations },
    );
    const result = evaluate([prometheus], edited, { now: noon });
    expect(result.inSync).toBe(false);
    expect(result.drifts[0]?.diff.split("\n")).toEqual([
      "-    endpoint: http://prometheus-server.monitoring.svc.cluster.local:1",
      "+    endpoint: http://prometheus-server.monitoring.svc.cluster.local:9090",
      "-    # Last updated: 2026-11-15T08:00:00Z",
      "+    # Last updated: 2026-11-15T12:00:00Z",
    ]);
    const remembered = evaluate([prometheus], edited, { now: noon, lastWritten: { ...first.data } });
    expect(remembered.drifts[0]?.diff.split("\n")).toEqual([
      "-    endpoint: http://prometheus-server.monitoring.svc.cluster.local:1",
      "+    endpoint: http://prometheus-server.monitoring.svc.cluster.local:9090",
    ]);
  });

  it("and so is what HolmesGPT loads, with secrets masked", () => {
    const first = evaluate(
      [grafana],
      withOverrides("tools:\n  - name: grafana_dashboard\n    parameters:\n      api_key: hunter2\n"),
    );
    const text = first.data["custom_toolset.yaml"]!;
    const edited = configMap(
      { ...first.configMap.data, "custom_toolset.yaml": text.replace("hunter2", "hunter3") },
      { ...first.annotations },
    );
    const result = evaluate([grafana], edited, { now: noon });
    expect(result.drifts.map((drift) => drift.key)).toEqual(["custom_toolset.yaml"]);
    expect(result.drifts[0]?.diff).not.toContain("hunter");
    expect(result.data["custom_toolset.yaml"]).toBe(text);
  });

  it("broken, emptied or taken out by hand is simply there again", () => {
    const first = evaluate([prometheus]);
    for (const broken of ["tools: [", "", '  - name: "\n\n  - name: x\n', undefined]) {
      const { "toolset.yaml": _, ...rest } = first.configMap.data!;
      const edited = configMap(
        { ...rest, ...(broken === undefined ? {} : { "toolset.yaml": broken }) },
        { ...first.annotations },
      );
      const result = evaluate([prometheus], edited, { now: noon });
      expect(codes(result)).toContain("generated-edited");
      expect(tools(result)).toHaveLength(1);
    }
  });

  it("that we did not write is no edit of ours", () => {
    expect(codes(evaluate([prometheus], configMap({ "toolset.yaml": "tools: []\n" })))).toEqual([]);
  });
});
