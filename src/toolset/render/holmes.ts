import type { Diagnostic } from "../../core/diagnostic.ts";
import { field, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { Detector, HolmesTarget } from "../discover/detectors.ts";
import { byText, overlay, suggestTool, type Tool } from "../tool.ts";
import { builtinToolsets, type ConfigKeys, configKeys, instanceBeside, translateParameters } from "./holmes-config.ts";
import { type HolmesRelease, httpToolset, isEarlierRelease, releaseText } from "./holmes-release.ts";
import { yamlLines } from "./yaml.ts";

/** A tool that takes effect, and what it is to HolmesGPT. */
export interface EffectiveTool extends Tool {
  readonly kind: string;
}

export interface HolmesInput {
  readonly tools: readonly EffectiveTool[];
  /** Names whose override waits for the user to say which Service it means; that is told elsewhere. */
  readonly unsettled: ReadonlySet<string>;
  readonly detectors: readonly Detector[];
  /** The HolmesGPT it is for; undefined: any from 0.20 on. */
  readonly release: HolmesRelease | undefined;
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
  const toolsets = sorted(overlay(mapOf(made), withoutSettled(input, made)));
  const root = mapOf([
    ["toolsets", Object.keys(toolsets).length + Object.keys(input.mcpServers).length === 0 ? nothingYet : toolsets],
    ...(Object.keys(input.mcpServers).length === 0 ? [] : [["mcp_servers", sorted(input.mcpServers)] as const]),
  ]);
  return { text: `${header}${yamlLines(root, "").join("\n")}\n`, diagnostics };
}

/**
 * What the overrides say of a built-in toolset's config went into its tools already; the rest lies over what was made.
 */
function withoutSettled({ toolsets }: HolmesInput, made: ReadonlyMap<string, Value>): ValueMap {
  return mapOf(
    Object.entries(toolsets).map(([name, definition]) => {
      if (!made.has(name) || !isMap(definition) || !Object.hasOwn(configKeys, name) || !isMap(definition.config))
        return [name, definition];
      const { config: _, ...rest } = definition;
      return [name, mapOf(Object.entries(rest))];
    }),
  );
}

/**
 * HolmesGPT does not start with a file that has no toolset in it, so before the first discovery there is one that does
 * nothing.
 */
const nothingYet = mapOf([
  [
    "nothing-discovered-yet",
    mapOf([
      ["description", "No service has been discovered yet"],
      ["enabled", false],
    ]),
  ],
]);

function madeToolsets(input: HolmesInput, diagnostics: Diagnostic[]): Map<string, Value> {
  const made = new Map<string, Value>();
  const order = new Map(input.detectors.map((detector, i) => [detector.type, i]));
  const groups = new Map<string, Group>();
  const complete = input.tools.flatMap(({ name, fields }) => (typeof fields.endpoint === "string" ? [name] : []));
  const rank = ({ kind }: EffectiveTool): number => order.get(kind) ?? order.size;
  for (const tool of [...input.tools].sort((a, b) => byText(a.name, b.name))) {
    const detector = input.detectors[rank(tool)];
    const target = targetFor(detector?.holmes ?? { kind: "http" }, input.release);
    diagnostics.push(...tellUnmapped(tool, target.kind === "builtin"));
    if (typeof tool.fields.endpoint !== "string")
      diagnostics.push(...(input.unsettled.has(tool.name) ? [] : [incomplete(tool, complete)]));
    else if (target.kind === "builtin") addTo(groups, target, tool);
    else if (target.kind === "typed") addTyped(made, tool, target, input.release, diagnostics);
    else if (target.kind === "http") addHttp(made, tool, input.release, diagnostics);
    else diagnostics.push(unsupported(tool, target.since, input.release!));
  }
  for (const [name, { target, tools }] of groups) {
    // Of several types that share a toolset, the usual one stands first: older releases see only that.
    const group = { target, tools: tools.sort((a, b) => rank(a) - rank(b)) };
    made.set(name, builtinToolset(name, group, input, diagnostics));
  }
  return made;
}

/** What a type is to this release. `none`: it has no form for it, and releases from `since` on have. */
function targetFor(
  target: HolmesTarget,
  release: HolmesRelease | undefined,
): HolmesTarget | { readonly kind: "none"; readonly since: number } {
  if (target.kind === "http") return isEarlierRelease(release, 20) ? { kind: "none", since: 20 } : target;
  const { since = 0 } = target;
  if (
    target.kind === "builtin" &&
    target.elseHttp === true &&
    (release === undefined || isEarlierRelease(release, since))
  )
    return targetFor({ kind: "http" }, release);
  return isEarlierRelease(release, since) ? { kind: "none", since } : target;
}

function unsupported({ name }: EffectiveTool, since: number, release: HolmesRelease): Diagnostic {
  const message = `tool '${name}': HolmesGPT ${releaseText(release)} can't use it, but 0.${since} and later can; the tool is left out`;
  return { code: "unsupported-tool", severity: "warning", message };
}

type TypedTarget = Extract<HolmesTarget, { kind: "typed" }>;
type BuiltinTarget = Extract<HolmesTarget, { kind: "builtin" }>;

/** All tools of one toolset; services of several types may share it. */
interface Group {
  readonly target: BuiltinTarget;
  readonly tools: EffectiveTool[];
}

function addTo(groups: Map<string, Group>, target: BuiltinTarget, tool: EffectiveTool): void {
  for (const toolset of target.toolsets) {
    const group = groups.get(toolset) ?? { target, tools: [] };
    group.tools.push(tool);
    groups.set(toolset, group);
  }
}

function addHttp(
  made: Map<string, Value>,
  tool: EffectiveTool,
  release: HolmesRelease | undefined,
  diagnostics: Diagnostic[],
): void {
  const toolset = httpToolset(tool, release);
  if (toolset.kind === "unusable") {
    diagnostics.push(toolset.diagnostic);
    return;
  }
  diagnostics.push(...toolset.diagnostics);
  const plain = tool.name.replaceAll(".", "_");
  const isReserved = builtinToolsets.has(plain);
  if (isReserved) {
    const message = `tool '${tool.name}' has the name of a toolset that is built into HolmesGPT, where it is called '${plain}_tool' instead`;
    diagnostics.push({ code: "reserved-name", severity: "warning", message });
  }
  made.set(freeKey(isReserved ? `${plain}_tool` : plain, made), toolset.definition);
}

/** A tool of a type that HolmesGPT knows: a toolset of its own. */
function addTyped(
  made: Map<string, Value>,
  tool: EffectiveTool,
  target: TypedTarget,
  release: HolmesRelease | undefined,
  diagnostics: Diagnostic[],
): void {
  const of = { keys: configKeys[target.type] ?? {}, what: `a toolset of type ${target.type}`, release };
  const translated = translateParameters(tool.name, parametersOf(tool), of);
  diagnostics.push(...translated.diagnostics);
  const definition = mapOf([
    ["description", typeof tool.fields.description === "string" ? tool.fields.description : tool.name],
    ["enabled", true],
    ["type", target.type],
    ["config", mapOf([[target.addressField, String(tool.fields.endpoint)], ...translated.config])],
  ]);
  made.set(freeKey(tool.name.replaceAll(".", "_"), made), definition);
}

function parametersOf({ fields }: EffectiveTool): ValueMap {
  return isMap(fields.parameters) ? fields.parameters : mapOf([]);
}

function freeKey(plain: string, made: ReadonlyMap<string, Value>): string {
  let key = plain;
  for (let count = 2; made.has(key); count++) key = `${plain}_${count}`;
  return key;
}

/**
 * One of HolmesGPT's own toolsets: addresses and parameters go into its config. The first tool stands flat, as every
 * release reads it; where there are more, all of them stand under `instances`, which newer ones read.
 */
function builtinToolset(
  name: string,
  { target, tools }: Group,
  input: HolmesInput,
  diagnostics: Diagnostic[],
): ValueMap {
  const older = isEarlierRelease(input.release, 20) ? target.before20 : undefined;
  const { addressField } = older ?? target;
  const keys = configKeys[name] ?? {};
  const configs = tools.map((tool): NamedConfig => {
    const of = { keys, what: name, release: input.release };
    const translated = translateParameters(tool.name, parametersOf(tool), of);
    diagnostics.push(...translated.diagnostics);
    return { name: tool.name, config: mapOf([[addressField, addressOf(tool, target)], ...translated.config]) };
  });
  const own = field(field(input.toolsets, name), "config");
  const all = isMap(own) ? withOwnConfig(name, own, configs, { ...input, addressField }, diagnostics) : configs;
  const clusters = mapOf([[older?.clusters ?? "clusters", asClusters(all, target)]]);
  return mapOf([
    ["enabled", true],
    ["config", target.shape === "clusters" ? clusters : asInstances(all, keys)],
  ]);
}

/** A broker is named without a scheme. */
function addressOf({ fields }: EffectiveTool, { shape }: BuiltinTarget): string {
  const endpoint = String(fields.endpoint);
  return shape === "clusters" && !endpoint.startsWith("http") ? endpoint.replace(/^[a-z]+:\/\//, "") : endpoint;
}

/**
 * What the overrides say of a built-in toolset as a whole. It belongs to the tool with the plain name, as an override
 * of that tool would: its credentials go to no other Service. With an address it stands by itself.
 */
function withOwnConfig(
  toolset: string,
  own: ValueMap,
  configs: readonly NamedConfig[],
  { detectors, addressField }: HolmesInput & { readonly addressField: string },
  diagnostics: Diagnostic[],
): NamedConfig[] {
  const names = plainNames(toolset, detectors);
  const owner = names.find((name) => configs.some((config) => config.name === name));
  if (owner !== undefined)
    return configs.map((each) => (each.name === owner ? { ...each, config: overlay(each.config, own) } : each));
  if (Object.hasOwn(own, addressField)) return [{ name: names[0] ?? toolset, config: own }, ...configs];
  const message = `the config of '${toolset}' in the overrides is for the tool '${names[0]}', which is not there; name an address in it, or write an override for one of ${configs.map(({ name }) => `'${name}'`).join(", ")}`;
  diagnostics.push({ code: "incomplete-tool", severity: "warning", message });
  return [...configs];
}

/** The names that tools of a toolset have when they are the first of their type, the usual type first. */
export function plainNames(toolset: string, detectors: readonly Detector[]): string[] {
  return detectors.flatMap(({ holmes, toolName }) =>
    holmes.kind === "builtin" && holmes.toolsets.includes(toolset) ? [toolName] : [],
  );
}

interface NamedConfig {
  readonly name: string;
  readonly config: ValueMap;
}

/**
 * A newer release takes every instance beside a flat `aws_region` for one of Amazon's, whatever the instance says. So
 * one without it stands flat where there is one.
 */
function asInstances(configs: readonly NamedConfig[], keys: ConfigKeys): ValueMap {
  const first = configs.find(({ config }) => !Object.hasOwn(config, "aws_region")) ?? configs[0];
  const flat = first?.config ?? mapOf([]);
  if (configs.length <= 1 || Object.hasOwn(flat, "instances")) return flat;
  const instances = configs.map(({ name, config }) =>
    mapOf([["name", name], ...Object.entries(instanceBeside(flat, config, keys))]),
  );
  return mapOf([...Object.entries(flat), ["instances", instances]]);
}

function asClusters(configs: readonly NamedConfig[], { idField = "name" }: BuiltinTarget): ValueMap[] {
  return configs.map(({ name, config }) => mapOf([[idField, name], ...Object.entries(config)]));
}

const mappedFields = ["type", "description", "endpoint", "parameters"];
const httpFields = [...mappedFields, "llm_instructions", "tags"];

/** A field that reaches nobody is most likely meant as a parameter. */
function tellUnmapped({ name, fields }: EffectiveTool, isBuiltin: boolean): Diagnostic[] {
  const known = isBuiltin ? mappedFields : httpFields;
  const lost = Object.keys(fields).filter((each) => !known.includes(each));
  if (lost.length === 0) return [];
  const message = `tool '${name}': HolmesGPT does not get ${lost.map((each) => `'${each}'`).join(", ")}; put what it should get under 'parameters'`;
  return [{ code: "unmapped-field", severity: "warning", message }];
}

function incomplete({ name }: EffectiveTool, complete: readonly string[]): Diagnostic {
  const message = `tool '${name}' has no endpoint, and no Service is discovered under this name${suggestTool(name, complete)}; the tool is left out until it has one`;
  return { code: "incomplete-tool", severity: "warning", message };
}

function sorted(map: ValueMap): ValueMap {
  return mapOf(
    Object.keys(map)
      .sort(byText)
      .map((name) => [name, map[name]!]),
  );
}
