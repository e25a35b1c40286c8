import { type DiscoveredTool, refText } from "../tool.ts";
import type { Discovery } from "./discover.ts";

/** Which Service each tool of the last generated `toolset.yaml` came from: tool name → `namespace/service`. */
export type FormerNames = ReadonlyMap<string, string>;

/**
 * Give every discovery its name. A Service keeps the name it had, so that an override written for it stays with it; otherwise the first
 * (by namespace and name) gets the plain name, and others a suffix that says which Service they are.
 */
export function nameTools(discoveries: readonly Discovery[], former: FormerNames): DiscoveredTool[] {
  const taken = new Set<string>();
  const names = new Map<Discovery, string>();
  for (const discovery of discoveries) {
    const kept = [discovery.wantedName, suffixed(discovery)].find((name) => former.get(name) === refText(discovery.source));
    if (kept === undefined || taken.has(kept)) continue;
    taken.add(kept);
    names.set(discovery, kept);
  }
  return discoveries.map((discovery) => {
    const name = names.get(discovery) ?? freeName(discovery, taken);
    taken.add(name);
    return { name, fields: discovery.fields, kind: discovery.kind, source: discovery.source };
  });
}

function freeName(discovery: Discovery, taken: ReadonlySet<string>): string {
  if (!taken.has(discovery.wantedName)) return discovery.wantedName;
  let name = suffixed(discovery);
  // Only an annotation that spells out another Service's suffixed name can get in the way here.
  for (let count = 2; taken.has(name); count++) name = `${suffixed(discovery)}_${count}`;
  return name;
}

/** Neither namespaces nor Services contain an underscore, so no two Services share a suffix. */
function suffixed({ wantedName, source }: Discovery): string {
  return `${wantedName}_${source.namespace}_${source.name}`;
}
