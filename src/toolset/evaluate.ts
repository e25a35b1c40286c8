import type { Diagnostic } from "../core/diagnostic.ts";
import { field, mapOf } from "../core/value.ts";
import { nameTools } from "./discover/claims.ts";
import type { Detector } from "./discover/detectors.ts";
import { bySource, type Discovered, type Discovery, tellUnused, type UnusedService } from "./discover/discover.ts";
import {
  chooseOverrides,
  type Overrides,
  type OverridesChoice,
  type OverrideTool,
  type SeparateOverrides,
} from "./overrides.ts";
import { planToolset, type ToolsetEntries } from "./plan.ts";
import {
  annotations,
  annotationsOf,
  type ConfigMap,
  type Drift,
  dataKeys,
  dataOf,
  dataSize,
  findDrift,
  newConfigMap,
  sizeLimit,
  textHash,
} from "./render/configmap.ts";
import {
  blockBodies,
  type GeneratedBlock,
  generateToolset,
  type KeptTool,
  readBlocks,
  readBody,
  readKeptTools,
} from "./render/generate.ts";
import { plainNames, renderHolmes } from "./render/holmes.ts";
import type { HolmesRelease } from "./render/holmes-release.ts";
import { byText, refText, suggestTool, toTheSecond } from "./tool.ts";

/** Everything a reconciliation depends on. */
export interface ToolsetInput {
  readonly discovered: Discovered;
  readonly detectors: readonly Detector[];
  /** The HolmesGPT to write for; undefined: any from 0.20 on. */
  readonly release: HolmesRelease | undefined;
  /** The ConfigMap as it is; undefined: there is none. */
  readonly current: ConfigMap | undefined;
  /** The overrides' text where they live in an object of their own; undefined: they live in the ConfigMap. */
  readonly separateOverrides: SeparateOverrides | undefined;
  /** The texts we wrote last, if this process still knows. */
  readonly lastWritten: Readonly<Record<string, string>> | undefined;
  readonly namespace: string;
  readonly name: string;
  /** Begin a new ConfigMap with an `overrides.yaml` that explains itself. */
  readonly starter: boolean;
  readonly now: Date;
}

