import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../../src/cli/main.ts";
import { runOptions, searchDomain, sharedOptions } from "../../src/cli/toolset/options.ts";
import { configMapText } from "../../src/cli/toolset/output.ts";
import type { ConfigMap } from "../../src/toolset/render/configmap.ts";
import { heard, type Ran } from "../cli/heard.ts";
import { grafana, morning, noon, prometheus } from "./sample.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stet-toolset-"));
});
afterEach(() => rm(folder, { recursive: true }));

function stet(
  args: readonly string[],
  { input = "", now = morning }: { input?: string; now?: Date } = {},
): Promise<Ran> {
  const outside = { env: { HOME: folder }, cwd: folder, readInput: async () => input, now: () => now };
  return heard((io) => runCommand(["toolset", ...args], io), outside);
}

const services = JSON.stringify({ apiVersion: "v1", kind: "ServiceList", items: [prometheus, grafana] });

function configMapYaml(overrides: string): string {
  const text = overrides.replace(/^/gm, "    ");
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: kubernaut-toolset-config
  namespace: kubernaut-system
  resourceVersion: "41"
  labels: {team: sre}
data:
  mine.txt: keep me
  overrides.yaml: |
${text.trimEnd()}
`;
}

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
}

describe("stet toolset, offline", () => {
  it("prints a ConfigMap that a reader of YAML 1.1 understands: whatever could be more than a text stands in quotes", async () => {
    const annotations = { a: "yes", b: "1_000", c: "2026-01-01", d: "=", e: "1:30", f: "plain text", g: "" };
    const metadata = { name: "kubernaut-toolset-config", annotations, labels: { on: "off" } };
    const out = configMapText({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { y: "n", t: "2026-11-15T08:00:00Z" },
    });
    const understood = parse(out, { version: "1.1", merge: false });
    expect(understood.metadata).toMatchObject(metadata);
    expect(understood.data).toEqual({ y: "n", t: "2026-11-15T08:00:00Z" });
    for (const line of [
      'a: "yes"',
      'b: "1_000"',
      'c: "2026-01-01"',
      'd: "="',
      'e: "1:30"',
      "f: plain text",
      '"on": "off"',
      '"y": "n"',
    ]) {
      expect(out).toContain(`  ${line}\n`);
    }
  });

  it("prints JSON where a text holds what ends a line in YAML 1.1 only", async () => {
    const overrides = "tools: [{name: a, endpoint: http://a}] # one\u2028two\u0085three\n";
    await write("services.json", services);
    await write(
      "cm.json",
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "c" },
        data: { "overrides.yaml": overrides },
      }),
    );
    const { out } = await stet(["apply", "--services", "services.json", "--configmap", "cm.json"]);
    expect(JSON.parse(out).data["overrides.last-good.yaml"]).toBe(overrides);
    expect(out).toContain("one\\u2028two\\u0085three");
  });

  it("does not call in sync what would be written, if only an annotation", async () => {
    await write("services.json", services);
    await write(
      "cm.json",
      JSON.stringify(JSON.parse((await stet(["apply", "--services", "services.json", "--json"])).out).configMap),
    );
    const args = ["plan", "--services", "services.json", "--exit-code", "--configmap"];
    const synced = await stet([...args, "cm.json"]);
    expect({ code: synced.code, out: synced.out }).toEqual({ code: 0, out: "In sync.\n" });
    const broken = JSON.parse(await readFile(join(folder, "cm.json"), "utf8"));
    broken.data["overrides.yaml"] = "tools: [";
    await write("broken.json", JSON.stringify(broken));
    const { code, out } = await stet([...args, "broken.json"]);
    expect({ code, last: out.trimEnd().split("\n").at(-1) }).toEqual({
      code: 2,
      last: "The ConfigMap would be written, but no tool changes.",
    });
  });

  it("prints the plan and the resulting ConfigMap as one JSON document", async () => {
    const overrides =
      "# mine\ntools:\n  - name: prometheus_query   # production\n    endpoint: http://prometheus.prod.svc:9090\n";
    await write("services.json", services);
    await write("cm.yaml", configMapYaml(overrides));
    const { code, out, err } = await stet(["plan", "--services", "services.json", "--configmap", "cm.yaml", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const document = JSON.parse(out);
    expect(document).toMatchObject({
      format_version: 1,
      name: "kubernaut-toolset-config",
      changed: 2,
      summary: { create: 1, merge: 1 },
    });
    expect(document.configMap.data["overrides.yaml"]).toBe(overrides);
    expect(document.configMap.data["mine.txt"]).toBe("keep me");
    expect(document.configMap.metadata).toMatchObject({ resourceVersion: "41", labels: { team: "sre" } });
    expect(load(document.configMap.data["custom_toolset.yaml"])).toMatchObject({
      toolsets: { "prometheus/metrics": { config: { prometheus_url: "http://prometheus.prod.svc:9090" } } },
    });
    expect(await readFile(join(folder, "cm.yaml"), "utf8")).toBe(configMapYaml(overrides));
  });

  it("apply prints a ConfigMap that kubectl takes, and a second run on it changes nothing", async () => {
    await write("services.json", services);
    const first = await stet(["apply", "--services", "services.json"]);
    expect(first.code).toBe(0);
    expect(first.err).toContain("+ tool:prometheus_query  added");
    await write("cm.yaml", first.out);
    const second = await stet(["apply", "--services", "services.json", "--configmap", "cm.yaml", "--json"], {
      now: noon,
    });
    expect(JSON.parse(second.out)).toMatchObject({
      changed: 0,
      files: [{ action: "none" }, { action: "none" }, { action: "none" }],
    });
    expect(JSON.parse(second.out).configMap).toEqual(load(first.out));
  });

  it("apply prints our own keys only, whatever the ConfigMap holds; a first overrides.yaml only when asked", async () => {
    await write("services.json", services);
    await write("cm.yaml", configMapYaml("tools: []\n"));
    const printed = async (...args: string[]) =>
      load((await stet(["apply", "--services", "services.json", ...args])).out) as ConfigMap;
    const own = await printed("--configmap", "cm.yaml");
    expect(Object.keys(own.data!)).toEqual(["toolset.yaml", "custom_toolset.yaml"]);
    expect(Object.keys(own.metadata)).toEqual(["name", "namespace", "annotations"]);
    expect(Object.keys((await printed("--configmap", "cm.yaml", "--starter")).data!)).not.toContain("overrides.yaml");
    expect(Object.keys((await printed()).data!)).not.toContain("overrides.yaml");
    expect((await printed("--starter")).data!["overrides.yaml"]).toContain("YOUR OVERRIDES");
  });

  it("reads standard input, several documents, and only the namespaces asked for", async () => {
    const input = `---\napiVersion: v1\nkind: Service\nmetadata: {name: prometheus, namespace: a, labels: {app: prometheus}}\nspec: {ports: [{port: 9090}]}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: grafana, namespace: b, labels: {app: grafana}}\nspec: {ports: [{port: 3000}]}\n`;
    const { out } = await stet(["plan", "--services", "-", "--json", "--watch-namespace", "b"], { input });
    expect(JSON.parse(out).entries.map((entry: { key: string }) => entry.key)).toEqual(["tool:grafana_dashboard"]);
  });

  it("tells with its exit code whether an apply would change something, and whether overrides stand", async () => {
    await write("services.json", services);
    await write("cm.yaml", configMapYaml("tools:\n  - name: prometheus_query\n    description: mine\n"));
    const files = ["--services", "services.json", "--configmap", "cm.yaml"];
    expect((await stet(["plan", ...files, "--exit-code"])).code).toBe(2);
    const applied = await stet(["apply", ...files, "--strict"]);
    expect(applied.code).toBe(3);
    await write("cm.yaml", JSON.stringify(JSON.parse((await stet(["apply", ...files, "--json"])).out).configMap));
    expect((await stet(["plan", ...files, "--exit-code"], { now: noon })).code).toBe(0);
  });

  it("status shows every tool, and what is not used with the reason", async () => {
    const lame = {
      kind: "Service",
      metadata: { name: "lame", namespace: "m", labels: { app: "grafana" } },
      spec: { ports: [] },
    };
    const wish = {
      "kubernaut.io/toolset": "true",
      "kubernaut.io/toolset-type": "api",
      "kubernaut.io/toolset-endpoint": "http://10.0.0.1",
    };
    const away = {
      kind: "Service",
      metadata: { name: "away", namespace: "m", annotations: wish },
      spec: { ports: [{ port: 80 }] },
    };
    const items = [...(JSON.parse(services) as { items: unknown[] }).items, lame, away];
    await write("services.json", JSON.stringify({ kind: "ServiceList", items }));
    await write(
      "cm.yaml",
      configMapYaml(
        "tools:\n  - {name: grafana_dashboard, enabled: false}\n  - {name: mine, endpoint: http://mine:1}\n",
      ),
    );
    const files = ["--services", "services.json", "--configmap", "cm.yaml"];
    const text = await stet(["status", ...files, "--exit-code"]);
    expect(text.code).toBe(2);
    for (const line of [
      /^ConfigMap kubernaut-system\/kubernaut-toolset-config: /m,
      /^ {2}mine +http:\/\/mine:1\s+overrides\.yaml +only in your overrides$/m,
      /^ {2}prometheus_query +http:\/\/\S+\s+monitoring\/prometheus-server +not written yet$/m,
      /^ {2}grafana_dashboard +-\s+monitoring\/grafana +switched off by your override$/m,
      /^ {2}m\/away +refused-endpoint +/m,
      /^ {2}m\/lame +no-port +/m,
    ]) {
      expect(text.out).toMatch(line);
    }
    const json = JSON.parse((await stet(["status", ...files, "--json"])).out);
    expect(json).toMatchObject({ format_version: 1, in_sync: false, leader: null });
    expect(json.unused.map((each: { service: string; reason: string }) => `${each.service} ${each.reason}`)).toEqual([
      "m/away refused-endpoint",
      "m/lame no-port",
    ]);
    expect(json.tools.map((each: { tool: string }) => each.tool)).toEqual([
      "grafana_dashboard",
      "mine",
      "prometheus_query",
    ]);
    expect((await stet(["plan", ...files])).out).toContain(
      "warning: Service m/lame looks like grafana but has no port; it is left out",
    );
  });

  it("masks secrets in reports, never in the ConfigMap", async () => {
    await write("services.json", services);
    await write(
      "cm.yaml",
      configMapYaml("tools:\n  - name: grafana_dashboard\n    parameters:\n      api_key: hunter2\n"),
    );
    const files = ["--services", "services.json", "--configmap", "cm.yaml"];
    const { out } = await stet(["plan", ...files, "--json"]);
    const { configMap, ...report } = JSON.parse(out);
    expect(JSON.stringify(report)).not.toContain("hunter2");
    expect(configMap.data["custom_toolset.yaml"]).toContain("hunter2");
    expect((await stet(["plan", ...files, "--diff"])).out).not.toContain("hunter2");
    const piped = await stet(["apply", ...files]);
    expect(piped.err).not.toContain("hunter2");
    expect(piped.out).toContain("hunter2");
    expect((await stet(["plan", ...files, "--diff", "--show-secrets"])).out).toContain("hunter2");
  });

  it("keeps overrides with awkward bytes exactly as they are", async () => {
    const awkward = "tools: []  \n\t# tab\r\n# trailing space \n\n\n";
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x" },
      data: { "overrides.yaml": awkward },
    };
    await write("services.json", services);
    await write("cm.json", JSON.stringify(configMap));
    const { out } = await stet(["apply", "--services", "services.json", "--configmap", "cm.json", "--json"]);
    expect(JSON.parse(out).configMap.data["overrides.yaml"]).toBe(awkward);
  });

  it("takes overrides from an object of their own", async () => {
    await write("services.json", services);
    const other = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "team-overrides" },
      data: { "overrides.yaml": "tools: [oops" },
    };
    await write("cm.json", JSON.stringify({ apiVersion: "v1", kind: "List", items: [other] }));
    const args = ["--services", "services.json", "--configmap", "cm.json", "--overrides-configmap", "team-overrides"];
    const document = JSON.parse((await stet(["plan", ...args, "--json"])).out);
    expect(document.diagnostics[0]).toMatchObject({
      code: "invalid-overrides",
      file: "team-overrides/overrides.yaml",
      line: 1,
    });
    expect(document.configMap.data["overrides.yaml"]).toBeUndefined();
  });

  it("takes a truth value in an annotation for the text it means", async () => {
    const input =
      "kind: Service\nmetadata: {name: x, annotations: {kubernaut.io/toolset: true, kubernaut.io/toolset-type: api}}\nspec: {ports: [{port: 1}]}\n";
    const { out } = await stet(["plan", "--services", "-", "--json"], { input });
    expect(JSON.parse(out).entries).toMatchObject([{ key: "tool:x", verdict: "create" }]);
  });

  it("knows detectors of the user's", async () => {
    await write(
      "detectors.yaml",
      "detectors:\n  - {type: kiali, names: [kiali], port: 20001, tool-name: kiali_graph, description: The mesh}\n",
    );
    const input =
      "apiVersion: v1\nkind: Service\nmetadata: {name: kiali, namespace: mesh}\nspec: {ports: [{port: 20001}]}\n";
    const { out } = await stet(["plan", "--services", "-", "--detectors", "detectors.yaml", "--json"], { input });
    expect(JSON.parse(out).configMap.data["toolset.yaml"]).toContain(
      "endpoint: http://kiali.mesh.svc.cluster.local:20001",
    );
  });
});

it("manifests knows every option of run", async () => {
  await write(
    "own.yaml",
    "detectors:\n  - {type: zipkin, names: [zipkin], port: 9411, tool-name: zipkin_query, description: Traces}\n",
  );
  const given = [
    ...[
      "--starter",
      "--no-health-checks",
      "--allow-endpoint=*.example.org",
      "--allow-endpoint=10.0.0.1",
      "--cluster-domain=corp.example",
    ],
    ...[
      "--holmes=0.31",
      "--holmes-deployment=h/holmes",
      "--reload=endpoint",
      "--reload-url=http://holmes.h.svc",
      "--reload-delay=10s",
    ],
    ...[
      "--restart-interval=1m",
      "--resync=5m",
      "--health-interval=10s",
      "--health-timeout=2s",
      "--health-grace=1m",
      "--lease-duration=20s",
    ],
    "--no-leader-election",
  ];
  const { code, out, err } = await stet(["manifests", "--json", "--detectors", "own.yaml", ...given]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { items } = JSON.parse(out);
  const deployment = items.find((each: { kind: string }) => each.kind === "Deployment");
  const { args } = deployment.spec.template.spec.containers[0];
  expect(args).toEqual(expect.arrayContaining([...given, "--detectors=/etc/stet/detectors.yaml"]));
  const configMap = items.find((each: { kind: string }) => each.kind === "ConfigMap");
  expect(configMap.data["detectors.yaml"]).toContain("zipkin");
  const options = new Set([...Object.keys(sharedOptions), ...Object.keys(runOptions)]);
  const outside = ["kubeconfig", "context", "restart", "watch-namespace", "overrides-configmap"];
  const said = new Set((args as string[]).map((each) => /^--([a-z-]+)/.exec(each)?.[1]));
  expect([...options].filter((option) => !said.has(option) && !outside.includes(option))).toEqual([]);
});

it("takes the cluster's domain from a pod's resolver", () => {
  expect(searchDomain("search ns.svc.corp.example svc.corp.example corp.example\nnameserver 10.96.0.10\n")).toBe(
    "corp.example",
  );
  expect(searchDomain("search example.org\n")).toBeUndefined();
});

it("prints the manifests as YAML documents, or as one JSON document with the same objects", async () => {
  const args = ["manifests", "--image", "example.org/stet:1", "--with-alerts"];
  const [yaml, json] = [await stet(args), await stet([...args, "--json"])];
  expect(JSON.parse(json.out)).toEqual({ apiVersion: "v1", kind: "List", items: loadAll(yaml.out) });
});

it("takes a cluster without Services for what it is", async () => {
  for (const items of ["[]", "null"]) {
    const input = `{"apiVersion": "v1", "kind": "List", "items": ${items}}`;
    expect(await stet(["plan", "--services", "-"], { input })).toMatchObject({ code: 0, err: "" });
  }
});

it("reads what several runs of kubectl print one behind the other, and a Service that they all print once", async () => {
  const list = (...items: readonly unknown[]) =>
    JSON.stringify({ apiVersion: "v1", kind: "ServiceList", items }, null, 2);
  const input = `${list(prometheus)}\n${list(prometheus, grafana)}\n`;
  const { code, out } = await stet(["plan", "--services", "-", "--json"], { input });
  expect(code).toBe(0);
  const keys = JSON.parse(out).entries.map((entry: { key: string }) => entry.key);
  expect(keys).toEqual(["tool:grafana_dashboard", "tool:prometheus_query"]);
});

describe("mistakes are one line and exit 1", () => {
  const rows: [string, readonly string[], string, RegExp][] = [
    ["a malformed file", ["plan", "--services", "-"], "kind: [\n", /^stet: -:2:1: .+\n$/],
    ["what a kubectl that failed left", ["apply", "--services", "-"], "\n", /^stet: -: it is empty; .*\n$/],
    [
      "a ConfigMap that a failed kubectl left",
      ["apply", "--services", "services.json", "--configmap", "-"],
      "",
      /^stet: -: it is empty; if there is no ConfigMap yet, leave --configmap out\n$/,
    ],
    [
      "something that is no Service",
      ["plan", "--services", "-"],
      "kind: Pod\n",
      /^stet: -: it holds no Service \(but Pod\).*\n$/,
    ],
    [
      "a Service of a wrong shape",
      ["plan", "--services", "-"],
      "kind: Service\nmetadata: {name: x}\nspec: {ports: {port: 1}}\n",
      /^stet: -: Service x: spec\.ports: .*\n$/,
    ],
    [
      "a nameless Service",
      ["plan", "--services", "-"],
      "kind: Service\n",
      /^stet: -: Service without a name: metadata: .*\n$/,
    ],
    [
      "a name that no Service can have",
      ["plan", "--services", "-"],
      "kind: Service\nmetadata: {name: My Prometheus}\n",
      /^stet: -: Service My Prometheus: metadata\.name: .*\n$/,
    ],
    [
      "a port that there is not",
      ["plan", "--services", "-"],
      "kind: Service\nmetadata: {name: prometheus}\nspec: {ports: [{port: 99999}]}\n",
      /^stet: -: Service prometheus: spec\.ports\.0\.port: .*\n$/,
    ],
    [
      "a Service that stands there twice, and not alike",
      ["plan", "--services", "-"],
      JSON.stringify({ kind: "Service", ...prometheus }) + JSON.stringify({ kind: "Service", ...prometheus, spec: {} }),
      /^stet: -: Service monitoring\/prometheus-server stands in it twice, .*\n$/,
    ],
    [
      "a namespace that can't be",
      ["apply", "--services", "services.json", "-n", "Tool Box"],
      "",
      /^stet: --namespace: 'Tool Box' is not a name .*\n$/,
    ],
    [
      "a namespace to look in that can't be",
      ["plan", "--services", "services.json", "--watch-namespace", "a/b"],
      "",
      /^stet: --watch-namespace: 'a\/b' is not a name .*\n$/,
    ],
    ["a missing file", ["plan", "--services", "nope.yaml"], "", /^stet: nope\.yaml: no such file\n$/],
    [
      "only half of offline",
      ["plan", "--configmap", "cm.yaml"],
      "",
      /^stet: --configmap FILE also needs --services.*\n$/,
    ],
    ["an unknown option", ["plan", "--service", "x"], "", /^stet: Unknown option '--service'.*\n$/],
    ["an unknown sub-command", ["frobnicate"], "", /^stet: there is no toolset command frobnicate.*\n$/],
    ["something that is no option", ["plan", "here"], "", /^stet: 'here' is one argument too many.*\n$/],
    ["no cluster", ["plan"], "", /^stet: no cluster to talk to: .*\n$/],
    [
      "a bad duration",
      ["run", "--resync", "soon", "--kubeconfig", "x"],
      "",
      /^stet: --resync: 'soon' is not a duration.*\n$/,
    ],
    ["a bad count", ["manifests", "--replicas", "many"], "", /^stet: --replicas: 'many' is not.*\n$/],
  ];
  it.each(rows)("%s", async (_, args, input, message) => {
    await write("services.json", services);
    const { code, out, err } = await stet(args, { input });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });

  it("leaves out what a cluster would not take, the newest first, and says so", async () => {
    const many = Array.from({ length: 6000 }, (_, i) => ({
      ...prometheus,
      metadata: { ...prometheus.metadata, name: `prometheus-number-${i}` },
    }));
    const input = JSON.stringify({ kind: "ServiceList", items: many });
    const { code, err } = await stet(["apply", "--services", "-"], { input });
    expect(code).toBe(0);
    expect(err).toMatch(
      /warning: \d+ discovered Services are left out, the newest first, because a\s+ConfigMap holds 1048576 bytes/,
    );
  });
});
