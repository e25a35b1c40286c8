// needs: apiserver
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, startApiServer } from "./api-server.ts";
import {
  changePort,
  configMapWhen,
  createNamespace,
  createService,
  deleteConfigMap,
  deleteService,
  edit,
  eventually,
  toolNames,
  toolsets,
  writeOverrides,
} from "./cluster.ts";
import { type Bundle, bundleCli, type RunningController, startController } from "./controller-process.ts";

let server: ApiServer;
let bundle: Bundle;
let controller: RunningController;
let namespace: string;
let count = 0;

beforeAll(async () => {
  bundle = await bundleCli();
  server = await startApiServer();
});
afterAll(async () => {
  bundle?.remove();
  await server?.stop();
});

/** A controller and a namespace of its own for each test; it is stopped as Kubernetes would, and must end well. */
async function withController(more: readonly string[], story: () => Promise<void>): Promise<void> {
  const args = [
    "--kubeconfig",
    server.kubeconfig,
    "-n",
    namespace,
    "--watch-namespace",
    namespace,
    "--no-health-checks",
    "--no-leader-election",
  ];
  controller = await startController(bundle.entry, [...args, ...more]);
  try {
    await story();
    expect(await controller.stop()).toBe(0);
    expect(controller.output()).toBe("");
  } finally {
    await controller.kill();
  }
}

beforeEach(async () => {
  namespace = `spec-${++count}`;
  await createNamespace(server.api, namespace);
});

const override =
  "# our production Prometheus\ntools:\n  - name: prometheus_query   # overrides the discovered one\n    endpoint: http://prometheus.prod.svc:9090\n";

describe("DD-TOOLSET-003, integration specs, against a real API server", () => {
  it("1. Should preserve overrides across reconciliation cycles", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      await configMapWhen(api, namespace, (map) => toolNames(map).length === 1);
      await writeOverrides(api, namespace, override);
      for (const port of [9091, 9092, 9093]) {
        await changePort(api, namespace, "prometheus", port);
        const map = await configMapWhen(
          api,
          namespace,
          ({ data }) => data?.["toolset.yaml"]?.includes(`:${port}`) === true,
        );
        expect(map.data?.["overrides.yaml"]).toBe(override);
        expect(toolsets(map)["prometheus/metrics"]?.config).toEqual({
          prometheus_url: "http://prometheus.prod.svc:9090",
        });
      }
      const map = await configMapWhen(api, namespace, () => true);
      const owners = map.metadata.managedFields as {
        manager: string;
        fieldsV1: { "f:data"?: Record<string, unknown> };
      }[];
      const owning = owners
        .filter(({ fieldsV1 }) => fieldsV1["f:data"]?.["f:overrides.yaml"] !== undefined)
        .map(({ manager }) => manager);
      expect(owning).not.toContain("stet-toolset");
    });
  });

  it("2. Should update auto-generated section on service changes", async () => {
    const { api } = server;
    await withController([], async () => {
      await createService(api, namespace, "prometheus");
      await configMapWhen(api, namespace, (map) => toolNames(map).join() === "prometheus_query");
      await createService(api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
      await configMapWhen(api, namespace, (map) => toolNames(map).join() === "grafana_dashboard,prometheus_query");
      await changePort(api, namespace, "grafana", 3001);
      await configMapWhen(
        api,
        namespace,
        ({ data }) => data?.["toolset.yaml"]?.includes("grafana.spec-2.svc.cluster.local:3001") === true,
      );
      await deleteService(api, namespace, "prometheus");
      await configMapWhen(api, namespace, (map) => toolNames(map).join() === "grafana_dashboard");
    });
  });

  it("3. Should handle ConfigMap creation if missing", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController(["--starter"], async () => {
      const map = await configMapWhen(api, namespace, (found) => toolNames(found).length === 1);
      expect(map.data?.["overrides.yaml"]).toContain("# ✏️ YOUR OVERRIDES");
      expect(map.metadata.annotations).toMatchObject({
        "kubernaut.io/discovered-services": "1",
        "kubernaut.io/override-services": "0",
        "kubernaut.io/conflict-count": "0",
      });
    });
  });

  it("4. Should handle manual ConfigMap deletion gracefully", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      const first = await configMapWhen(api, namespace, (map) => toolNames(map).length === 1);
      await deleteConfigMap(api, namespace);
      await configMapWhen(
        api,
        namespace,
        (map) => map.metadata.uid !== first.metadata.uid && toolNames(map).length === 1,
      );
      await eventually(
        async () => controller.log,
        (log) => log.filter((line) => line.msg.includes("can't come back")).length === 2,
      );
    });
  });

  it("5. Should merge overrides correctly in end-to-end flow", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await createService(api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
    await withController([], async () => {
      await configMapWhen(api, namespace, (map) => toolNames(map).length === 2);
      const mine =
        "  - name: my_custom_api\n    type: http\n    endpoint: http://my-api.custom.svc:8080\n  - name: grafana_dashboard\n    enabled: false\n";
      await writeOverrides(api, namespace, override + mine);
      const merged = await configMapWhen(
        api,
        namespace,
        (map) => map.metadata.annotations?.["kubernaut.io/override-services"] === "3",
      );
      expect(Object.keys(toolsets(merged))).toEqual(["my_custom_api", "prometheus/metrics"]);
      expect(merged.metadata.annotations?.["kubernaut.io/conflict-count"]).toBe("2");
      await writeOverrides(api, namespace, "tools: []\n");
      const back = await configMapWhen(
        api,
        namespace,
        (map) => map.metadata.annotations?.["kubernaut.io/override-services"] === "0",
      );
      expect(Object.keys(toolsets(back))).toEqual(["grafana/dashboards", "prometheus/metrics"]);
      expect(toolsets(back)["prometheus/metrics"]?.config).toEqual({
        prometheus_url: `http://prometheus.${namespace}.svc.cluster.local:9090`,
      });
    });
  });
});

