import type { Diagnostic } from "../../core/diagnostic.ts";
import { getOrMake } from "../../core/lists.ts";
import type { ValueMap } from "../../core/value.ts";
import { byText, type ObjectName, refText } from "../tool.ts";
import type { Detector, Role } from "./detectors.ts";
import {
  allowsHost,
  type EndpointRules,
  faultOfAnnotations,
  mayUse,
  type ServiceFacts,
  type ServicePort,
} from "./service.ts";

/** A Service that is a tool. It has no name yet: names depend on all of them together (`claims.ts`). */
export interface Discovery {
  readonly source: ObjectName;
  readonly kind: string;
  /** The name it gets if no other Service has it. */
  readonly wantedName: string;
  /** Whether an annotation asks for it. */
  readonly isNamed: boolean;
  readonly fields: ValueMap;
  readonly healthAddress: string;
  /** When the Service was made; empty: not known. */
  readonly created: string;
  readonly door: Door;
  /** Other Services (`namespace/name`) that lead to the same thing. */
  readonly standsFor: readonly string[];
}

/** What tells whether two Services lead to the same thing, and which of them is the one to use. */
export interface Door {
  /** What it was installed as a part of, where the system has several parts; undefined: it has one. */
  readonly system: string | undefined;
  readonly selector: readonly string[];
  /** The lower, the better. */
  readonly rank: number;
}

/** Why a Service that looks like a tool, or asks to be one, is none. */
export const unusedReasons = [
  "no-port",
  "no-type",
  "bad-annotation",
  "refused-endpoint",
  "external-name",
  "unhealthy",
  "name-taken",
  "size",
] as const;
export type UnusedReason = (typeof unusedReasons)[number];

export interface UnusedService {
  readonly source: ObjectName;
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
export function discoverTools(
  services: Iterable<ServiceFacts>,
  rules: DiscoveryRules,
  isWell: (discovery: Discovery) => boolean = () => true,
): Discovered {
  return sortOut(recogniseAll(services, rules), isWell);
}

function* recogniseAll(services: Iterable<ServiceFacts>, rules: DiscoveryRules): Iterable<Recognised> {
  for (const service of services) yield recognise(service, rules);
}

/** The tools among what was recognised, and the rest, in order. */
export function sortOut(recognised: Iterable<Recognised>, isWell: (discovery: Discovery) => boolean): Discovered {
  const discoveries: Discovery[] = [];
  const waiting: Discovery[] = [];
  const unused: UnusedService[] = [];
  const found: Discovery[] = [];
  for (const each of recognised) {
    if (each.kind === "unused") unused.push(each.service);
    else if (each.kind === "discovered") found.push(each.discovery);
  }
  for (const discovery of bestDoors(found)) (isWell(discovery) ? discoveries : waiting).push(discovery);
  for (const { source } of waiting)
    unused.push({ source, reason: "unhealthy", why: "does not answer its health check" });
  return { discoveries: discoveries.sort(bySource), waiting: waiting.sort(bySource), unused: unused.sort(bySource) };
}

/**
 * One Service for each thing: of several that lead to it, the one to use. A headless one counts where nothing else
 * leads there.
 */
function bestDoors(found: Discovery[]): Discovery[] {
  const doors = new Map<string, Doors>();
  for (const discovery of found.sort((a, b) => a.door.rank - b.door.rank || bySource(a, b))) {
    const { source, kind, wantedName } = discovery;
    getOrMake(doors, `${source.namespace} ${kind} ${wantedName}`, () => new Doors()).add(discovery);
  }
  return [...doors.values()].flatMap((each) => each.kept());
}

/** What is kept of one type in one namespace, best first. */
class Doors {
  readonly #kept: { readonly discovery: Discovery; readonly others: string[] }[] = [];
  readonly #bySystem = new Map<string, string[]>();
  readonly #bySelector = new Map<string, string[]>();

  add(discovery: Discovery): void {
    const { system, selector } = discovery.door;
    const [systemKey, selectorKey] = [system ?? "", selector.join(",")];
    const others = this.#bySystem.get(systemKey) ?? this.#bySelector.get(selectorKey) ?? this.#overlapping(selector);
    if (others) {
      others.push(refText(discovery.source));
      return;
    }
    const own: string[] = [];
    this.#kept.push({ discovery, others: own });
    if (systemKey !== "") this.#bySystem.set(systemKey, own);
    if (selectorKey !== "") this.#bySelector.set(selectorKey, own);
  }

  kept(): Discovery[] {
    return this.#kept.map(({ discovery, others }) =>
      others.length === 0 ? discovery : { ...discovery, standsFor: others },
    );
  }

