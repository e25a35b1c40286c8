import { basename } from "node:path";
import { writes } from "../core/plan.ts";
import type { Value } from "../core/value.ts";
import type { FileDecision, KnownPlace } from "../entries/file-entry.ts";
import { nodeOf } from "../formats/plain.ts";
import { asWritten, inOurSpelling, inSpellingOf, SingleEntry } from "./single-entry.ts";
import { templateText } from "./template.ts";
import type { TextReading } from "./text-reading.ts";

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
