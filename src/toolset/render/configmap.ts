import { createHash } from "node:crypto";
import { maskLines } from "../../report/mask/lines.ts";
import { diffLines } from "../../text/diff-lines.ts";
import { splitLines } from "../../text/lines.ts";

/** A ConfigMap as the API gives it. What is not named here is carried along untouched. */
export interface ConfigMap {
  readonly apiVersion: "v1";
  readonly kind: "ConfigMap";
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>> | null;
  readonly binaryData?: Readonly<Record<string, string>> | null;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly annotations?: Readonly<Record<string, string>> | null;
  readonly managedFields?: unknown;
}

/** What keeps an object from being a ConfigMap we can work with; undefined: nothing does. */
export function faultOfConfigMap(object: object): string | undefined {
  const { metadata, data } = object as {
    readonly metadata?: { readonly name?: unknown; readonly annotations?: unknown } | null;
    readonly data?: unknown;
  };
  if (typeof metadata?.name !== "string") return "a ConfigMap has no metadata.name";
  if (!isTextMap(data)) return `data of ConfigMap ${metadata.name} must be a map of texts`;
  return isTextMap(metadata.annotations)
    ? undefined
    : `annotations of ConfigMap ${metadata.name} must be a map of texts`;
}

export function isConfigMap(object: object): object is ConfigMap {
  return faultOfConfigMap(object) === undefined;
}

function isTextMap(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (
    typeof value === "object" && !Array.isArray(value) && Object.values(value).every((text) => typeof text === "string")
  );
}

/** The keys of the ConfigMap. `overrides.yaml` is the user's and never sent; the others are ours. */
export const dataKeys = {
  toolset: "toolset.yaml",
  overrides: "overrides.yaml",
  holmes: "custom_toolset.yaml",
  lastGood: "overrides.last-good.yaml",
} as const;

export const annotations = {
  lastReconciliation: "kubernaut.io/last-reconciliation",
  discovered: "kubernaut.io/discovered-services",
  overrides: "kubernaut.io/override-services",
  conflicts: "kubernaut.io/conflict-count",
  overrideError: "kubernaut.io/override-error",
  /** Hashes of the generated texts: tell an edit by hand. */
  toolsetHash: "kubernaut.io/toolset-hash",
  holmesHash: "kubernaut.io/custom-toolset-hash",
} as const;

export const defaultNamespace = "kubernaut-system";
export const defaultName = "kubernaut-toolset-config";

/** What the API server allows for all values together. */
export const sizeLimit = 1_048_576;

export function dataOf(configMap: ConfigMap | undefined): Readonly<Record<string, string>> {
  return configMap?.data ?? {};
}

export function annotationsOf(configMap: ConfigMap | undefined): Readonly<Record<string, string>> {
  return configMap?.metadata.annotations ?? {};
}

/** As the API server counts: the bytes of all values. */
export function dataSize(configMap: ConfigMap): number {
  const texts = Object.values(dataOf(configMap)).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return (
    texts +
    Object.values(configMap.binaryData ?? {}).reduce((sum, base64) => sum + Buffer.byteLength(base64, "base64"), 0)
  );
}

/** What `--starter` writes into a new ConfigMap, for the person who opens it. From then on it is theirs. */
export const initialOverrides = `# ✏️ YOUR OVERRIDES. This text is yours: it is read, and never changed.
#
# A tool with the name of a discovered one (see 'toolset.yaml') changes that tool; name only the fields you want different.
# A tool with a new name is added. 'enabled: false' switches a tool off. Take an override out, and the discovered tool is back.
#
# tools:
#   - name: prometheus_query
#     endpoint: http://prometheus.prod.svc:9090
#   - name: my_custom_api
#     type: http
#     description: What it is good for
#     endpoint: http://my-api.custom.svc:8080
#     parameters:
#       timeout: 30s
#   - name: grafana_dashboard
#     enabled: false
#
# HolmesGPT's own 'toolsets:' and 'mcp_servers:' stand here, too, and are passed on as they are.
tools: []
toolsets:
  # What HolmesGPT's chart switches on by itself. HolmesGPT reads this ConfigMap in place of the chart's own file, so
  # what is not named here is off, unless it is on in every HolmesGPT.
  kubernetes/core: {enabled: true}
  kubernetes/logs: {enabled: true}
  internet: {enabled: true}
  robusta: {enabled: true}
`;

/**
 * What stands before us when there is nothing yet: none of our keys, and the user's only where they asked for a text to
 * begin with.
 */
export function newConfigMap({
  namespace,
  name,
  starter,
}: {
  namespace: string;
  name: string;
  starter: boolean;
}): ConfigMap {
  const data = starter ? { [dataKeys.overrides]: initialOverrides } : {};
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** Only what is ours: the user's key is not even mentioned, so that no way of sending it can change it. */
export function ownPart(
  { metadata }: ConfigMap,
  ours: Pick<ConfigMap, "data"> & Required<Pick<ObjectMeta, "annotations">>,
): ConfigMap {
  const { name, namespace } = metadata;
  const own = { name, ...(namespace === undefined ? {} : { namespace }), annotations: ours.annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: own, data: ours.data ?? {} };
}

/** What somebody did by hand to a text that is generated. It will be overwritten, but not silently. */
export interface Drift {
  /** The data key it is about. */
  readonly key: string;
  /** Lines as they are now (-) and as they will be (+), without those in between. */
  readonly diff: string;
}

export function textHash(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

const longestDiff = 4000;

/** What is known of one generated text. */
interface GeneratedText {
  readonly key: string;
  /** As it stands there; undefined: it does not. */
  readonly seen: string | undefined;
  /** Of what we wrote last; undefined: nothing was ever written. */
  readonly recordedHash: string | undefined;
  /** What will stand there. */
  readonly next: string;
  /** Exactly what we wrote last, if this process still knows: makes the difference exact. */
  readonly last: string | undefined;
}

/**
 * Whether a generated text is not what we wrote. The difference goes into logs and Events, so secrets in it are masked.
 */
export function findDrift({ key, seen, recordedHash, next, last }: GeneratedText): Drift | undefined {
  if (recordedHash === undefined || (seen !== undefined && textHash(seen) === recordedHash)) return undefined;
  const wrote = last !== undefined && textHash(last) === recordedHash ? last : next;
  return { key, diff: maskLines(changedLines(seen ?? "", wrote)) };
}

/** Short, as it has to fit into an Event. */
function changedLines(before: string, after: string): string {
  const [left, right] = [splitLines(before), splitLines(after)];
  const lines = diffLines(before, after).flatMap((change) => [
    ...left.slice(change.beforeStart, change.beforeEnd).map((line) => `-${line.trimEnd()}`),
    ...right.slice(change.afterStart, change.afterEnd).map((line) => `+${line.trimEnd()}`),
  ]);
  const text = lines.join("\n");
  return text.length <= longestDiff ? text : `${text.slice(0, longestDiff)}\n… (${lines.length} lines in all)`;
}
