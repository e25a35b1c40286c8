// needs: apiserver
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, binaries, startApiServer } from "./api-server.ts";
import { configMapWhen, createNamespace, createService, edit, eventually, name, toolNames } from "./cluster.ts";
import { type Bundle, bundleCli, type RunningController, startController } from "./controller-process.ts";

const run = promisify(execFile);

let server: ApiServer;
let bundle: Bundle;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stet-manifests-"));
  bundle = await bundleCli();
  server = await startApiServer();
});
afterAll(async () => {
  bundle?.remove();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(join(binaries, "kubectl"), ["--kubeconfig", server.kubeconfig, ...args]);
  return stdout;
}

/** Print the manifests, and let kubectl apply them. */
async function deploy(namespace: string, file: string, args: readonly string[]): Promise<void> {
  const { stdout } = await run(process.execPath, [bundle.entry, "manifests", "-n", namespace, ...args]);
  await writeFile(file, stdout);
  await kubectl("apply", "-f", file);
}

/** The token a pod of the controller would have. */
async function podToken(namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/stet-toolset/token`;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["https://kubernetes.default.svc"] },
  };
  const answer = (await server.api.request({ method: "POST", path, body })) as { status: { token: string } };
  return answer.status.token;
}

async function holmes(namespace: string): Promise<void> {
  const template = {
    metadata: { labels: { app: "holmes" } },
    spec: { containers: [{ name: "holmes", image: "holmes" }] },
  };
  const body = { metadata: { name: "holmes" }, spec: { selector: { matchLabels: { app: "holmes" } }, template } };
  await server.api.request({ method: "POST", path: `/apis/apps/v1/namespaces/${namespace}/deployments`, body });
}

async function checksum(namespace: string): Promise<string | undefined> {
  const deployment = (await server.api.request({
    method: "GET",
    path: `/apis/apps/v1/namespaces/${namespace}/deployments/holmes`,
  })) as {
    spec: { template: { metadata: { annotations?: Record<string, string> } } };
  };
  return deployment.spec.template.metadata.annotations?.["kubernaut.io/toolset-checksum"];
}

/** The whole life of a controller, with nothing but the printed rights. */
async function live(namespace: string, watched: string, controller: RunningController): Promise<void> {
  const { api } = server;
  await createService(api, watched, "prometheus");
  await configMapWhen(api, namespace, (map) => toolNames(map).length === 1);
  const first = await eventually(
    () => checksum(namespace),
    (sum) => sum !== undefined,
  );
  await edit(api, namespace, (data) => {
    data["overrides.yaml"] = "tools:\n  - name: mine\n    endpoint: http://mine:1\n";
    data["toolset.yaml"] = "tools: []\n";
  });
  await configMapWhen(api, namespace, (map) => map.metadata.annotations?.["kubernaut.io/override-services"] === "1");
  await eventually(
    () => checksum(namespace),
    (sum) => sum !== undefined && sum !== first,
  );
  // HolmesGPT is left alone for a while after a restart, as long as the option says.
  const restarts = async () => controller.log.filter(({ msg }) => msg === "Deployment restarted");
  const [one, two] = (await eventually(restarts, ({ length }) => length === 2)).map(({ time }) =>
    Date.parse(`${time}`),
  );
  expect(two! - one!).toBeGreaterThanOrEqual(900);
  await eventually(
    () => controller.metric("generated_edits_total"),
    (edits) => edits === 1,
  );
  const { items } = (await api.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/events` })) as {
    items: { reason: string }[];
  };
  expect(items.map((event) => event.reason)).toContain("GeneratedTextEdited");
  expect(await controller.metric("leader")).toBe(1);
  expect(controller.log.filter((line) => line.level !== "info" && JSON.stringify(line).includes("forbidden"))).toEqual(
    [],
  );
  expect(await controller.stop()).toBe(0);
}

async function mayDo(kubeconfig: string, verb: string, resource: string, namespace: string): Promise<boolean> {
  const { stdout } = await run(join(binaries, "kubectl"), [
    "--kubeconfig",
    kubeconfig,
    "auth",
    "can-i",
    verb,
    resource,
    "-n",
    namespace,
  ]).catch((error: { stdout: string }) => error);
  return stdout.trim() === "yes";
}

