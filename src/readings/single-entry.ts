import type { Joining } from "../core/entry.ts";
import type { EntryRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Trace } from "../formats/format.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { KeyIdentity } from "./reading.ts";

/** A place that is one entry: a text merged line by line, a block in one, or a whole file. */
export class SingleEntry {
  readonly #type: string;
  readonly #key: string;
  readonly #joining: Joining;
  readonly #normalise: (value: Value) => Value;

  constructor(
    type: string,
    name: string,
    joining: Joining = "lines",
    normalise: (value: Value) => Value = (value) => value,
  ) {
    this.#type = type;
    this.#key = keyText(type, [name]);
    this.#joining = joining;
    this.#normalise = normalise;
  }

  entry(value: Value) {
    const [key, normal] = [this.#key, this.#normalise(value)];
    return { key, match: key, pair: undefined, type: this.#type, joining: this.#joining, value, normal };
  }

  desired(value: Value): FileDesired {
    return { ...this.entry(value), source: {}, order: 0, position: "beside", location: [], written: undefined };
  }

  recorded(record: EntryRecord): FileRecorded {
    const { state = "managed", added_in_version: addedIn, last_updated_in_version: updatedIn, written } = record;
    const found = record.found && { ...record.found, normal: this.#normalise(record.found.value) };
    const trace = record.trace as Trace | undefined;
    return { ...this.entry(record.value), source: {}, location: [], written, trace, state, found, addedIn, updatedIn };
  }
}

/** Lines have one spelling: nothing to normalise, and the key is the identity. */
export const asWritten = {
  identity: (key: string): KeyIdentity => ({ kind: "key", match: key }),
  normalise: (_type: string, value: Value): Value => value,
  hashed: (_type: string, value: Value): Value => value,
  position: (_type: string): "beside" | "end" => "beside",
};

/** Line ends and byte-order mark are the file's own business: compared without them, written as the file has them. */
export function inOurSpelling(text: string): string {
  return withoutMark(hasOnlyCrlf(text) ? text.replaceAll("\r\n", "\n") : text);
}

export function inSpellingOf(original: string, text: string): string {
  const ours = inOurSpelling(text);
  const lines = hasOnlyCrlf(original) ? ours.replaceAll("\n", "\r\n") : ours;
  return withoutMark(original) === original ? lines : `\uFEFF${lines}`;
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}
