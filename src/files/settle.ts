import { applyPlanned } from "./apply.ts";
import { findEntries, findEntry, type KnownEntry, knownEntries, type Query } from "./find-entries.ts";
import type { Machine } from "./machine.ts";
import { readOwnerState } from "./owner-state.ts";
import { type FilesPlan, planOwner } from "./plan.ts";
import type { FileDecision } from "./reading.ts";
import { lastWishes, placesOnRecord } from "./record-places.ts";
import { only, type Revision, settleAdopt, settleDisown, settleMine, settleTheirs } from "./revise.ts";
import { unknownOwner } from "./uninstall.ts";

/** Settle a conflict, or all of a file: the user's value is the accepted one, or the owner's is written now. */
export async function resolveConflict(query: Query, choice: "mine" | "theirs", machine: Machine): Promise<FilesPlan[]> {
  const found = findEntries(machine, query);
  const whole = found.length > 1 || found[0]!.key !== query.text;
  const revision = choice === "mine" ? settleMine : settleTheirs;
  // Of a whole file only what is in conflict is settled; an entry that is named is settled whatever it is.
  const pending: Revision = (decision) =>
    whole && found.length > 1 && decision.outcome.verdict !== "conflict" ? noChange(decision) : revision(decision);
  return settleEach(found, pending, "resolve", machine);
}

function noChange(decision: FileDecision): FileDecision {
  return only(
    () => false,
    (same) => same,
  )(decision);
}

export function adoptEntries(queries: readonly Query[], machine: Machine): Promise<FilesPlan[]> {
  return settleEach(
    queries.map((query) => findEntry(machine, query)),
    settleAdopt,
    "adopt",
    machine,
  );
}

/** Everything that waits to be adopted: what was there before its owner, was handed over, or stays out. */
export function adoptAll(machine: Machine, owner: string | undefined): Promise<FilesPlan[]> {
  const waiting: Revision = (decision) => {
    const { verdict, reason } = decision.outcome;
    const waits = verdict === "keep" && (reason === "user-owned" || reason === "user-deleted" || reason === "disowned");
    return waits ? settleAdopt(decision) : noChange(decision);
  };
  return settleEach(knownEntries(machine, owner), waiting, "adopt", machine);
}

export function disownEntries(queries: readonly Query[], machine: Machine): Promise<FilesPlan[]> {
  return settleEach(
    queries.map((query) => findEntry(machine, query)),
    settleDisown,
    "disown",
    machine,
  );
}

/** One transaction an owner. */
async function settleEach(entries: readonly KnownEntry[], revision: Revision, note: string, machine: Machine): Promise<FilesPlan[]> {
  const plans: FilesPlan[] = [];
  for (const owner of new Set(entries.map((entry) => entry.owner))) {
    const own = entries.filter((entry) => entry.owner === owner);
    plans.push(await applyPlanned(machine, () => planSettling(owner, own, revision, note, machine)));
  }
  return plans;
}

async function planSettling(
  owner: string,
  entries: readonly KnownEntry[],
  revision: Revision,
  note: string,
  machine: Machine,
): Promise<FilesPlan> {
  const state = readOwnerState(machine, owner);
  if (state.registry === undefined) throw unknownOwner(owner, machine);
  const { places, untouched } = await placesOnRecord(state, machine, lastWishes);
  const concerned = places.filter((place) => entries.some((entry) => entry.section === place.section));
  const left = new Set([...untouched, ...places.filter((place) => !concerned.includes(place)).map((place) => place.section)]);
  const keys = new Set(entries.map((entry) => entry.key));
  const revise = only((decision) => keys.has(decision.key), revision);
  return planOwner(state, machine, { places: concerned, untouched: left }, { version: state.registry.version, note, revise });
}
