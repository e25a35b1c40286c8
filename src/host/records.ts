import { dirname } from "node:path";
import type { EntryRecord, PlaceRecord } from "../core/records.ts";
import type { Reader } from "../store/gate/gate.ts";
import { valueHash } from "../store/records/registry.ts";
import type { Evaluation } from "./evaluate/evaluation.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { entryOf, type HostRegistry, memoryValue } from "./registry.ts";
import { placeUnder } from "./target.ts";
import { compareBytes } from "./units/byte-order.ts";
import { runtimeByPath } from "./units/wanted-units.ts";

/** What stands on the host, and where it begins from here. */
export interface RootReader {
  readonly reader: Reader;
  readonly root: string;
}

/** What to remember once the decisions are true: one place a file. */
export function nextRecords(
  evaluation: Evaluation,
  decisions: readonly FileDecision[],
  place: RootReader,
  registry: HostRegistry | undefined,
  version: string,
): Record<string, PlaceRecord> {
  const byPath = new Map(evaluation.files.map((file) => [file.path, file]));
  const runtimes = runtimeByPath(evaluation.files);
  const made = new Set(Object.values(registry?.files ?? {}).flatMap((place) => place.created?.folders ?? []));
  const records = decisions.flatMap((decision): (readonly [string, PlaceRecord])[] => {
    const path = pathOf(decision);
    const before = registry?.files[path];
    const entry = nextEntry(decision, before, version);
    if (entry === undefined) return [];
    const file = byPath.get(path);
    const folders = before?.created?.folders ?? createdFolders(path, place, made);
    const reading = file ? memoryValue({ kind: file.kind, service: file.service, runtime: runtimes.get(path) }) : before?.reading;
    return [[path, { ...before, entries: { [decision.key]: entry }, created: folders.length > 0 ? { folders } : undefined, reading }]];
  });
  return Object.fromEntries(records.sort(([a], [b]) => compareBytes(a, b)));
}

function nextEntry({ outcome, recorded, type }: FileDecision, before: PlaceRecord | undefined, version: string): EntryRecord | undefined {
  const old = before && entryOf(before)?.[1];
  if (outcome.record.kind === "drop") return undefined;
  if (outcome.record.kind === "same") return old;
  const { value, state } = outcome.record;
  const hash = valueHash(value);
  return {
    ...old,
    entry_type: type,
    added_in_version: recorded?.addedIn || version,
    last_updated_in_version: recorded && old?.value_hash === hash ? recorded.updatedIn : version,
    value_hash: hash,
    value,
    state: state === "managed" ? undefined : state,
  };
}

/** The folders above a file that are made for it, or were made by us for another: they go with the last file in them. Innermost first. */
function createdFolders(path: string, { reader, root }: RootReader, made: ReadonlySet<string>): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
    if (reader.stat(placeUnder(root, folder)) !== undefined && !made.has(folder)) break;
    folders.push(folder);
  }
  return folders;
}
