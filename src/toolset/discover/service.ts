import * as v from "valibot";
import { matchesPattern } from "../../core/policy.ts";
import { byText, type ObjectName } from "../tool.ts";

/**
 * The parts of a Kubernetes Service that discovery reads. Everything else is dropped at once: a cluster may have ten
 * thousand of them.
 */
export interface ServiceFacts extends ObjectName {
  /** What its labels say it is: `app`, `app.kubernetes.io/name`, and those of operators that have their own. */
  readonly apps: readonly string[];
  /** What `component` and `app.kubernetes.io/component` say. */
  readonly components: readonly string[];
  /** Its TCP ports. */
  readonly ports: readonly ServicePort[];
  /** What it was installed as a part of; undefined: not said. */
  readonly instance: string | undefined;
  /** Which pods it leads to: `label=value`, sorted. What would name one of them only is not in it. */
  readonly selector: readonly string[];
  /** Whether it leads to one pod of several. */
  readonly onePod: boolean;
  /** Whether it has no address of its own. */
  readonly headless: boolean;
  /** Where a Service of type ExternalName leads to. */
  readonly externalName: string | undefined;
  readonly annotated: AnnotatedTool;
  /** When it was made, as the API writes it; empty: not known. */
  readonly created: string;
}

export interface ServicePort {
  readonly name: string | undefined;
  readonly port: number;
  readonly secure: boolean;
}

/**
 * What the Service's own annotations ask for. `unset`: nothing; the other details then have no meaning without a
 * detector.
 */
export interface AnnotatedTool {
  readonly state: "unset" | "enabled" | "disabled";
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly endpoint: string | undefined;
  readonly healthPath: string | undefined;
}

/** People write `true` and `9090` where Kubernetes wants texts; what they mean is plain. */
const text = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String));
const texts = v.nullish(v.record(v.string(), text));

/** As Kubernetes has it for Services and namespaces. What is named otherwise did not come from a cluster. */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export function isObjectName(name: string): boolean {
  return objectName.test(name);
}

const objectNameSchema = v.pipe(v.string(), v.regex(objectName, "must be a name of lower-case letters, digits and -"));

const portSchema = v.object({
  name: v.optional(v.string()),
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  protocol: v.optional(v.string()),
  appProtocol: v.optional(v.string()),
});

/** A Service as the API gives it; only what is read here. A cluster has checked it, a file has not been. */
export const serviceSchema = v.object({
  metadata: v.object({
    name: objectNameSchema,
    namespace: v.optional(objectNameSchema, "default"),
    labels: texts,
    annotations: texts,
    creationTimestamp: v.nullish(v.string()),
    deletionTimestamp: v.nullish(v.string()),
  }),
  spec: v.optional(
    v.object({
      type: v.optional(v.string()),
      clusterIP: v.optional(v.string()),
      externalName: v.optional(v.string()),
      selector: texts,
      ports: v.nullish(v.array(portSchema)),
    }),
  ),
});

export type KubeService = v.InferOutput<typeof serviceSchema>;

export const annotationPrefix = "kubernaut.io/";

const appLabels = ["app", "app.kubernetes.io/name", "common.k8s.elastic.co/type"];
const instanceLabels = [
  "app.kubernetes.io/instance",
  "strimzi.io/cluster",
  "elasticsearch.k8s.elastic.co/cluster-name",
  "release",
];

const podLabels = ["statefulset.kubernetes.io/pod-name", "strimzi.io/pod-name"];

/** The facts of a Service, or undefined when it has no proper name or is on its way out. */
export function serviceFacts(service: KubeService): ServiceFacts | undefined {
  const {
    name = "",
    namespace = "default",
    labels,
    annotations,
    creationTimestamp,
    deletionTimestamp,
  } = service.metadata ?? {};
  if (!isObjectName(name) || !isObjectName(namespace) || (deletionTimestamp ?? undefined) !== undefined)
    return undefined;
  return {
    namespace,
    name,
    apps: labelValues(labels, appLabels),
    components: labelValues(labels, ["component", "app.kubernetes.io/component"]),
    ports: (Array.isArray(service.spec?.ports) ? service.spec.ports : []).flatMap(portOf),
    instance: labelValues(labels, instanceLabels)[0],
    onePod: podLabels.some((label) => Object.hasOwn(service.spec?.selector ?? {}, label)),
    selector: Object.entries(service.spec?.selector ?? {})
      .filter(([name]) => !podLabels.includes(name))
      .map(([name, value]) => `${name}=${String(value)}`)
      .sort(byText),
    headless: service.spec?.clusterIP === "None",
    externalName: service.spec?.type === "ExternalName" ? String(service.spec.externalName ?? "") : undefined,
    annotated: annotatedTool(annotations ?? {}),
    created: typeof creationTimestamp === "string" ? creationTimestamp : "",
  };
}

/** Whoever sends it may have left out anything. */
function portOf(port: { readonly [Name in keyof v.InferOutput<typeof portSchema>]?: unknown } | null): ServicePort[] {
  if (typeof port?.port !== "number" || (port.protocol ?? "TCP") !== "TCP") return [];
  const name = typeof port.name === "string" ? port.name : undefined;
  return [{ name, port: port.port, secure: isSecure(port.port, name, port.appProtocol) }];
}

