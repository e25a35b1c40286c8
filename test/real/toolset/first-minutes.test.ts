// needs: apiserver
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { load, loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, binaries, startApiServer } from "./api-server.ts";
import { configMapWhen, createNamespace, createService, eventually, toolNames, toolsets } from "./cluster.ts";
import { type Bundle, bundleCli, type RunningController, startController } from "./controller-process.ts";

const run = promisify(execFile);
let server: ApiServer;
let bundle: Bundle;
let folder: string;
let controller: RunningController | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stet-minutes-"));
  bundle = await bundleCli();
  server = await startApiServer();
});
afterAll(async () => {
  await controller?.kill();
  bundle?.remove();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The texts of the page's first chapter, in order. */
async function chapter(): Promise<{ commands: string[]; yaml: string[] }> {
  const page = await readFile(join(import.meta.dirname, "..", "..", "..", "docs", "toolset.md"), "utf8");
  const text = page.slice(page.indexOf("## Your first ten minutes"), page.indexOf("## Trying it without a cluster"));
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block]) => block!);
  return { commands: blocks("sh"), yaml: blocks("yaml") };
}

/** As a person types it: `stet toolset …` and `kubectl …`, for this cluster. */
async function type(line: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    KUBECONFIG: server.kubeconfig,
    KUBE_EDITOR: join(folder, "editor"),
  };
  return (await run("bash", ["-ec", line], { cwd: folder, env })).stdout;
}

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o755);
}

/** The editor of somebody who puts these `tools:` into `overrides.yaml`, in place of those that stand there. */
function editorWriting(tools: string): Promise<void> {
  const script = `const { load, dump } = require("js-yaml"), fs = require("node:fs"), file = process.argv[2];
const map = load(fs.readFileSync(file, "utf8")), text = map.data["overrides.yaml"];
map.data["overrides.yaml"] = text.replace(/^tools:.*\\n(?: .*\\n)*/m, ${JSON.stringify(tools)}); fs.writeFileSync(file, dump(map));`;
  return program(
    "editor",
    `#!/bin/sh\nNODE_PATH=${join(import.meta.dirname, "..", "..", "..", "node_modules")} exec ${process.execPath} -e '${script.replaceAll("'", "'\\''")}' editor "$1"\n`,
  );
}

it("the first ten minutes of the page are true", async () => {
  const { commands, yaml } = await chapter();
  const [install, status, edit] = commands;
  await program("stet", `#!/bin/sh\n[ "$1" = toolset ] && shift\nexec ${process.execPath} ${bundle.entry} "$@"\n`);
  await program("kubectl", `#!/bin/sh\nexec ${join(binaries, "kubectl")} "$@"\n`);
  for (const namespace of ["monitoring", "tracing"]) await createNamespace(server.api, namespace);
  await createService(server.api, "monitoring", "prometheus");
  await createService(server.api, "monitoring", "grafana", { labels: { app: "grafana" }, port: 3000 });
  await createService(server.api, "tracing", "jaeger-query", { labels: { app: "jaeger" }, port: 16686 });

  await type(install!);
  const installed = loadAll(await readFile(join(folder, "controller.yaml"), "utf8")) as { kind: string }[];
  const { spec } = installed.find(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { containers: { args: string[] }[] } } };
  };
  const template = {
    metadata: { labels: { app: "holmes" } },
    spec: { containers: [{ name: "holmes", image: "holmes:0.31.1" }] },
  };
  const body = {
    metadata: { name: "holmes-holmes" },
    spec: { selector: { matchLabels: { app: "holmes" } }, template },
  };
  await server.api.request({ method: "POST", path: "/apis/apps/v1/namespaces/holmes/deployments", body });
  // The pod, as the API server has no nodes: the same program with the same arguments and the same rights.
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["https://kubernetes.default.svc"] },
  };
  const answer = (await server.api.request({
    method: "POST",
    path: "/api/v1/namespaces/holmes/serviceaccounts/stet-toolset/token",
    body: request,
  })) as {
    status: { token: string };
  };
  const args = spec.template.spec.containers[0]!.args.slice(2).filter((each) => !each.startsWith("--listen"));
  const kubeconfig = await server.kubeconfigFor({ token: answer.status.token });
  controller = await startController(bundle.entry, [
    ...args,
    "--kubeconfig",
    kubeconfig,
    "--no-health-checks",
    "--restart-interval",
    "100ms",
  ]);
  const first = await configMapWhen(server.api, "holmes", (map) => toolNames(map).length === 3);
  expect(first.data?.["overrides.yaml"]).toContain("YOUR OVERRIDES");

  const shown = await type(status!);
  for (const [tool, service] of [
    ["prometheus_query", "monitoring/prometheus"],
    ["grafana_dashboard", "monitoring/grafana"],
    ["jaeger_query", "tracing/jaeger-query"],
  ]) {
    expect(shown).toMatch(new RegExp(`^  ${tool} +http\\S+\\s+${service} +discovered$`, "m"));
  }

  const overrides = yaml.filter((text) => Object.hasOwn(load(text) as object, "tools"));
  const write = async (text: string) => {
    await editorWriting(text);
    await type(edit!);
    const count = (load(text) as { tools: unknown[] }).tools.length;
    return configMapWhen(
      server.api,
      "holmes",
      (map) => map.metadata.annotations?.["kubernaut.io/override-services"] === String(count),
    );
  };
  const changed = toolsets(await write(overrides[0]!));
  expect(changed["prometheus/metrics"]?.config).toMatchObject({ default_query_timeout_seconds: 60 });
  const keyed = toolsets(await write(overrides[1]!));
  expect(keyed["grafana/dashboards"]?.config).toMatchObject({ api_key: "{{ env.GRAFANA_KEY }}" });
  const last = await write(overrides[2]!);
  // What HolmesGPT's chart switches on is still on: this file stands in place of the chart's.
  const ofChart = ["internet", "kubernetes/core", "kubernetes/logs", "robusta"];
  const found = ["grafana/dashboards", "orders_api", "prometheus/metrics"];
  expect(Object.keys(toolsets(last)).sort()).toEqual([...found, ...ofChart].sort());
  expect(last.data?.["overrides.yaml"]).toContain(overrides[2]);
  await eventually(
    () => server.api.request({ method: "GET", path: "/apis/apps/v1/namespaces/holmes/deployments/holmes-holmes" }),
    (deployment) => JSON.stringify(deployment).includes("kubernaut.io/toolset-checksum"),
  );
  expect(await type("stet toolset status -n holmes")).toMatch(
    /^ {2}jaeger_query +-\s+tracing\/jaeger-query +switched off by your override$/m,
  );
});
