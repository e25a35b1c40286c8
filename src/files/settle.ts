import { planAndApply } from "../engine/apply.ts";
import type { Machine } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import type { Place } from "../engine/place.ts";
import { type OwnerPlan, type OwnerPlanOptions, planPlaces } from "../engine/plan-owner.ts";
import { inert, only, type Revision, settleAdopt, settleDisown, settleMine, settleTheirs } from "../engine/revise.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import {
  entriesOfFile,
  findEntry,
  type KnownEntry,
  knownEntries,
  type Query,
  unknownOwner,
} from "./places/find-entries.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";

/** Settle a conflict, or all of a file: the user's value is the accepted one, or the owner's is written now. */
export async function resolveConflict(query: Query, choice: "mine" | "theirs", machine: Machine): Promise<OwnerPlan[]> {
  const revision = choice === "mine" ? settleMine : settleTheirs;
  const inFile = entriesOfFile(machine, query);
  // Of a whole file only what is in conflict, or as an earlier release left it, is settled; an entry that is named is
  // settled whatever it is.
  const pending: Revision = (decision) => {
    const { verdict, reason } = decision.outcome;
    if (decision.recorded?.unwritten) return decision;
    return verdict === "conflict" || reason === "reverted" ? revision(decision) : inert(decision);
  };
  if (inFile.length > 0) return settleEach(inFile, pending, "resolve", machine, { upToDate: choice === "theirs" });
  return settleEach([findEntry(machine, query)], revision, "resolve", machine);
}

export async function adoptEntries(queries: readonly Query[], machine: Machine): Promise<OwnerPlan[]> {
  return settleEach(
    queries.map((query) => findEntry(machine, query)),
    settleAdopt,
    "adopt",
    machine,
  );
}

/** Everything that waits to be adopted: what was there before its owner, was handed over, or stays out. */
export async function adoptAll(machine: Machine, owner: string | undefined): Promise<OwnerPlan[]> {
  const waiting: Revision = (decision) => {
    const { verdict, reason } = decision.outcome;
    const waits = verdict === "keep" && (reason === "user-owned" || reason === "user-deleted" || reason === "disowned");
    return waits ? settleAdopt(decision) : inert(decision);
  };
  return settleEach(knownEntries(machine, owner), waiting, "adopt", machine);
}

export async function disownEntries(queries: readonly Query[], machine: Machine): Promise<OwnerPlan[]> {
  return settleEach(
    queries.map((query) => findEntry(machine, query)),
    settleDisown,
    "disown",
    machine,
  );
}

/** One transaction an owner. */
export async function settleEach(
  entries: readonly KnownEntry[],
  revision: Revision,
  note: string,
  machine: Machine,
  options: Pick<OwnerPlanOptions, "upToDate"> = {},
): Promise<OwnerPlan[]> {
  const plans: OwnerPlan[] = [];
  for (const owner of new Set(entries.map((entry) => entry.owner))) {
    const own = entries.filter((entry) => entry.owner === owner);
    plans.push(await planAndApply(machine, () => planOfEntries(owner, own, revision, note, machine, options)));
  }
  return plans;
}

/** What a revision makes of some entries of one owner; all others stay as they are. */
export async function planOfEntries(
  owner: string,
  entries: readonly KnownEntry[],
  revision: Revision,
  note: string,
  machine: Machine,
  { upToDate }: Pick<OwnerPlanOptions, "upToDate"> = {},
): Promise<OwnerPlan> {
  const state = readOwnerState(machine, owner);
  if (state.registry === undefined) throw unknownOwner(owner, machine);
  const { places, untouched } = await placesOnRecord(state, machine, lastWishes);
  const keys = keysBySection(entries);
  const concerned = places.filter((place) => keys.has(place.section));
  const left = new Set([
    ...untouched,
    ...places.filter((place) => !keys.has(place.section)).map((place) => place.section),
  ]);
  const revise = (decision: FileDecision, { section }: Place) =>
    only((each) => keys.get(section)?.has(each.key) === true || each.recorded?.unwritten === true, revision)(decision);
  const options = { version: state.registry.version, note, revise, upToDate };
  return planPlaces(state, machine, { places: concerned, untouched: left }, options);
}

function keysBySection(entries: readonly KnownEntry[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { section, key } of entries) keys.set(section, (keys.get(section) ?? new Set()).add(key));
  return keys;
}
