import { closest } from "../core/diagnostic.ts";
import { isMap, mapOf, type Value, type ValueMap } from "../core/value.ts";
import { keyText } from "../identity/rules/keys.ts";

/** An object of a namespace: a Service, a ConfigMap, a Deployment. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** A tool as `toolset.yaml` and `overrides.yaml` list it. `fields` is everything but its name. */
export interface Tool {
  readonly name: string;
  readonly fields: ValueMap;
}

/** A tool that discovery stands behind. */
export interface DiscoveredTool extends Tool {
  /**
   * The detector's type (`prometheus`), or what the Service's annotation says: decides how HolmesGPT is told about it.
   */
  readonly kind: string;
  /** The Service it was discovered from. */
  readonly source: ObjectName;
}

export function refText({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
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

/** As Kubernetes writes times. */
export function toTheSecond(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}

/** By code unit, as everywhere: output must not depend on the machine's locale. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * ` (did you mean X?)` for the name of a tool that is not there, or nothing: `grafana` may mean `grafana_dashboard`.
 * Thousands of overrides are not compared with thousands of tools.
 */
export function suggestTool(name: string, names: readonly string[]): string {
  if (names.length > 200) return "";
  const longer = names.filter((each) => each.startsWith(`${name}_`));
  const meant = longer.length === 1 ? longer[0] : closest(name, names);
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}