  /**
   * Whose pods are some of these, or the other way round. Looked for among the first hundred: nobody has more in one
   * namespace.
   */
  #overlapping(selector: readonly string[]): string[] | undefined {
    if (selector.length === 0) return undefined;
    return this.#kept.slice(0, 100).find(({ discovery }) => isPart(discovery.door.selector, selector))?.others;
  }
}

function isPart(a: readonly string[], b: readonly string[]): boolean {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  return few.length > 0 && few.every((label) => many.includes(label));
}

export function bySource(a: { readonly source: ObjectName }, b: { readonly source: ObjectName }): number {
  return byText(a.source.namespace, b.source.namespace) || byText(a.source.name, b.source.name);
}

export function tellUnused({ source, reason, why }: UnusedService): Diagnostic {
  const severity = reason === "unhealthy" || reason === "name-taken" ? "info" : "warning";
  const what = reason === "name-taken" ? "" : "; it is left out";
  return { code: "unusable-service", severity, message: `Service ${refText(source)} ${why}${what}` };
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
    const why = `has an annotation kubernaut.io/toolset-endpoint that does not lead to its own name and ports; to allow it: --allow-endpoint ${new URL(annotated.endpoint).host}`;
    return unused(service, "refused-endpoint", why);
  }
  return detector ? asDetected(service, detector, rules) : asAnnotated(service, rules);
}

/**
 * A label is enough. A word of the name is not, unless a port agrees: `prometheus-adapter-docs` on port 80 is not
 * Prometheus.
 */
function matches(service: ServiceFacts, detector: Detector): boolean {
  if (service.components.some((component) => detector.otherComponents.includes(component))) return false;
  if (detector.roles && roleOf(service, detector.roles) === undefined) return false;
  if (service.apps.some((app) => detector.names.includes(app))) return true;
  // Operators name the label after the installation, and say by the component what it is.
  if (service.components.some((component) => detector.names.includes(component)) && agrees(service, detector))
    return true;
  // What the name ends with says what it is: `prometheus-stack-thanos-ruler` is not Prometheus.
  const isCompanion = detector.otherComponents.some((component) => service.name.endsWith(`-${component}`));
  const isNamed = detector.names.some((words) => `-${service.name}-`.includes(`-${words}-`));
  return !isCompanion && isNamed && agrees(service, detector);
}

/** Names that ports of all kinds of services have. */
const commonPortNames = ["http", "https", "http-metrics", "tcp"];

function agrees({ ports }: ServiceFacts, { port, portNames }: Detector): boolean {
  return ports.some(
    (each) => each.port === port || (portNames.includes(each.name ?? "") && !commonPortNames.includes(each.name ?? "")),
  );
}

/** Parts of distributed systems that take data in, keep it, or look after the rest: none of them answers queries. */
const otherParts =
  /memcached|cache|gossip|memberlist|distributor|ingest|compactor|ruler|store-?gateway|storage|insert|^write|^backend|canary|collector|^agent|scheduler|index-gateway|bloom|exporter|metrics|alertmanager|operator|zookeeper|sidecar|receive|bucket|promtail|admin-api|table-manager|^querier$|kafka|rollout/;

/**
 * Which part of its system a Service is; undefined: one that does not answer queries. One that nobody knows comes last.
 */
function roleOf(
  { components }: ServiceFacts,
  roles: readonly Role[],
): { readonly role: Role | undefined; readonly rank: number } | undefined {
  const wanted = components.length === 0 ? [""] : components;
  const rank = roles.findIndex(({ component }) => wanted.includes(component));
  if (rank !== -1) return { role: roles[rank], rank };
  return wanted.some((component) => otherParts.test(component)) ? undefined : { role: undefined, rank: roles.length };
}

function asDetected(service: ServiceFacts, detector: Detector, rules: DiscoveryRules): Recognised {
  const { annotated } = service;
  const port = choosePort(service.ports, detector);
  if (port === undefined && annotated.endpoint === undefined) {
    // A port of another kind belongs to a companion of the service, not to the service.
    if (service.ports.length > 0) return { kind: "none" };
    return unused(service, "no-port", `looks like ${detector.type} but has no port`);
  }
  const elsewhere = refusedExternal(service, rules);
  if (elsewhere) return elsewhere;
  const endpoint = annotated.endpoint ?? endpointOf(service, port!, detector, rules);
  const found = detector.roles ? roleOf(service, detector.roles) : undefined;
  const fields = { type: "http", description: detector.description, endpoint };
  const wantedName = annotated.name ?? detector.toolName;
  const healthPath = found?.role?.healthPath ?? detector.healthPath;
  const system = detector.roles && service.instance !== undefined ? `${detector.type} ${service.instance}` : undefined;
  const { type: kind, path } = detector;
  return discovered(service, { kind, wantedName, fields, healthPath, path, system, rank: found?.rank ?? 0 });
}

