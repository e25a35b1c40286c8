// The toolset domain: merging and rendering in memory, growth, and (with a real API server at hand) an apply against
// kubectl's, how soon a change of a Service is in the ConfigMap, and what the controller needs for ten thousand
// Services.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { growth } from "./growth.mjs";
import { benchKubectl } from "./kubectl.mjs";
import { isQuick, row } from "./measure.mjs";
import { findApiServer, missingPeer } from "./peers.mjs";
import { overridesText, servicesOf, toolsetInput } from "./toolset-input.mjs";

export async function* benchToolset(parts, folder, bundle) {
  yield row({
    name: "toolset: 100 services and 50 overrides",
    unit: "ms",
    values: quietest(evaluation(parts, 100, 50), 200),
  });
  yield row({
    name: "toolset: 10,000 services and 50 overrides",
    unit: "ms",
    values: quietest(evaluation(parts, 10_000, 50), 12),
  });
  yield row({
    name: "toolset: 4,000 services and 2,000 overrides, more than fits",
    unit: "ms",
    values: quietest(evaluation(parts, 4_000, 2_000), 10),
  });
  yield* growth({ what: "toolset growth", scenario: new URL("toolset-growth.mjs", import.meta.url), bundle, folder });
  if (findApiServer() === undefined) {
    yield missingPeer("kube-apiserver", "bash scripts/real/apiserver.sh");
    return;
  }
  const server = await parts.startApiServer();
  try {
    yield* benchKubectl(parts, server, folder);
    if (!isQuick) yield* benchController(parts, server);
  } finally {
    await server.stop();
  }
}

/** The best of five rounds each: what else the machine is doing can only make a run longer. */
function quietest(work, runs) {
  return Array.from({ length: isQuick ? 1 : 5 }, () => {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < Math.ceil(runs / 5); i++) {
      const start = performance.now();
      work();
      shortest = Math.min(shortest, performance.now() - start);
    }
    return shortest;
  });
}

/** One whole reconciliation in memory: read the overrides and the last text, discover, merge, render. */
function evaluation(parts, services, overrides) {
  const facts = servicesOf(parts, services);
  const metadata = { name: "toolset", namespace: "bench" };
  const before = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { "overrides.yaml": overridesText(overrides) },
  };
  const first = parts.evaluateToolset(toolsetInput(parts, facts, before));
  return () => parts.evaluateToolset(toolsetInput(parts, facts, first.configMap));
}

async function* benchController(parts, server) {
  const cli = await parts.bundleCli();
  let controller;
  try {
    await createMany(parts, server, 10_000);
    controller = await parts.startController(cli.entry, [
      "--kubeconfig",
      server.kubeconfig,
      "-n",
      "bench",
      "--no-health-checks",
    ]);
    const latencies = await changeAndWait(parts, server, 100);
    const last = Math.floor(latencies.length * 0.99);
    yield row({
      name: "toolset: a Service's change is in the ConfigMap, 99 of 100",
      unit: "ms",
      values: [latencies[last]],
      detail: `half of them in ${latencies[50].toFixed(0)} ms; 10,000 Services`,
    });
    yield row({
      name: "toolset: controller's memory at 10,000 Services",
      unit: "MB",
      values: [memory(controller.child.pid)],
    });
  } finally {
    await controller?.stop();
    cli.remove();
  }
}

/** Ten thousand Services, a hundred of them tools. */
async function createMany({ cluster }, { api }, count) {
  await cluster.createNamespace(api, "bench");
  const numbers = Array.from({ length: count }, (_, i) => i);
  const next = async () => {
    for (let i = numbers.pop(); i !== undefined; i = numbers.pop()) {
      await cluster.createService(api, "bench", `service-${i}`, {
        labels: { app: i % 100 === 0 ? "prometheus" : `app-${i}` },
      });
    }
  };
  await Promise.all(Array.from({ length: 30 }, next));
}

/** Sorted milliseconds. */
async function changeAndWait({ cluster }, { api }, times) {
  await cluster.configMapWhen(api, "bench", (map) => cluster.toolNames(map).length >= 100, 60_000);
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

function memory(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
