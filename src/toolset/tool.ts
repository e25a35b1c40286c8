import type { ValueMap } from "../core/value.ts";

/** The Service a tool was discovered from. */
export interface ServiceRef {
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
  /** The detector's type (`prometheus`), or what the Service's annotation says: decides how HolmesGPT is told about it. */
  readonly kind: string;
  readonly source: ServiceRef;
}

export function refText(ref: ServiceRef): string {
  return `${ref.namespace}/${ref.name}`;
}

/** By code unit, as everywhere: output must not depend on the machine's locale. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
