import { textOf, withText } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import { equalValues, type Value } from "../core/value.ts";
import { expandHome, type Machine } from "../engine/machine.ts";
import type { OwnerPlan } from "../engine/plan-owner.ts";
import { settleValue } from "../engine/revise.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import { sha256 } from "../store/gate/content.ts";
import { mergeFile } from "../text/merge-file.ts";
import { mergeText } from "../text/merge-text.ts";
import { entriesOfFile, findEntry, type KnownEntry, type Query } from "./places/find-entries.ts";
import { planOfEntries, settleEach } from "./settle.ts";

/** A text that its owner and the user both changed, laid out for a person to settle. */
export interface ConflictCopy {
  /** The real file, as the user says it. */
  readonly file: string;
  /** All three sides of each conflict between markers. Never written to the file itself. */
  readonly text: string;
  /** Names the text that the user has there now: a copy made of another one must not replace it. */
  readonly madeOf: string;
  /** Makes the edited copy the file's text. Refuses while a marker stands in it, or if the file changed meanwhile. */
  settle(edited: string, copyName: string): Promise<OwnerPlan[]>;
}

/** The one text conflict that a query means. */
export async function copyWithMarkers(query: Query, machine: Machine): Promise<ConflictCopy> {
  const inFile = entriesOfFile(machine, query);
  const known = inFile.length > 0 ? inFile : [findEntry(machine, query)];
  const conflicts: { entry: KnownEntry; decision: FileDecision; version: string }[] = [];
  for (const entry of known) {
    const plan = await planOfEntries(entry.owner, [entry], (decision) => decision, "resolve", machine);
    const decisions = plan.places.flatMap((place) => place.decisions);
    const decision = decisions.find(({ key, outcome }) => key === entry.key && outcome.verdict === "conflict");
    if (decision) conflicts.push({ entry, decision, version: plan.document.version });
  }
  const [first, ...others] = conflicts;
  if (first === undefined)
    throw new InputError({ code: "no-conflict", message: `nothing is in conflict in ${query.text}` });
  if (others.length > 0) {
    const message = `${query.text} has ${conflicts.length} conflicts; settle them one by one: ${conflicts.map(({ entry }) => entry.key).join(", ")}`;
    throw new InputError({ code: "ambiguous-key", message });
  }
  return conflictCopy(first.entry, first.decision, first.version, machine);
}

function conflictCopy(entry: KnownEntry, decision: FileDecision, version: string, machine: Machine): ConflictCopy {
  const seen = decision.actual?.normal;
  const merge = mergeOf(decision);
  if (merge === undefined) {
    const message = `${entry.key} is not text with conflicting lines; settle it with --mine or --theirs`;
    throw new InputError({ code: "no-conflict", message });
  }
  const markers = { mine: "yours", base: "before", theirs: `${entry.owner} ${version}`, style: "diff3" } as const;
  return {
    file: expandHome(entry.section, machine.home),
    text: mergeFile(merge.base, merge.own, merge.theirs, markers).text,
    madeOf: sha256(String(textOf(seen))),
    settle: async (edited, copyName) => {
      const line = merge.remainingMarker(edited);
      if (line !== undefined)
        throw new InputError({
          code: "markers-remain",
          message: "a conflict is not settled here yet",
          file: copyName,
          line,
        });
      return settleEach([entry], (now) => settleUnchanged(now, seen, edited), "resolve", machine);
    },
  };
}

/** Whether an entry has conflicting lines that a copy with markers can show. */
export function hasCopyWithMarkers(decision: FileDecision): boolean {
  return decision.outcome.verdict === "conflict" && mergeOf(decision) !== undefined;
}

function mergeOf({ recorded, actual, desired }: FileDecision) {
  const [base, own, theirs] = [recorded, actual, desired].map((side) => textOf(side?.normal));
  if (base === undefined || own === undefined || theirs === undefined) return undefined;
  const merged = mergeText(base, own, theirs);
  return merged.kind === "conflict" ? { ...merged, base, own, theirs } : undefined;
}

/** What the person saw in the editor is what their text may replace, and nothing newer. */
function settleUnchanged(decision: FileDecision, seen: Value | undefined, edited: string): FileDecision {
  if (equalValues(decision.actual?.normal, seen))
    return settleValue(decision, withText(decision.actual?.value, edited));
  throw new InputError({ code: "file-changed", message: `${decision.key} changed while you edited the copy` });
}
