import type { NextContent, PlaceContent } from "../core/content.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { ContainerRecord, EntryRecord, PlaceRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { FileActual, FileDecision, FileDesired, FileRecorded, KnownPlace } from "../entries/file-entry.ts";
import type { Trace } from "../formats/format.ts";
import type { Template, Variables } from "./template.ts";

/**
 * Turns the content of a place into entries, and decisions into content. There are four readings: the entries of a
 * structured file, a marked block, a text merged by line, and a whole file or link. All are pure.
 */
export interface Reading {
  /** What a template wants. Alike groups of entries keep the numbers they have on record (`before`). */
  desired(
    template: Template,
    variables: Variables,
    before?: PlaceRecord,
  ): { readonly entries: readonly FileDesired[]; readonly diagnostics: readonly Diagnostic[] };
  recorded(key: string, record: EntryRecord): FileRecorded;
  /** Whether it can find what a record is about. Where another release's rules made the record, it may not. */
  finds(record: EntryRecord): boolean;
  /** Whether a link at the place is the content itself. Otherwise it is followed. */
  ownsLink(sought: SoughtKey): boolean;
  /** Throws an `InputError` for content that can't be read as what it should be. */
  observe(content: PlaceContent, sought: SoughtKey): Observed;
  /** The content that makes decisions true, read back and compared with what was meant. */
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
export type KeyIdentity =
  | { readonly kind: "key"; readonly match: string }
  | { readonly kind: "malformed"; readonly message: string };

export interface SoughtKey {
  readonly desired: readonly FileDesired[];
  readonly recorded: readonly FileRecorded[];
  /** By identity: what other owners want too. It stands where one of them put it. */
  readonly claimed?: ReadonlySet<string> | undefined;
}

export interface Observed {
  readonly content: PlaceContent;
  /** The content as text, for readings of text; undefined where there is no file. */
  readonly text: string | undefined;
  readonly actual: readonly FileActual[];
  /** By identity: why a wanted entry that is not there can't be put there. */
  readonly blocked: ReadonlyMap<string, string>;
}

export interface Edited {
  /** Undefined: the content stays as it is. `absent`: the file goes, as we made it and nothing is left in it. */
  readonly content: NextContent | undefined;
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** By key: of entries inserted by this edit, what taking them out again needs to know. */
  readonly traces: ReadonlyMap<string, Trace>;
}
