import { isOfLink, type PlaceRecord, type Registry } from "../core/records.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { canonicalLink, canonicalPath } from "../identity/paths/paths.ts";
import { cachingReader } from "../store/gate/caching-reader.ts";
import { withoutForeignLinks } from "../store/gate/foreign-links.ts";
import type { Reader } from "../store/gate/gate.ts";
import { type Generation, keptObjects, listGenerations } from "../store/records/generations.ts";
import { readRegistry } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import { type Machine, pathContext } from "./machine.ts";
import { ownersOf, projectRecords, readRecords } from "./records.ts";

/**
 * What an owner has on record, as an unfinished run will leave it: planning never writes, also with a journal pending.
 */
export interface OwnerRecords<R extends Registry = Registry> {
  readonly name: string;
  readonly registry: R | undefined;
  /** The registry's text; undefined if there is none. */
  readonly registryText: string | undefined;
  /** A run was interrupted while it wrote; the next one that writes finishes it. */
  readonly interrupted: boolean;
  /** The files as that run will leave them. */
  readonly reader: Reader;
}

/** All that is remembered, read once for a plan: this owner's records, and those of others. */
export interface OwnerState extends OwnerRecords {
  /** Of a project: the text that is committed. */
  readonly committed?: string | undefined;
  /** What other owners record of a file, however each of them spells its path. */
  othersAt(path: string, isLink?: boolean): readonly ForeignPlace[];
  /** The folders that owners made and still have on record, this one and others, with the home as `~`. */
  foldersMade(): ReadonlySet<string>;
  /** Whether the history keeps the bytes with this hash. */
  isKept(hash: string): boolean;
  readonly context: PathContext;
}

export interface ForeignPlace {
  readonly owner: string;
  readonly record: PlaceRecord;
}

/** The records of one owner, of a pack or a host. `look`: how its reader remembers what it saw. */
export function readOwnerRecords(
  { gate, stateDir }: Pick<Machine, "gate" | "stateDir">,
  name: string,
  look: (reader: Reader) => Reader = (reader) => reader,
): OwnerRecords {
  refuseShared(gate, stateDir);
  const journal = pendingJournal(gate, stateDir);
  const reader = withoutForeignLinks(look(journal?.reader ?? gate), gate.userId);
  const known = readRegistry(reader, stateDir, name);
  return { name, registry: known?.registry, registryText: known?.text, interrupted: journal !== undefined, reader };
}

export function readOwnerState(machine: Machine, name: string): OwnerState {
  const records = readOwnerRecords(machine, name, cachingReader);
  const { reader } = records;
  const plain = pathContext(machine, []);
  const own = machine.project ? projectRecords(reader, machine.project, records, plain) : records;
  const others = ownersOf(machine, reader)
    .filter((other) => other !== name)
    .flatMap((other) => readRecords(reader, machine, other, plain) ?? []);
  const homes = own.registry?.homes ?? [];
  const context = homes.every((home) => home === machine.home) ? plain : pathContext(machine, homes);
  let kept: ReadonlySet<string> | undefined;
  const isKept = (hash: string) => {
    kept ??= keptObjects(reader, machine.stateDir, name);
    return kept.has(hash);
  };
  let made: ReadonlySet<string> | undefined;
  const foldersMade = () => {
    const registries = own.registry === undefined ? others : [own.registry, ...others];
    made ??= new Set(
      registries.flatMap(({ files }) => Object.values(files).flatMap((record) => record.created?.folders ?? [])),
    );
    return made;
  };
  return { ...own, othersAt: placesByFile(others, context), foldersMade, isKept, context };
}

/** An owner's history, as an unfinished run will leave it. */
export function generationsOf(machine: Machine, name: string): readonly Generation[] {
  const { gate, stateDir } = machine;
  refuseShared(gate, stateDir);
  const reader = withoutForeignLinks(pendingJournal(gate, stateDir)?.reader ?? gate, gate.userId);
  return listGenerations(reader, stateDir, name);
}

/** Looked up once for all files, when the first is asked for. */
function placesByFile(registries: readonly Registry[], context: PathContext): OwnerState["othersAt"] {
  let known: Map<string, ForeignPlace[]> | undefined;
  return (path, isLink = false) => {
    if (registries.length === 0) return [];
    known ??= indexed(registries, context);
    // A link is a place of its own: what it leads to may be somebody else's.
    const names = new Set([canonicalLink(path, context), ...(isLink ? [] : [canonicalPath(path, context)])]);
    return [...names].flatMap((name) => known!.get(name) ?? []);
  };
}

function indexed(registries: readonly Registry[], context: PathContext): Map<string, ForeignPlace[]> {
  const found = new Map<string, ForeignPlace[]>();
  for (const { name, files } of registries) {
    for (const [section, record] of Object.entries(files)) {
      const file = isOfLink(record) ? canonicalLink(section, context) : canonicalPath(section, context);
      const places = found.get(file) ?? [];
      places.push({ owner: name, record });
      found.set(file, places);
    }
  }
  return found;
}
