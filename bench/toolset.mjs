// The toolset's numbers: merging and rendering in memory, and (with a real API server at hand) how soon a change of a Service is in the
// ConfigMap, and what the controller needs for ten thousand Services.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * All rows: { name, value, unit, limit } where a value above its limit is a failure. `left` says what could not be measured, and why.
 */
export async function benchToolset() {
  const folder = bundleFolder();
  try {
    const parts = await bundle(folder);
    const rows = inMemory(parts);
    const cache = process.env.STET_TEST_CACHE ?? join(homedir(), ".cache", "stet-test");
    if (!existsSync(join(cache, "apiserver", "bin", "kube-apiserver"))) {
      return { rows, left: ["latency and memory: no API server; run scripts/real/apiserver.sh first"] };
    }
    return { rows: [...rows, ...(await inCluster(parts))], left: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bundleFolder() {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, "bench-toolset-"));
}

/** The sources as they are, bundled for Node 20, which reads no TypeScript. */
async function bundle(folder) {
  const contents = `
    export { evaluateToolset } from "./src/toolset/evaluate.ts";
    export { discover } from "./src/toolset/discover.ts";
    export { builtinDetectors } from "./src/toolset/detectors.ts";
    export { serviceFacts } from "./src/toolset/service.ts";
    export { startApiServer } from "./test/real/toolset/api-server.ts";
    export { bundleCli, startController } from "./test/real/toolset/controller-process.ts";
    export * as cluster from "./test/real/toolset/cluster.ts";`;
  await build({
    stdin: { contents, resolveDir: root },
    outfile: join(folder, "parts.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    external: ["esbuild", "fs-native-extensions"],
    define: { "import.meta.dirname": JSON.stringify(join(root, "test", "real", "toolset")) },
    banner: { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return import(pathToFileURL(join(folder, "parts.mjs")).href);
}

function inMemory(parts) {
  const hundred = best(evaluation(parts, 100, 50), 200);
  const thousand = best(evaluation(parts, 1000, 50), 40);
  const tenThousand = best(evaluation(parts, 10_000, 50), 12);
  return [
    { name: "100 services + 50 overrides, merged and rendered", value: hundred, unit: "ms", limit: 10 },
    { name: "10,000 services", value: tenThousand, unit: "ms", limit: 1000 },
    { name: "10,000 services against 1,000 (linear is 10)", value: tenThousand / thousand, unit: "times", limit: 15 },
  ];
}

/** The best of many: what else the machine is doing can only make a run longer. */
function best(work, runs) {
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** One whole reconciliation in memory: read the overrides and the last text, discover, merge, render. A tenth of the tools is overridden. */
function evaluation({ evaluateToolset, discover, builtinDetectors, serviceFacts }, services, overrides) {
  const apps = ["prometheus", "grafana", "jaeger", "elasticsearch", "loki", "tempo"];
  const facts = Array.from({ length: services }, (_, i) =>
    serviceFacts({
      metadata: { namespace: `team-${i % 50}`, name: `service-${i}`, labels: { app: apps[i % apps.length] } },
      spec: { ports: [{ port: 9090 }] },
    }),
  );
  const text = `tools:\n${Array.from({ length: overrides }, (_, i) => `  - name: custom_${i}\n    type: http\n    description: Tool number ${i}\n    endpoint: http://custom-${i}.svc:8080\n    parameters:\n      timeout: 30s\n`).join("")}`;
  const metadata = { name: "toolset", namespace: "bench" };
  const input = (current) => ({
    discovered: discover(facts, builtinDetectors),
    detectors: builtinDetectors,
    current,
    separateOverrides: undefined,
    lastWritten: undefined,
    ...metadata,
    now: new Date("2026-01-01T00:00:00Z"),
  });
  const first = evaluateToolset(input({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "overrides.yaml": text } }));
  return () => evaluateToolset(input(first.configMap));
}

async function inCluster(parts) {
  const cli = await parts.bundleCli();
  const server = await parts.startApiServer();
  let controller;
  try {
    await createMany(parts, server, 10_000);
    controller = await parts.startController(cli.entry, ["--kubeconfig", server.kubeconfig, "-n", "bench", "--no-health-checks"]);
    const latencies = await changeAndWait(parts, server, 100);
    return [
      { name: "a Service change is in the ConfigMap, p50, 10,000 Services", value: at(latencies, 0.5), unit: "ms", limit: 500 },
      { name: "a Service change is in the ConfigMap, p99, 10,000 Services", value: at(latencies, 0.99), unit: "ms", limit: 500 },
      { name: "controller's memory (RSS) at 10,000 Services", value: await memory(controller.child.pid), unit: "MB", limit: 150 },
    ];
  } finally {
    await controller?.stop();
    await server.stop();
    cli.remove();
  }
}

/** Ten thousand Services, a hundred of them tools. */
async function createMany({ cluster }, { api }, count) {
  await cluster.createNamespace(api, "bench");
  const numbers = Array.from({ length: count }, (_, i) => i);
  const next = async () => {
    for (let i = numbers.pop(); i !== undefined; i = numbers.pop()) {
      await cluster.createService(api, "bench", `service-${i}`, { labels: { app: i % 100 === 0 ? "prometheus" : `app-${i}` } });
    }
  };
  await Promise.all(Array.from({ length: 30 }, next));
}

async function changeAndWait({ cluster }, { api }, times) {
  const { setTimeout: sleep } = await import("node:timers/promises");
  await cluster.configMapWhen(api, "bench", (map) => cluster.toolNames(map).length === 100, 60_000);
  const latencies = [];
  for (let i = 0; i < times; i++) {
    const port = 20_000 + i;
    const start = performance.now();
    await cluster.changePort(api, "bench", "service-0", port);
    await cluster.configMapWhen(api, "bench", ({ data }) =>
      data["custom_toolset.yaml"].includes(`service-0.bench.svc.cluster.local:${port}`),
    );
    latencies.push(performance.now() - start);
    await sleep(20);
  }
  return latencies.sort((a, b) => a - b);
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

async function memory(pid) {
  const { readFileSync } = await import("node:fs");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { rows, left } = await benchToolset();
  for (const { name, value, unit, limit } of rows) console.log(`${name}: ${value.toFixed(1)} ${unit} (limit ${limit})`);
  for (const line of left) console.log(line);
  process.exitCode = rows.some(({ value, limit }) => value > limit) ? 1 : 0;
}
