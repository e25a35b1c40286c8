// needs: apiserver image-root
//
// The image of deploy/Dockerfile without a registry: its last stage is carried out on a root file system of Debian's packages, and started as deploy/
// says, in namespaces of its own.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { copyForRunning } from "../../package/production-modules.ts";
import { freePort } from "../free-port.ts";
import { type ApiServer, endingWithUs, startApiServer } from "./api-server.ts";
import { createNamespace, eventually } from "./cluster.ts";

const cache = process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache", "stet-test");
const lines = fs.readFileSync("deploy/Dockerfile", "utf8").split("\n");
const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")) + 1);

let server: ApiServer;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-image-"));
beforeAll(async () => {
  server = await startApiServer();
  await createNamespace(server.api, "kubernaut-system");
});
afterAll(async () => {
  await server?.stop();
  fs.rmSync(folder, { recursive: true });
});

function said(instruction: string): string {
  return stage.find((line) => line.startsWith(`${instruction} `))!.slice(instruction.length + 1);
}

/** The stage's own files as a tree, to be laid over the root file system. */
function copied(): string {
  const tree = path.join(folder, "files");
  for (const line of stage.filter((each) => each.startsWith("COPY "))) {
    const [sources, target] = [line.split(" ").slice(2, -1), line.split(" ").at(-1)!];
    for (const source of sources) {
      const from = path.relative("/src", source);
      const to = path.join(tree, target.endsWith("/") ? path.join(target, path.basename(source)) : target);
      if (from === "node_modules") copyForRunning(to);
      else fs.cpSync(from, to, { recursive: true });
    }
  }
  return tree;
}

/** What Kubernetes puts into a pod. */
function serviceAccount(tree: string): void {
  const config = JSON.parse(fs.readFileSync(server.kubeconfig, "utf8"));
  const secrets = path.join(tree, "var/run/secrets/kubernetes.io/serviceaccount");
  fs.mkdirSync(secrets, { recursive: true });
  fs.writeFileSync(path.join(secrets, "token"), config.users[0].user.token);
  fs.copyFileSync(config.clusters[0].cluster["certificate-authority"], path.join(secrets, "ca.crt"));
  fs.writeFileSync(path.join(secrets, "namespace"), "kubernaut-system");
}

/** Mounted in a namespace of its own, read-only once the stage is done, and gone with the process. */
function start(tree: string, args: readonly string[]): ChildProcess & { readonly output: () => string } {
  const [root, layers, log] = ["root", "layers", "log"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [root, layers]) fs.mkdirSync(each, { recursive: true });
  const commands = stage.filter((line) => line.startsWith("RUN ")).map((line) => line.slice(4));
  const entry: string[] = JSON.parse(said("ENTRYPOINT"));
  const script = `set -e
mount -t tmpfs tmpfs ${layers}
mkdir ${layers}/upper ${layers}/work
mount -t overlay overlay -o lowerdir=${tree}:${cache}/image-root,upperdir=${layers}/upper,workdir=${layers}/work ${root}
mount -t proc proc ${root}/proc
mount --rbind /dev ${root}/dev
${commands.map((command) => `chroot ${root} /bin/sh -c '${command}'`).join("\n")}
mount -o remount,ro ${root}
exec chroot --userspec=${said("USER")} --groups= ${root} /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin POD_NAME=stet-1 KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=${server.port} ${entry.join(" ")} ${args.join(" ")}`;
  const fd = fs.openSync(log, "w");
  const child = spawn("unshare", ["-m", "--propagation", "private", "bash", "-c", script], {
    stdio: ["ignore", fd, fd],
  });
  fs.closeSync(fd);
  onTestFinished(() => void child.kill("SIGKILL"));
  return Object.assign(endingWithUs(child), { output: () => fs.readFileSync(log, "utf8") });
}

it("the image's files, user and entry point start the controller, and its health checks answer", async () => {
  const deployment = load(fs.readFileSync("deploy/deployment.yaml", "utf8")) as Deployment;
  const [container] = deployment.spec.template.spec.containers;
  const port = await freePort();
  const args = container.args.map((arg) => arg.replace("0.0.0.0:8080", `127.0.0.1:${port}`));
  const tree = copied();
  serviceAccount(tree);
  const running = start(tree, args);
  const answer = (probe: string) =>
    fetch(`http://127.0.0.1:${port}${probe}`).then(
      ({ status }) => status,
      () => (running.exitCode === null ? 0 : `ended: ${running.output()}`),
    );
  for (const probe of [container.livenessProbe, container.readinessProbe])
    await eventually(
      () => answer(probe.httpGet.path),
      (status) => status === 200 || typeof status === "string",
    ).then((status) => expect(status).toBe(200));
  const status = fs.readFileSync(`/proc/${running.pid}/status`, "utf8");
  const { runAsUser, runAsGroup } = deployment.spec.template.spec.securityContext;
  expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(runAsUser));
  expect(/^Gid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(runAsGroup));
  expect(/^Groups:\s*$/m.test(status)).toBe(true);
  running.kill("SIGTERM");
  await new Promise((resolve) => running.once("exit", resolve));
  expect(running.exitCode).toBe(0);
});

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Container {
  readonly args: readonly string[];
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
}
