import { basename } from "node:path";
import { writes } from "../core/plan.ts";
import type { Value } from "../core/value.ts";
import { nodeOf } from "../formats/plain.ts";
import type { EntryRecord } from "../store/registry.ts";
import type { Template } from "./pack.ts";
import type { Edited, FileDecision, FileDesired, FileRecorded, KnownPlace, Observed, Reading } from "./reading.ts";
import { substitute, type Variables } from "./variables.ts";

/** A text of which the owner wants the whole and the user may have changed lines: one entry, merged line by line. */
export class WholeTextReading implements Reading {
  readonly #key: string;

  constructor(path: string) {
    this.#key = `text:${basename(path)}`;
  }

  desired(template: Template, variables: Variables): { entries: FileDesired[]; diagnostics: [] } {
    const text = template.kind === "text" ? template.text : String(template.value);
    const entry = { ...this.#entry(substitute(text, variables)), source: {}, order: 0, position: "beside" as const, location: [] };
    return { entries: [entry], diagnostics: [] };
  }

  #entry(value: Value) {
    return { key: this.#key, match: this.#key, pair: undefined, type: "text", joining: "lines" as const, value, normal: value };
  }

  recorded(_key: string, record: EntryRecord): FileRecorded {
    const { state = "managed", added_in_version: addedIn, last_updated_in_version: updatedIn } = record;
    return { ...this.#entry(record.value), source: {}, location: [], trace: undefined, state, addedIn, updatedIn };
  }

  observe(text: string | undefined): Observed {
    const there = { comments: [], path: [], steps: [], node: nodeOf(text ?? "") };
    return { text, actual: text === undefined ? [] : [{ ...this.#entry(inOurSpelling(text)), ...there }], blocked: new Map() };
  }

  edit({ text }: Observed, [decision]: readonly FileDecision[], known: KnownPlace): Edited {
    return { text: this.#textAfter(text, decision, known), containers: {}, traces: new Map() };
  }

  #textAfter(text: string | undefined, decision: FileDecision | undefined, known: KnownPlace): string | undefined {
    if (decision === undefined || !writes(decision.outcome, decision.actual)) return text;
    const { result } = decision.outcome;
    if (typeof result === "string") return text === undefined ? result : inSpellingOf(text, result);
    // A file that was there before us is never taken away, only emptied of what we wrote: here, all of it.
    return known.created ? undefined : "";
  }

  identity(key: string): string {
    return key;
  }

  normalise(_type: string, value: Value): Value {
    return value;
  }

  hashed(_type: string, value: Value): Value {
    return value;
  }
}

/** Line ends and byte-order mark are the file's own business: compared without them, written as the file has them. */
function inOurSpelling(text: string): string {
  return withoutMark(hasOnlyCrlf(text) ? text.replaceAll("\r\n", "\n") : text);
}

function inSpellingOf(original: string, text: string): string {
  const lines = hasOnlyCrlf(original) ? text.replaceAll("\n", "\r\n") : text;
  return withoutMark(original) === original ? lines : `\uFEFF${lines}`;
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}
