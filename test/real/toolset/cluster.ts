import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { hasStatus, type KubeApi } from "../../../src/toolset/api/api.ts";
import { getConfigMap } from "../../../src/toolset/api/resources.ts";
import type { ConfigMap } from "../../../src/toolset/render/configmap.ts";

export const name = "kubernaut-toolset-config";

/** What people and other programs do in a cluster. */
export async function createNamespace(api: KubeApi, namespace: string): Promise<void> {
  await api.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
}

interface ServiceWish {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly port?: number;
}

export async function createService(
  api: KubeApi,
  namespace: string,
  service: string,
  wish: ServiceWish = {},
): Promise<void> {
  const { labels = { app: "prometheus" }, annotations = {}, port = 9090 } = wish;
  const body = { metadata: { name: service, labels, annotations }, spec: { ports: [{ port, protocol: "TCP" }] } };
  await api.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/services`, body });
}

export async function changePort(api: KubeApi, namespace: string, service: string, port: number): Promise<void> {
  const body = [{ op: "replace", path: "/spec/ports/0/port", value: port }];
  const path = `/api/v1/namespaces/${namespace}/services/${service}`;
  await api.request({ method: "PATCH", path, body, contentType: "application/json-patch+json" });
}

export async function deleteService(api: KubeApi, namespace: string, service: string): Promise<void> {
  await api.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/services/${service}` });
}

/** `kubectl edit`: read, change the text, send the whole object back; again if somebody was quicker. */
export async function edit(
  api: KubeApi,
  namespace: string,
  change: (data: Record<string, string>) => void,
  object = name,
): Promise<void> {
  for (;;) {
    const configMap = (await getConfigMap(api, { namespace: namespace, name: object }))!;
    const data = { ...configMap.data };
    change(data);
    const path = `/api/v1/namespaces/${namespace}/configmaps/${object}`;
    try {
      await api.request({ method: "PUT", path, query: { fieldManager: "kubectl-edit" }, body: { ...configMap, data } });
      return;
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
    }
  }
}

export function writeOverrides(api: KubeApi, namespace: string, text: string): Promise<void> {
  return edit(api, namespace, (data) => {
    data["overrides.yaml"] = text;
  });
}

export async function deleteConfigMap(api: KubeApi, namespace: string): Promise<void> {
  await api.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/configmaps/${name}` });
}

/** Wait until it is so, or say what it is instead. */
export async function eventually<T>(
  look: () => Promise<T>,
  isRight: (value: T) => boolean,
  patience = 200_000,
): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const value = await look();
    if (isRight(value)) return value;
    if (Date.now() > end)
      throw new Error(`still not so after ${patience} ms: ${JSON.stringify(value)?.slice(0, 2000)}`);
    await sleep(20);
  }
}

/** The ConfigMap, once it is as expected. */
export function configMapWhen(
  api: KubeApi,
  namespace: string,
  isRight: (configMap: ConfigMap) => boolean,
  patience?: number,
): Promise<ConfigMap> {
  return eventually(
    () => getConfigMap(api, { namespace: namespace, name: name }),
    (found): found is ConfigMap => found !== undefined && isRight(found),
    patience,
  ) as Promise<ConfigMap>;
}

export function toolNames(configMap: ConfigMap): string[] {
  const { tools = [] } = (parse(configMap.data?.["toolset.yaml"] ?? "") ?? {}) as { tools?: { name: string }[] };
  return tools.map((tool) => tool.name);
}

export function toolsets(configMap: ConfigMap): Record<string, { config: Record<string, unknown> }> {
  return (parse(configMap.data?.["custom_toolset.yaml"] ?? "") ?? { toolsets: {} }).toolsets;
}
