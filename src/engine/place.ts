import { join } from "node:path";
import type { Diagnostic, InputError } from "../core/diagnostic.ts";
import type { Release } from "../core/earlier.ts";
import type { Policy } from "../core/policy.ts";
import type { FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Reading } from "../readings/reading.ts";
import type { ReadingData } from "../readings/reading-data.ts";
import type { Reader } from "../store/gate/gate.ts";
import { storeError } from "../store/gate/store-error.ts";
import { placeOf, refuseOwnState, standsInTheWay } from "../store/gate/target.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { configFolder, defaultStateDir, type Machine, xdgFolder } from "./machine.ts";

/** A move as identities of one file. */
export interface PlaceMove {
  readonly from: string;
  readonly to: string;
}

/** One file an owner has wishes or records in: where it is, how it is read, and what is wanted there. */
export interface Place {
  /** Its name in the registry: the target with the home as `~`. */
  readonly section: string;
  /** As the user would say it: absolute, links not resolved. */
  readonly path: string;
  readonly readingData: ReadingData;
  readonly reading: Reading;
  /** How the file was read so far, where a release reads it in another way: what was written that way goes first. */
  readonly former?: Reading | undefined;
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
  /** A variable's value changed, and with it the place: what stands at this old one stays until `--relocate`. */
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
  const { gate, platform } = machine;
  const real = (folders: readonly string[]) => [...new Set(folders.map((folder) => gate.realPath(folder)))];
  const records = real([machine.stateDir, defaultStateDir(machine)]);
  const configuration = real(configFolders(machine));
  for (const place of places) {
    for (const folder of records) refuseOwnState(folder, place, platform);
    if (configuration.some((folder) => standsInTheWay(place.real, folder, platform))) throw policies(place.path);
  }
}

/** The same for a target. The file a link leads to, and the link itself: which of the two is meant shows later. */
export function refuseOwnPlace(machine: Locations, path: string): void {
  const reals = new Set([machine.gate.realPath(path), placeOf(machine.gate, path, "link")]);
  refuseOwnPlaces(
    machine,
    [...reals].map((real) => ({ path, real })),
  );
}

/** Where the user's own configuration of stet is, or may be. */
function configFolders(machine: Locations): string[] {
  return [configFolder(machine), join(xdgFolder("CONFIG", machine), "stet")];
}

function policies(path: string): InputError {
  const message =
    "it is, or is in the way of, the folder that holds the user's own policies, on which no pack decides; name another target";
  return storeError("unsafe-path", path, message);
}

/** Whether others may point at the file: a script, a file of a folder. Nobody points at entries or a marked block. */
export function isWholeFile({ readingData }: Pick<Place, "readingData">): boolean {
  return readingData.strategy === "whole" || readingData.name !== undefined;
}
