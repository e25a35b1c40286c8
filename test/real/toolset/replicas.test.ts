// needs: apiserver
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, startApiServer } from "./api-server.ts";
import {
  changePort,
  configMapWhen,
  createNamespace,
  createService,
  eventually,
  name,
  toolNames,
  writeOverrides,
} from "./cluster.ts";
import { type Bundle, bundleCli, type RunningController, startController } from "./controller-process.ts";

let server: ApiServer;
let bundle: Bundle;
const replicas: RunningController[] = [];
const leaseSeconds = 4;

beforeAll(async () => {
  bundle = await bundleCli();
  server = await startApiServer();
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()));
  bundle?.remove();
  await server?.stop();
});

async function startReplica(namespace: string): Promise<RunningController> {
  const args = [
    "--kubeconfig",
    server.kubeconfig,
    "-n",
    namespace,
    "--no-health-checks",
    "--lease-duration",
    `${leaseSeconds}s`,
  ];
  const replica = await startController(bundle.entry, args);
  replicas.push(replica);
  return replica;
}

function leads(replica: RunningController): Promise<number> {
  return replica.metric("leader");
}

async function leaderOf(each: readonly RunningController[]): Promise<RunningController> {
  const led = await eventually(
    () => Promise.all(each.map(leads)),
    (flags) => flags.filter((flag) => flag === 1).length === 1,
  );
  return each[led.indexOf(1)]!;
}

describe("two replicas, one leader", () => {
  it("when the leader is killed the other takes over within the lease; nothing is lost, nothing is written twice", async () => {
    const namespace = "replicas";
    await createNamespace(server.api, namespace);
    await createService(server.api, namespace, "prometheus");
    const both = [await startReplica(namespace), await startReplica(namespace)];
    const leader = await leaderOf(both);
    const other = both.find((replica) => replica !== leader)!;
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length === 1);
    await eventually(
      () => other.ask("/ready"),
      ({ status }) => status === 200,
    );
    expect(await other.metric("configmap_updates_total")).toBe(0);

    await leader.kill();
    // While nobody leads, the world goes on.
    await changePort(server.api, namespace, "prometheus", 9191);
    await writeOverrides(server.api, namespace, "tools:\n  - name: mine\n    endpoint: http://mine:1\n");
    await configMapWhen(
      server.api,
      namespace,
      ({ data, metadata }) =>
        data?.["toolset.yaml"]?.includes(":9191") === true &&
        metadata.annotations?.["kubernaut.io/override-services"] === "1",
    );
    expect(await leads(other)).toBe(1);
    expect(await other.metric("configmap_updates_total")).toBe(1);

    const third = await startReplica(namespace);
    expect(await leads(third)).toBe(0);
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}-leader`;
    const lease = async () => {
      const { spec } = (await server.api.request({ method: "GET", path })) as {
        spec: { holderIdentity: string; leaseTransitions: number };
      };
      return spec;
    };
    const { holderIdentity: holder } = await lease();
    expect(await other.stop()).toBe(0);
    // Handed back, not run out.
    expect((await lease()).holderIdentity).not.toBe(holder);
    await eventually(
      () => leads(third),
      (flag) => flag === 1,
    );
    expect((await lease()).leaseTransitions).toBe(2);
    await changePort(server.api, namespace, "prometheus", 9292);
    await configMapWhen(server.api, namespace, ({ data }) => data?.["toolset.yaml"]?.includes(":9292") === true);
    expect(await third.stop()).toBe(0);
  });
});

describe("the API server crashes, and etcd forgets", () => {
  it("twice within a minute, the leader killed as well: a new Service is there before a dead watch times out", async () => {
    const namespace = "blind";
    await createNamespace(server.api, namespace);
    await createService(server.api, namespace, "prometheus");
    const both = [await startReplica(namespace), await startReplica(namespace)];
    const leader = await leaderOf(both);
    await configMapWhen(server.api, namespace, (map) => toolNames(map).length > 0);
    await server.crash(3000);
    await Promise.all([leader.kill(), server.crash(6000)]);
    await createService(server.api, namespace, "grafana", { labels: { app: "grafana" }, port: 3000 });
    await configMapWhen(server.api, namespace, (map) => toolNames(map).includes("grafana_dashboard"));
    // Who waits for a dead watch to time out says so, a minute later.
    const left = both.find((replica) => replica !== leader)!;
    expect(left.log.filter((line) => JSON.stringify(line).includes("was silent for"))).toEqual([]);
  });
});