/** What should be, and how it differs from what is. */
export interface ToolsetEvaluation {
  /** The keys and annotations that are ours: what a server-side apply sends. */
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The whole ConfigMap afterwards; what is not ours is as it was. */
  readonly configMap: ConfigMap;
  /** Whether anything but the time differs from what is there. */
  readonly inSync: boolean;
  readonly entries: ToolsetEntries;
  readonly overrides: OverridesChoice;
  /** Services that look like tools and are not used, or not as they ask to be. Sorted by namespace and name. */
  readonly unused: readonly UnusedService[];
  /** Edits by hand of generated texts. */
  readonly drifts: readonly Drift[];
  /** Too large for the API server: must not be sent. */
  readonly tooLarge: boolean;
  readonly size: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** No ConfigMap has room for more: a tool takes more bytes than this, however short its names are. */
const mostTools = Math.ceil(sizeLimit / 128);

/** The whole of the toolset domain in one pure step: Services and ConfigMap in, ConfigMap out. */
export function evaluateToolset(input: ToolsetInput): ToolsetEvaluation {
  const former = readFormer(input);
  const all = oldestFirst(input.discovered.discoveries, former.names);
  let count = Math.min(all.length, mostTools);
  let evaluation = evaluateSome(input, former, all.slice(0, count));
  if (!evaluation.tooLarge || count === 0) return evaluation;
  const bare = evaluateSome(input, former, []);
  // Without any tool it is still too large: that is the user's part, and what is wrong is told of the whole.
  if (bare.tooLarge) return evaluation;
  // The sizes of single tools are only known approximately, so each round leaves out a little more than it must.
  while (evaluation.tooLarge) {
    const each = (evaluation.size - bare.size) / count;
    count = Math.max(0, Math.min(count - 1, Math.floor(((sizeLimit - bare.size) / each) * 0.99)));
    evaluation = evaluateSome(input, former, all.slice(0, count));
  }
  return evaluation;
}

/** What the ConfigMap says of the last run. */
interface Former {
  readonly base: ConfigMap;
  readonly overrides: OverridesChoice;
  readonly blocks: ReadonlyMap<string, GeneratedBlock>;
  readonly kept: ReadonlyMap<string, KeptTool>;
  /** Which Service had which name. */
  readonly names: ReadonlyMap<string, string>;
}

function readFormer(input: ToolsetInput): Former {
  const base = input.current ?? newConfigMap(input);
  const text = dataOf(base)[dataKeys.toolset] ?? "";
  const [blocks, kept] = [readBlocks(text), readKeptTools(text)];
  const names = new Map([...kept.values()].map(({ name, service }) => [name, service]));
  for (const { name, source } of blocks.values()) names.set(name, source);
  return { base, overrides: chooseOverrides(base, input.separateOverrides), blocks, kept, names };
}

/** Who had a tool last time comes first, then the older Service: what is left out for its size is what came last. */
function oldestFirst(discoveries: readonly Discovery[], names: ReadonlyMap<string, string>): Discovery[] {
  const known = new Set(names.values());
  const rank = (discovery: Discovery): string => `${known.has(refText(discovery.source)) ? 0 : 1} ${discovery.created}`;
  return discoveries
    .map((discovery) => ({ discovery, rank: rank(discovery) }))
    .sort((a, b) => byText(a.rank, b.rank) || bySource(a.discovery, b.discovery))
    .map(({ discovery }) => discovery);
}

function evaluateSome(input: ToolsetInput, former: Former, some: readonly Discovery[]): ToolsetEvaluation {
  const { base, blocks, overrides } = former;
  const written = overriddenNames(overrides.effective, input.detectors);
  const discoveries = [...some].sort(bySource);
  const { waiting } = input.discovered;
  const naming = nameTools({ discoveries, waiting, record: former.names, overrides: written });
  const { tools } = naming;
  const bodies = blockBodies(tools);
  const kept = naming.kept.map(({ name, service, claimant }) => {
    const unread = { name, service, kind: undefined, fields: readBody(blocks.get(name)?.body ?? "") };
    return { claimant, ...(former.kept.get(name) ?? unread) };
  });
  const toolset = generateToolset({ bodies, kept, former: blocks, now: input.now });
  const contested = kept.flatMap(({ claimant, ...tool }) => (claimant ? [{ ...tool, claimant }] : []));
  const entries = planToolset({ tools, contested, bodies, blocks, overrides, detectors: input.detectors });
  const { toolsets, mcpServers } = overrides.effective;
  const holmes = renderHolmes({
    tools: entries.effective,
    unsettled: naming.unsettled,
    detectors: input.detectors,
    release: input.release,
    toolsets,
    mcpServers,
  });
  const data = {
    [dataKeys.toolset]: toolset,
    [dataKeys.holmes]: holmes.text,
    ...(overrides.lastGood === undefined ? {} : { [dataKeys.lastGood]: overrides.lastGood }),
  };
  const drifts = hashes.flatMap(([key, annotation]) => {
    const [seen, recordedHash, last] = [dataOf(base)[key], annotationsOf(base)[annotation], input.lastWritten?.[key]];
    return findDrift({ key, seen, recordedHash, next: data[key], last }) ?? [];
  });
  const steady = {
    [annotations.discovered]: String(tools.length),
    [annotations.overrides]: String(overrides.effective.tools.length),
    [annotations.conflicts]: String(entries.overridden.length),
    ...Object.fromEntries(hashes.map(([key, annotation]) => [annotation, textHash(data[key])])),
    ...(overrides.error === undefined ? {} : { [annotations.overrideError]: overrides.error }),
  };
  const after = configMapAfter(input, base, data, steady);
  const size = dataSize(after.configMap);
  const dropped = leftOut(input.discovered.discoveries, some);
  const unused = [...input.discovered.unused, ...naming.renamed, ...dropped].sort(bySource);
  const diagnostics = [
    ...unused.filter(({ reason }) => reason !== "size").map(tellUnused),
    ...overrides.diagnostics,
    ...naming.diagnostics,
    ...holmes.diagnostics,
    ...tellIdle(overrides.effective, [...tools, ...kept], dropped.length === 0),
    ...tellLeftOut(dropped),
    ...drifts.map(tellDrift),
    ...tellSize(size),
  ];
  const tooLarge = size > sizeLimit;
  return { ...after, data, entries, overrides, unused, drifts, tooLarge, size, diagnostics };
}

/**
 * By name, what overrides say of a tool. What they say of a built-in toolset as a whole belongs to its tool with the
 * plain name.
 */
function overriddenNames({ tools, toolsets }: Overrides, detectors: readonly Detector[]): Map<string, OverrideTool> {
  const names = Object.keys(toolsets).filter((toolset) => field(field(toolsets, toolset), "config") !== undefined);
  const plain = names.flatMap((toolset) => plainNames(toolset, detectors));
  const implied = plain.map((name): OverrideTool => ({ name, fields: mapOf([]), enabled: true, service: undefined }));
  return new Map([...implied, ...tools].map((tool) => [tool.name, tool]));
}

function leftOut(all: readonly Discovery[], some: readonly Discovery[]): UnusedService[] {
  if (all.length === some.length) return [];
  const used = new Set(some);
  const out = all.filter((discovery) => !used.has(discovery));
  return out.map(({ source }) => ({ source, reason: "size", why: "does not fit into the ConfigMap" }));
}

/** An override that switches off a tool which is not there: perhaps its name is misspelt. */
function tellIdle({ tools }: Overrides, there: readonly { readonly name: string }[], complete: boolean): Diagnostic[] {
  if (!complete) return [];
  const names = there.map(({ name }) => name);
  const known = new Set(names);
  return tools.flatMap(({ name, enabled }): Diagnostic[] => {
    if (enabled || known.has(name)) return [];
    const message = `${dataKeys.overrides} switches off the tool '${name}', but no Service is discovered under that name${suggestTool(name, names)}`;
    return [{ code: "idle-override", severity: "info", message }];
  });
}

function tellLeftOut(dropped: readonly UnusedService[]): Diagnostic[] {
  if (dropped.length === 0) return [];
  const out = dropped.map(({ source }) => refText(source));
  const shown = out.length > 5 ? `${out.slice(0, 5).join(", ")} and ${out.length - 5} more` : out.join(", ");
  const message = `${out.length} discovered ${out.length === 1 ? "Service is" : "Services are"} left out, the newest first, because a ConfigMap holds ${sizeLimit} bytes: ${shown}; limit discovery with --watch-namespace, or shorten ${dataKeys.overrides}`;
  return [{ code: "configmap-full", severity: "warning", message }];
}

/** Each generated text, and the annotation that tells whether somebody changed it. */
const hashes = [
  [dataKeys.toolset, annotations.toolsetHash],
  [dataKeys.holmes, annotations.holmesHash],
] as const;

type Texts = Readonly<Record<string, string>>;

const ourKeys: readonly string[] = [dataKeys.toolset, dataKeys.holmes, dataKeys.lastGood];
const ourAnnotations: readonly string[] = Object.values(annotations);

/** What is not ours stays as it is. `steady`: all our annotations but the time, which stays while nothing changes. */
function configMapAfter(
  { current, now }: ToolsetInput,
  base: ConfigMap,
  data: Texts,
  steady: Texts,
): Pick<ToolsetEvaluation, "annotations" | "configMap" | "inSync"> {
  const { managedFields: _, ...metadata } = base.metadata;
  const [seenData, seen] = [dataOf(base), annotationsOf(base)];
  const lastTime = seen[annotations.lastReconciliation];
  const inSync =
    current !== undefined &&
    lastTime !== undefined &&
    ourKeys.every((key) => seenData[key] === data[key]) &&
    ourAnnotations.every((name) => name === annotations.lastReconciliation || seen[name] === steady[name]);
  const ours = { [annotations.lastReconciliation]: inSync ? lastTime : toTheSecond(now), ...steady };
  const configMap = {
    ...base,
    metadata: { ...metadata, annotations: { ...without(seen, ourAnnotations), ...ours } },
    data: { ...without(seenData, ourKeys), ...data },
  };
  return { annotations: ours, configMap, inSync };
}

function without(map: Texts, names: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}

function tellDrift({ key }: Drift): Diagnostic {
  const message = `${key} was edited by hand and is overwritten; write such changes into ${dataKeys.overrides}`;
  return { code: "generated-edited", severity: "warning", message, file: key };
}

function tellSize(size: number): Diagnostic[] {
  if (size > sizeLimit) {
    const message = `the ConfigMap would have ${size} bytes and a cluster takes ${sizeLimit}; nothing is written: limit discovery with --watch-namespace, or shorten ${dataKeys.overrides}`;
    return [{ code: "configmap-too-large", severity: "error", message }];
  }
  if (size <= sizeLimit / 2) return [];
  const message = `the ConfigMap has ${size} bytes, more than half of the ${sizeLimit} a cluster takes`;
  return [{ code: "configmap-large", severity: "warning", message }];
}
