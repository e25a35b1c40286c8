import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/toolset/api/api.ts";
import { createConfigMap, getConfigMap } from "../../src/toolset/api/resources.ts";
import type { KubeService } from "../../src/toolset/discover/service.ts";
import { type ReconcileTarget, reconcileToolset } from "../../src/toolset/reconcile.ts";
import type { ConfigMap } from "../../src/toolset/render/configmap.ts";
import { MemoryApi } from "./memory-api.ts";
import { discovered, grafana, morning, noon, prometheus, rules } from "./sample.ts";

const target: ReconcileTarget = {
  namespace: "ns",
  name: "cm",
  overridesConfigMap: undefined,
  starter: false,
  rules,
  holmes: { release: undefined, deployment: undefined },
};
const path = "/api/v1/namespaces/ns/configmaps/cm";

function around(services: readonly KubeService[], now = morning) {
  return {
    discovered: discovered(services),
    lastWritten: undefined,
    now: () => now,
    signal: new AbortController().signal,
  };
}

/** As `kubectl edit` saves. */
async function edit(api: MemoryApi, overrides: string): Promise<void> {
  const map = (await getConfigMap(api, target))!;
  await api.request({ method: "PUT", path, body: { ...map, data: { ...map.data, "overrides.yaml": overrides } } });
}

describe("writing", () => {
  it("15. Should handle concurrent reconciliations", async () => {
    const api = new MemoryApi();
    const results = await Promise.all(
      Array.from({ length: 8 }, () => reconcileToolset(api, target, around([prometheus, grafana]))),
    );
    expect(
      results.map((result) => result.outcome).filter((outcome) => outcome === "written" || outcome === "created")
        .length,
    ).toBeGreaterThan(0);
    const map = (await getConfigMap(api, target))!;
    expect(map.data?.["toolset.yaml"]).toBe(results[0]!.evaluation.data["toolset.yaml"]);
    expect(map.data).not.toHaveProperty("overrides.yaml");
    const applied = api.writes().filter((call) => call.method === "PATCH");
    expect(applied.every((call) => !Object.hasOwn((call.body as ConfigMap).data!, "overrides.yaml"))).toBe(true);
  });

  it("creates under one manager, and applies under another", async () => {
    const api = new MemoryApi();
    expect((await reconcileToolset(api, { ...target, starter: true }, around([prometheus]))).outcome).toBe("created");
    expect(
      api
        .writes()
        .map((call) => [call.method, call.query?.fieldManager, Object.keys((call.body as ConfigMap).data ?? {})]),
    ).toEqual([
      ["POST", "stet-toolset-setup", ["overrides.yaml"]],
      ["PATCH", "stet-toolset", ["toolset.yaml", "custom_toolset.yaml", "overrides.last-good.yaml"]],
    ]);
  });

  it("sends nothing when only the time would change", async () => {
    const api = new MemoryApi();
    await reconcileToolset(api, target, around([prometheus]));
    await edit(api, "tools:\n  - name: mine\n    endpoint: http://mine:1\n");
    await reconcileToolset(api, target, around([prometheus]));
    const writes = api.writes().length;
    expect((await reconcileToolset(api, target, around([prometheus], noon))).outcome).toBe("in-sync");
    expect(api.writes()).toHaveLength(writes);
  });

  it("decides again when somebody saves in between", async () => {
    const api = new MemoryApi();
    await reconcileToolset(api, target, around([prometheus]));
    let isFirst = true;
    api.before = async (call) => {
      if (call.method !== "PATCH" || !isFirst) return;
      isFirst = false;
      await edit(api, "tools:\n  - name: saved_in_between\n    endpoint: http://mine:1\n");
    };
    await reconcileToolset(api, target, around([prometheus, grafana]));
    const map = (await getConfigMap(api, target))!;
    expect(map.data?.["custom_toolset.yaml"]).toContain("saved_in_between");
    expect(map.data?.["toolset.yaml"]).toContain("grafana_dashboard");
  });

  it("starts over when it is deleted in between", async () => {
    const api = new MemoryApi();
    await reconcileToolset(api, target, around([prometheus]));
    let isFirst = true;
    api.before = async (call) => {
      if (call.method !== "PATCH" || !isFirst) return;
      isFirst = false;
      await api.request({ method: "DELETE", path });
    };
    expect((await reconcileToolset(api, target, around([grafana]))).outcome).toBe("created");
    expect((await getConfigMap(api, target))?.data?.["toolset.yaml"]).toContain("grafana_dashboard");
  });

  it("gives up after five conflicts, and passes every other refusal on", async () => {
    const api = new MemoryApi();
    await reconcileToolset(api, target, around([prometheus]));
    api.before = (call) => {
      if (call.method === "PATCH") throw new ApiError(409, "Conflict", "again");
    };
    await expect(reconcileToolset(api, target, around([grafana]))).rejects.toThrow("again");
    expect(api.writes().filter((call) => call.method === "PATCH")).toHaveLength(1 + 5);
    api.before = (call) => {
      if (call.method === "GET") throw new ApiError(403, "Forbidden", "may not");
    };
    await expect(reconcileToolset(api, target, around([]))).rejects.toThrow("may not");
  });

  it("writes nothing that the cluster would refuse for its size", async () => {
    const api = new MemoryApi();
    await createConfigMap(
      api,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "cm", namespace: "ns" },
        data: { big: "x".repeat(1_048_500) },
      },
      "x",
    );
    const writes = api.writes().length;
    const result = await reconcileToolset(api, target, around([prometheus]));
    expect(result.outcome).toBe("too-large");
    expect(result.evaluation.diagnostics.at(-1)).toMatchObject({ code: "configmap-too-large", severity: "error" });
    expect(api.writes()).toHaveLength(writes);
  });
});
