import { dirname } from "node:path";
import type { EntryRecord, PlaceRecord } from "../core/records.ts";
import { versionedRecord } from "../engine/next-record.ts";
import { valueHash } from "../store/records/registry.ts";
import type { EvaluatedHost } from "./evaluate/evaluation.ts";
import type { HostObservation } from "./observe.ts";
import { type HostFileDecision, pathOf } from "./plan-files.ts";
import { entryOf, type HostRegistry, memoryValue, type RunningMemory } from "./registry.ts";
import { compareBytes } from "./units/byte-order.ts";
import { needsEnabling, type WantedUnit } from "./units/unit-actions.ts";
import { runtimeByPath, wantedUnits } from "./units/wanted-units.ts";

/**
 * What to remember once the decisions are true: one place a file, in the order of paths. `left`: paths of which nothing
 * is decided.
 */
export function nextRecords(
  evaluation: EvaluatedHost,
  decisions: readonly HostFileDecision[],
  observed: Pick<HostObservation, "folders">,
  { registry, version, left }: { registry: HostRegistry | undefined; version: string; left: ReadonlySet<string> },
): Record<string, PlaceRecord> {
  const byPath = new Map(evaluation.files.map((file) => [file.path, file]));
  const runtimes = runtimeByPath(evaluation.files);
  const units = new Map(wantedUnits(evaluation.files).map((unit) => [unit.file.path, unit]));
  const createdFor = folderFinder(observed, registry);
  const records: (readonly [string, PlaceRecord])[] = [];
  for (const decision of decisions) {
    const path = pathOf(decision);
    const before = registry?.files[path];
    const entry = nextEntry(decision, before, version);
    if (entry === undefined) continue;
    const file = byPath.get(path);
    const reading = file
      ? memoryValue({
          kind: file.kind,
          service: file.service,
          runtime: runtimes.get(path),
          ...runningOf(units.get(path)),
        })
      : before?.reading;
    const created = before?.created ?? createdFor(path);
    records.push([path, { ...before, entries: { [decision.key]: entry }, created, reading }]);
  }
  for (const path of left) if (registry?.files[path] !== undefined) records.push([path, registry.files[path]]);
  return Object.fromEntries(records.sort(([a], [b]) => compareBytes(a, b)));
}

function runningOf(unit: WantedUnit | undefined): RunningMemory {
  return { runs: unit?.runs, enabled: unit !== undefined && needsEnabling(unit), health: unit?.health === true };
}

function nextEntry(
  { outcome, recorded, type }: HostFileDecision,
  before: PlaceRecord | undefined,
  version: string,
): EntryRecord | undefined {
  const old = before && entryOf(before)?.[1];
  if (outcome.record.kind === "drop") return undefined;
  if (outcome.record.kind === "same") return old;
  const { value, state } = outcome.record;
  const record = versionedRecord(type, { value, hash: valueHash(value) }, { recorded, old, version });
  return { ...old, ...record, state: state === "managed" ? undefined : state };
}

/**
 * Finds the folders above a file that are made for it, or were made by us for another: they go with the last file in
 * them. Innermost first, and the same for all files of a folder.
 */
function folderFinder(
  { folders: found }: Pick<HostObservation, "folders">,
  registry: HostRegistry | undefined,
): (path: string) => PlaceRecord["created"] {
  const made = new Set(Object.values(registry?.files ?? {}).flatMap((place) => place.created?.folders ?? []));
  const known = new Map<string, PlaceRecord["created"]>();
  const find = (innermost: string): PlaceRecord["created"] => {
    const folders: string[] = [];
    for (let folder = innermost; folder !== "/"; folder = dirname(folder)) {
      if (found.get(folder)?.exists && !made.has(folder)) break;
      folders.push(folder);
    }
    return folders.length > 0 ? { folders } : undefined;
  };
  return (path) => {
    const folder = dirname(path);
    if (!known.has(folder)) known.set(folder, find(folder));
    return known.get(folder);
  };
}