/** An ExternalName leads where its author says; that is the operator's to allow. */
function refusedExternal(service: ServiceFacts, { allowed }: DiscoveryRules): Recognised | undefined {
  const host = service.externalName;
  if (host === undefined || (host !== "" && allowed.some((pattern) => allowsHost(pattern, host)))) return undefined;
  const why = `leads out of the cluster (ExternalName); to allow it: --allow-endpoint ${host || "HOST"}`;
  return unused(service, "external-name", why);
}

/** A tool that no detector knows, announced by the Service's own annotations. */
function asAnnotated(service: ServiceFacts, rules: DiscoveryRules): Recognised {
  const { annotated } = service;
  if (annotated.type === undefined)
    return unused(service, "no-type", "asks to be a tool, but lacks the annotation kubernaut.io/toolset-type");
  const known = rules.detectors.find((detector) => detector.type === annotated.type);
  const port = (known && choosePort(service.ports, known)) ?? service.ports[0];
  if (port === undefined && annotated.endpoint === undefined)
    return unused(
      service,
      "no-port",
      "asks to be a tool, but has no port; add one, or the annotation kubernaut.io/toolset-endpoint",
    );
  const elsewhere = refusedExternal(service, rules);
  if (elsewhere) return elsewhere;
  const endpoint = annotated.endpoint ?? endpointOf(service, port!, known, rules);
  const description = `Service ${service.name} in namespace ${service.namespace}`;
  const fields = { type: annotated.type, description, endpoint };
  const wantedName = annotated.name ?? service.name;
  const healthPath = known?.healthPath ?? "/";
  return discovered(service, { kind: annotated.type, wantedName, fields, healthPath, rank: 0 });
}

interface Found extends Pick<Discovery, "kind" | "wantedName">, Pick<Door, "rank"> {
  readonly fields: ValueMap & { readonly endpoint: string };
  readonly healthPath: string;
  /** Where below its own address the endpoint is. */
  readonly path?: string | undefined;
  readonly system?: string | undefined;
}

/** A headless Service comes after all others, and one that leads to a single pod of several after those. */
const [headlessRank, onePodRank] = [100, 200];

function discovered(service: ServiceFacts, { healthPath, path, system, rank, ...found }: Found): Recognised {
  const { namespace, name, annotated, created, selector } = service;
  const { endpoint } = found.fields;
  const base = path !== undefined && annotated.endpoint === undefined ? endpoint.slice(0, -path.length) : endpoint;
  const asked = annotated.healthPath ?? healthPath;
  const healthAddress = asked === "" ? base : `${base.replace(/\/$/, "")}/${asked.replace(/^\//, "")}`;
  const last = service.onePod ? onePodRank : service.headless ? headlessRank : 0;
  const door = { system, selector, rank: rank + last };
  const source = { namespace, name };
  const isNamed = annotated.name !== undefined;
  return { kind: "discovered", discovery: { source, ...found, isNamed, healthAddress, created, door, standsFor: [] } };
}

/** Ports on which nobody speaks HTTP: gossip, gRPC, caches, Thanos' stores. */
const otherPorts = [7946, 9094, 9095, 9096, 9150, 10901, 11211];

function choosePort(ports: readonly ServicePort[], detector: Detector): ServicePort | undefined {
  for (const name of detector.portNames) {
    const named = ports.find((port) => port.name === name);
    if (named) return named;
  }
  const numbered = ports.find((port) => port.port === detector.port);
  // Where it is not HTTP, another port is another protocol, except the one with TLS where there is no plain one.
  if (numbered || detector.scheme !== undefined) return numbered ?? ports.find(({ name = "" }) => /tls$/.test(name));
  return ports.find(
    ({ port, name = "" }) => !otherPorts.includes(port) && !/grpc|gossip|memberlist|transport/.test(name),
  );
}

function endpointOf(
  service: ServiceFacts,
  port: ServicePort,
  detector: Detector | undefined,
  { clusterDomain }: DiscoveryRules,
): string {
  const scheme = detector?.scheme ?? (port.secure ? "https" : "http");
  return `${scheme}://${service.name}.${service.namespace}.svc.${clusterDomain}:${port.port}${detector?.path ?? ""}`;
}

function unused({ namespace, name }: ServiceFacts, reason: UnusedReason, why: string): Recognised {
  return { kind: "unused", service: { source: { namespace, name }, reason, why } };
}
