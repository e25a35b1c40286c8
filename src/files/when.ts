import { InputError } from "../core/diagnostic.ts";
import type { PlanEntry } from "../core/plan-document.ts";
import type { Machine } from "../engine/machine.ts";
import { generationsOf } from "../engine/owner-state.ts";
import type { OwnerPlan } from "../engine/plan-owner.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import { printableLine } from "../report/colour.ts";
import { moment } from "../report/words.ts";

/**
 * Says of an entry when its owner set what is on record, and when what it wants now: the releases, and their times
 * where the history here knows them.
 */
export function whenSet({ document }: OwnerPlan, machine: Machine): (decision: FileDecision) => string | undefined {
  let known: ReadonlyMap<string, string> | undefined;
  const release = (version: string) => {
    known ??= timesOfVersions(machine, document.name);
    const time = known.get(version);
    return printableLine(time === undefined ? version : `${version} (${moment(time)})`);
  };
  return ({ recorded, desired, outcome }) => {
    if (recorded === undefined) return undefined;
    const { addedIn, updatedIn, found } = recorded;
    const owner = printableLine(document.name);
    // What was there before its owner came was taken over; nobody set it.
    const adopted = found !== undefined && addedIn === updatedIn;
    const set = `${owner} ${adopted ? "has managed it since" : "set it in"} ${release(updatedIn)}`;
    if (outcome.verdict !== "conflict" || outcome.reason === "owners-differ") return set;
    const wantedIn = desired?.wantedIn ?? document.version;
    // What nobody else had changed is there already: the same release set one part of it and waits for another.
    return wantedIn === updatedIn ? set : `${set} and wants another value in ${release(wantedIn)}`;
  };
}

/** The same of the entries of a plan's document. */
export function whenEntrySet(plan: OwnerPlan, machine: Machine): (entry: PlanEntry) => string | undefined {
  const when = whenSet(plan, machine);
  const named = (file: string, key: string) => JSON.stringify([file, key]);
  const decisions = new Map(
    plan.places.flatMap(({ path, decisions: own }) => own.map((each) => [named(path, each.key), each] as const)),
  );
  return ({ file, key }) => {
    const decision = decisions.get(named(file, key));
    return decision && when(decision);
  };
}

/** When each version was first installed. A history that can't be read is told by the commands that need it. */
function timesOfVersions(machine: Machine, owner: string): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  try {
    for (const { version, time } of generationsOf(machine, owner)) if (!times.has(version)) times.set(version, time);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return times;
}
