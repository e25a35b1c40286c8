import { byText, type ServiceRef } from "../tool.ts";

/**
 * The parts of a Kubernetes Service that discovery reads. Everything else is dropped at once: a cluster may have ten
 * thousand of them.
 */
export interface ServiceFacts extends ServiceRef {
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

/** A Service as the API gives it; only what is read here. */
export interface KubeService {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly annotations?: Readonly<Record<string, string>> | null;
    readonly creationTimestamp?: string | null;
    readonly deletionTimestamp?: string | null;
  };
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly selector?: Readonly<Record<string, string>> | null;
    readonly ports?:
      | readonly {
          readonly name?: string;
          readonly port?: number;
          readonly protocol?: string;
          readonly appProtocol?: string;
        }[]
      | null;
  };
}

export const annotationPrefix = "kubernaut.io/";

/** As Kubernetes has it for both. What is named otherwise did not come from a cluster. */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

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
  if (!objectName.test(name) || !objectName.test(namespace) || (deletionTimestamp ?? undefined) !== undefined)
    return undefined;
  return {
    namespace,
    name,
    apps: labelValues(labels, appLabels),
    components: labelValues(labels, ["component", "app.kubernetes.io/component"]),
    ports: listOf(service.spec?.ports).flatMap(portOf),
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

function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

type Unread<T> = { readonly [P in keyof T]?: unknown };

function portOf(
  port: Unread<{ name: string; port: number; protocol: string; appProtocol: string }> | null,
): ServicePort[] {
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
    const value = Object.hasOwn(annotations, annotationPrefix + name)
      ? annotations[annotationPrefix + name]
      : undefined;
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const wish = read("toolset")?.toLowerCase();
  const state =
    wish === "true" || wish === "enabled" ? "enabled" : wish === "false" || wish === "disabled" ? "disabled" : "unset";
  return {
    state,
    type: read("toolset-type"),
    name: read("toolset-name"),
    endpoint: read("toolset-endpoint"),
    healthPath: read("toolset-health-path"),
  };
}
