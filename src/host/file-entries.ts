import type { Actual, Desired, Entry, Recorded } from "../core/entry.ts";
import type { Policy } from "../core/policy.ts";
import type { Value } from "../core/value.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { Reader } from "../store/gate/gate.ts";
import type { Evaluation, FileKind } from "./evaluate/evaluation.ts";
import { contentValue, observe, observeWanted } from "./observe.ts";
import { entryOf, type HostRegistry, memoryOf } from "./registry.ts";
import type { HostTarget } from "./target.ts";

/** To the core a file is one opaque value, known by its path on the host. */
function entry(type: FileKind, path: string, value: Value): Entry {
  return { key: keyText(type, [path]), match: path, pair: undefined, type, joining: "whole", value, normal: value };
}

export function desiredEntries(evaluation: Evaluation): Desired[] {
  return evaluation.files.map((file) => entry(file.kind, file.path, contentValue(file.content)));
}

export function recordedEntries(registry: HostRegistry | undefined): Recorded[] {
  return Object.entries(registry?.files ?? {}).flatMap(([path, place]): Recorded[] => {
    const [memory, recorded] = [memoryOf(place), entryOf(place)];
    if (memory === undefined || recorded === undefined) return [];
    const [, record] = recorded;
    const base = entry(memory.kind, path, record.value);
    return [{ ...base, state: record.state ?? "managed", addedIn: record.added_in_version, updatedIn: record.last_updated_in_version }];
  });
}

/** Only paths that are ours, or shall be: nobody else's file is even looked at. */
export function actualEntries(
  reader: Reader,
  target: HostTarget,
  {
    desired,
    recorded,
    going,
  }: { readonly desired: readonly Desired[]; readonly recorded: readonly Recorded[]; readonly going: ReadonlySet<string> },
): Actual[] {
  const wanted = new Set(desired.map((each) => each.match));
  const all = new Map([...recorded, ...desired].map((each) => [each.match, each]));
  return [...all.values()].flatMap((each): Actual[] => {
    const look = wanted.has(each.match) ? observeWanted : observe;
    const { value } = look(reader, target.root, each.match, going);
    return value === undefined ? [] : [{ ...each, value, normal: value, comments: [] }];
  });
}

/** Git wins, unless told to leave edits alone. What is already there just so is taken over. */
export function policiesFor(keepDrift: boolean): Policy[] {
  return [{ match: "*", whenEdited: keepDrift ? "keep" : "overwrite", whenPresent: "adopt" }];
}

/** Recorded files that the desired state no longer has. */
export function goingPaths(evaluation: Evaluation, registry: HostRegistry | undefined): ReadonlySet<string> {
  const wanted = new Set(evaluation.files.map((file) => file.path));
  return new Set(Object.keys(registry?.files ?? {}).filter((path) => !wanted.has(path)));
}
