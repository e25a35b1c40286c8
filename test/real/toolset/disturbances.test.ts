// needs: apiserver
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Controller } from "../../../src/toolset/controller/controller.ts";
import type { ReflectorTiming } from "../../../src/toolset/controller/reflector.ts";
import { createMetrics, jsonLog } from "../../../src/toolset/controller/telemetry.ts";
import { usualWorkTiming } from "../../../src/toolset/controller/work-loop.ts";
import { builtinDetectors } from "../../../src/toolset/discover/detectors.ts";
import { type ApiServer, connectWith, startApiServer } from "./api-server.ts";
import {
  changePort,
  configMapWhen,
  createNamespace,
  createService,
  edit,
  eventually,
  name,
  toolNames,
} from "./cluster.ts";
import { type FlakyProxy, startProxy } from "./flaky-proxy.ts";

let server: ApiServer;
let proxy: FlakyProxy;
let namespace: string;
let count = 0;

beforeAll(async () => {
  server = await startApiServer();
  proxy = await startProxy(server.port);
});
afterAll(async () => {
  await proxy?.close();
  await server?.stop();
});
beforeEach(async () => {
  namespace = `disturbed-${++count}`;
  await createNamespace(server.api, namespace);
});

interface Running {
  readonly log: readonly string[];
  metric(name: string): number;
  /** Ends it; rejects if it did not end well. */
  stop(): Promise<void>;
}

/** The controller itself, through the proxy, with short patience. */
async function startHere(timing: Partial<ReflectorTiming> = {}): Promise<Running> {
  const api = await connectWith(await server.kubeconfigFor({ port: proxy.port }));
  const [stop, metrics, log] = [new AbortController(), createMetrics(), [] as string[]];
  const target = {
    namespace,
    name,
    overridesConfigMap: undefined,
    starter: false,
    holmes: { release: undefined, deployment: undefined },
    rules: { detectors: builtinDetectors, allowed: [], clusterDomain: "cluster.local" },
  };
  const reflecting = {
    watchSeconds: 240,
    silence: 60_000,
    resync: 600_000,
    firstBackoff: 100,
    longestBackoff: 500,
    ...timing,
  };
  const options = {
    target,
    watchNamespaces: [namespace],
    notice: { restart: undefined, reload: undefined },
    health: undefined,
    election: undefined,
    reflecting,
    working: usualWorkTiming,
  };
  const now = () => new Date();
  const controller = new Controller(api, options, {
    log: jsonLog((line) => log.push(line), now),
    metrics,
    signal: stop.signal,
    now,
  });
  const running = controller.run();
  return {
    log,
    metric: (metric) => Number(new RegExp(`^dynamictoolset_${metric} (\\S+)$`, "m").exec(metrics.render())?.[1]),
    async stop() {
      stop.abort();
      await running;
      api.close();
    },
  };
}

describe("disturbances", () => {
  it("a watch that is cut off is resumed, and nothing is missed", async () => {
    const controller = await startHere();
    await createService(server.api, namespace, "prometheus");
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    for (const port of [9101, 9102, 9103]) {
      proxy.cut();
      await changePort(server.api, namespace, "prometheus", port);
      await configMapWhen(server.api, namespace, ({ data }) => data?.["toolset.yaml"]?.includes(`:${port}`) === true);
    }
    expect(controller.metric("watch_restarts_total")).toBeGreaterThanOrEqual(3);
    await controller.stop();
  });

  it("a watch that goes silent without a word is noticed", async () => {
    const controller = await startHere({ silence: 1000 });
    await createService(server.api, namespace, "prometheus");
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    proxy.stall();
    await changePort(server.api, namespace, "prometheus", 9101);
    await configMapWhen(server.api, namespace, ({ data }) => data?.["toolset.yaml"]?.includes(":9101") === true);
    expect(controller.log.some((line) => line.includes("was silent for 1 s"))).toBe(true);
    await controller.stop();
  });

  it("watches that the server ends in due time are resumed without a list, and without a fuss", async () => {
    const controller = await startHere({ watchSeconds: 1 });
    await createService(server.api, namespace, "prometheus");
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    await sleep(2500);
    await changePort(server.api, namespace, "prometheus", 9101);
    await configMapWhen(server.api, namespace, ({ data }) => data?.["toolset.yaml"]?.includes(":9101") === true);
    expect(controller.metric("watch_restarts_total")).toBe(0);
    await controller.stop();
  });

  it("edits of the overrides in a row, while Services change, are neither lost nor overtaken", async () => {
    const controller = await startHere();
    await createService(server.api, namespace, "prometheus");
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    const editing = (async () => {
      for (let i = 1; i <= 30; i++) {
        await edit(server.api, namespace, (data) => {
          data["overrides.yaml"] =
            `${i === 1 ? "tools:\n" : data["overrides.yaml"]}  - name: tool_${i}\n    endpoint: http://tool-${i}:80\n`;
        });
      }
    })();
    const changing = (async () => {
      for (let i = 1; i <= 30; i++) await changePort(server.api, namespace, "prometheus", 9100 + i);
    })();
    await Promise.all([editing, changing]);
    const map = await configMapWhen(
      server.api,
      namespace,
      ({ data, metadata }) =>
        metadata.annotations?.["kubernaut.io/override-services"] === "30" &&
        data?.["toolset.yaml"]?.includes(":9130") === true,
    );
    expect(map.data?.["overrides.yaml"]).toBe(map.data?.["overrides.last-good.yaml"]);
    expect([...map.data!["overrides.yaml"]!.matchAll(/name: tool_(\d+)/g)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
    expect(controller.metric("generated_edits_total")).toBe(0);
    await controller.stop();
  });

  it("the API server may be restarted in mid-run", async () => {
    const controller = await startHere();
    await createService(server.api, namespace, "prometheus");
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    await server.restart(300);
    await createService(server.api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 2);
    const before = Date.now() / 1000;
    await changePort(server.api, namespace, "grafana", 3001);
    await configMapWhen(server.api, namespace, ({ data }) => data?.["toolset.yaml"]?.includes(":3001") === true);
    await eventually(
      async () => controller.metric("last_success_timestamp_seconds"),
      (time) => time >= Math.floor(before),
    );
    await controller.stop();
  });
});
