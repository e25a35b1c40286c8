import { join } from "node:path";
import type { Diagnostic, InputError } from "../core/diagnostic.ts";
import type { Release } from "../core/earlier.ts";
import type { Policy } from "../core/policy.ts";
import type { FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Platform } from "../identity/paths/path-context.ts";
import type { Reading } from "../readings/reading.ts";
import type { ReadingData } from "../readings/reading-data.ts";
import type { Reader } from "../store/gate/gate.ts";
import { storeError } from "../store/gate/store-error.ts";
import { realTarget, refuseOwnState, standsInTheWay } from "../store/gate/target.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { configFolder, defaultStateDir, type Machine, xdgFolder } from "./machine.ts";

/** A move as identities of one file. */
export interface PlaceMove {
  readonly from: string;
  readonly to: string;
}

/** How a file was read so far, and the keys of the entries that only this reading finds; undefined: all of them. */
export interface FormerReading {
  readonly reading: Reading;
  readonly only: ReadonlySet<string> | undefined;
}

/** One file an owner has wishes or records in: where it is, how it is read, and what is wanted there. */
export interface Place {
  /** Its name in the registry: the target with the home as `~`. */
  readonly section: string;
  /** As the user would say it: absolute, links not resolved. */
  readonly path: string;
  readonly readingData: ReadingData;
  readonly reading: Reading;
  /** Where a release reads the file in another way, or other rules: what it would not find again goes first. */
  readonly former?: FormerReading | undefined;
  /** Where the file was so far, if it is renamed: its content and its record go along. */
  readonly renamedFrom?: Place | undefined;
  readonly desired: readonly FileDesired[];
  /** What earlier releases shipped here, oldest first: by these an install without records is recognised. */
  readonly releases: readonly Release<FileRecorded>[];
  readonly policies: readonly Policy[];
  /** Of a project's file that Git ignores: its records stay on this machine. */
  readonly local?: boolean | undefined;
  /** The target as the manifest writes it, where a variable names its place. */
  readonly target?: string | undefined;
  /** A variable's value changed, and the place with it. What is at this old place stays until `--relocate`. */
  readonly elsewhere?: boolean | undefined;
  readonly moves: readonly PlaceMove[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface Evaluated {
  readonly places: readonly Place[];
  /** Sections that this run is not about: their records stay as they are. */
  readonly untouched: ReadonlySet<string>;
  /** What there is to say of the pack as a whole. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

type Locations = Pick<Machine, "stateDir" | "home" | "env" | "platform"> & { readonly gate: Reader };
type RealPlace = Pick<Change, "path" | "real">;

/**
 * Refuses places that are, lie in or stand in the way of what only stet and the user write: records, and the user's own
 * policies. An owner that wrote them would decide about the files of every other, or have the last word on what becomes
 * of the user's edits.
 */
export function refuseOwnPlaces(machine: Locations, places: readonly RealPlace[]): void {
  if (places.length === 0) return;
  const own = ownFolders(machine);
  for (const place of places) refuseOwnPlace(own, place, machine.platform);
}

/** The same for targets, one by one. The file a link leads to, and the link itself: which is meant shows later. */
export function refuseOwnTargets(machine: Locations): (path: string) => void {
  const { gate, platform } = machine;
  let own: OwnFolders | undefined;
  return (path) => {
    own ??= ownFolders(machine);
    for (const real of new Set([gate.realPath(path), realTarget(gate, path, "link")]))
      refuseOwnPlace(own, { path, real }, platform);
  };
}

function refuseOwnPlace({ records, configuration }: OwnFolders, place: RealPlace, platform: Platform): void {
  for (const folder of records) refuseOwnState(folder, place, platform);
  for (const folder of configuration) if (standsInTheWay(place.real, folder, platform)) throw policies(place.path);
}

interface OwnFolders {
  readonly records: readonly string[];
  /** Where the user's own configuration of stet is, or may be. */
  readonly configuration: readonly string[];
}

function ownFolders(machine: Locations): OwnFolders {
  const real = (...folders: string[]) => [...new Set(folders.map((folder) => machine.gate.realPath(folder)))];
  return {
    records: real(machine.stateDir, defaultStateDir(machine)),
    configuration: real(configFolder(machine), join(xdgFolder("CONFIG", machine), "stet")),
  };
}

function policies(path: string): InputError {
  const message =
    "this is the folder of the user's own policies, or stands in its way, and no pack may write there; name another target";
  return storeError("unsafe-path", path, message);
}

/** Whether others may point at the file: a script, a file of a folder. Nobody points at entries or a marked block. */
export function isWholeFile({ readingData }: Pick<Place, "readingData">): boolean {
  return readingData.strategy === "whole" || readingData.name !== undefined;
}