describe("what people do to a ConfigMap", () => {
  it("malformed overrides leave the last good ones in effect, until they are mended", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      await configMapWhen(api, namespace, (map) => toolNames(map).length === 1);
      await writeOverrides(api, namespace, override);
      await configMapWhen(api, namespace, (map) => map.metadata.annotations?.["kubernaut.io/conflict-count"] === "1");
      await writeOverrides(api, namespace, `${override}  - nameless: true\n`);
      const broken = await configMapWhen(
        api,
        namespace,
        (map) => map.metadata.annotations?.["kubernaut.io/override-error"] !== undefined,
      );
      expect(broken.metadata.annotations?.["kubernaut.io/override-error"]).toBe(
        "overrides.yaml:5:5: a tool has no 'name' (a text); give it one",
      );
      expect(toolsets(broken)["prometheus/metrics"]?.config).toEqual({
        prometheus_url: "http://prometheus.prod.svc:9090",
      });
      expect(await controller.metric("overrides_valid")).toBe(0);
      expect(await controller.metric("override_errors_total")).toBeGreaterThan(0);
      await writeOverrides(api, namespace, override);
      await configMapWhen(
        api,
        namespace,
        (map) => map.metadata.annotations?.["kubernaut.io/override-error"] === undefined,
      );
      await eventually(
        () => controller.metric("overrides_valid"),
        (valid) => valid === 1,
      );
    });
  });

  it("an edit of the generated text is overwritten, and told: log, Event, metric", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      const before = await configMapWhen(api, namespace, (map) => toolNames(map).length === 1);
      await edit(api, namespace, (data) => {
        data["toolset.yaml"] = data["toolset.yaml"]!.replace(":9090", ":1");
      });
      const after = await configMapWhen(
        api,
        namespace,
        ({ data }) => data?.["toolset.yaml"]?.includes(":9090") === true,
      );
      expect(toolNames(after)).toEqual(toolNames(before));
      await eventually(
        () => controller.metric("generated_edits_total"),
        (edits) => edits === 1,
      );
      const { items } = (await api.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/events` })) as {
        items: { reason: string; message: string }[];
      };
      expect(items.find((event) => event.reason === "GeneratedTextEdited")?.message).toContain(":1\n+");
      expect(controller.log.some((line) => line.code === "generated-edited")).toBe(true);
    });
  });

  it("nothing is written when nothing changes", async () => {
    const { api } = server;
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      const map = await configMapWhen(api, namespace, (found) => toolNames(found).length === 1);
      await createService(api, namespace, "unrelated", { labels: {}, port: 80 });
      await createService(api, namespace, "prometheus-adapter-docs", { labels: {}, port: 80 });
      // The one change that matters comes last; had the others caused a write, its version would tell.
      await createService(api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
      const later = await configMapWhen(api, namespace, (found) => toolNames(found).length === 2);
      expect(await controller.metric("configmap_updates_total")).toBe(2);
      expect(later.metadata.uid).toBe(map.metadata.uid);
    });
  });

  it("other people's keys, labels and annotations stay", async () => {
    const { api } = server;
    const body = {
      metadata: { name: "kubernaut-toolset-config", labels: { team: "sre" }, annotations: { note: "ours" } },
      data: { other: "text" },
    };
    await api.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/configmaps`, body });
    await createService(api, namespace, "prometheus");
    await withController([], async () => {
      const map = await configMapWhen(api, namespace, (found) => toolNames(found).length === 1);
      expect(map.data?.other).toBe("text");
      expect(map.data?.["overrides.yaml"]).toBeUndefined();
      expect(map.metadata).toMatchObject({ labels: { team: "sre" }, annotations: { note: "ours" } });
    });
  });
});
