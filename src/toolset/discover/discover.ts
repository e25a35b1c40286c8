import type { Diagnostic } from "../../core/diagnostic.ts";
import type { ValueMap } from "../../core/value.ts";
import { byText, refText, type ServiceRef } from "../tool.ts";
import { type EndpointRules, faultOfAnnotations, mayUse } from "./annotations.ts";
import type { Detector } from "./detectors.ts";
import type { ServiceFacts, ServicePort } from "./service.ts";

/** A Service that is a tool. It has no name yet: names depend on all of them together (`claims.ts`). */
export interface Discovery {
  readonly source: ServiceRef;
  readonly kind: string;
  /** The name it gets if no other Service has it. */
  readonly wantedName: string;
  readonly fields: ValueMap;
  readonly healthAddress: string;
  /** When the Service was made; empty: not known. */
  readonly created: string;
}

/** Why a Service that looks like a tool, or asks to be one, is none. */
export type UnusedReason = "no-port" | "no-type" | "bad-annotation" | "refused-endpoint" | "unhealthy";

export interface UnusedService {
  readonly source: ServiceRef;
  readonly reason: UnusedReason;
  /** What is wrong with it, after its name. */
  readonly why: string;
}

export interface Discovered {
  /** Sorted by namespace and name. */
  readonly discoveries: readonly Discovery[];
  /** Tools that would be there if they were well. */
  readonly waiting: readonly Discovery[];
  /** Sorted likewise. */
  readonly unused: readonly UnusedService[];
}

/** What decides which Services are tools. */
export interface DiscoveryRules extends EndpointRules {
  readonly detectors: readonly Detector[];
}

/** Which of these Services are tools. Order of the input does not matter. */
export function discover(services: Iterable<ServiceFacts>, rules: DiscoveryRules): Discovered {
  return sortOut([...services].map((service) => recognise(service, rules)));
}

/** The tools among what was recognised, and the rest, in order. */
export function sortOut(recognised: Iterable<Recognised>, isWell: (discovery: Discovery) => boolean = () => true): Discovered {
  const discoveries: Discovery[] = [];
  const waiting: Discovery[] = [];
  const unused: UnusedService[] = [];
  for (const each of recognised) {
    if (each.kind === "unused") unused.push(each.service);
    else if (each.kind === "discovered") (isWell(each.discovery) ? discoveries : waiting).push(each.discovery);
  }
  for (const { source } of waiting) unused.push({ source, reason: "unhealthy", why: "does not answer its health check" });
  return { discoveries: discoveries.sort(bySource), waiting: waiting.sort(bySource), unused: unused.sort(bySource) };
}

export function bySource(a: { readonly source: ServiceRef }, b: { readonly source: ServiceRef }): number {
  return byText(a.source.namespace, b.source.namespace) || byText(a.source.name, b.source.name);
}

export function tellUnused({ source, reason, why }: UnusedService): Diagnostic {
  const severity = reason === "unhealthy" ? "info" : "warning";
  return { code: "unusable-service", severity, message: `Service ${refText(source)} ${why}; it is left out` };
}

export type Recognised =
  | { readonly kind: "discovered"; readonly discovery: Discovery }
  | { readonly kind: "unused"; readonly service: UnusedService }
  | { readonly kind: "none" };

/** Whether one Service is a tool. */
export function recognise(service: ServiceFacts, rules: DiscoveryRules): Recognised {
  const { annotated } = service;
  if (annotated.state === "disabled") return { kind: "none" };
  const detector = rules.detectors.find((candidate) => matches(service, candidate));
  if (detector === undefined && annotated.state === "unset") return { kind: "none" };
  const fault = faultOfAnnotations(annotated);
  if (fault !== undefined) return unused(service, "bad-annotation", fault);
  if (annotated.endpoint !== undefined && !mayUse(annotated.endpoint, service, rules)) {
    const why = `has an annotation kubernaut.io/toolset-endpoint that leads elsewhere than to its own name and ports; allow it with --allow-endpoint ${new URL(annotated.endpoint).host}`;
    return unused(service, "refused-endpoint", why);
  }
  return detector ? asDetected(service, detector, rules) : asAnnotated(service, rules);
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

function asDetected(service: ServiceFacts, detector: Detector, rules: DiscoveryRules): Recognised {
  const { annotated } = service;
  const endpoint = annotated.endpoint ?? endpointOf(service, choosePort(service.ports, detector), rules);
  if (endpoint === undefined) return unused(service, "no-port", `looks like ${detector.type} but has no port`);
  const fields = { type: "http", description: detector.description, endpoint };
  const wantedName = annotated.name ?? detector.toolName;
  return discovered(service, { kind: detector.type, wantedName, fields, healthPath: detector.healthPath });
}

/** A tool that no detector knows, announced by the Service's own annotations. */
function asAnnotated(service: ServiceFacts, rules: DiscoveryRules): Recognised {
  const { annotated } = service;
  if (annotated.type === undefined)
    return unused(service, "no-type", "asks to be a tool but lacks the annotation kubernaut.io/toolset-type");
  const known = rules.detectors.find((detector) => detector.type === annotated.type);
  const port = known ? choosePort(service.ports, known) : service.ports[0];
  const endpoint = annotated.endpoint ?? endpointOf(service, port, rules);
  if (endpoint === undefined)
    return unused(service, "no-port", "asks to be a tool but has no port; add one, or kubernaut.io/toolset-endpoint");
  const fields = { type: annotated.type, description: `Service ${service.name} in namespace ${service.namespace}`, endpoint };
  const wantedName = annotated.name ?? service.name;
  return discovered(service, { kind: annotated.type, wantedName, fields, healthPath: known?.healthPath ?? "/" });
}

type Found = Pick<Discovery, "kind" | "wantedName"> & {
  readonly fields: ValueMap & { readonly endpoint: string };
  readonly healthPath: string;
};

function discovered({ namespace, name, annotated, created }: ServiceFacts, { healthPath, ...found }: Found): Recognised {
  const healthAddress = withPath(found.fields.endpoint, annotated.healthPath ?? healthPath);
  return { kind: "discovered", discovery: { source: { namespace, name }, ...found, healthAddress, created } };
}

function choosePort(ports: readonly ServicePort[], detector: Detector): ServicePort | undefined {
  for (const name of detector.portNames) {
    const named = ports.find((port) => port.name === name);
    if (named) return named;
  }
  return ports.find((port) => port.port === detector.port) ?? ports[0];
}

function endpointOf(service: ServiceFacts, port: ServicePort | undefined, { clusterDomain }: DiscoveryRules): string | undefined {
  if (port === undefined) return undefined;
  return `${port.secure ? "https" : "http"}://${service.name}.${service.namespace}.svc.${clusterDomain}:${port.port}`;
}

function withPath(endpoint: string, path: string): string {
  return endpoint.replace(/\/$/, "") + (path.startsWith("/") ? path : `/${path}`);
}

function unused({ namespace, name }: ServiceFacts, reason: UnusedReason, why: string): Recognised {
  return { kind: "unused", service: { source: { namespace, name }, reason, why } };
}
