import type { Diagnostic } from "./diagnostic.ts";
import type { Actual, Desired, Reason, Recorded, Verdict } from "./entry.ts";
import { type Decision, writes } from "./plan.ts";
import type { Value } from "./value.ts";

/**
 * A plan as data: what `--json` prints, the same for every domain. Its shape is a contract; fields are only ever added.
 */
export interface PlanDocument {
  readonly format_version: 1;
  readonly name: string;
  readonly version: string;
  readonly from: string | null;
  /** Entries whose bytes a run changes. */
  readonly changed: number;
  /** Per verdict, zero counts left out. */
  readonly summary: Readonly<Partial<Record<Verdict, number>>>;
  readonly entries: readonly PlanEntry[];
  readonly files: readonly PlanFile[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface PlanEntry {
  readonly file: string;
  readonly key: string;
  readonly type: string;
  readonly verdict: Verdict;
  readonly reason?: Reason;
  readonly base?: Value;
  readonly actual?: Value;
  readonly desired?: Value;
  readonly result?: Value;
  /** It holds a secret that came from the environment: reports mask all of it. */
  readonly secret?: true;
  /** Who else wants it otherwise, where that is the conflict. */
  readonly others?: readonly string[];
}

export interface PlanFile {
  readonly path: string;
  readonly action: "create" | "modify" | "delete" | "none";
  readonly diff: string;
}

type AnyDecision = Decision<Desired, Actual, Recorded>;

export function planEntry(file: string, decision: AnyDecision): PlanEntry {
  const { outcome, recorded, actual, desired } = decision;
  const entry: { -readonly [name in keyof PlanEntry]: PlanEntry[name] } = {
    file,
    key: decision.key,
    type: decision.type,
    verdict: outcome.verdict,
  };
  if (outcome.reason !== undefined) entry.reason = outcome.reason;
  if (recorded !== undefined) entry.base = recorded.value;
  if (actual !== undefined) entry.actual = actual.value;
  if (desired !== undefined) entry.desired = desired.value;
  if (outcome.result !== undefined) entry.result = outcome.result;
  if (desired?.secret || recorded?.secret) entry.secret = true;
  if (outcome.reason === "owners-differ") entry.others = otherOwners(decision);
  return entry;
}

/** Whoever else has an entry on record, each once. */
export function otherOwners({ claims }: Pick<AnyDecision, "claims">): string[] {
  return [...new Set(claims.map((claim) => claim.owner))].sort();
}

/** Whether a run changes bytes because of this decision. */
export function changesBytes(decision: AnyDecision): boolean {
  return decision.copies.length > 0 || writes(decision.outcome, decision.actual);
}

/** What a plan says, before it is written as a document. */
export interface PlanSaid extends Pick<PlanDocument, "name" | "version" | "from" | "diagnostics"> {
  readonly decisions: readonly AnyDecision[];
  entries(): readonly PlanEntry[];
  files(): readonly PlanFile[];
}

/** Entries and files are made when somebody looks at them: a program that upgrades on its own mostly counts. */
export function planDocument(said: PlanSaid): PlanDocument {
  let entries: readonly PlanEntry[] | undefined;
  let files: readonly PlanFile[] | undefined;
  return {
    format_version: 1,
    name: said.name,
    version: said.version,
    from: said.from,
    changed: said.decisions.filter(changesBytes).length,
    summary: summarise(said.decisions.map(({ outcome }) => outcome)),
    get entries() {
      entries ??= said.entries();
      return entries;
    },
    get files() {
      files ??= said.files();
      return files;
    },
    diagnostics: said.diagnostics,
  };
}

/** A document with other fields, or more of them. What is made when somebody looks stays so. */
export function withFields<D extends PlanDocument, F>(document: D, fields: F): Omit<D, keyof F> & F {
  const descriptors = Object.getOwnPropertyDescriptors(document);
  return Object.defineProperties({} as Omit<D, keyof F> & F, {
    ...descriptors,
    ...Object.getOwnPropertyDescriptors(fields),
  });
}

export function summarise(entries: readonly { readonly verdict: Verdict }[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of entries) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
