import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type ClusterAccess, type KubeconfigText, readKubeconfig } from "./kubeconfig.ts";

export interface AccessOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
}

const podFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Find the cluster: `--kubeconfig`, else the pod's own, else `$KUBECONFIG`, else `~/.kube/config`. */
export async function findAccess(options: AccessOptions): Promise<ClusterAccess> {
  const { kubeconfig, context, env, home } = options;
  if (kubeconfig !== undefined) return readKubeconfig([await readConfig(kubeconfig)], context);
  if (context === undefined && env.KUBERNETES_SERVICE_HOST) return podAccess(env);
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : home === undefined ? [] : [join(home, ".kube", "config")];
  const files = await Promise.all(paths.map(readIfThere));
  const found = files.filter((file) => file !== undefined);
  if (found.length > 0) return readKubeconfig(found, context);
  const message = `no cluster to talk to: not in a pod, and no kubeconfig (${paths.join(", ") || "no home"}); give --kubeconfig, or work offline with --services`;
  throw new InputError({ code: "no-cluster", message });
}

function podAccess(env: Readonly<Record<string, string | undefined>>): ClusterAccess {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? "443"}`,
    authority: { kind: "file", path: `${podFolder}/ca.crt` },
    insecure: false,
    serverName: undefined,
    certificate: undefined,
    key: undefined,
    credentials: { kind: "token-file", path: `${podFolder}/token` },
  };
}

async function readConfig(path: string): Promise<KubeconfigText> {
  const file = await readIfThere(path);
  if (file === undefined) throw new InputError({ code: "invalid-kubeconfig", message: "no such file", file: path });
  return file;
}

async function readIfThere(path: string): Promise<KubeconfigText | undefined> {
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new InputError({
      code: "invalid-kubeconfig",
      message: `cannot be read (${(error as NodeJS.ErrnoException).code})`,
      file: path,
    });
  }
}
