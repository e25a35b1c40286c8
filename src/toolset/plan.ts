import type { Reason, Verdict } from "../core/entry.ts";
import { type PlanDocument, type PlanEntry, type PlanFile, summarise } from "../core/plan-document.ts";
import { defined, equalValues, field, isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import { unifiedDiff } from "../text/diff-lines.ts";
import type { Detector } from "./discover/detectors.ts";
import type { Discovery } from "./discover/discover.ts";
import type { ToolsetEvaluation } from "./evaluate.ts";
import type { Overrides, OverridesChoice, OverrideTool } from "./overrides.ts";
import { type ConfigMap, dataKeys, dataOf } from "./render/configmap.ts";
import { type BlockBodies, type GeneratedBlock, type KeptTool, readBody } from "./render/generate.ts";
import type { EffectiveTool } from "./render/holmes.ts";
import { byText, type DiscoveredTool, overlay, toolKey } from "./tool.ts";

/**
 * What becomes of one tool. `base`: discovered last time; `actual`: in effect now; `desired`: discovered now; `result`:
 * in effect afterwards.
 */
interface ToolEntry extends Judged {
  readonly key: string;
  readonly name: string;
  readonly base: Value | undefined;
  readonly actual: Value | undefined;
  readonly desired: Value | undefined;
  readonly result: Value | undefined;
  readonly changed: boolean;
}

interface Judged {
  readonly verdict: Verdict;
  readonly reason: Reason | undefined;
}

export interface ToolsetEntries {
  /** One a tool, by key. */
  readonly entries: readonly ToolEntry[];
  /** The tools that take effect. */
  readonly effective: readonly EffectiveTool[];
  /** Names of discovered tools that an override changes or switches off. */
  readonly overridden: readonly string[];
}

export interface PlanInput {
  readonly tools: readonly DiscoveredTool[];
  /** Tools whose Service is gone while another wants their name, which an override was written for. */
  readonly contested: readonly ContestedTool[];
  readonly bodies: BlockBodies;
  /** The tools of the last generated text. */
  readonly blocks: ReadonlyMap<string, GeneratedBlock>;
  readonly overrides: OverridesChoice;
  readonly detectors: readonly Detector[];
}

export interface ContestedTool extends KeptTool {
  readonly claimant: Discovery;
}

/** Bring discovered tools, those of the last run and the overrides together. Overrides win field by field. */
export function planToolset(input: PlanInput): ToolsetEntries {
  const { tools, contested, bodies, blocks, overrides, detectors } = input;
  const discovered = new Map(tools.map((tool) => [tool.name, tool]));
  const held = new Map(contested.map((tool) => [tool.name, tool]));
  const former = formerFields(blocks, bodies, discovered);
  const [now, then] = [byName(overrides.effective), byName(overrides.former)];
  const names = new Set([...discovered.keys(), ...held.keys(), ...former.keys(), ...now.keys(), ...then.keys()]);
  const entries = [...names].map((name): ToolEntry => {
    const override = now.get(name);
    const base = former.get(name) ?? held.get(name)?.fields;
    const before = effectiveFields(base, then.get(name));
    const contest = held.get(name);
    if (contest) return contestedEntry(contest, before, override);
    const desired = discovered.get(name)?.fields;
    const result = effectiveFields(desired, override);
    const sides: Sides = { name, base: former.get(name), before, override, desired, result };
    // Gone from discovery, but overridden: the override is the user's own tool now.
    return desired === undefined && (override !== undefined || base === undefined) ? userEntry(sides) : ownEntry(sides);
  });
  entries.sort((a, b) => byText(a.key, b.key));
  const kinds = new Map([...held.values(), ...tools].map((tool) => [tool.name, kindOfRecord(tool, detectors)]));
  return {
    entries,
    effective: entries.flatMap(({ name, result }) =>
      isMap(result) ? [{ name, fields: result, kind: kindOf(name, result, kinds.get(name), detectors) }] : [],
    ),
    overridden: [...discovered.keys(), ...held.keys()].filter((name) => now.has(name)).sort(byText),
  };
}

/** One tool from all sides. */
interface Sides {
  readonly name: string;
  /** As last discovered. */
  readonly base: ValueMap | undefined;
  /** As in effect until now. */
  readonly before: ValueMap | undefined;
  /** As discovered now. */
  readonly desired: ValueMap | undefined;
  readonly override: OverrideTool | undefined;
  /** As in effect from now on. */
  readonly result: ValueMap | undefined;
}

/** A tool that discovery stands behind, or stood behind until now. */
function ownEntry(sides: Sides): ToolEntry {
  const { name, base, before, desired, result } = sides;
  const changed = !equalValues(before, result) || !equalValues(base, desired);
  return { key: toolKey(name), name, ...ownVerdict(sides), base, actual: before, desired, result, changed };
}

function ownVerdict({ base, before, desired, override, result }: Sides): Judged {
  const takesEffect = !equalValues(before, result);
  if (override === undefined) return { verdict: plainVerdict(base, desired, takesEffect), reason: undefined };
  if (!override.enabled) return { verdict: takesEffect ? "remove" : "keep", reason: "user-deleted" };
  if (!takesEffect && equalValues(base, desired)) return { verdict: "keep", reason: "user-modified" };
  if (base !== undefined && changesUnder(override.fields, base, desired))
    return { verdict: "conflict", reason: "both-changed" };
  return { verdict: "merge", reason: "user-modified" };
}

function plainVerdict(base: ValueMap | undefined, desired: ValueMap | undefined, takesEffect: boolean): Verdict {
  if (desired === undefined) return "remove";
  if (base === undefined) return "create";
  if (!equalValues(base, desired)) return "update";
  // As discovered as ever, but an override that stood over it is gone.
  return takesEffect ? "restore" : "unchanged";
}

/** Whether discovery changed a field that the override has its own word on. */
function changesUnder(over: ValueMap, base: Value | undefined, desired: Value | undefined): boolean {
  return Object.keys(over).some((name) => {
    const [mine, was, is] = [over[name]!, field(base, name), field(desired, name)];
    if (equalValues(was, is) || equalValues(mine, is)) return false;
    return isMap(mine) && isMap(is) ? changesUnder(mine, was, is) : true;
  });
}

/** Another Service wants the name: the override stays with what it was written for, at the endpoint that had. */
function contestedEntry(
  { name, fields, claimant }: ContestedTool,
  before: ValueMap | undefined,
  override: OverrideTool | undefined,
): ToolEntry {
  const result = effectiveFields(fields, override);
  const sides = { base: fields, actual: before, desired: claimant.fields, result };
  const changed = !equalValues(before, result);
  return { key: toolKey(name), name, verdict: "conflict", reason: "owners-differ", ...sides, changed };
}

/** A tool that only the overrides define (or defined until now). */
function userEntry({ name, base, before, result }: Sides): ToolEntry {
  const changed = !equalValues(before, result) || base !== undefined;
  const reason = base === undefined ? "user-owned" : "obsolete-modified";
  const verdict = userVerdict(before, result, changed);
  return { key: toolKey(name), name, verdict, reason, base, actual: before, desired: undefined, result, changed };
}

function userVerdict(before: Value | undefined, result: Value | undefined, changed: boolean): Verdict {
  if (!changed) return "keep";
  if (result === undefined) return before === undefined ? "keep" : "remove";
  return before === undefined ? "create" : "update";
}

function effectiveFields(discovered: ValueMap | undefined, override: OverrideTool | undefined): ValueMap | undefined {
  if (override === undefined) return discovered;
  return override.enabled ? overlay(discovered ?? mapOf([]), override.fields) : undefined;
}

/**
 * What a tool is: its type may say so; else what it was discovered as; else it may have the very name such a tool would
 * get.
 */
function kindOf(name: string, fields: ValueMap, kind: string | undefined, detectors: readonly Detector[]): string {
  const stated = detectors.find((detector) => detector.type === fields.type);
  return stated?.type ?? kind ?? detectors.find((detector) => detector.toolName === name)?.type ?? "http";
}

/** What a tool was discovered as. A record may not say it, but its name does. */
function kindOfRecord(tool: DiscoveredTool | KeptTool, detectors: readonly Detector[]): string | undefined {
  if ("source" in tool || tool.kind !== undefined) return tool.kind;
  const suffix = `_${tool.service.replace("/", "_")}`;
  return detectors.find(({ toolName }) => tool.name === toolName || tool.name === toolName + suffix)?.type;
}

/** What the last generated text says of each tool. A block that is still the same is not read again. */
function formerFields(
  blocks: ReadonlyMap<string, GeneratedBlock>,
  bodies: BlockBodies,
  discovered: ReadonlyMap<string, DiscoveredTool>,
): Map<string, ValueMap> {
  const fields = new Map<string, ValueMap>();
  for (const { name, body } of blocks.values()) {
    const isSame = bodies.get(name) === body;
    fields.set(name, isSame ? discovered.get(name)!.fields : readBody(body));
  }
  return fields;
}

function byName(overrides: Overrides): Map<string, OverrideTool> {
  return new Map(overrides.tools.map((tool) => [tool.name, tool]));
}

/** The plan of a toolset, in the one form all domains print. A toolset has no versions. */
export function toolsetDocument(evaluation: ToolsetEvaluation, current: ConfigMap | undefined): PlanDocument {
  const { entries } = evaluation.entries;
  const { name, namespace = "default" } = evaluation.configMap.metadata;
  // Where entries stand, for people: a ConfigMap has no path of its own.
  const place = `configmap/${namespace}/${name}`;
  return {
    format_version: 1,
    name,
    version: "",
    from: null,
    changed: entries.filter((entry) => entry.changed).length,
    summary: summarise(entries),
    entries: entries.map((entry) => planEntry(entry, `${place}/${dataKeys.toolset}`)),
    files: [dataKeys.toolset, dataKeys.holmes, dataKeys.lastGood].map((key) =>
      planFile(place, key, current, evaluation.configMap),
    ),
    diagnostics: evaluation.diagnostics,
  };
}

function planEntry(entry: ToolEntry, file: string): PlanEntry {
  const { key, verdict, reason, base, actual, desired, result } = entry;
  return { file, key, type: "tool", verdict, ...defined({ reason, base, actual, desired, result }) };
}

function planFile(place: string, key: string, current: ConfigMap | undefined, next: ConfigMap): PlanFile {
  const [before, after] = [dataOf(current)[key], dataOf(next)[key]];
  const action =
    before === after ? "none" : before === undefined ? "create" : after === undefined ? "delete" : "modify";
  const path = `${place}/${key}`;
  const diff = action === "none" ? "" : unifiedDiff(before ?? "", after ?? "", { from: path, to: path });
  return { path, action, diff };
}
