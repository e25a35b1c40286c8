import type { KubeApi } from "../api/api.ts";
import { deploymentPath, getOrNothing } from "../api/resources.ts";
import type { ConfigMap } from "../render/configmap.ts";

/** Tell the people who look at the ConfigMap with `kubectl describe`. */
export async function recordEvent(api: KubeApi, configMap: ConfigMap, reason: string, message: string, now: Date): Promise<void> {
  const { name, namespace = "default", uid, resourceVersion } = configMap.metadata;
  const time = now.toISOString().replace(/\.\d+Z$/, "Z");
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: "v1", kind: "ConfigMap", name, namespace, uid, resourceVersion },
    reason,
    message: message.length > 1000 ? `${message.slice(0, 1000)}…` : message,
    type: "Warning",
    source: { component: "stet-toolset" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  await api.request({ method: "POST", path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`, body: event });
}

export const checksumAnnotation = "kubernaut.io/toolset-checksum";

/**
 * HolmesGPT reads its file at start only: give its pods an annotation with the file's hash, and the Deployment rolls them over. Looks first,
 * so that pods that have started with this very file stay. Returns whether it had to.
 */
export async function restartDeployment(api: KubeApi, namespace: string, name: string, checksum: string): Promise<boolean> {
  const path = deploymentPath({ namespace, name });
  const deployment = (await getOrNothing(api, path)) as Deployment | undefined;
  if (deployment === undefined) throw new Error(`there is no Deployment ${namespace}/${name} to restart`);
  if (deployment.spec?.template?.metadata?.annotations?.[checksumAnnotation] === checksum) return false;
  const body = { spec: { template: { metadata: { annotations: { [checksumAnnotation]: checksum } } } } };
  const query = { fieldManager: "stet-toolset-restart" };
  await api.request({ method: "PATCH", path, query, body, contentType: "application/strategic-merge-patch+json" });
  return true;
}

interface Deployment {
  readonly spec?: { readonly template?: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } } };
}
