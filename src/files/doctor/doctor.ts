import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/lists.ts";
import { quoted } from "../../core/messages.ts";
import type { Machine } from "../../engine/machine.ts";
import { ownersOf } from "../../engine/records.ts";
import type { FileDecision } from "../../entries/file-entry.ts";
import { counted } from "../../report/words.ts";
import { valueHash } from "../../store/records/registry.ts";
import { type OwnedPlace, placesOfOwner, type RecordedPlace } from "../places/record-places.ts";
import { commandFindings, expansionFindings } from "./commands.ts";
import { otherToolFindings, runtimeFindings } from "./runtime.ts";
import { historyFindings, stateFindings } from "./state.ts";

export const findingCodes = [
  "unreadable-registry",
  "unreadable-file",
  "script-missing",
  "script-not-executable",
  "program-not-found",
  "tilde-not-expanded",
  "variable-not-expanded",
  "missing-file",
  "missing-entry",
  "conflict",
  "duplicate",
  "hash-mismatch",
  "shadowed-file",
  "other-config-folder",
  "hooks-disabled",
  "managed-elsewhere",
  "unfinished-run",
  "open-permissions",
  "damaged-history",
  "stale-history",
  "project-gone",
  "held",
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** Something that keeps an installation from being effective, or from being what its records say. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: "error" | "warning" | "info";
  /** What is wrong. */
  readonly message: string;
  readonly fix: string;
  readonly owner?: string | undefined;
  readonly file?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Is what is installed effective? Reads everything, changes nothing; what can't be read is a finding like any other.
 */
export async function findProblems(machine: Machine): Promise<Finding[]> {
  const findings = stateFindings(machine);
  for (const owner of ownersOf(machine)) {
    const places = await readable(machine, owner, findings);
    for (const recorded of places) pushAll(findings, checkPlace(recorded, machine));
    if (places.length > 0) pushAll(findings, historyFindings(owner, machine));
  }
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

const rank = { error: 0, warning: 1, info: 2 } as const;

async function readable(machine: Machine, owner: string, findings: Finding[]): Promise<RecordedPlace[]> {
  try {
    return await placesOfOwner(machine, owner);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, file } = error.diagnostic;
    const [what, fix = "restore it from a backup, or move it away"] = message.split(/; (.*)/s);
    findings.push({ code: "unreadable-registry", severity: "error", owner, file, message: what!, fix });
    return [];
  }
}

function checkPlace({ observe, ...recorded }: RecordedPlace, machine: Machine): Finding[] {
  let owned: OwnedPlace;
  try {
    owned = { ...recorded, planned: observe() };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message } = error;
    const fix = "correct the file; until then stet leaves it as it is";
    return [
      { code: "unreadable-file", severity: "error", owner: recorded.owner, file: recorded.place.path, message, fix },
    ];
  }
  return [
    ...entryFindings(owned, machine),
    ...commandFindings(owned, machine),
    ...expansionFindings(owned),
    ...runtimeFindings(owned, machine),
    ...otherToolFindings(owned, machine),
  ];
}

/** Whether the entries of a file are as the records say, and nothing waits for a person. */
function entryFindings(owned: OwnedPlace, machine: Machine): Finding[] {
  const { owner, place, planned } = owned;
  const about = { owner, file: place.path };
  if (planned.content.kind === "absent") {
    const message = `the file is gone; ${owner} has ${counted(planned.decisions.length, "entry", "entries")} in it on record`;
    const fix = `put it back with ${owner}'s own update or ${machine.program} apply; to forget it: ${machine.program} uninstall ${owner}`;
    return [{ code: "missing-file", severity: "warning", ...about, message, fix }];
  }
  const entries = planned.decisions.flatMap((decision) => decisionFindings(decision, about, machine));
  return [...entries, ...duplicates(owned, about, machine), ...hashes(owned, about)];
}

type About = Pick<Finding, "owner" | "file">;

function decisionFindings({ key, outcome }: FileDecision, about: About, { program }: Machine): Finding[] {
  if (outcome.verdict === "conflict") {
    const message = `${key} is in conflict: ${outcome.reason === "owners-differ" ? "two owners want" : `you and ${about.owner} want`} different things`;
    const fix = `${program} resolve ${quoted(key)} --mine, or --theirs`;
    return [{ code: "conflict", severity: "warning", ...about, key, message, fix }];
  }
  if (outcome.verdict !== "restore") return [];
  const fix = `the next ${program} apply puts it back; to keep it out: ${program} disown ${quoted(key)}`;
  return [
    {
      code: "missing-entry",
      severity: "warning",
      ...about,
      key,
      message: `${key} is on record and no longer there`,
      fix,
    },
  ];
}

/** Entries that stand more than once under one key: the runtime runs a hook twice. */
function duplicates({ place, planned, record }: OwnedPlace, about: About, { program }: Machine): Finding[] {
  const recorded = Object.entries(record.entries).map(([key, entry]) => place.reading.recorded(key, entry));
  const counts = new Map<string, { key: string; count: number }>();
  for (const { match, key } of place.reading.observe(planned.content, { desired: place.desired, recorded }).actual) {
    const count = (counts.get(match)?.count ?? 0) + 1;
    counts.set(match, { key, count });
  }
  const plain = new Set(planned.decisions.filter(({ copies }) => copies.length > 0).map(({ key }) => key));
  return [...counts.values()]
    .filter(({ count }) => count > 1)
    .map(({ key, count }) => {
      const fix = plain.has(key)
        ? `the next ${program} apply takes the copies out`
        : "they differ; remove by hand the ones you do not need";
      return { code: "duplicate", severity: "warning", ...about, key, message: `${key} is there ${count} times`, fix };
    });
}

/** A registry that somebody edited: its hashes no longer fit its values. */
function hashes({ place, record }: OwnedPlace, about: About): Finding[] {
  return Object.entries(record.entries)
    .filter(
      ([, { entry_type, value, value_hash }]) => valueHash(place.reading.hashed(entry_type, value)) !== value_hash,
    )
    .map(([key]) => ({
      code: "hash-mismatch",
      severity: "warning",
      ...about,
      key,
      message: `something other than stet changed the record of ${key}`,
      fix: "restore the registry from a backup; stet goes by the value it finds there",
    }));
}
