import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { serve } from "../../src/toolset/controller/http-server.ts";
import { createMetrics } from "../../src/toolset/controller/metrics.ts";
import { kustomization, type ManifestOptions, manifests, manifestText } from "../../src/toolset/manifests.ts";

describe("metrics", () => {
  it("have the names of the document, in Prometheus' text format", () => {
    const metrics = createMetrics();
    metrics.configMapUpdates.add();
    metrics.overrideTools.set(3);
    metrics.reconciliationDuration.observe(0.03);
    metrics.reconciliationDuration.observe(99);
    const lines = metrics.render().trimEnd().split("\n");
    const sample = /^dynamictoolset_[a-z_]+(\{le="[^"]+"\})? -?\d+(\.\d+)?$/;
    const comment = /^# (HELP dynamictoolset_[a-z_]+ \S.*|TYPE dynamictoolset_[a-z_]+ (counter|gauge|histogram))$/;
    expect(lines.filter((line) => !sample.test(line) && !comment.test(line))).toEqual([]);
    for (const name of [
      "configmap_updates_total",
      "override_errors_total",
      "override_conflicts_total",
      "reconciliation_duration_seconds",
      "auto_generated_tools",
      "override_tools",
    ]) {
      expect(lines.some((line) => line.startsWith(`# TYPE dynamictoolset_${name} `))).toBe(true);
    }
    expect(lines).toContain("dynamictoolset_configmap_updates_total 1");
    expect(lines).toContain("dynamictoolset_override_tools 3");
    expect(lines).toContain('dynamictoolset_reconciliation_duration_seconds_bucket{le="0.025"} 0');
    expect(lines).toContain('dynamictoolset_reconciliation_duration_seconds_bucket{le="0.05"} 1');
    expect(lines).toContain('dynamictoolset_reconciliation_duration_seconds_bucket{le="+Inf"} 2');
    expect(lines).toContain("dynamictoolset_reconciliation_duration_seconds_count 2");
  });
});

describe("the HTTP server", () => {
  it("answers what probes and Prometheus ask", async () => {
    const state = { well: true, why: "not yet" as string | undefined };
    const server = await serve("127.0.0.1:0", { healthy: () => state.well, notReady: () => state.why, metrics: () => "m 1\n" });
    const ask = async (path: string, method = "GET") => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return `${response.status} ${await response.text()}`.trim();
    };
    expect(await ask("/health")).toBe("200 ok");
    expect(await ask("/ready")).toBe("503 not yet");
    state.why = undefined;
    state.well = false;
    expect(await ask("/ready?verbose")).toBe("200 ok");
    expect(await ask("/health")).toBe("503 stuck");
    expect(await ask("/metrics")).toBe("200 m 1");
    expect(await ask("/secrets")).toMatch(/^404 /);
    expect(await ask("/health", "POST")).toMatch(/^405/);
    await expect(serve(`127.0.0.1:${server.port}`, { healthy: () => true, notReady: () => undefined, metrics: () => "" })).rejects.toThrow(
      "cannot listen on",
    );
    await server.close();
  });

  it.each(["", "here", "1.2.3.4:99999", "1.2.3.4:"])("refuses to listen on %j", async (listen) => {
    await expect(serve(listen, { healthy: () => true, notReady: () => undefined, metrics: () => "" })).rejects.toThrow(
      /--listen: .* is not an address/,
    );
  });
});

const usual: ManifestOptions = {
  namespace: "kubernaut-system",
  name: "kubernaut-toolset-config",
  image: "stet:latest",
  replicas: 2,
  watchNamespaces: [],
  overridesConfigMap: undefined,
  restart: undefined,
};

describe("manifests", () => {
  it("in deploy/ are what the command prints", async () => {
    const folder = join(import.meta.dirname, "..", "..", "deploy");
    const all = manifests(usual);
    for (const manifest of all) expect(await readFile(join(folder, manifest.file), "utf8")).toBe(manifestText(manifest));
    expect(await readFile(join(folder, "kustomization.yaml"), "utf8")).toBe(kustomization(all));
    const yaml = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).sort();
    expect(yaml).toEqual([...all.map((manifest) => manifest.file), "kustomization.yaml"].sort());
  });

  it("say the same to a YAML reader as they mean", () => {
    for (const manifest of manifests({ ...usual, watchNamespaces: ["a", "b"], restart: "holmes", overridesConfigMap: "ours" })) {
      expect(loadAll(manifestText(manifest))).toEqual(manifest.objects);
    }
  });

  it("grant nothing cluster-wide when namespaces are given", () => {
    const objects = manifests({ ...usual, watchNamespaces: ["a", "b"] }).flatMap((manifest) => manifest.objects);
    expect(objects.filter((object) => String(object.kind).startsWith("Cluster"))).toEqual([]);
    expect(objects.filter((object) => object.kind === "Role")).toHaveLength(3);
  });
});
