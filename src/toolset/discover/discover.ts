import type { Diagnostic } from "../../core/diagnostic.ts";
import type { ValueMap } from "../../core/value.ts";
import { byText, refText, type ServiceRef } from "../tool.ts";
import type { Detector } from "./detectors.ts";
import type { ServiceFacts, ServicePort } from "./service.ts";

/** A Service that is a tool. It has no name yet: names depend on all of them together (`naming.ts`). */
export interface Discovery {
  readonly source: ServiceRef;
  readonly kind: string;
  /** The name it gets if no other Service has it. */
  readonly wantedName: string;
  readonly fields: ValueMap;
  readonly healthAddress: string;
}

export interface Discovered {
  /** Sorted by namespace and name. */
  readonly discoveries: readonly Discovery[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Which of these Services are tools. Order of the input does not matter. */
export function discover(services: Iterable<ServiceFacts>, detectors: readonly Detector[]): Discovered {
  const discoveries: Discovery[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const service of services) {
    const found = recognise(service, detectors);
    if (found.kind === "discovered") discoveries.push(found.discovery);
    else if (found.kind === "unusable") diagnostics.push(found.diagnostic);
  }
  discoveries.sort((a, b) => byText(a.source.namespace, b.source.namespace) || byText(a.source.name, b.source.name));
  diagnostics.sort((a, b) => byText(a.message, b.message));
  return { discoveries, diagnostics };
}

export type Recognised =
  | { readonly kind: "discovered"; readonly discovery: Discovery }
  | { readonly kind: "unusable"; readonly diagnostic: Diagnostic }
  | { readonly kind: "none" };

/** Whether one Service is a tool. */
export function recognise(service: ServiceFacts, detectors: readonly Detector[]): Recognised {
  const { annotated } = service;
  if (annotated.state === "disabled") return { kind: "none" };
  const detector = detectors.find((candidate) => matches(service, candidate));
  if (detector) return asDetected(service, detector);
  return annotated.state === "enabled" ? asAnnotated(service, detectors) : { kind: "none" };
}

/** A label is enough. A word of the name is not, unless a port agrees: `prometheus-adapter-docs` on port 80 is not Prometheus. */
function matches(service: ServiceFacts, detector: Detector): boolean {
  if (service.components.some((component) => detector.otherComponents.includes(component))) return false;
  if (service.apps.some((app) => detector.names.includes(app))) return true;
  const named = service.name.split("-").some((word) => detector.names.includes(word));
  return (
    named &&
    service.ports.some((port) => port.port === detector.port || (port.name !== undefined && detector.portNames.includes(port.name)))
  );
}

function asDetected(service: ServiceFacts, detector: Detector): Recognised {
  const { annotated } = service;
  const endpoint = annotated.endpoint ?? endpointOf(service, choosePort(service.ports, detector));
  if (endpoint === undefined) return unusable(service, `looks like ${detector.type} but has no port`);
  return {
    kind: "discovered",
    discovery: {
      source: { namespace: service.namespace, name: service.name },
      kind: detector.type,
      wantedName: annotated.name ?? detector.toolName,
      fields: { type: "http", description: detector.description, endpoint },
      healthAddress: withPath(endpoint, annotated.healthPath ?? detector.healthPath),
    },
  };
}

/** A tool that no detector knows, announced by the Service's own annotations. */
function asAnnotated(service: ServiceFacts, detectors: readonly Detector[]): Recognised {
  const { annotated } = service;
  if (annotated.type === undefined) return unusable(service, "asks to be a tool but lacks the annotation kubernaut.io/toolset-type");
  const known = detectors.find((detector) => detector.type === annotated.type);
  const endpoint = annotated.endpoint ?? endpointOf(service, known ? choosePort(service.ports, known) : service.ports[0]);
  if (endpoint === undefined) return unusable(service, "asks to be a tool but has no port; add one, or kubernaut.io/toolset-endpoint");
  return {
    kind: "discovered",
    discovery: {
      source: { namespace: service.namespace, name: service.name },
      kind: annotated.type,
      wantedName: annotated.name ?? service.name,
      fields: { type: annotated.type, description: `Service ${service.name} in namespace ${service.namespace}`, endpoint },
      healthAddress: withPath(endpoint, annotated.healthPath ?? known?.healthPath ?? "/"),
    },
  };
}

function choosePort(ports: readonly ServicePort[], detector: Detector): ServicePort | undefined {
  for (const name of detector.portNames) {
    const named = ports.find((port) => port.name === name);
    if (named) return named;
  }
  return ports.find((port) => port.port === detector.port) ?? ports[0];
}

function endpointOf(service: ServiceFacts, port: ServicePort | undefined): string | undefined {
  if (port === undefined) return undefined;
  return `${port.secure ? "https" : "http"}://${service.name}.${service.namespace}.svc.cluster.local:${port.port}`;
}

function withPath(endpoint: string, path: string): string {
  return endpoint.replace(/\/$/, "") + (path.startsWith("/") ? path : `/${path}`);
}

function unusable(service: ServiceFacts, why: string): Recognised {
  const message = `Service ${refText(service)} ${why}; it is left out`;
  return { kind: "unusable", diagnostic: { code: "unusable-service", severity: "warning", message } };
}
