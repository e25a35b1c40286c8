import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeApi } from "../../../src/toolset/api/api.ts";
import { connect } from "../../../src/toolset/api/https-api.ts";
import { readKubeconfig } from "../../../src/toolset/api/kubeconfig.ts";
import { freePort } from "../free-port.ts";

const cache = process.env.STET_TEST_CACHE ?? join(homedir(), ".cache", "stet-test");
export const binaries = join(cache, "apiserver", "bin");

/** A real kube-apiserver with its etcd, on loopback, for one test file. */
export interface ApiServer {
  readonly kubeconfig: string;
  readonly api: KubeApi;
  readonly port: number;
  /** A kubeconfig with another identity, or for another way to the same server. */
  kubeconfigFor(who: { readonly token?: string; readonly port?: number }): Promise<string>;
  /** Stop the API server (not etcd) as an upgrade would, and start it again. */
  restart(downtime: number): Promise<void>;
  /** The same without a warning, with etcd compacted meanwhile: every version that anybody remembers is too old. */
  crash(downtime: number): Promise<void>;
  stop(): Promise<void>;
}

const adminToken = "test-admin-token";

export async function startApiServer(): Promise<ApiServer> {
  if (!existsSync(join(binaries, "kube-apiserver")))
    throw new Error(`no kube-apiserver in ${binaries}: run scripts/real/apiserver.sh`);
  const folder = await mkdtemp(join(tmpdir(), "stet-apiserver-"));
  const [port, etcdPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  writeKeys(folder);
  await writeFile(join(folder, "tokens.csv"), `${adminToken},admin,uid-admin,system:masters\n`);
  const etcd = start(folder, "etcd", etcdArguments(folder, etcdPort, peerPort));
  let server = start(folder, "kube-apiserver", serverArguments(folder, port, etcdPort));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText(folder, `https://127.0.0.1:${port}`, adminToken));
  const stopAll = async (): Promise<void> => {
    await end(server);
    await end(etcd);
  };
  await untilReady(kubeconfig, server).catch(async (error: unknown) => {
    await stopAll();
    throw error;
  });
  const api = await connectWith(kubeconfig);
  return {
    kubeconfig,
    api,
    port,
    async kubeconfigFor({ token = adminToken, port: otherPort = port }) {
      const path = join(folder, `kubeconfig-${otherPort}-${token.slice(-12)}`);
      await writeFile(path, kubeconfigText(folder, `https://127.0.0.1:${otherPort}`, token));
      return path;
    },
    async restart(downtime) {
      await end(server);
      await sleep(downtime);
      server = start(folder, "kube-apiserver", serverArguments(folder, port, etcdPort));
      await untilReady(kubeconfig, server);
    },
    async crash(downtime) {
      server.kill("SIGKILL");
      await end(server);
      await compact(etcdPort);
      await sleep(downtime);
      server = start(folder, "kube-apiserver", serverArguments(folder, port, etcdPort));
      await untilReady(kubeconfig, server);
    },
    async stop() {
      api.close();
      await stopAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** By etcd's own JSON gateway. */
async function compact(port: number): Promise<void> {
  const ask = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/v3/kv/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    return (await response.json()) as { header: { revision: string } };
  };
  const { header } = await ask("range", { key: Buffer.from("/").toString("base64") });
  await ask("compaction", { revision: header.revision, physical: true });
}

export async function connectWith(path: string): Promise<KubeApi & { close(): void }> {
  return connect(readKubeconfig([{ path, text: await readFile(path, "utf8") }], undefined), {});
}

function kubeconfigText(folder: string, server: string, token: string): string {
  const cluster = { server, "certificate-authority": join(folder, "certs", "apiserver.crt") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

function writeKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(join(folder, "sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
}

function etcdArguments(folder: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ["--data-dir", join(folder, "etcd")],
    ["--listen-client-urls", client, "--advertise-client-urls", client],
    ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", `default=${peer}`],
    ["--unsafe-no-fsync"],
  ].flat();
}

function serverArguments(folder: string, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, "certs")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.96.0.0/12",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--disable-admission-plugins=ServiceAccount",
    "--endpoint-reconciler-type=none",
  ];
}

function start(folder: string, binary: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${binary}.log`), "a");
  return endingWithUs(spawn(join(binaries, binary), args, { stdio: ["ignore", log, log] }));
}

/** Whatever ends this process ends the child, too: a test that breaks off leaves nothing running. */
export function endingWithUs<C extends ChildProcess>(child: C): C {
  const onExit = (): void => void child.kill("SIGKILL");
  process.once("exit", onExit);
  child.once("exit", () => process.off("exit", onExit));
  return child;
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    const stubborn = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.once("exit", () => {
      clearTimeout(stubborn);
      done();
    });
    child.kill("SIGTERM");
  });
}

async function untilReady(kubeconfig: string, server: ChildProcess): Promise<void> {
  for (let waited = 0; waited < 240_000; waited += 200) {
    if (server.exitCode !== null)
      throw new Error(`kube-apiserver ended with ${server.exitCode}; its log is beside ${kubeconfig}`);
    const isReady = await askReady(kubeconfig);
    if (isReady) return;
    await sleep(200);
  }
  throw new Error("kube-apiserver did not become ready within four minutes");
}

/** Ready means: its certificate is written, it answers, and the default namespace is there. */
async function askReady(kubeconfig: string): Promise<boolean> {
  try {
    const api = await connectWith(kubeconfig);
    try {
      await api.request({ method: "GET", path: "/api/v1/namespaces/default" });
      await api.request({ method: "GET", path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/view" });
      return true;
    } finally {
      api.close();
    }
  } catch {
    return false;
  }
}
