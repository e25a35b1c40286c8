import type { Diagnostic } from "../../core/diagnostic.ts";
import { field, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { Tool } from "../tool.ts";

export type HttpToolset =
  | { readonly kind: "toolset"; readonly definition: ValueMap }
  | { readonly kind: "unusable"; readonly diagnostic: Diagnostic };

/** Parameters that belong to the endpoint HolmesGPT may call; all others are settings of the toolset. */
const endpointParameters = ["hosts", "paths", "methods", "auth", "health_check_url"];

/**
 * A tool HolmesGPT has no toolset for, as one of its type `http`: it may call this host below this path, by default only to read.
 * The host stands without its port: every version of HolmesGPT that knows the type understands that.
 */
export function httpToolset(tool: Tool): HttpToolset {
  const address = parseAddress(tool.fields.endpoint);
  if (address === undefined) {
    const message = `tool '${tool.name}': the endpoint ${JSON.stringify(tool.fields.endpoint)} is not an http(s) address; it is left out`;
    return { kind: "unusable", diagnostic: { code: "invalid-endpoint", severity: "warning", message } };
  }
  const parameters = isMap(tool.fields.parameters) ? tool.fields.parameters : mapOf([]);
  const description = textOf(tool.fields.description) ?? `HTTP service ${tool.name}`;
  const own = ["llm_instructions", "tags"].flatMap((name) => fieldOf(tool.fields, name));
  const definition = mapOf([
    ["description", description],
    ["enabled", true],
    ["type", "http"],
    ["config", mapOf([["endpoints", [endpointOf(address, parameters)]], ...settingsOf(parameters)])],
    ["llm_instructions", `${description}. Base address: ${String(tool.fields.endpoint)}`],
    ...own,
  ]);
  return { kind: "toolset", definition };
}

function parseAddress(endpoint: Value | undefined): URL | undefined {
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) return undefined;
  const address = new URL(endpoint);
  return (address.protocol === "http:" || address.protocol === "https:") && address.hostname !== "" ? address : undefined;
}

/** By hand: the pattern `/+$` begins anew at each slash. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function endpointOf(address: URL, parameters: ValueMap): ValueMap {
  const path = withoutSlashesAtEnd(address.pathname);
  return mapOf([
    ["hosts", [address.hostname]],
    ["paths", path === "" ? ["*"] : [path, `${path}/*`]],
    ["methods", ["GET"]],
    ...endpointParameters.flatMap((name) => fieldOf(parameters, name)),
  ]);
}

/** `timeout: 30s` is how people write what HolmesGPT calls `timeout_seconds: 30`; everything else goes through as it is. */
function settingsOf(parameters: ValueMap): [string, Value][] {
  return Object.keys(parameters)
    .filter((name) => !endpointParameters.includes(name))
    .map((name) => {
      const value = parameters[name]!;
      const seconds = name === "timeout" ? secondsOf(value) : undefined;
      return seconds === undefined ? [name, value] : ["timeout_seconds", seconds];
    });
}

function secondsOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^(\d{1,9})(s|m)?$/.exec(value) : null;
  return match ? Number(match[1]) * (match[2] === "m" ? 60 : 1) : undefined;
}

function fieldOf(map: ValueMap, name: string): [string, Value][] {
  const value = field(map, name);
  return value === undefined || value === null ? [] : [[name, value]];
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
