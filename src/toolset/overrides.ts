import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { type Diagnostic, renderDiagnostic, type TextPosition } from "../core/diagnostic.ts";
import { field, isList, isMap as isValueMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import { unquoted } from "../formats/fault.ts";
import { type ConfigMap, dataKeys, dataOf } from "./render/configmap.ts";
import { faultOfConfig } from "./render/holmes-config.ts";
import { type AliasTargets, doubled, findAliases, plainValue, YamlFault } from "./render/yaml.ts";
import type { Tool } from "./tool.ts";

/** One tool of `overrides.yaml`. `fields` are what it changes or adds, without `name`, `enabled` and `service`. */
export interface OverrideTool extends Tool {
  readonly enabled: boolean;
  /** The Service it is meant for, as `namespace/name`; undefined: the one that has the name. */
  readonly service: string | undefined;
}

/** What a valid `overrides.yaml` says. */
export interface Overrides {
  /** In the order written; of a doubled name only the last. */
  readonly tools: readonly OverrideTool[];
  /** HolmesGPT's own forms, taken over as they are. */
  readonly toolsets: ValueMap;
  readonly mcpServers: ValueMap;
}

export type OverridesResult =
  | { readonly kind: "valid"; readonly overrides: Overrides; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "invalid"; readonly diagnostic: Diagnostic };

const noOverrides: Overrides = { tools: [], toolsets: mapOf([]), mcpServers: mapOf([]) };

/** Read the user's overrides. Never throws on what a person wrote: an invalid text says what is wrong, and where. */
export function parseOverrides(text: string, file: string): OverridesResult {
  const lines = new LineCounter();
  // The library's own check for keys that stand twice compares each with each: minutes for what a ConfigMap can hold.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines, uniqueKeys: false });
  const reading: Reading = { text, file, lines, document, aliases: findAliases(document, text), diagnostics: [] };
  try {
    return { kind: "valid", overrides: readRoot(reading), diagnostics: reading.diagnostics };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const { message, offset } = error;
    const diagnostic = { code: "invalid-overrides", severity: "warning", message, file } as const;
    return { kind: "invalid", diagnostic: { ...diagnostic, ...position(reading, offset) } };
  }
}

interface Reading {
  readonly text: string;
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document.Parsed;
  readonly aliases: AliasTargets;
  readonly diagnostics: Diagnostic[];
}

function readRoot(reading: Reading): Overrides {
  const [problem] = reading.document.errors;
  if (problem?.code === "MULTIPLE_DOCS")
    throw new YamlFault("only one document is allowed; remove the '---'", problem.pos[0]);
  const isTooDeep = problem?.message.startsWith("Maximum call stack");
  if (problem) throw new YamlFault(isTooDeep ? "nested too deeply" : unquoted(problem.message), problem.pos[0]);
  const root: Node | null = reading.document.contents;
  if (isEmpty(root)) return noOverrides;
  if (!isMap(root)) throw new YamlFault("the overrides must be a map that contains 'tools:'", root);
  let { tools, toolsets, mcpServers } = noOverrides;
  const names = new Set<string>();
  for (const pair of pairsOf(root)) {
    const name = keyText(pair.key);
    if (names.has(name)) throw new YamlFault(doubled, pair.key);
    names.add(name);
    if (name === "tools") tools = readTools(pair.value, reading);
    else if (name === "toolsets") toolsets = readDefinitions(pair, reading);
    else if (name === "mcp_servers") mcpServers = readDefinitions(pair, reading);
    // Where YAML's users keep what they only anchor.
    else if (!name.startsWith("x-"))
      throw new YamlFault(`unknown key '${name}'; overrides have 'tools:', 'toolsets:' and 'mcp_servers:'`, pair.key);
  }
  return { tools, toolsets, mcpServers };
}

function readTools(list: Node | null, reading: Reading): OverrideTool[] {
  if (isEmpty(list)) return [];
  if (!isSeq(list)) throw new YamlFault("'tools' must be a list", list);
  const tools = new Map<string, OverrideTool>();
  const lines = new Map<string, number>();
  for (const item of list.items as Node[]) {
    const tool = readTool(item, reading);
    const firstLine = lines.get(tool.name);
    const at = position(reading, item.range?.[0] ?? 0);
    if (firstLine !== undefined) {
      const message = `tool '${tool.name}' is defined twice (first in line ${firstLine}); the last one counts`;
      reading.diagnostics.push({ code: "doubled-override", severity: "warning", message, file: reading.file, ...at });
      tools.delete(tool.name);
    }
    lines.set(tool.name, firstLine ?? at.line);
    tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

function readTool(item: Node, reading: Reading): OverrideTool {
  const value = plainValue(item, reading.aliases, reading.text);
  if (!isMap(item) || !isValueMap(value)) throw new YamlFault("a tool must be a map with a 'name'", item);
  const name = field(value, "name");
  if (typeof name !== "string" || name.trim() === "")
    throw new YamlFault("a tool has no 'name' (a text); give it one", fieldNode(item, "name") ?? item);
  const expect = (field: string, isRight: (value: Value) => boolean, what: string) => {
    if (Object.hasOwn(value, field) && !isRight(value[field]!))
      throw new YamlFault(`'${field}' of tool '${name}' must be ${what}`, fieldNode(item, field) ?? item);
  };
  expect("endpoint", (endpoint) => endpoint === null || isText(endpoint), "a text");
  expect("enabled", isTruth, "true or false");
  expect("parameters", (parameters) => parameters === null || isValueMap(parameters), "a map");
  refuseDots(value, item);
  expect("service", isServiceName, "a Service as namespace/name");
  const { name: _, enabled, service, ...fields } = value;
  return {
    name,
    fields: mapOf(Object.entries(fields)),
    enabled: enabled !== false,
    service: typeof service === "string" ? service : undefined,
  };
}

function isServiceName(value: Value): boolean {
  return typeof value === "string" && /^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/.test(value);
}

/** `toolsets:` or `mcp_servers:`: a map of maps. What HolmesGPT refuses is refused here, where somebody sees it. */
function readDefinitions({ key, value: node }: YamlPair, reading: Reading): ValueMap {
  if (isEmpty(node)) return mapOf([]);
  const value = plainValue(node, reading.aliases, reading.text);
  if (!isMap(node) || !isValueMap(value))
    throw new YamlFault(`'${keyText(key)}' must be a map from names to definitions`, node);
  refuseDots(value, node);
  const areToolsets = keyText(key) === "toolsets";
  if (areToolsets) reading.diagnostics.push(...tellUnknownFields(value, reading.file));
  for (const [name, definition] of Object.entries(value)) {
    // Looked for only where something is wrong: there may be as many as a ConfigMap can hold.
    const at = () => fieldNode(node, name) ?? node;
    if (!isValueMap(definition)) throw new YamlFault(`'${name}' must be a map`, at());
    const wrong = areToolsets ? faultOfToolset(name, definition) : undefined;
    if (wrong) throw new YamlFault(wrong.message, fieldNode(at(), wrong.field) ?? at());
  }
  return value;
}

/** HolmesGPT takes a dot in a key for a path, and refuses the file. */
function refuseDots(value: Value, at: Node): void {
  if (isList(value)) for (const item of value) refuseDots(item, at);
  else if (isValueMap(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name.includes("."))
        throw new YamlFault(
          `HolmesGPT refuses a dot in a key, and '${name}' has one; rename it`,
          keyNode(at, name) ?? at,
        );
      refuseDots(member, at);
    }
  }
}

const isText = (value: Value): boolean => typeof value === "string";
const isTruth = (value: Value): boolean => typeof value === "boolean";

/** The fields of a toolset that HolmesGPT knows, and their types. */
const toolsetFields: Readonly<Record<string, readonly [isRight: (value: Value) => boolean, what: string]>> = {
  enabled: [isTruth, "true or false"],
  description: [isText, "a text"],
  type: [isText, "a text"],
  config: [isValueMap, "a map"],
  tools: [isList, "a list"],
  prerequisites: [isList, "a list"],
  tags: [isList, "a list"],
  transformers: [isList, "a list"],
  approval_required_tools: [isList, "a list"],
  llm_instructions: [isText, "a text"],
  additional_instructions: [isText, "a text"],
  installation_instructions: [isText, "a text"],
  docs_url: [isText, "a text"],
  icon_url: [isText, "a text"],
  url: [isText, "a text"],
  experimental: [isTruth, "true or false"],
  restricted: [isTruth, "true or false"],
};

const mostTold = 20;

/** A newer HolmesGPT may know more fields than we do: they are passed on, and told. */
function tellUnknownFields(toolsets: ValueMap, file: string): Diagnostic[] {
  const unknown = Object.entries(toolsets).flatMap(([toolset, definition]) =>
    Object.keys(isValueMap(definition) ? definition : {})
      .filter((name) => !Object.hasOwn(toolsetFields, name))
      .map((name): Diagnostic => {
        const message = `toolset '${toolset}' has the field '${name}'; HolmesGPT switches a toolset off for a field that it does not know`;
        return { code: "unmapped-field", severity: "warning", message, file };
      }),
  );
  return unknown.slice(0, mostTold);
}

/** What HolmesGPT refuses in a toolset, and the field that it stands in. */
function faultOfToolset(toolset: string, definition: ValueMap) {
  for (const [name, value] of Object.entries(definition)) {
    const known = Object.hasOwn(toolsetFields, name) ? toolsetFields[name] : undefined;
    if (known !== undefined && value !== null && !known[0](value))
      return { message: `'${name}' of toolset '${toolset}' must be ${known[1]}`, field: name };
  }
  const wrong = faultOfConfig(toolset, definition.config ?? null);
  return wrong === undefined ? undefined : { message: wrong, field: "config" };
}

/** The key of this name somewhere below. */
function keyNode(node: Node, name: string): Node | undefined {
  let found: Node | undefined;
  visit(node, {
    Pair: (_, pair) => {
      if (!isScalar(pair.key) || pair.key.value !== name) return undefined;
      found = pair.key;
      return visit.BREAK;
    },
  });
  return found;
}

type YamlPair = Pair<Node, Node | null>;

function pairsOf(map: YAMLMap): YamlPair[] {
  return map.items as YamlPair[];
}

function fieldNode(map: Node, name: string): Node | undefined {
  const pair = isMap(map) ? pairsOf(map).find((each) => keyText(each.key) === name) : undefined;
  return pair?.value ?? pair?.key;
}

function keyText(key: Node): string {
  return isScalar(key) ? String(key.value) : "";
}

function isEmpty(node: Node | null): node is null {
  return node === null || (isScalar(node) && node.value === null);
}

function position({ lines }: Reading, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** Which overrides are in effect: those written, or, while they are malformed, the last good ones. */
export interface OverridesChoice {
  readonly effective: Overrides;
  /** What was in effect before, to tell what changes. */
  readonly former: Overrides;
  /** The text to keep as the last good one; undefined: none. */
  readonly lastGood: string | undefined;
  /** What is wrong with the text as written, with line and column; undefined: it is valid. */
  readonly error: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const longestError = 1024;

/** Where overrides are read from when they live in an object of their own. */
export interface SeparateOverrides {
  readonly file: string;
  readonly text: string | undefined;
}

export function chooseOverrides(current: ConfigMap, separate: SeparateOverrides | undefined): OverridesChoice {
  const data = dataOf(current);
  const { file, text } = separate ?? { file: dataKeys.overrides, text: data[dataKeys.overrides] };
  const kept = data[dataKeys.lastGood];
  const written = parseOverrides(text ?? "", file);
  if (written.kind === "valid") {
    const { overrides: effective, diagnostics } = written;
    if (text === kept) return { effective, former: effective, lastGood: kept, error: undefined, diagnostics };
    const lastGood = saysNothing(effective) ? undefined : text;
    return { effective, former: formerOverrides(kept), lastGood, error: undefined, diagnostics };
  }
  const former = formerOverrides(kept);
  const instead = kept === undefined ? "no overrides are in effect" : "the last good overrides stay in effect";
  const diagnostic = {
    ...written.diagnostic,
    message: `${written.diagnostic.message}; until this is fixed, ${instead}`,
  };
  const error = renderDiagnostic(written.diagnostic).slice(0, longestError);
  return { effective: former, former, lastGood: kept, error, diagnostics: [diagnostic] };
}

/** Our own copy of a text that was valid; if somebody broke it, nothing is in effect. */
function formerOverrides(text: string | undefined): Overrides {
  const parsed = text === undefined ? undefined : parseOverrides(text, dataKeys.lastGood);
  return parsed?.kind === "valid" ? parsed.overrides : noOverrides;
}

function saysNothing({ tools, toolsets, mcpServers }: Overrides): boolean {
  return tools.length + Object.keys(toolsets).length + Object.keys(mcpServers).length === 0;
}
