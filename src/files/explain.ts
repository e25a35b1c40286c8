import { InputError } from "../core/diagnostic.ts";
import { otherOwners } from "../core/plan-document.ts";
import { matchesPattern, type Policy, type Rulings, rulingsFor } from "../core/policy.ts";
import type { EntryRecord, Registry } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { Machine } from "../engine/machine.ts";
import type { OwnerState } from "../engine/owner-state.ts";
import type { EntryChange, Explanation, Ruling } from "../report/explain-text.ts";
import { listGenerations, registryBefore } from "../store/records/generations.ts";
import { findKnown, type KnownEntry, type Query } from "./places/find-entries.ts";
import { narrowed, placesNamed, readUserPolicies } from "./places/policies.ts";
import { placesOfOwner, type RecordedPlace } from "./places/record-places.ts";

/**
 * Template, record, what is there, the verdict and the rules that gave it, and every change on record; one for each
 * owner of the entry.
 */
export async function storyOf(query: Query, machine: Machine): Promise<Explanation[]> {
  const found: Explanation[] = [];
  for (const entry of findKnown(machine, query)) {
    const places = await placesOfOwner(machine, entry.owner);
    const recorded = places.find(({ place }) => place.section === entry.section);
    if (recorded) found.push(await explainOne(entry, recorded, machine));
  }
  return found;
}

async function explainOne(entry: KnownEntry, recorded: RecordedPlace, machine: Machine): Promise<Explanation> {
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
        await readUserPolicies(state.reader, machine),
        owner,
        placesNamed(place.path, place.readingData.name, machine.project),
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

/**
 * What the policies say of a key, and which of them: the first that matches, the user's own (the first `own`) before
 * the pack's.
 */
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

/** Every change of one entry that the history still knows, oldest first. */
function historyOf({ section, key }: KnownEntry, state: OwnerState, machine: Machine): EntryChange[] {
  const generations = listGenerations(state.reader, machine.stateDir, state.name);
  return generations.flatMap((generation, i) => {
    const { number, time, version, note } = generation;
    const told = { generation: number, time, version, note };
    try {
      const before = recordIn(registryBefore(state.reader, machine.stateDir, state.name, generation), section, key);
      const next = generations[i + 1];
      const after = recordIn(
        next ? registryBefore(state.reader, machine.stateDir, state.name, next) : state.registry,
        section,
        key,
      );
      const change = changeBetween(before, after);
      return change ? [{ ...told, ...change }] : [];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return [{ ...told, change: "unreadable" as const }];
    }
  });
}

interface Known {
  readonly entry: EntryRecord | undefined;
  readonly wanted: EntryRecord | undefined;
}

function recordIn(registry: Registry | undefined, section: string, key: string): Known {
  const place = registry?.files[section];
  return { entry: place?.entries[key], wanted: place?.wanted?.[key] };
}

function changeBetween(before: Known, after: Known): Pick<EntryChange, "change" | "value"> | undefined {
  const [was, is] = [before.entry, after.entry];
  if (was === undefined && is !== undefined) return { change: "added", value: is.value };
  if (was !== undefined && is === undefined) return { change: "removed", value: was.value };
  if (was?.state !== is?.state) return { change: stateChange(is), value: is?.value };
  if (was?.value_hash !== is?.value_hash) return { change: "updated", value: is?.value };
  const { wanted } = after;
  return wanted !== undefined && wanted.value_hash !== before.wanted?.value_hash
    ? { change: "waiting", value: wanted.value }
    : undefined;
}

function stateChange(record: EntryRecord | undefined): EntryChange["change"] {
  if (record?.state === "disowned") return "handed-over";
  return record?.state === "deleted" ? "left-out" : "taken-back";
}
