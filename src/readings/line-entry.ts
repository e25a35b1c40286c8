import type { EntryRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Trace } from "../formats/format.ts";
import type { KeyIdentity } from "./reading.ts";

/** A text that is one entry, merged line by line: the whole of a file, or the block in it. */
export class LineEntry {
  readonly #type: string;
  readonly #key: string;
  readonly #normalise: (text: Value) => Value;

  constructor(type: string, name: string, normalise: (text: Value) => Value = (text) => text) {
    this.#type = type;
    this.#key = `${type}:${name}`;
    this.#normalise = normalise;
  }

  entry(value: Value) {
    const [key, normal] = [this.#key, this.#normalise(value)];
    return { key, match: key, pair: undefined, type: this.#type, joining: "lines" as const, value, normal };
  }

  desired(text: string): FileDesired {
    return { ...this.entry(text), source: {}, order: 0, position: "beside", location: [], written: undefined };
  }

  recorded(record: EntryRecord): FileRecorded {
    const { state = "managed", added_in_version: addedIn, last_updated_in_version: updatedIn } = record;
    const found = record.found && { ...record.found, normal: this.#normalise(record.found.value) };
    const trace = record.trace as Trace | undefined;
    return { ...this.entry(record.value), source: {}, location: [], written: undefined, trace, state, found, addedIn, updatedIn };
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