describe("the printed manifests", () => {
  it("give the controller all the rights it needs, and no others", async () => {
    const namespace = "deployed";
    await deploy(namespace, join(folder, "all.yaml"), [
      "--restart",
      "deployment/holmes",
      "--image",
      "registry.example/stet:1",
      "--replicas",
      "3",
    ]);
    await createNamespace(server.api, "apps");
    await holmes(namespace);
    const kubeconfig = await server.kubeconfigFor({ token: await podToken(namespace) });
    const controller = await startController(bundle.entry, [
      "--kubeconfig",
      kubeconfig,
      "-n",
      namespace,
      "--no-health-checks",
      "--restart",
      "deployment/holmes",
      "--restart-interval",
      "1s",
    ]);
    await live(namespace, "apps", controller).finally(() => controller.kill());
    const allowed = async (verb: string, resource: string, where = namespace) =>
      mayDo(kubeconfig, verb, resource, where);
    expect(await allowed("patch", `configmaps/${name}`)).toBe(true);
    expect(await allowed("list", "services", "apps")).toBe(true);
    const denied = [
      ["delete", `configmaps/${name}`],
      ["update", `configmaps/${name}`],
      ["patch", "configmaps/another"],
      ["get", "configmaps/another"],
      ["get", "secrets"],
      ["list", "pods"],
      ["patch", "deployments/another"],
      ["update", "leases/another"],
      ["patch", "services/prometheus"],
    ] as const;
    for (const [verb, resource] of denied)
      expect(`${verb} ${resource}: ${await allowed(verb, resource)}`).toBe(`${verb} ${resource}: false`);
    expect(await allowed("create", "configmaps", "apps")).toBe(false);
  });

  it("are confined to the namespaces asked for", async () => {
    const namespace = "confined";
    await createNamespace(server.api, "team-a");
    await createNamespace(server.api, "team-b");
    await deploy(namespace, join(folder, "confined.yaml"), [
      "--restart",
      "holmes",
      "--watch-namespace",
      "team-a",
      "--overrides-configmap",
      "ours",
    ]);
    await holmes(namespace);
    const kubeconfig = await server.kubeconfigFor({ token: await podToken(namespace) });
    const args = [
      "--kubeconfig",
      kubeconfig,
      "-n",
      namespace,
      "--no-health-checks",
      "--restart",
      "deployment/holmes",
      "--restart-interval",
      "1s",
      "--watch-namespace",
      "team-a",
    ];
    const controller = await startController(bundle.entry, args);
    await live(namespace, "team-a", controller).finally(() => controller.kill());
    expect(await mayDo(kubeconfig, "list", "services", "team-b")).toBe(false);
    expect(await mayDo(kubeconfig, "get", "configmaps/ours", namespace)).toBe(true);
    expect(await mayDo(kubeconfig, "patch", "configmaps/ours", namespace)).toBe(false);
  });

  it("overrides of an object of their own are read, watched, and never written", async () => {
    const namespace = "gitops";
    await createNamespace(server.api, namespace);
    const body = {
      metadata: { name: "ours" },
      data: { "overrides.yaml": "tools:\n  - name: mine\n    endpoint: http://mine:1\n" },
    };
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const before = (await server.api.request({ method: "POST", path, body })) as {
      metadata: { resourceVersion: string };
    };
    const args = [
      "--kubeconfig",
      server.kubeconfig,
      "-n",
      namespace,
      "--watch-namespace",
      namespace,
      "--no-health-checks",
      "--overrides-configmap",
      "ours",
    ];
    const controller = await startController(bundle.entry, args);
    try {
      const map = await configMapWhen(
        server.api,
        namespace,
        (found) => found.metadata.annotations?.["kubernaut.io/override-services"] === "1",
      );
      expect(map.data?.["overrides.yaml"]).toBeUndefined();
      const after = (await server.api.request({ method: "GET", path: `${path}/ours` })) as {
        metadata: { resourceVersion: string };
      };
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      await edit(
        server.api,
        namespace,
        (data) => {
          data["overrides.yaml"] = "tools: []\n";
        },
        "ours",
      );
      await configMapWhen(
        server.api,
        namespace,
        (found) => found.metadata.annotations?.["kubernaut.io/override-services"] === "0",
      );
      expect(await controller.stop()).toBe(0);
    } finally {
      await controller.kill();
    }
  });

  it("are a kustomize base that kubectl builds to the same objects", async () => {
    const base = join(folder, "base");
    await run(process.execPath, [bundle.entry, "manifests", "--output-dir", base]);
    const { stdout } = await run(process.execPath, [bundle.entry, "manifests"]);
    expect(byName(await kustomized(base))).toEqual(byName(loadAll(stdout) as Found[]));
  });

  it("have components that kustomize adds, and the API server takes", async () => {
    const base = join(folder, "whole");
    await run(process.execPath, [bundle.entry, "manifests", "-n", "whole", "--replicas", "1", "--output-dir", base]);
    const names = ["namespaced", "restart", "monitoring", "network-policy", "two-replicas"];
    const overlay = join(folder, "overlay");
    await mkdir(overlay);
    const root = { resources: ["../whole"], components: names.map((each) => `../whole/components/${each}`) };
    await writeFile(join(overlay, "kustomization.yaml"), JSON.stringify(root));
    const objects = await kustomized(overlay);
    expect(objects.filter(({ kind }) => kind.startsWith("Cluster"))).toEqual([]);
    const { spec } = byName(objects).get("Deployment/stet-toolset")!;
    const deployment = { spec: spec as { replicas: number; template: { spec: { containers: { args: string[] }[] } } } };
    expect(deployment.spec.replicas).toBe(2);
    expect(deployment.spec.template.spec.containers[0]?.args).toEqual(
      expect.arrayContaining(["--watch-namespace=whole", "--restart=deployment/holmes-holmes"]),
    );
    for (const [kind, plural, spec] of published) await kubectl("apply", "-f", await definition(kind, plural, spec));
    await kubectl("wait", "--for=condition=established", "--timeout=30s", "crd", "--all");
    const file = join(folder, "whole.json");
    const items = objects.map(forThisServer);
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await kubectl("apply", "-f", file);
    // What the schema does not know, the API server takes out: nothing is missing.
    for (const [kind] of [...published, ["PodDisruptionBudget"]]) {
      const { spec: sent } = byName(objects).get(`${kind}/stet-toolset`)!;
      const { spec: kept } = JSON.parse(await kubectl("get", "-n", "whole", kind!, "stet-toolset", "-o", "json"));
      expect(kept, kind).toEqual(sent);
    }
    const broken = items
      .map((item) => JSON.stringify(item).replace('"30s"', '"soon"'))
      .find((each) => each.includes("soon"));
    await writeFile(file, broken!);
    await expect(kubectl("apply", "-f", file)).rejects.toThrow(/interval/);
  });
});

