import { matchesPattern } from "../../core/policy.ts";
import type { AnnotatedTool, ServiceFacts } from "./service.ts";

/** What an annotation may say: whoever may annotate a Service writes it, and HolmesGPT reads it. */
const rules = {
  name: {
    pattern: /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    what: "at most 64 letters, digits, '_', '.' and '-'",
  },
  type: {
    pattern: /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    what: "at most 64 letters, digits, '_', '.' and '-'",
  },
  healthPath: { pattern: /^\/?[A-Za-z0-9_.~/%?&=:@+,-]{0,511}$/, what: "a path of at most 512 characters" },
  endpoint: {
    pattern: /^https?:\/\/([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?(\/[A-Za-z0-9_.~/%-]{0,250})?$/,
    what: "an http(s) address of at most 512 characters, without login, query or fragment",
  },
} as const;

const annotationNames = {
  name: "toolset-name",
  type: "toolset-type",
  healthPath: "toolset-health-path",
  endpoint: "toolset-endpoint",
} as const;

/** Why the annotations of a Service can't be used; undefined: they can. */
export function faultOfAnnotations(annotated: AnnotatedTool): string | undefined {
  for (const field of ["name", "type", "healthPath", "endpoint"] as const) {
    const value = annotated[field];
    if (value === undefined || (rules[field].pattern.test(value) && (field !== "endpoint" || URL.canParse(value))))
      continue;
    return `has an annotation kubernaut.io/${annotationNames[field]} that is not ${rules[field].what}`;
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
