import type { Diagnostic } from "../core/diagnostic.ts";
import type { Actual, Claim, Desired, Recorded } from "../core/entry.ts";
import type { Decision } from "../core/plan.ts";
import type { Value, ValueMap } from "../core/value.ts";
import type { Template } from "../files/manifest/pack.ts";
import type { Variables } from "../files/manifest/variables.ts";
import type { Node, Path, Trace } from "../formats/format.ts";
import type { GroupStep, Source } from "../identity/rules/identified.ts";
import type { ContainerRecord, EntryRecord } from "../store/records/registry.ts";

/**
 * Where an entry belongs, from the root: a name steps into a map, `[fields]` into the group of a list that has those fields, and a last
 * `[]` says that the entry is an item of its list.
 */
export type Location = readonly (string | readonly [] | readonly [ValueMap])[];

export interface FileDesired extends Desired {
  /** Its position in the template: new entries go beside their neighbours there. */
  readonly order: number;
  /** `end`: the runtime counts positions, so nothing may be put before what is there. */
  readonly position: "beside" | "end";
  readonly source: Source;
  readonly location: Location;
  /** How its template writes it, where that says more than the value. */
  readonly written: string | undefined;
}

export interface FileActual extends Actual {
  readonly path: Path;
  readonly steps: readonly GroupStep[];
  readonly node: Node;
}

export interface FileRecorded extends Recorded {
  readonly source: Source;
  readonly location: Location;
  readonly trace: Trace | undefined;
}

export type FileClaim = Claim & Pick<FileRecorded, "location">;

export type FileDecision = Decision<FileDesired, FileActual, FileRecorded>;

/**
 * How one kind of target is read and written: entries of a structured file, a marked block, or the whole of a text. Pure. The same three
 * questions for each: what does the template want, what is there, and which bytes make the decisions true.
 */
export interface Reading {
  desired(
    template: Template,
    variables: Variables,
  ): { readonly entries: readonly FileDesired[]; readonly diagnostics: readonly Diagnostic[] };
  recorded(key: string, record: EntryRecord): FileRecorded;
  /** Throws an `InputError` for a target that can't be read as what it should be. `text` undefined: there is no file. */
  observe(text: string | undefined, sought: Sought): Observed;
  edit(observed: Observed, decisions: readonly FileDecision[], known: KnownPlace): Edited;
  /** The identity of a key that somebody wrote down: in a manifest's `moved`, on a command line. */
  identity(key: string): KeyIdentity;
  /** How a value looks when spellings that do not matter are made equal. */
  normalise(type: string, value: Value): Value;
  /** The same for hashes, which outlive the links of today. */
  hashed(type: string, value: Value): Value;
  /** Where new entries of a type go, also when only a record says that they are wanted. */
  position(type: string): "beside" | "end";
}

/** `malformed`: no entry of this file can have such a key. */
export type KeyIdentity = { readonly kind: "key"; readonly match: string } | { readonly kind: "malformed"; readonly message: string };

export interface Sought {
  readonly desired: readonly FileDesired[];
  readonly recorded: readonly FileRecorded[];
}

export interface Observed {
  readonly text: string | undefined;
  readonly actual: readonly FileActual[];
  /** By identity: why a wanted entry that is not there can't be put there. */
  readonly blocked: ReadonlyMap<string, string>;
}

/** What the records say of the place as a whole. */
export interface KnownPlace {
  /** We created the file. */
  readonly created: boolean;
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** Containers that other owners made here: ours as much as theirs once we write into them. */
  readonly foreignContainers: Readonly<Record<string, ContainerRecord>>;
  /** What other owners have on record here, also what has nothing to do with ours. */
  readonly claims: readonly FileClaim[];
}

export interface Edited {
  /** Undefined: the file goes, as we made it and nothing is left in it. */
  readonly text: string | undefined;
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** By key: of entries inserted by this edit, what taking them out again needs to know. */
  readonly traces: ReadonlyMap<string, Trace>;
}
