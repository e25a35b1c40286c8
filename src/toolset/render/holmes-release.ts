import type { Diagnostic } from "../../core/diagnostic.ts";
import { field, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { Tool } from "../tool.ts";
import { httpEndpointKeys, httpKeys, type Translated, translateParameters } from "./holmes-config.ts";

/** The HolmesGPT that a text is written for. */
export interface HolmesRelease {
  readonly major: number;
  readonly minor: number;
}

/**
 * `0.31.1`, `v0.31`, or an image's tag with more behind it; undefined where it says no release (`latest`, a hash, a
 * branch).
 */
export function parseRelease(text: string): HolmesRelease | undefined {
  const match = /^v?(\d{1,4})\.(\d{1,4})(?:[.+-]|$)/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

/** The release that the tag of a container image names; undefined where it names none. */
export function releaseOfImage(image: string): HolmesRelease | undefined {
  const name = image.split("@", 1)[0]!;
  const tag = name.slice(name.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined ? undefined : parseRelease(tag);
}

/** Whether it is known to be older than `0.minor`. An unknown release is taken for a newer one. */
export function isEarlierRelease(release: HolmesRelease | undefined, minor: number): boolean {
  return release !== undefined && release.major === 0 && release.minor < minor;
}

export function releaseText({ major, minor }: HolmesRelease): string {
  return `${major}.${minor}`;
}

type HttpToolset =
  | { readonly kind: "toolset"; readonly definition: ValueMap; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "unusable"; readonly diagnostic: Diagnostic };

/**
 * A tool HolmesGPT has no toolset for, as one of its type `http`: it may call this host below this path, by default
 * only to read. The host stands without its port: every version of HolmesGPT that knows the type understands that.
 */
export function httpToolset(tool: Tool, release: HolmesRelease | undefined): HttpToolset {
  const address = parseAddress(tool.fields.endpoint);
  if (address === undefined) {
    const message = `tool '${tool.name}': the endpoint ${JSON.stringify(tool.fields.endpoint)} is not an http(s) address; it is left out`;
    return { kind: "unusable", diagnostic: { code: "invalid-endpoint", severity: "warning", message } };
  }
  const parameters = isMap(tool.fields.parameters) ? tool.fields.parameters : mapOf([]);
  const [ofEndpoint, ofConfig] = split(parameters, (name) => Object.hasOwn(httpEndpointKeys, name));
  const what = "a toolset of type http";
  const endpoint = translateParameters(tool.name, ofEndpoint, { keys: httpEndpointKeys, what, release });
  const config = translateParameters(tool.name, ofConfig, { keys: httpKeys, what, release });
  const description = textOf(tool.fields.description) ?? `HTTP service ${tool.name}`;
  const own = ["llm_instructions", "tags"].flatMap((name) => fieldOf(tool.fields, name));
  const definition = mapOf([
    ["description", description],
    ["enabled", true],
    ["type", "http"],
    ["config", mapOf([["endpoints", [endpointOf(address, endpoint.config)]], ...config.config])],
    ["llm_instructions", `${description}. Base address: ${String(tool.fields.endpoint)}`],
    ...own,
  ]);
  return { kind: "toolset", definition, diagnostics: [...endpoint.diagnostics, ...config.diagnostics] };
}

function split(map: ValueMap, isFirst: (name: string) => boolean): [ValueMap, ValueMap] {
  const entries = Object.entries(map);
  return [mapOf(entries.filter(([name]) => isFirst(name))), mapOf(entries.filter(([name]) => !isFirst(name)))];
}

function parseAddress(endpoint: Value | undefined): URL | undefined {
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) return undefined;
  const address = new URL(endpoint);
  return (address.protocol === "http:" || address.protocol === "https:") && address.hostname !== ""
    ? address
    : undefined;
}

/** By hand: the pattern `/+$` begins anew at each slash. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function endpointOf(address: URL, own: Translated["config"]): ValueMap {
  const path = withoutSlashesAtEnd(address.pathname);
  return mapOf([
    ["hosts", [address.hostname]],
    ["paths", path === "" ? ["*"] : [path, `${path}/*`]],
    ["methods", ["GET"]],
    ...own,
  ]);
}

function fieldOf(map: ValueMap, name: string): [string, Value][] {
  const value = field(map, name);
  return value === undefined || value === null ? [] : [[name, value]];
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
