import type { ServiceRef } from "../tool.ts";

/** The parts of a Kubernetes Service that discovery reads. Everything else is dropped at once: a cluster may have ten thousand of them. */
export interface ServiceFacts extends ServiceRef {
  /** What `app` and `app.kubernetes.io/name` say. */
  readonly apps: readonly string[];
  /** What `component` and `app.kubernetes.io/component` say. */
  readonly components: readonly string[];
  readonly ports: readonly ServicePort[];
  readonly annotated: AnnotatedTool;
  /** When it was made, as the API writes it; empty: not known. */
  readonly created: string;
}

export interface ServicePort {
  readonly name: string | undefined;
  readonly port: number;
  readonly secure: boolean;
}

/** What the Service's own annotations ask for. `unset`: nothing; the other details then have no meaning without a detector. */
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
    readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly appProtocol?: string }[] | null;
  };
}

export const annotationPrefix = "kubernaut.io/";

/** As Kubernetes has it for both. What is named otherwise did not come from a cluster. */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The facts of a Service, or undefined when it has no proper name or is on its way out. */
export function serviceFacts(service: KubeService): ServiceFacts | undefined {
  const { name = "", namespace = "default", labels, annotations, creationTimestamp, deletionTimestamp } = service.metadata ?? {};
  if (!objectName.test(name) || !objectName.test(namespace) || (deletionTimestamp ?? undefined) !== undefined) return undefined;
  return {
    namespace,
    name,
    apps: labelValues(labels, ["app", "app.kubernetes.io/name"]),
    components: labelValues(labels, ["component", "app.kubernetes.io/component"]),
    ports: listOf(service.spec?.ports).flatMap(portOf),
    annotated: annotatedTool(annotations ?? {}),
    created: typeof creationTimestamp === "string" ? creationTimestamp : "",
  };
}

function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

function portOf(port: { readonly name?: unknown; readonly port?: unknown; readonly appProtocol?: unknown } | null): ServicePort[] {
  if (typeof port?.port !== "number") return [];
  const secure = typeof port.appProtocol === "string" && port.appProtocol.toLowerCase() === "https";
  return [{ name: typeof port.name === "string" ? port.name : undefined, port: port.port, secure }];
}

function labelValues(labels: Readonly<Record<string, unknown>> | null | undefined, names: readonly string[]): string[] {
  const values = names.map((name) => (labels && Object.hasOwn(labels, name) ? labels[name] : undefined));
  return values.filter((value) => typeof value === "string");
}

function annotatedTool(annotations: Readonly<Record<string, unknown>>): AnnotatedTool {
  const read = (name: string): string | undefined => {
    const value = Object.hasOwn(annotations, annotationPrefix + name) ? annotations[annotationPrefix + name] : undefined;
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const wish = read("toolset")?.toLowerCase();
  const state = wish === "true" || wish === "enabled" ? "enabled" : wish === "false" || wish === "disabled" ? "disabled" : "unset";
  return {
    state,
    type: read("toolset-type"),
    name: read("toolset-name"),
    endpoint: read("toolset-endpoint"),
    healthPath: read("toolset-health-path"),
  };
}
