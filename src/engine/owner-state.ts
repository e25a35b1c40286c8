import { isOfLink, type PlaceRecord, type Registry } from "../core/records.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { canonicalLink, canonicalPath } from "../identity/paths/paths.ts";
import { cachingReader } from "../store/gate/caching-reader.ts";
import { withoutForeignLinks } from "../store/gate/foreign-links.ts";
import type { Reader } from "../store/gate/gate.ts";
import {
  type Generation,
  generationNumbers,
  keptObjects,
  listGenerations,
  readGeneration,
} from "../store/records/generations.ts";
import { readRegistry } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import { type Machine, pathContext } from "./machine.ts";
import { ownersOf, projectRecords } from "./records.ts";

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

/** The records of one owner, of a pack or a host. */
export function readOwnerRecords(machine: Pick<Machine, "gate" | "stateDir">, name: string): OwnerRecords {
  return ownRecords(asLeft(machine), machine, name);
}

/** The files as an unfinished run will leave them. `look`: how the reader remembers what it saw. */
function asLeft(
  { gate, stateDir }: Pick<Machine, "gate" | "stateDir">,
  look: (reader: Reader) => Reader = (reader) => reader,
): Pick<OwnerRecords, "reader" | "interrupted"> {
  refuseShared(gate, stateDir);
  const journal = pendingJournal(gate, stateDir);
  const reader = withoutForeignLinks(look(journal?.reader ?? gate), gate.userId);
  return { reader, interrupted: journal !== undefined };
}

function ownRecords(
  left: Pick<OwnerRecords, "reader" | "interrupted">,
  { stateDir }: Pick<Machine, "stateDir">,
  name: string,
): OwnerRecords {
  const known = readRegistry(left.reader, stateDir, name);
  return { name, registry: known?.registry, registryText: known?.text, ...left };
}

export function readOwnerState(machine: Machine, name: string): OwnerState {
  return ownerStates(machine)(name);
}

/**
 * The states of several owners: each has to know what all the others have on record, and everybody's records are read
 * once.
 */
export function ownerStates(machine: Machine): (name: string) => OwnerState {
  const left = asLeft(machine, cachingReader);
  const { reader } = left;
  const plain = pathContext(machine, []);
  const read = once((name: string): OwnerRecords & Pick<OwnerState, "committed"> => {
    const own = ownRecords(left, machine, name);
    return machine.project ? projectRecords(reader, machine.project, own, plain) : own;
  });
  let all: readonly string[] | undefined;
  let made: ReadonlySet<string> | undefined;
  const foldersMade = () => {
    made ??= new Set(
      (all ?? []).flatMap((name) =>
        Object.values(read(name).registry?.files ?? {}).flatMap((record) => record.created?.folders ?? []),
      ),
    );
    return made;
  };
  const plainPlaces = once((name: string) => placesByFile(read(name).registry, plain));
  return (name) => {
    const own = read(name);
    all ??= ownersOf(machine, reader);
    const others = all.filter((other) => other !== name);
    // Records that can't be read refuse every plan, also where no file is shared.
    for (const other of others) read(other);
    const homes = own.registry?.homes ?? [];
    const isPlain = homes.every((home) => home === machine.home);
    const context = isPlain ? plain : pathContext(machine, homes);
    const places = isPlain ? plainPlaces : once((other) => placesByFile(read(other).registry, context));
    const othersAt: OwnerState["othersAt"] = (path, isLink = false) => {
      if (others.length === 0) return [];
      // A link is a place of its own: what it leads to may be somebody else's.
      const files = new Set([canonicalLink(path, context), ...(isLink ? [] : [canonicalPath(path, context)])]);
      const at = (file: string) =>
        others.flatMap((owner) => (places(owner).get(file) ?? []).map((record) => ({ owner, record })));
      return [...files].flatMap(at);
    };
    let kept: ReadonlySet<string> | undefined;
    const isKept = (hash: string) => {
      kept ??= keptObjects(reader, machine.stateDir, name);
      return kept.has(hash);
    };
    return { ...own, othersAt, foldersMade, isKept, context };
  };
}

/** What a name stands for, found when it is first asked for. */
function once<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name)!;
  };
}

/** An owner's history, as an unfinished run will leave it. */
export function generationsOf(machine: Machine, name: string): readonly Generation[] {
  const { stateDir } = machine;
  return listGenerations(asLeft(machine).reader, stateDir, name);
}

/** The last change that an owner's history knows of. */
export function lastGenerationOf(machine: Machine, name: string): Generation | undefined {
  const { stateDir } = machine;
  const { reader } = asLeft(machine);
  const number = generationNumbers(reader, stateDir, name).at(-1);
  return number === undefined ? undefined : readGeneration(reader, stateDir, name, number);
}

function placesByFile(registry: Registry | undefined, context: PathContext): ReadonlyMap<string, PlaceRecord[]> {
  const found = new Map<string, PlaceRecord[]>();
  for (const [section, record] of Object.entries(registry?.files ?? {})) {
    const file = isOfLink(record) ? canonicalLink(section, context) : canonicalPath(section, context);
    const places = found.get(file);
    if (places === undefined) found.set(file, [record]);
    else places.push(record);
  }
  return found;
}
