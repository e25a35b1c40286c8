import type { Diagnostic } from "../core/diagnostic.ts";
import type { Detector } from "./discover/detectors.ts";
import type { Discovered } from "./discover/discover.ts";
import { nameTools } from "./discover/naming.ts";
import { chooseOverrides, type OverridesChoice, type SeparateOverrides } from "./overrides/choice.ts";
import { planToolset, type ToolsetEntries } from "./plan.ts";
import { annotations, annotationsOf, type ConfigMap, dataKeys, dataOf, dataSize, newConfigMap, sizeLimit } from "./render/configmap.ts";
import { type Drift, findDrift, textHash } from "./render/drift.ts";
import { blockBodies, generateToolset, readBlocks } from "./render/generate.ts";
import { renderHolmes } from "./render/holmes.ts";

/** Everything a reconciliation depends on. */
export interface ToolsetInput {
  readonly discovered: Discovered;
  readonly detectors: readonly Detector[];
  /** The ConfigMap as it is; undefined: there is none. */
  readonly current: ConfigMap | undefined;
  /** The overrides' text where they live in an object of their own; undefined: they live in the ConfigMap. */
  readonly separateOverrides: SeparateOverrides | undefined;
  /** The texts we wrote last, if this process still knows. */
  readonly lastWritten: Readonly<Record<string, string>> | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly now: Date;
}

/** What should be, and how it differs from what is. */
export interface Evaluation {
  /** The keys and annotations that are ours: what a server-side apply sends. */
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The whole ConfigMap afterwards; what is not ours is as it was. */
  readonly configMap: ConfigMap;
  /** Whether anything but the time differs from what is there. */
  readonly inSync: boolean;
  readonly entries: ToolsetEntries;
  readonly overrides: OverridesChoice;
  /** Edits by hand of generated texts. */
  readonly drifts: readonly Drift[];
  /** Too large for the API server: must not be sent. */
  readonly tooLarge: boolean;
  readonly size: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** The whole of the toolset domain in one pure step: Services and ConfigMap in, ConfigMap out. */
export function evaluateToolset(input: ToolsetInput): Evaluation {
  const base = input.current ?? newConfigMap({ ...input, ownOverrides: input.separateOverrides === undefined });
  const before = dataOf(base);
  const blocks = readBlocks(before[dataKeys.toolset] ?? "");
  const former = new Map([...blocks.values()].map((block) => [block.name, block.source]));
  const tools = nameTools(input.discovered.discoveries, former);
  const bodies = blockBodies(tools);
  const toolset = generateToolset(bodies, blocks, input.now);
  const overrides = chooseOverrides(base, input.separateOverrides);
  const entries = planToolset({ tools, bodies, blocks, overrides, detectors: input.detectors });
  const { toolsets, mcpServers } = overrides.effective;
  const holmes = renderHolmes({ tools: entries.effective, detectors: input.detectors, toolsets, mcpServers });
  const data = {
    [dataKeys.toolset]: toolset,
    [dataKeys.holmes]: holmes.text,
    ...(overrides.lastGood === undefined ? {} : { [dataKeys.lastGood]: overrides.lastGood }),
  };
  const drifts = findDrifts(base, data, input.lastWritten);
  const counts = { discovered: tools.length, overrides: overrides.effective.tools.length, conflicts: entries.overridden.length };
  return assemble(input, base, { data, entries, overrides, drifts, counts, diagnostics: holmes.diagnostics });
}

/** Each generated text, and the annotation that tells whether somebody changed it. */
const hashes = [
  [dataKeys.toolset, annotations.toolsetHash],
  [dataKeys.holmes, annotations.holmesHash],
] as const;

function findDrifts(base: ConfigMap, data: Readonly<Record<string, string>>, lastWritten: ToolsetInput["lastWritten"]): Drift[] {
  return hashes.flatMap(([key, annotation]) => {
    const recordedHash = annotationsOf(base)[annotation];
    return findDrift({ key, seen: dataOf(base)[key], recordedHash, next: data[key]!, last: lastWritten?.[key] }) ?? [];
  });
}

interface Parts {
  readonly data: Readonly<Record<string, string>>;
  readonly entries: ToolsetEntries;
  readonly overrides: OverridesChoice;
  readonly drifts: readonly Drift[];
  readonly counts: { readonly discovered: number; readonly overrides: number; readonly conflicts: number };
  readonly diagnostics: readonly Diagnostic[];
}

function assemble(input: ToolsetInput, base: ConfigMap, parts: Parts): Evaluation {
  const { data, entries, overrides, drifts } = parts;
  const steady = steadyAnnotations(parts);
  const inSync = input.current !== undefined && isInSync(base, data, steady);
  const known = annotationsOf(base)[annotations.lastReconciliation];
  const time = inSync && known !== undefined ? known : input.now.toISOString().replace(/\.\d+Z$/, "Z");
  const ours = { [annotations.lastReconciliation]: time, ...steady };
  const configMap = resultOf(base, data, ours);
  const size = dataSize(configMap);
  const diagnostics = [
    ...input.discovered.diagnostics,
    ...overrides.diagnostics,
    ...parts.diagnostics,
    ...drifts.map(tellDrift),
    ...tellSize(size),
  ];
  return { data, annotations: ours, configMap, inSync, entries, overrides, drifts, tooLarge: size > sizeLimit, size, diagnostics };
}

/** All our annotations but the time. */
function steadyAnnotations({ data, counts, overrides }: Parts): Record<string, string> {
  return {
    [annotations.discovered]: String(counts.discovered),
    [annotations.overrides]: String(counts.overrides),
    [annotations.conflicts]: String(counts.conflicts),
    ...Object.fromEntries(hashes.map(([key, annotation]) => [annotation, textHash(data[key]!)])),
    ...(overrides.error === undefined ? {} : { [annotations.overrideError]: overrides.error }),
  };
}

const ourKeys = [dataKeys.toolset, dataKeys.holmes, dataKeys.lastGood];
const ourAnnotations = Object.values(annotations);

function isInSync(current: ConfigMap, data: Readonly<Record<string, string>>, steady: Readonly<Record<string, string>>): boolean {
  const [seenData, seenAnnotations] = [dataOf(current), annotationsOf(current)];
  const hasTime = seenAnnotations[annotations.lastReconciliation] !== undefined;
  const rest = ourAnnotations.filter((name) => name !== annotations.lastReconciliation);
  return hasTime && ourKeys.every((key) => seenData[key] === data[key]) && rest.every((name) => seenAnnotations[name] === steady[name]);
}

function resultOf(base: ConfigMap, data: Readonly<Record<string, string>>, ours: Readonly<Record<string, string>>): ConfigMap {
  const { managedFields: _, ...metadata } = base.metadata;
  return {
    ...base,
    metadata: { ...metadata, annotations: { ...without(annotationsOf(base), ourAnnotations), ...ours } },
    data: { ...without(dataOf(base), ourKeys), ...data },
  };
}

function without(map: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
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
  return [
    {
      code: "configmap-large",
      severity: "warning",
      message: `the ConfigMap has ${size} bytes, more than half of the ${sizeLimit} a cluster takes`,
    },
  ];
}
