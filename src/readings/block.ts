import { basename } from "node:path";
import { InputError, lineAndColumn } from "../core/diagnostic.ts";
import { writes } from "../core/plan.ts";
import type { FileDecision, KnownPlace } from "../entries/file-entry.ts";
import {
  asLines,
  type BlockEdit,
  type BlockPlace,
  readBlock,
  removeBlock,
  writeBlock,
} from "../formats/block/block.ts";
import { markerName } from "../formats/block/markers.ts";
import { nodeOf, type Trace } from "../formats/format.ts";
import { asWritten, SingleEntry } from "./single-entry.ts";
import { templateText } from "./template.ts";
import type { TextReading } from "./text-reading.ts";

/** A marked section of a file that others write, too. */
export function blockReading(path: string, owner: string): TextReading {
  const one = new SingleEntry("block", owner);
  const refuse = (text: string, message: string, offset: number) =>
    new InputError({ code: "malformed-block", message, file: path, ...lineAndColumn(text, offset) });
  return {
    ...asWritten,
    desired: (template, variables) => ({
      entries: [one.desired(asLines(templateText(template, variables)))],
      diagnostics: [],
    }),
    // By its own key: what another owner records of this file is another block.
    recorded: (key, record) => ({ ...one.recorded(record), key, match: key }),
    observe(text) {
      const found = readBlock(text ?? "", owner);
      if (found.kind === "malformed") throw refuse(text ?? "", found.message, found.offset);
      if (found.kind === "absent") return { text, actual: [], blocked: new Map() };
      const node = { ...nodeOf(found.body), ranges: [found.inner], entryRanges: [found.outer] };
      return {
        text,
        actual: [{ ...one.entry(found.body), comments: [], path: [], steps: [], node }],
        blocked: new Map(),
      };
    },
    edit({ text }, [decision], known) {
      const nothing = { text, containers: {}, traces: new Map() };
      if (decision === undefined || !writes(decision.outcome, decision.actual)) return nothing;
      const place = { fileName: basename(path), traceOf: (name: string) => traceOf(name, known) };
      const edit = blockEdit(text ?? "", decision, owner, place);
      if (edit.kind === "refused") throw refuse(text ?? "", edit.message, edit.offset);
      const traces = new Map(edit.trace ? [[decision.key, edit.trace]] : []);
      return { ...nothing, text: known.created && edit.text.trim() === "" ? undefined : edit.text, traces };
    },
  };
}

function blockEdit(text: string, { outcome, recorded }: FileDecision, owner: string, place: BlockPlace): BlockEdit {
  if (typeof outcome.result === "string") return writeBlock(text, owner, outcome.result, place);
  return removeBlock(text, owner, recorded?.trace);
}

/** What the owner with this name in its markers remembers of its block in the same file. */
function traceOf(name: string, { claims }: KnownPlace): Trace | undefined {
  return claims.find((claim) => claim.key === `block:${claim.owner}` && markerName(claim.owner) === name)?.trace as
    | Trace
    | undefined;
}
