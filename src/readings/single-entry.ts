import { basename } from "node:path";
import type { Joining } from "../core/entry.ts";
import { writes } from "../core/plan.ts";
import type { EntryRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { FileDecision, FileDesired, FileRecorded, KnownPlace } from "../entries/file-entry.ts";
import { nodeOf, type Trace } from "../formats/format.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { KeyIdentity } from "./reading.ts";
import { templateText } from "./template.ts";
import type { TextReading } from "./text-reading.ts";

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
  finds: (_record: EntryRecord): boolean => true,
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

/** A text of which the owner wants the whole, and the user may have changed lines. */
export function mergedTextReading(path: string): TextReading {
  const spelt = (text: Value): Value => (typeof text === "string" ? inOurSpelling(text) : text);
  const one = new SingleEntry("text", basename(path), "lines", spelt);
  return {
    ...asWritten,
    normalise: (_type, text) => spelt(text),
    hashed: (_type, text) => spelt(text),
    desired: (template, variables) => ({ entries: [one.desired(templateText(template, variables))], diagnostics: [] }),
    recorded: (_key, record) => one.recorded(record),
    observe(text) {
      const there = { comments: [], path: [], steps: [], node: nodeOf(text ?? "") };
      return {
        text,
        actual: text === undefined ? [] : [{ ...one.entry(inOurSpelling(text)), ...there }],
        blocked: new Map(),
      };
    },
    edit: ({ text }, [decision], known) => ({
      text: textAfter(text, decision, known),
      containers: {},
      traces: new Map(),
    }),
  };
}

function textAfter(
  text: string | undefined,
  decision: FileDecision | undefined,
  known: KnownPlace,
): string | undefined {
  if (decision === undefined || !writes(decision.outcome, decision.actual)) return text;
  const { result } = decision.outcome;
  if (typeof result === "string") return text === undefined ? result : inSpellingOf(text, result);
  // A file that was there before us stays, without what we wrote: here, all of it.
  return known.created ? undefined : "";
}
