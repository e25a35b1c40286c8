import type { KubeService } from "../discover/service.ts";
import { type ConfigMap, faultOfConfigMap, isConfigMap } from "../render/configmap.ts";
import type { ObjectName } from "../tool.ts";
import {
  type Call,
  hasStatus,
  type JsonObject,
  type KubeApi,
  kubeObject,
  objectAnswer,
  serverMistake,
  TooLargeError,
} from "./api.ts";

const enc = encodeURIComponent;

export function configMapsPath(namespace: string): string {
  return `/api/v1/namespaces/${enc(namespace)}/configmaps`;
}

/**
 * Undefined: there is none. Any other failure rejects: not being able to look is not the same as nothing being there.
 */
export async function getConfigMap(api: KubeApi, at: ObjectName, signal?: AbortSignal): Promise<ConfigMap | undefined> {
  const { namespace, name } = at;
  const found = await getOrNothing(api, `${configMapsPath(namespace)}/${enc(name)}`, signal);
  if (found === undefined || isConfigMap(found)) return found;
  throw serverMistake(faultOfConfigMap(found)!);
}

export async function getOrNothing(api: KubeApi, path: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
  try {
    return kubeObject(await api.request({ method: "GET", path }, signal), path);
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Create an object under a field manager of its own. */
export async function createConfigMap(
  api: KubeApi,
  configMap: ConfigMap,
  fieldManager: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = configMapsPath(configMap.metadata.namespace ?? "default");
  await api.request({ method: "POST", path, query: { fieldManager }, body: configMap }, signal);
}

/** Server-side apply: the fields sent become (and stay) the manager's, everybody else's are not touched. */
export async function applyConfigMap(
  api: KubeApi,
  configMap: ConfigMap,
  fieldManager: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `${configMapsPath(configMap.metadata.namespace ?? "default")}/${enc(configMap.metadata.name)}`;
  const query = { fieldManager, force: "true" };
  await api.request(
    { method: "PATCH", path, query, body: configMap, contentType: "application/apply-patch+yaml" },
    signal,
  );
}

export function servicesPath(namespace: string | undefined): string {
  return namespace === undefined ? "/api/v1/services" : `/api/v1/namespaces/${enc(namespace)}/services`;
}

const largestPage = 500;
/** A list that takes longer than this is given up, however many pages the server still promises. */
const listLimit = 300_000;

/** What `listPages` asks for. */
export interface ListCall {
  readonly path: string;
  readonly query?: Call["query"];
  take(item: JsonObject): void;
}

/**
 * Every object of a collection, page by page, so that a large one is never in memory as a whole. Returns the version to
 * watch from. A page that is too large is asked for again in halves: nobody's bulky objects keep us from seeing the
 * others.
 */
export async function listPages(api: KubeApi, { path, query, take }: ListCall, signal?: AbortSignal): Promise<string> {
  const deadline = AbortSignal.any([AbortSignal.timeout(listLimit), ...(signal === undefined ? [] : [signal])]);
  let [from, limit]: [string | undefined, number] = [undefined, largestPage];
  for (;;) {
    let page: Page;
    try {
      page = pageAnswer(
        await api.request({ method: "GET", path, query: { ...query, limit: String(limit), continue: from } }, deadline),
        path,
      );
    } catch (error) {
      if (!(error instanceof TooLargeError) || limit === 1) throw error;
      limit = Math.floor(limit / 2);
      continue;
    }
    for (const item of page.items) take(item);
    if (page.next === undefined) return page.version;
    if (page.next === from) throw serverMistake(`the list of ${path} does not go on`);
    from = page.next;
  }
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly version: string;
  readonly next: string | undefined;
}

function pageAnswer(answer: unknown, path: string): Page {
  const { items, metadata } = objectAnswer(answer, `the list of ${path}`);
  const { resourceVersion, continue: next } = objectAnswer(metadata, `the metadata of the list of ${path}`);
  if (items !== null && !Array.isArray(items)) throw serverMistake(`the list of ${path} has no items`);
  return {
    items: ((items ?? []) as unknown[]).map((item) => kubeObject(item, `an item of ${path}`)),
    version: typeof resourceVersion === "string" ? resourceVersion : "",
    next: typeof next === "string" && next !== "" ? next : undefined,
  };
}

/** All Services of these namespaces (none named: of the cluster). */
export async function listServices(
  api: KubeApi,
  namespaces: readonly string[],
  take: (service: KubeService) => void,
  signal?: AbortSignal,
): Promise<void> {
  const paths = namespaces.length === 0 ? [servicesPath(undefined)] : namespaces.map(servicesPath);
  for (const path of paths) await listPages(api, { path, take }, signal);
}

export function deploymentPath({ namespace, name }: ObjectName): string {
  return `/apis/apps/v1/namespaces/${enc(namespace)}/deployments/${enc(name)}`;
}

interface DeploymentPart {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: unknown }[] | null } };
  };
}

/** The images of a Deployment's containers; none where there is no such Deployment. */
export async function deploymentImages(api: KubeApi, at: ObjectName, signal?: AbortSignal): Promise<string[]> {
  const found: DeploymentPart | undefined = await getOrNothing(api, deploymentPath(at), signal);
  const containers = found?.spec?.template?.spec?.containers;
  return (Array.isArray(containers) ? containers : []).flatMap(({ image }) =>
    typeof image === "string" ? [image] : [],
  );
}
