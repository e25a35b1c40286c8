import { InputError } from "../core/diagnostic.ts";
import type { EntryRecord, Registry } from "../core/records.ts";
import type { Machine } from "../engine/machine.ts";
import type { OwnerState } from "../engine/owner-state.ts";
import type { EntryChange } from "../report/explanation.ts";
import { type Generation, listGenerations, readObject } from "../store/records/generations.ts";
import { parseRegistry, registryPath } from "../store/records/registry.ts";
import type { KnownEntry } from "./places/find-entries.ts";

/** Every change of one entry that the history still knows, oldest first. */
export function historyOf({ section, key }: KnownEntry, state: OwnerState, machine: Machine): EntryChange[] {
  const generations = listGenerations(state.reader, machine.stateDir, state.name);
  return generations.flatMap((generation, i) => {
    const { number, time, version, note } = generation;
    const told = { generation: number, time, version, note };
    try {
      const before = recordIn(registryBefore(generation, state, machine), section, key);
      const next = generations[i + 1];
      const after = recordIn(next ? registryBefore(next, state, machine) : state.registry, section, key);
      const change = changeBetween(before, after);
      return change ? [{ ...told, ...change }] : [];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return [{ ...told, change: "unreadable" as const }];
    }
  });
}

function registryBefore({ registryBefore: hash }: Generation, state: OwnerState, machine: Machine): Registry | undefined {
  if (hash === null) return undefined;
  const path = registryPath(machine.stateDir, state.name);
  return parseRegistry(readObject(state.reader, machine.stateDir, state.name, hash).toString("utf8"), path);
}

interface Known {
  readonly entry: EntryRecord | undefined;
  readonly wanted: EntryRecord | undefined;
}

function recordIn(registry: Registry | undefined, section: string, key: string): Known {
  const place = registry?.files[section];
  return { entry: place?.entries[key], wanted: place?.wanted?.[key] };
}

function changeBetween(before: Known, after: Known): Pick<EntryChange, "change" | "value"> | undefined {
  const [was, is] = [before.entry, after.entry];
  if (was === undefined && is !== undefined) return { change: "added", value: is.value };
  if (was !== undefined && is === undefined) return { change: "removed", value: was.value };
  if (was?.state !== is?.state) return { change: stateChange(is), value: is?.value };
  if (was?.value_hash !== is?.value_hash) return { change: "updated", value: is?.value };
  const { wanted } = after;
  return wanted !== undefined && wanted.value_hash !== before.wanted?.value_hash ? { change: "waiting", value: wanted.value } : undefined;
}

function stateChange(record: EntryRecord | undefined): EntryChange["change"] {
  if (record?.state === "disowned") return "handed-over";
  return record?.state === "deleted" ? "left-out" : "taken-back";
}
