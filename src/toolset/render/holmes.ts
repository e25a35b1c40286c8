import type { Diagnostic } from "../../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { Detector } from "../discover/detectors.ts";
import { byText, overlay, type Tool } from "../tool.ts";
import { httpToolset } from "./holmes-http.ts";
import { yamlLines } from "./yaml-text.ts";

/** A tool that takes effect, and what it is to HolmesGPT. */
export interface EffectiveTool extends Tool {
  readonly kind: string;
}

export interface HolmesInput {
  readonly tools: readonly EffectiveTool[];
  /** Names whose override waits for the user to say which Service it means; that is told elsewhere. */
  readonly unsettled: ReadonlySet<string>;
  readonly detectors: readonly Detector[];
  /** HolmesGPT's own forms out of the overrides; they stand over what is made of the tools. */
  readonly toolsets: ValueMap;
  readonly mcpServers: ValueMap;
}

export interface HolmesResult {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

const header = `# Made from 'toolset.yaml' and 'overrides.yaml' of this ConfigMap, for HolmesGPT to load. Edits here are OVERWRITTEN.
`;

/** The text of `custom_toolset.yaml`: the tools in the form HolmesGPT loads. */
export function renderHolmes(input: HolmesInput): HolmesResult {
  const diagnostics: Diagnostic[] = [];
  const made = madeToolsets(input, diagnostics);
  const toolsets = sorted(overlay(mapOf(made), input.toolsets));
  const root = mapOf([
    ["toolsets", Object.keys(toolsets).length + Object.keys(input.mcpServers).length === 0 ? nothingYet : toolsets],
    ...(Object.keys(input.mcpServers).length === 0 ? [] : [["mcp_servers", sorted(input.mcpServers)] as const]),
  ]);
  for (const key of dottedKeys(root)) {
    const message = `HolmesGPT refuses a file with a dot in a key, and this one has '${key}'; rename it in overrides.yaml`;
    diagnostics.push({ code: "dotted-key", severity: "warning", message });
  }
  return { text: `${header}${yamlLines(root, "").join("\n")}\n`, diagnostics };
}

/** HolmesGPT does not start with a file that has no toolset in it, so before the first discovery there is one that does nothing. */
const nothingYet = mapOf([
  [
    "nothing-discovered-yet",
    mapOf([
      ["description", "No service has been discovered yet"],
      ["enabled", false],
      ["type", "http"],
      ["config", mapOf([["endpoints", []]])],
    ]),
  ],
]);

function madeToolsets(input: HolmesInput, diagnostics: Diagnostic[]): Map<string, Value> {
  const made = new Map<string, Value>();
  const types = new Map(input.detectors.map((detector) => [detector.type, detector]));
  const instances = new Map<Detector, EffectiveTool[]>();
  for (const tool of [...input.tools].sort((a, b) => byText(a.name, b.name))) {
    const detector = types.get(tool.kind);
    diagnostics.push(...tellUnmapped(tool, detector?.holmes.kind === "builtin"));
    if (typeof tool.fields.endpoint !== "string") diagnostics.push(...(input.unsettled.has(tool.name) ? [] : [incomplete(tool)]));
    else if (detector?.holmes.kind === "builtin") addTo(instances, detector, tool);
    else addHttp(made, tool, diagnostics);
  }
  for (const [{ holmes }, tools] of instances) {
    if (holmes.kind !== "builtin") continue;
    for (const name of holmes.toolsets) made.set(name, builtinToolset(tools, holmes.addressField));
  }
  return made;
}

function addTo<K>(groups: Map<K, EffectiveTool[]>, key: K, tool: EffectiveTool): void {
  const group = groups.get(key);
  if (group) group.push(tool);
  else groups.set(key, [tool]);
}

function addHttp(made: Map<string, Value>, tool: EffectiveTool, diagnostics: Diagnostic[]): void {
  const toolset = httpToolset(tool);
  if (toolset.kind === "unusable") {
    diagnostics.push(toolset.diagnostic);
    return;
  }
  const plain = tool.name.replaceAll(".", "_");
  let key = plain;
  for (let count = 2; made.has(key); count++) key = `${plain}_${count}`;
  made.set(key, toolset.definition);
}

/** HolmesGPT's own toolset: the address and the parameters go into its config, several tools of one type into `instances`. */
function builtinToolset(tools: readonly EffectiveTool[], addressField: string): ValueMap {
  const configOf = (tool: EffectiveTool): ValueMap => {
    const { endpoint = null, parameters = null } = tool.fields;
    const address = mapOf([[addressField, endpoint]]);
    return isMap(parameters) ? overlay(address, parameters) : address;
  };
  const [first] = tools;
  if (first === undefined || tools.length > 1) {
    const instances = tools.map((tool) =>
      mapOf([["name", tool.name], ...Object.entries(configOf(tool)).filter(([name]) => name !== "name")]),
    );
    return mapOf([
      ["enabled", true],
      ["config", mapOf([["instances", instances]])],
    ]);
  }
  return mapOf([
    ["enabled", true],
    ["config", configOf(first)],
  ]);
}

const mappedFields = ["type", "description", "endpoint", "parameters"];
const httpFields = [...mappedFields, "llm_instructions", "tags"];

/** A field that reaches nobody is most likely meant as a parameter. */
function tellUnmapped({ name, fields }: EffectiveTool, isBuiltin: boolean): Diagnostic[] {
  const known = isBuiltin ? mappedFields : httpFields;
  const lost = Object.keys(fields).filter((each) => !known.includes(each));
  if (lost.length === 0) return [];
  const message = `tool '${name}': HolmesGPT is not told of ${lost.map((each) => `'${each}'`).join(", ")}; what it should know of belongs under 'parameters'`;
  return [{ code: "unmapped-field", severity: "warning", message }];
}

function incomplete(tool: EffectiveTool): Diagnostic {
  const message = `tool '${tool.name}' has no endpoint (no Service is discovered under this name); it is left out until it has one`;
  return { code: "incomplete-tool", severity: "warning", message };
}

function sorted(map: ValueMap): ValueMap {
  return mapOf(
    Object.keys(map)
      .sort(byText)
      .map((name) => [name, map[name]!]),
  );
}

function dottedKeys(value: Value, found: string[] = []): string[] {
  if (isList(value)) for (const item of value) dottedKeys(item, found);
  else if (isMap(value)) {
    for (const name of Object.keys(value)) {
      if (name.includes(".")) found.push(name);
      dottedKeys(value[name]!, found);
    }
  }
  return found;
}
