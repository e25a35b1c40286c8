// needs: apiserver
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, binaries, startApiServer } from "./api-server.ts";
import {
  configMapWhen,
  createNamespace,
  createService,
  eventually,
  toolNames,
  toolsets,
  writeOverrides,
} from "./cluster.ts";
import { type Bundle, bundleCli, startController } from "./controller-process.ts";

const run = promisify(execFile);

let server: ApiServer;
let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleCli();
  server = await startApiServer();
});
afterAll(async () => {
  bundle?.remove();
  await server?.stop();
});

/** `stet toolset …` against the cluster, once. */
async function stet(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [bundle.entry, ...args, "--kubeconfig", server.kubeconfig]);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

describe("plan and apply against a cluster", () => {
  it("plan looks, apply does it once, and then nothing is left to do", async () => {
    const namespace = "once";
    await createNamespace(server.api, namespace);
    await createService(server.api, namespace, "prometheus");
    const where = ["-n", namespace, "--watch-namespace", namespace];
    const planned = await stet("plan", ...where, "--exit-code", "--json");
    expect(planned.code).toBe(2);
    expect(JSON.parse(planned.out)).toMatchObject({ changed: 1, summary: { create: 1 } });
    expect(JSON.parse(planned.out)).not.toHaveProperty("configMap");
    await expect(configMapWhen(server.api, namespace, () => true, 100)).rejects.toThrow();
    expect((await stet("apply", ...where)).out).toContain("+ tool:prometheus_query  added");
    await writeOverrides(server.api, namespace, "tools:\n  - name: prometheus_query\n    endpoint: http://mine:1\n");
    expect((await stet("apply", ...where, "--strict")).code).toBe(3);
    const map = await configMapWhen(server.api, namespace, () => true);
    expect(toolsets(map)["prometheus/metrics"]?.config).toEqual({ prometheus_url: "http://mine:1" });
    expect((await stet("plan", ...where, "--exit-code")).code).toBe(0);
  });

  it("what apply prints offline, kubectl takes; and what kubectl prints, plan takes", async () => {
    const namespace = "piped";
    await createNamespace(server.api, namespace);
    await createService(server.api, namespace, "prometheus");
    const kubectl = `${binaries}/kubectl --kubeconfig ${server.kubeconfig} -n ${namespace}`;
    const cli = `${process.execPath} ${bundle.entry}`;
    const shell = async (line: string) => (await run("bash", ["-o", "pipefail", "-c", line])).stdout;
    const send = `${kubectl} apply --server-side --field-manager=stet-toolset --force-conflicts -f -`;
    const services = `--services <(${kubectl} get services -o yaml)`;
    await shell(`${cli} apply -q -n ${namespace} ${services} --starter | ${send}`);
    const map = await configMapWhen(server.api, namespace, (found) => toolNames(found).length === 1);
    expect(map.data?.["overrides.yaml"]).toContain("YOUR OVERRIDES");
    // The user writes, and the next time `get` fails half-way: whatever reaches kubectl, the overrides stand.
    const mine = "tools:\n  - name: mine\n    endpoint: http://mine:1\n";
    await writeOverrides(server.api, namespace, mine);
    await createService(server.api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
    for (const configMap of [
      "--configmap <(false)",
      "",
      `--configmap <(${kubectl} get configmap kubernaut-toolset-config -o yaml)`,
    ]) {
      await shell(`${cli} apply -q -n ${namespace} ${services} ${configMap} | ${send}`).catch(() => {});
      await shell(`${cli} apply -q -n ${namespace} ${services} ${configMap} | ${kubectl} apply -f -`).catch(() => {});
      expect((await configMapWhen(server.api, namespace, () => true)).data?.["overrides.yaml"]).toBe(mine);
    }
    const again = await shell(
      `${cli} plan --json --services <(${kubectl} get services -o json) --configmap <(${kubectl} get configmap kubernaut-toolset-config -o yaml)`,
    );
    expect(JSON.parse(again)).toMatchObject({ changed: 0 });
  });

  it("a cluster's refusal is one line", async () => {
    const refused = await stet("apply", "-n", "nowhere", "--watch-namespace", "nowhere");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('the API server refused: namespaces "nowhere" not found');
  });
});

describe("health checks", () => {
  let service: Server;
  let status = 503;
  /** When it last said that it is well. */
  let lastWell = 0;
  beforeAll(async () => {
    service = createServer((_, response) => {
      if (status < 300) lastWell = Date.now();
      response.writeHead(status).end();
    });
    await new Promise<void>((done) => service.listen(0, "127.0.0.1", done));
  });
  afterAll(() => service.close());

  it("a Service is a tool once it is well, keeps its tool for the grace period, and loses it then", async () => {
    const namespace = "health";
    await createNamespace(server.api, namespace);
    const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    await createService(server.api, namespace, "prometheus", {
      annotations: { "kubernaut.io/toolset-endpoint": endpoint },
    });
    const args = [
      "--kubeconfig",
      server.kubeconfig,
      "-n",
      namespace,
      "--watch-namespace",
      namespace,
      "--no-leader-election",
      "--allow-endpoint",
      "127.0.0.1",
    ];
    const controller = await startController(bundle.entry, [
      ...args,
      "--health-interval",
      "100ms",
      "--health-timeout",
      "1s",
      "--health-grace",
      "1s",
    ]);
    try {
      await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 0);
      await eventually(
        () => controller.metric("unhealthy_services"),
        (count) => count === 1,
      );
      status = 200;
      await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
      status = 500;
      await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 0);
      expect(Date.now() - lastWell).toBeGreaterThanOrEqual(1000);
      status = 204;
      await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
      expect(await controller.stop()).toBe(0);
    } finally {
      await controller.kill();
    }
  });

  it("plan, apply and the controller agree on who is well, and none undoes what another did", async () => {
    const namespace = "agreed";
    await createNamespace(server.api, namespace);
    const asked: Server[] = [];
    const answering = async (name: string, app: string, answer: number) => {
      const each = createServer((_, response) => response.writeHead(answer).end());
      await new Promise<void>((done) => each.listen(0, "127.0.0.1", done));
      asked.push(each);
      const endpoint = `http://127.0.0.1:${(each.address() as AddressInfo).port}`;
      await createService(server.api, namespace, name, {
        labels: { app },
        annotations: { "kubernaut.io/toolset-endpoint": endpoint },
      });
    };
    await answering("well", "prometheus", 200);
    await answering("login", "grafana", 401);
    await answering("ill", "jaeger", 503);
    const where = ["-n", namespace, "--watch-namespace", namespace, "--allow-endpoint", "127.0.0.1"];
    try {
      const planned = JSON.parse((await stet("plan", ...where, "--json")).out);
      expect(planned.entries.map((entry: { key: string }) => entry.key)).toEqual([
        "tool:grafana_dashboard",
        "tool:prometheus_query",
      ]);
      expect(planned.diagnostics).toMatchObject([{ code: "unusable-service", severity: "info" }]);
      await stet("apply", ...where);
      const args = [
        "--kubeconfig",
        server.kubeconfig,
        ...where,
        "--health-interval",
        "100ms",
        "--health-timeout",
        "1s",
      ];
      const controller = await startController(bundle.entry, args);
      await eventually(
        async () => controller.logged("No changes detected, skipping ConfigMap update"),
        (logged) => logged,
      );
      expect((await stet("plan", ...where, "--exit-code")).code).toBe(0);
      expect((await stet("status", ...where)).out).toMatch(new RegExp(`^  ${namespace}/ill +unhealthy +`, "m"));
      expect(await controller.metric("configmap_updates_total")).toBe(0);
      expect((await controller.ask("/metrics")).body).toContain('dynamictoolset_unused_services{reason="unhealthy"} 1');
      expect(controller.log.filter(({ msg }) => msg === "Service is not used as a tool")).toHaveLength(1);
      expect(await controller.stop()).toBe(0);
    } finally {
      for (const each of asked) each.close();
    }
  });
});
