import { parse } from "yaml";
import type { Reason, Verdict } from "../core/entry.ts";
import { equalValues, field, isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import type { Detector } from "./discover/detectors.ts";
import type { OverridesChoice } from "./overrides/choice.ts";
import { decideTools, overlay, type ToolDecision, toolKey } from "./overrides/effective.ts";
import type { Overrides, OverrideTool } from "./overrides/overrides.ts";
import type { BlockBodies, GeneratedBlock } from "./render/generate.ts";
import type { EffectiveTool } from "./render/holmes.ts";
import { byText, type DiscoveredTool } from "./tool.ts";

/** What becomes of one tool. `base`: discovered last time; `actual`: in effect now; `desired`: discovered now; `result`: in effect afterwards. */
export interface ToolEntry {
  readonly key: string;
  readonly name: string;
  readonly verdict: Verdict;
  readonly reason: Reason | undefined;
  readonly base: Value | undefined;
  readonly actual: Value | undefined;
  readonly desired: Value | undefined;
  readonly result: Value | undefined;
  readonly changed: boolean;
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
  readonly bodies: BlockBodies;
  /** The tools of the last generated text. */
  readonly blocks: ReadonlyMap<string, GeneratedBlock>;
  readonly overrides: OverridesChoice;
  readonly detectors: readonly Detector[];
}

/** Bring discovered tools, the record of the last run and the overrides together. */
export function planToolset({ tools, bodies, blocks, overrides, detectors }: PlanInput): ToolsetEntries {
  const discovered = new Map(tools.map((tool) => [tool.name, tool]));
  const former = formerFields(blocks, bodies, discovered);
  const [now, then] = [byName(overrides.effective), byName(overrides.former)];
  const names = new Set([...discovered.keys(), ...former.keys(), ...now.keys(), ...then.keys()]);
  const decisions = new Map(decideTools(tools, former, now).map((decision) => [(decision.desired ?? decision.recorded)!.match, decision]));
  const entries = [...names].map((name): ToolEntry => {
    const before = effectiveFields(former.get(name), then.get(name));
    const decision = decisions.get(name);
    const sides = { name, base: former.get(name), before, override: now.get(name) };
    return decision ? ownEntry(sides, decision) : userEntry(sides);
  });
  entries.sort((a, b) => byText(a.key, b.key));
  return {
    entries,
    effective: entries.flatMap((entry) => effectiveTool(entry, discovered, detectors)),
    overridden: [...discovered.keys()].filter((name) => now.has(name)).sort(byText),
  };
}

/** What is known of a tool besides the decision about it. */
interface Sides {
  readonly name: string;
  /** As last discovered. */
  readonly base: ValueMap | undefined;
  /** As in effect until now. */
  readonly before: ValueMap | undefined;
  readonly override: OverrideTool | undefined;
}

/** A tool that discovery stands behind, or stood behind until now. */
function ownEntry(sides: Sides, decision: ToolDecision): ToolEntry {
  const { name, base, before } = sides;
  const { result } = decision.outcome;
  const desired = decision.desired?.value;
  return {
    key: decision.key,
    name,
    ...ownVerdict(sides, decision),
    base,
    actual: before,
    desired,
    result,
    changed: !equalValues(before, result) || !equalValues(base, desired),
  };
}

/** The table's verdict, seen from what was in effect until now: an override may have come, gone or been edited meanwhile. */
function ownVerdict(
  { base, before, override }: Sides,
  { outcome, desired }: ToolDecision,
): { verdict: Verdict; reason: Reason | undefined } {
  const { verdict, reason, result, conflicts } = outcome;
  const takesEffect = !equalValues(before, result);
  if (override === undefined) return verdict === "unchanged" && takesEffect ? { verdict: "restore", reason } : { verdict, reason };
  if (!override.enabled) return { verdict: takesEffect ? "remove" : "keep", reason: "user-deleted" };
  if (!takesEffect && equalValues(base, desired?.value)) return { verdict: "keep", reason: "user-modified" };
  const isNews = (path: readonly string[]): boolean => !equalValues(fieldAt(base, path), fieldAt(desired?.value, path));
  if (base !== undefined && conflicts.some((conflict) => isNews(conflict.path))) return { verdict: "conflict", reason: "both-changed" };
  return { verdict: "merge", reason: "user-modified" };
}

function fieldAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  return path.reduce<Value | undefined>((inside, name) => field(inside, name), value);
}

/** A tool that only the overrides define (or defined until now). */
function userEntry({ name, base, before, override }: Sides): ToolEntry {
  const result = effectiveFields(undefined, override);
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

function effectiveTool(entry: ToolEntry, discovered: ReadonlyMap<string, DiscoveredTool>, detectors: readonly Detector[]): EffectiveTool[] {
  const { name, result } = entry;
  return isMap(result) ? [{ name, fields: result, kind: kindOf(name, result, discovered.get(name), detectors) }] : [];
}

/** What a tool is: its type may say so; else what it was discovered as; else it may have the very name such a tool would get. */
function kindOf(name: string, fields: ValueMap, tool: DiscoveredTool | undefined, detectors: readonly Detector[]): string {
  const stated = detectors.find((detector) => detector.type === fields.type);
  return stated?.type ?? tool?.kind ?? detectors.find((detector) => detector.toolName === name)?.type ?? "http";
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

/** A block that somebody broke says nothing. */
function readBody(body: string): ValueMap {
  try {
    const [item] = parse(body) as unknown[];
    const { name: _, ...fields } = item as Record<string, Value>;
    return mapOf(Object.entries(fields));
  } catch {
    return mapOf([]);
  }
}

function byName(overrides: Overrides): Map<string, OverrideTool> {
  return new Map(overrides.tools.map((tool) => [tool.name, tool]));
}
