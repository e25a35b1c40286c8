// A ConfigMap of a hundred tools, one of them changed, sent to a real API server. stet first asks the server what
// Services there are and what the ConfigMap says, and merges; kubectl is given the finished text.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./measure.mjs";
import { findPeer, missingPeer, run, runStet } from "./peers.mjs";

const namespace = "apply";
const tools = 100;

export async function* benchKubectl({ cluster }, { api, kubeconfig }, folder) {
  const kubectl = findPeer("kubectl");
  if (kubectl === undefined) {
    yield missingPeer("kubectl");
    return;
  }
  await cluster.createNamespace(api, namespace);
  for (let i = 0; i < tools; i++) await cluster.createService(api, namespace, `service-${i}`);
  // A home of its own: kubectl keeps what it learns of a server, and its second run is quicker than its first.
  const env = { PATH: process.env.PATH, HOME: join(folder, "kubectl-home") };
  mkdirSync(env.HOME);
  const stetApply = () =>
    runStet(["toolset", "apply", "--kubeconfig", kubeconfig, "-n", namespace, "--watch-namespace", namespace, "-q"], {
      env,
    });
  stetApply();
  const [text, file] = [await finishedText({ cluster, api }), join(folder, "kubectl-configmap.json")];
  const kubectlApply = () =>
    run(
      kubectl,
      ["--kubeconfig", kubeconfig, "-n", namespace, "apply", "--server-side", "--field-manager=bench", "-f", file],
      { env },
    );
  let port = 20_000;
  yield await compare({
    name: `stet toolset apply, ${tools} tools, one changed`,
    against: "kubectl apply --server-side",
    turns: 15,
    warmups: 2,
    children: true,
    async prepare(which) {
      port++;
      if (which === "work") await cluster.changePort(api, namespace, "service-0", port);
      else
        writeFileSync(
          file,
          text.replaceAll(/service-0\.apply\.svc\.cluster\.local:\d+/g, `service-0.apply.svc.cluster.local:${port}`),
        );
    },
    floor: kubectlApply,
    work: stetApply,
  });
}

/** What stet wrote, under another name: two owners of one object would meet each other's fields. */
async function finishedText({ cluster, api }) {
  const { data } = await cluster.configMapWhen(api, namespace, () => true);
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "by-kubectl" }, data });
}