/** A definition of the Prometheus operator, as a file. */
async function definition(kind: string, plural: string, spec: object): Promise<string> {
  const group = "monitoring.coreos.com";
  const openAPIV3Schema = { type: "object", required: ["spec"], properties: { spec } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  const names = { kind, plural, singular: kind.toLowerCase() };
  const file = join(folder, `${plural}.json`);
  const metadata = { name: `${plural}.${group}` };
  const body = { group, scope: "Namespaced", names, versions: [version] };
  await writeFile(
    file,
    JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec: body }),
  );
  return file;
}

/** This server is older than `policy/v1`, whose budgets have the fields that `v1beta1` had. */
function forThisServer(object: Found): Found {
  return object.kind === "PodDisruptionBudget" ? { ...object, apiVersion: "policy/v1beta1" } : object;
}

const texts = { type: "object", additionalProperties: { type: "string" } };
const duration = { type: "string", pattern: "^(0|([0-9]+(ms|[smhdwy]))+)$" };
const selector = { type: "object", properties: { matchLabels: texts } };
const objectOf = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
const listOf = (items: object) => ({ type: "array", items });
const endpoint = objectOf({ port: { type: "string" }, path: { type: "string" }, interval: duration });
const rule = objectOf(
  {
    alert: { type: "string" },
    expr: { "x-kubernetes-int-or-string": true },
    for: duration,
    labels: texts,
    annotations: texts,
  },
  "expr",
);
const group = objectOf({ name: { type: "string", minLength: 1 }, rules: listOf(rule) }, "name");

/**
 * What the Prometheus operator's published definitions say of the fields that we use: their types, what must be there,
 * and how a duration is written. The whole manifests were also checked against the published schemas.
 */
const published = [
  ["ServiceMonitor", "servicemonitors", objectOf({ selector, endpoints: listOf(endpoint) }, "selector", "endpoints")],
  ["PrometheusRule", "prometheusrules", objectOf({ groups: listOf(group) })],
] as const;

type Found = { apiVersion?: string; kind: string; metadata: { name: string; namespace?: string }; spec?: unknown };

function byName(objects: readonly Found[]): Map<string, Found> {
  return new Map(objects.map((each) => [`${each.kind}/${each.metadata.name}`, each]));
}

/** Components need a newer kustomize than the one of the API server's release: the machine's own kubectl has it. */
async function kustomized(path: string): Promise<Found[]> {
  const { stdout } = await run("kubectl", ["kustomize", "--load-restrictor", "LoadRestrictionsNone", path]);
  return loadAll(stdout) as Found[];
}
