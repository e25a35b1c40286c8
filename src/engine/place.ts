import type { Diagnostic } from "../core/diagnostic.ts";
import type { Release } from "../core/earlier.ts";
import type { Policy } from "../core/policy.ts";
import type { FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Reading } from "../readings/reading.ts";
import type { ReadingData } from "../readings/reading-data.ts";

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
