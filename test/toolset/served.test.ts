import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { createMetrics, serve } from "../../src/toolset/controller/telemetry.ts";
import {
  components,
  componentText,
  type DeployOptions,
  kustomization,
  manifests,
  manifestText,
  monitoring,
  networkPolicies,
} from "../../src/toolset/manifests.ts";

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
    const server = await serve("127.0.0.1:0", {
      healthy: () => state.well,
      notReady: () => state.why,
      metrics: () => "m 1\n",
    });
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
    await expect(
      serve(`127.0.0.1:${server.port}`, { healthy: () => true, notReady: () => undefined, metrics: () => "" }),
    ).rejects.toThrow("cannot listen on");
    await server.close();
  });

  it.each(["", "here", "1.2.3.4:99999", "1.2.3.4:"])("refuses to listen on %j", async (listen) => {
    await expect(serve(listen, { healthy: () => true, notReady: () => undefined, metrics: () => "" })).rejects.toThrow(
      /--listen: .* is not an address/,
    );
  });
});

const usual: DeployOptions = {
  namespace: "kubernaut-system",
  name: "kubernaut-toolset-config",
  image: "stet:latest",
  replicas: 1,
  watchNamespaces: [],
  overridesConfigMap: undefined,
  restart: undefined,
  holmesDeployment: undefined,
  detectors: undefined,
  extraArguments: [],
};

type Found = { kind: string; metadata: { name: string; namespace?: string }; [field: string]: unknown };
const deploy = join(import.meta.dirname, "..", "..", "deploy");

describe("manifests", () => {
  it("in deploy/ are what the command writes", async () => {
    const [all, parts] = [manifests(usual), components(usual)];
    const expected = new Map([
      ...all.map((each) => [each.file, manifestText(each)] as const),
      ["kustomization.yaml", kustomization(all, parts)] as const,
      ...parts.flatMap((part) => [
        ...part.manifests.map((each) => [`components/${part.name}/${each.file}`, manifestText(each)] as const),
        [`components/${part.name}/kustomization.yaml`, componentText(part)] as const,
      ]),
    ]);
    const files = (await readdir(deploy, { recursive: true }))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => file.replaceAll("\\", "/"));
    expect(files.sort()).toEqual([...expected.keys()].sort());
    for (const [file, text] of expected) expect(await readFile(join(deploy, file), "utf8"), file).toBe(text);
  });

  const everything = {
    ...usual,
    replicas: 2,
    watchNamespaces: ["a", "b"],
    restart: "holmes",
    overridesConfigMap: "ours",
    holmesDeployment: { namespace: "h", name: "holmes" },
    detectors: "detectors: []\n",
    extraArguments: ["--starter"],
  };

  it("say the same to a YAML reader as they mean", () => {
    for (const manifest of [...manifests(everything), monitoring(everything), networkPolicies(everything)]) {
      expect(loadAll(manifestText(manifest))).toEqual(manifest.objects);
    }
  });

  it("grant nothing cluster-wide when namespaces are given", () => {
    const objects = manifests(everything).flatMap((manifest) => manifest.objects) as Found[];
    expect(objects.filter((object) => object.kind.startsWith("Cluster"))).toEqual([]);
    const roles = objects
      .filter((object) => object.kind === "Role")
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(roles).toEqual([
      "a/stet-toolset-services",
      "b/stet-toolset-services",
      "kubernaut-system/stet-toolset",
      "kubernaut-system/stet-toolset-restart",
      "h/stet-toolset-holmes",
    ]);
  });

  it("keep to the restricted pod security standard", () => {
    const [pod] = manifests(everything).flatMap(({ objects }) =>
      objects.flatMap((object) =>
        object.kind === "Deployment" ? [object as object as { spec: { template: { spec: Pod } } }] : [],
      ),
    );
    const { containers, securityContext, volumes = [], ...rest } = pod!.spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const { securityContext: own } of containers) {
      expect(own).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      });
    }
    expect(volumes.every((volume) => "configMap" in volume)).toBe(true);
    expect(Object.keys(rest).filter((name) => name.startsWith("host"))).toEqual([]);
  });

  it("alert on metrics that the controller has", () => {
    const known = new Set(
      [
        ...createMetrics()
          .render()
          .matchAll(/^# TYPE (\S+) /gm),
      ].map(([, name]) => name),
    );
    const text = manifestText(monitoring(usual));
    const used = [...text.matchAll(/dynamictoolset_[a-z_]+/g)].map(([name]) => name);
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });
});

interface Pod {
  readonly containers: readonly { readonly securityContext: unknown }[];
  readonly securityContext: unknown;
  readonly volumes?: readonly object[];
}
