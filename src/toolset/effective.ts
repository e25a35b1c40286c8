import type { Actual, Desired, Recorded } from "../core/entry.ts";
import { type Decision, planPlace } from "../core/plan.ts";
import type { Policy } from "../core/policy.ts";
import { isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import { keyText } from "../identity/keys.ts";
import type { OverrideTool } from "./overrides.ts";
import type { DiscoveredTool } from "./tool.ts";

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
  const wanted = new Set(discovered.map((tool) => tool.name));
  for (const name of new Set([...wanted, ...former.keys()])) {
    const override = overrides.get(name);
    // Gone from discovery, but overridden: the override is the user's own tool now, and none of the owner's business.
    if (override && !wanted.has(name)) continue;
    const before = former.get(name);
    // An override can be older than the Service it is for: to the table, its fields were always an edit of something.
    const base = before ?? (override ? mapOf([]) : undefined);
    if (base) recorded.push({ ...entry(name, base), state: "managed", addedIn: "", updatedIn: "" });
    if (base && (!override || override.enabled)) actual.push({ ...edited(name, base, override), comments: [] });
  }
  const desired: Desired[] = discovered.map((tool) => entry(tool.name, tool.fields));
  return planPlace({ desired, actual, recorded, claims: [], earlier: new Map(), moves: [], policies, prune: true });
}

function entry(name: string, value: ValueMap): Desired {
  const key = toolKey(name);
  return { key, match: key, pair: undefined, type: "tool", joining: "fields", value, normal: value };
}

function edited(name: string, base: ValueMap, override: OverrideTool | undefined): Desired {
  if (override === undefined) return entry(name, base);
  return { ...entry(name, base), value: overlay(base, override.fields), normal: overlay(base, marked(override.fields)) };
}

export function toolKey(name: string): string {
  return keyText("tool", [name]);
}

/**
 * An overridden field counts as the user's even where it says the same as discovery: today's agreement must not turn into discovery's
 * word when the Service changes tomorrow. In the form that is compared, it therefore never equals anything discovered.
 */
function marked(value: Value): Value {
  return isMap(value) ? mapOf(Object.keys(value).map((name) => [name, marked(value[name]!)])) : ["overridden", value];
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
