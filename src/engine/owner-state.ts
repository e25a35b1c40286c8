import type { PlaceRecord, Registry } from "../core/records.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { canonicalPath } from "../identity/paths/paths.ts";
import { cachingReader } from "../store/gate/caching-reader.ts";
import { withoutForeignLinks } from "../store/gate/foreign-links.ts";
import type { Reader } from "../store/gate/gate.ts";
import { type Generation, listGenerations } from "../store/records/generations.ts";
import { ownersIn, readRegistry } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import { type Machine, pathContext } from "./machine.ts";

/** All that is remembered, read once for a plan: this owner's records, and those of others. */
export interface OwnerState {
  readonly name: string;
  /** The files as an unfinished run will leave them: planning never writes, also with a journal pending. */
  readonly reader: Reader;
  readonly registry: Registry | undefined;
  readonly registryText: string | undefined;
  /** What other owners record of a file, however each of them spells its path. */
  othersAt(path: string): readonly ForeignPlace[];
  readonly context: PathContext;
}

export interface ForeignPlace {
  readonly owner: string;
  readonly record: PlaceRecord;
}

export function readOwnerState(machine: Machine, name: string): OwnerState {
  const reader = readerAhead(machine);
  const own = readRegistry(reader, machine.stateDir, name);
  const others = ownersIn(reader, machine.stateDir)
    .filter((other) => other !== name)
    .map((other) => readRegistry(reader, machine.stateDir, other)!.registry);
  const context = pathContext(machine, own?.registry.homes ?? []);
  return {
    name,
    reader,
    registry: own?.registry,
    registryText: own?.text,
    othersAt: placesByFile(others, context),
    context,
  };
}

/** An owner's history, as an unfinished run will leave it. */
export function generationsOf(machine: Machine, name: string): readonly Generation[] {
  return listGenerations(readerAhead(machine), machine.stateDir, name);
}

function readerAhead({ gate, stateDir }: Machine): Reader {
  refuseShared(gate, stateDir);
  return withoutForeignLinks(cachingReader(pendingJournal(gate, stateDir)?.reader ?? gate), gate.userId);
}

/** Looked up once for all files, when the first is asked for. */
function placesByFile(registries: readonly Registry[], context: PathContext): (path: string) => readonly ForeignPlace[] {
  let known: Map<string, ForeignPlace[]> | undefined;
  return (path) => {
    if (registries.length === 0) return [];
    known ??= indexed(registries, context);
    return known.get(canonicalPath(path, context)) ?? [];
  };
}

function indexed(registries: readonly Registry[], context: PathContext): Map<string, ForeignPlace[]> {
  const found = new Map<string, ForeignPlace[]>();
  for (const { name, files } of registries) {
    for (const [section, record] of Object.entries(files)) {
      const file = canonicalPath(section, context);
      const places = found.get(file) ?? [];
      places.push({ owner: name, record });
      found.set(file, places);
    }
  }
  return found;
}
