import type { Actual, Desired, Recorded } from "../../core/entry.ts";
import { type Decision, planPlace } from "../../core/plan.ts";
import type { Policy } from "../../core/policy.ts";
import { isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { keyText } from "../../identity/rules/keys.ts";
import type { DiscoveredTool } from "../tool.ts";
import type { OverrideTool } from "./overrides.ts";

export type ToolDecision = Decision<Desired, Actual, Recorded>;

/** Switched off by the user: stays off. */
const policies: readonly Policy[] = [{ match: "*", whenDeleted: "respect" }];

/**
 * Decide about every tool that is or was discovered, by the decision table all domains share: discovery is the owner, the last generated
 * `toolset.yaml` its record, and what the overrides say is the user's edit. `outcome.result` is the tool that takes effect.
 */
export function decideTools(
  discovered: readonly DiscoveredTool[],
  former: ReadonlyMap<string, ValueMap>,
  overrides: ReadonlyMap<string, OverrideTool>,
): ToolDecision[] {
  const recorded: Recorded[] = [];
  const actual: Actual[] = [];
  const wanted = new Map(discovered.map((tool) => [tool.name, entry(tool.name, tool.fields)]));
  // Most tools are as they were: to the table, all their sides are one entry.
  const sideOf = (name: string, value: ValueMap): ToolSide => {
    const known = wanted.get(name);
    return known?.value === value ? known : entry(name, value);
  };
  for (const name of new Set([...wanted.keys(), ...former.keys()])) {
    const override = overrides.get(name);
    // Gone from discovery, but overridden: the override is the user's own tool now, and none of the owner's business.
    if (override && !wanted.has(name)) continue;
    // An override states every field it has, also one that agrees with discovery today: to the table, all of them are edits of nothing.
    const base = override ? nothing : former.get(name);
    if (base) recorded.push(sideOf(name, base));
    if (base && override?.enabled !== false) actual.push(sideOf(name, override?.fields ?? base));
  }
  return planPlace({ desired: [...wanted.values()], actual, recorded, claims: [], earlier: new Map(), moves: [], policies, prune: true });
}

type ToolSide = Desired & Actual & Recorded;

const nothing: ValueMap = mapOf([]);

/** A tool as the table knows entries, whichever side it is on. A toolset has no versions, and YAML comments in overrides are nobody's business. */
function entry(name: string, value: ValueMap): ToolSide {
  return {
    key: toolKey(name),
    match: name,
    pair: undefined,
    type: "tool",
    joining: "fields",
    value,
    normal: value,
    comments: [],
    state: "managed",
    addedIn: "",
    updatedIn: "",
  };
}

export function toolKey(name: string): string {
  return keyText("tool", [name]);
}

/** `over` on top of `under`: maps field by field, anything else replaced. */
export function overlay(under: ValueMap, over: Value): ValueMap;
export function overlay(under: Value | undefined, over: Value): Value;
export function overlay(under: Value | undefined, over: Value): Value {
  if (!isMap(over) || !isMap(under)) return over;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return mapOf(
    [...names].map((name) => {
      const above = Object.hasOwn(over, name) ? over[name]! : undefined;
      const below = Object.hasOwn(under, name) ? under[name]! : undefined;
      return [name, above === undefined ? below! : overlay(below, above)];
    }),
  );
}
