import { otherOwners } from "../core/plan-document.ts";
import { matchesPattern, type Policy, type Rulings, rulingsFor } from "../core/policy.ts";
import type { Value } from "../core/value.ts";
import { type Machine, xdgFolder } from "../engine/machine.ts";
import type { Explanation, Ruling } from "../report/explanation.ts";
import { historyOf } from "./entry-history.ts";
import { readUserPolicies } from "./manifest/load-manifest.ts";
import { findKnown, type KnownEntry, type Query } from "./places/find-entries.ts";
import { placesOfOwner, type RecordedPlace } from "./places/owned-places.ts";
import { narrowed, placesNamed } from "./places/places.ts";

/** Template, record, what is there, the verdict and the rules that gave it, and every change on record; one for each owner of the entry. */
export async function explain(query: Query, machine: Machine): Promise<Explanation[]> {
  const found: Explanation[] = [];
  for (const entry of findKnown(machine, query)) {
    const places = await placesOfOwner(machine, entry.owner);
    const recorded = places.find(({ place }) => place.section === entry.section);
    if (recorded) found.push(explainOne(entry, recorded, machine));
  }
  return found;
}

function explainOne(entry: KnownEntry, recorded: RecordedPlace, machine: Machine): Explanation {
  const { owner, version, place, record, state } = recorded;
  const planned = recorded.observe();
  const decision = planned.decisions.find(({ key }) => key === entry.key);
  const kept = record.entries[entry.key];
  const wish = record.wanted?.[entry.key] ?? kept;
  const obsolete = record.obsolete?.includes(entry.key) === true;
  const type = (kept ?? wish)!.entry_type;
  return {
    owner,
    version,
    file: place.path,
    key: entry.key,
    type,
    wanted: obsolete ? undefined : wish?.value,
    recorded: kept && {
      value: kept.value,
      state: kept.state ?? "managed",
      added_in_version: kept.added_in_version,
      last_updated_in_version: kept.last_updated_in_version,
    },
    actual: decision?.actual?.value,
    ...((kept ?? wish)?.secret ? { secret: true } : {}),
    verdict: decision?.outcome.verdict ?? "unchanged",
    reason: decision?.outcome.reason,
    messages: planned.diagnostics.filter(({ key }) => key === entry.key).map(({ message }) => message),
    rule: place.readingData.rules.find((rule) => rule.type === type),
    rulings: rulingsOf(
      entry.key,
      place.policies,
      narrowed(
        readUserPolicies(state.reader, xdgFolder("CONFIG", machine)),
        owner,
        placesNamed(place.path, place.readingData.name),
        state.context,
      ).length,
    ),
    others: decision ? otherOwners(decision) : [],
    history: historyOf(entry, state, machine),
  };
}

const properties = {
  "when-deleted": "whenDeleted",
  "when-edited": "whenEdited",
  "when-present": "whenPresent",
  ignore: "ignore",
  "create-only": "createOnly",
} as const satisfies Record<Ruling["property"], keyof Rulings>;

/** What the policies say of a key, and which of them: the first that matches, the user's own (the first `own`) before the pack's. */
function rulingsOf(key: string, policies: readonly Policy[], own: number): Ruling[] {
  const rulings = rulingsFor(key, policies);
  return (Object.keys(properties) as Ruling["property"][]).map((property) => {
    const name = properties[property];
    const at = policies.findIndex((policy) => policy[name] !== undefined && matchesPattern(policy.match, key));
    const value = rulings[name] as Value;
    if (at === -1) return { property, value, from: "default" };
    return { property, value, from: at < own ? "your policy" : "the pack or its profile", match: policies[at]!.match };
  });
}
