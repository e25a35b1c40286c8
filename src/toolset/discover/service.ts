import type { ServiceRef } from "../tool.ts";

/** The parts of a Kubernetes Service that discovery reads. Everything else is dropped at once: a cluster may have ten thousand of them. */
export interface ServiceFacts extends ServiceRef {
  /** What `app` and `app.kubernetes.io/name` say. */
  readonly apps: readonly string[];
  /** What `component` and `app.kubernetes.io/component` say. */
  readonly components: readonly string[];
  readonly ports: readonly ServicePort[];
  readonly annotated: AnnotatedTool;
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
    readonly deletionTimestamp?: string | null;
  };
  readonly spec?: {
    readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly appProtocol?: string }[] | null;
  };
}

export const annotationPrefix = "kubernaut.io/";

/** The facts of a Service, or undefined when it is nameless or on its way out. */
export function serviceFacts(service: KubeService): ServiceFacts | undefined {
  const { name, namespace = "default", labels, annotations, deletionTimestamp } = service.metadata ?? {};
  if (name === undefined || name === "" || (deletionTimestamp ?? undefined) !== undefined) return undefined;
  return {
    namespace,
    name,
    apps: labelValues(labels, ["app", "app.kubernetes.io/name"]),
    components: labelValues(labels, ["component", "app.kubernetes.io/component"]),
    ports: (service.spec?.ports ?? []).flatMap((port) =>
      port.port === undefined ? [] : [{ name: port.name, port: port.port, secure: port.appProtocol?.toLowerCase() === "https" }],
    ),
    annotated: annotatedTool(annotations ?? {}),
  };
}

function labelValues(labels: Readonly<Record<string, string>> | null | undefined, names: readonly string[]): string[] {
  return names.flatMap((name) => (labels && Object.hasOwn(labels, name) ? [labels[name]!] : []));
}

function annotatedTool(annotations: Readonly<Record<string, string>>): AnnotatedTool {
  const read = (name: string): string | undefined => {
    const text = Object.hasOwn(annotations, annotationPrefix + name) ? annotations[annotationPrefix + name]!.trim() : "";
    return text === "" ? undefined : text;
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
