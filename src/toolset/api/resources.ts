import type { KubeService } from "../discover/service.ts";
import type { ConfigMap } from "../render/configmap.ts";
import { type Call, hasStatus, type KubeApi } from "./api.ts";

const enc = encodeURIComponent;

export function configMapsPath(namespace: string): string {
  return `/api/v1/namespaces/${enc(namespace)}/configmaps`;
}

/** Undefined: there is none. Any other failure rejects: not being able to look is not the same as nothing being there. */
export async function getConfigMap(api: KubeApi, namespace: string, name: string): Promise<ConfigMap | undefined> {
  return (await getOrNothing(api, `${configMapsPath(namespace)}/${enc(name)}`)) as ConfigMap | undefined;
}

export async function getOrNothing(api: KubeApi, path: string): Promise<unknown> {
  try {
    return await api.request({ method: "GET", path });
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Create an object under a field manager of its own. */
export async function createConfigMap(api: KubeApi, configMap: ConfigMap, fieldManager: string): Promise<ConfigMap> {
  const path = configMapsPath(configMap.metadata.namespace ?? "default");
  return (await api.request({ method: "POST", path, query: { fieldManager }, body: configMap })) as ConfigMap;
}

/** Server-side apply: the fields sent become (and stay) the manager's, everybody else's are not touched. */
export async function applyConfigMap(api: KubeApi, configMap: ConfigMap, fieldManager: string): Promise<ConfigMap> {
  const path = `${configMapsPath(configMap.metadata.namespace ?? "default")}/${enc(configMap.metadata.name)}`;
  const call: Call = {
    method: "PATCH",
    path,
    query: { fieldManager, force: "true" },
    body: configMap,
    contentType: "application/apply-patch+yaml",
  };
  return (await api.request(call)) as ConfigMap;
}

export function servicesPath(namespace: string | undefined): string {
  return namespace === undefined ? "/api/v1/services" : `/api/v1/namespaces/${enc(namespace)}/services`;
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly unknown[] | null;
}

const pageSize = "500";

/** Every object of a collection, page by page, so that a large one is never in memory as a whole. Returns the version to watch from. */
export async function listPages(
  api: KubeApi,
  path: string,
  query: Call["query"],
  take: (items: readonly unknown[]) => void,
  signal?: AbortSignal,
): Promise<string> {
  let from: string | undefined;
  for (;;) {
    const page = (await api.request({ method: "GET", path, query: { ...query, limit: pageSize, continue: from } }, signal)) as Page;
    take(page.items ?? []);
    from = page.metadata?.continue || undefined;
    if (from === undefined) return page.metadata?.resourceVersion ?? "";
  }
}

/** All Services of these namespaces (none named: of the cluster). */
export async function listServices(api: KubeApi, namespaces: readonly string[], take: (service: KubeService) => void): Promise<void> {
  const paths = namespaces.length === 0 ? [servicesPath(undefined)] : namespaces.map(servicesPath);
  const takeAll = (items: readonly unknown[]): void => {
    for (const item of items) take(item as KubeService);
  };
  for (const path of paths) await listPages(api, path, {}, takeAll);
}