/** What the port says it speaks counts; then its name, then its number. */
function isSecure(port: number, name: string | undefined, protocol: unknown): boolean {
  if (typeof protocol === "string") return protocol.toLowerCase() === "https";
  return name !== undefined && /^http(-|$)/.test(name)
    ? false
    : /^https(-|$)|-tls$/.test(name ?? "") || port === 443 || port === 8443;
}

function labelValues(labels: Readonly<Record<string, unknown>> | null | undefined, names: readonly string[]): string[] {
  const values = names.map((name) => (labels && Object.hasOwn(labels, name) ? labels[name] : undefined));
  return values.filter((value) => typeof value === "string");
}

function annotatedTool(annotations: Readonly<Record<string, unknown>>): AnnotatedTool {
  const read = (name: string): string | undefined => {
    const [value] = labelValues(annotations, [annotationPrefix + name]);
    return value?.trim() || undefined;
  };
  const wish = read("toolset")?.toLowerCase();
  const state =
    wish === "true" || wish === "enabled" ? "enabled" : wish === "false" || wish === "disabled" ? "disabled" : "unset";
  return {
    state,
    type: read(rules.type.annotation),
    name: read(rules.name.annotation),
    endpoint: read(rules.endpoint.annotation),
    healthPath: read(rules.healthPath.annotation),
  };
}

const word = {
  pattern: /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
  what: "at most 64 letters, digits, '_', '.' and '-'",
};

/** What an annotation may say: whoever may annotate a Service writes it, and HolmesGPT reads it. */
const rules = {
  name: { annotation: "toolset-name", ...word },
  type: { annotation: "toolset-type", ...word },
  healthPath: {
    annotation: "toolset-health-path",
    pattern: /^\/?[A-Za-z0-9_.~/%?&=:@+,-]{0,511}$/,
    what: "a path of at most 512 characters",
  },
  endpoint: {
    annotation: "toolset-endpoint",
    pattern: /^https?:\/\/([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?(\/[A-Za-z0-9_.~/%-]{0,250})?$/,
    what: "an http(s) address of at most 512 characters, without login, query or fragment",
  },
} as const;

/** Why the annotations of a Service can't be used; undefined: they can. */
export function faultOfAnnotations(annotated: AnnotatedTool): string | undefined {
  for (const field of ["name", "type", "healthPath", "endpoint"] as const) {
    const value = annotated[field];
    const { annotation, pattern, what } = rules[field];
    if (value === undefined || (pattern.test(value) && (field !== "endpoint" || URL.canParse(value)))) continue;
    return `has an annotation kubernaut.io/${annotation} that is not ${what}`;
  }
  return undefined;
}

/** What an operator allows besides a Service's own address. */
export interface EndpointRules {
  /** Patterns `[SCHEME://]HOST[:PORT]`, in which `*` is any text. */
  readonly allowed: readonly string[];
  readonly clusterDomain: string;
}

/**
 * Whether an annotated address may be used: it is the Service's own name and one of its ports, or the operator allows
 * it.
 */
export function mayUse(endpoint: string, service: ServiceFacts, { allowed, clusterDomain }: EndpointRules): boolean {
  const { protocol, hostname, port } = new URL(endpoint);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const own = `${service.name}.${service.namespace}`;
  const isOwn = [own, `${own}.svc`, `${own}.svc.${clusterDomain}`].includes(hostname.replace(/\.$/, ""));
  if (isOwn && service.ports.some((each) => each.port === number)) return true;
  return allowed.some((pattern) => allows(pattern, protocol, hostname, String(number)));
}

/** Whether a pattern allows a host at any port. */
export function allowsHost(pattern: string, host: string): boolean {
  const { rest } = splitScheme(pattern);
  return matchesPattern(rest.replace(/:(\d+|\*)$/, "").toLowerCase(), host.toLowerCase());
}

function allows(pattern: string, protocol: string, host: string, port: string): boolean {
  const { scheme, rest } = splitScheme(pattern);
  const match = /^(.*?)(?::(\d+|\*))?$/.exec(rest)!;
  const [, hostPattern = "", portPattern = "*"] = match;
  return (
    (scheme === undefined || `${scheme}:` === protocol) &&
    matchesPattern(hostPattern.toLowerCase(), host) &&
    matchesPattern(portPattern, port)
  );
}

function splitScheme(pattern: string): { scheme: string | undefined; rest: string } {
  const at = pattern.indexOf("://");
  return at === -1
    ? { scheme: undefined, rest: pattern }
    : { scheme: pattern.slice(0, at).toLowerCase(), rest: pattern.slice(at + 3) };
}

/** Why `--allow-endpoint` can't be this; undefined: it can. */
export function faultOfPattern(pattern: string): string | undefined {
  const { rest } = splitScheme(pattern);
  return /^[A-Za-z0-9_*.[\]:-]+$/.test(rest)
    ? undefined
    : "should read [SCHEME://]HOST[:PORT], where * stands for any text";
}
