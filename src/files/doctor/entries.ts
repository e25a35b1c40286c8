import { quoted } from "../../core/messages.ts";
import type { Machine } from "../../engine/machine.ts";
import type { FileDecision } from "../../entries/file-entry.ts";
import type { Finding } from "../../report/finding.ts";
import { valueHash } from "../../store/records/registry.ts";
import type { OwnedPlace } from "../places/owned-places.ts";

/** Whether the entries of a file are as the records say, and nothing waits for a person. */
export function entryFindings(owned: OwnedPlace, machine: Machine): Finding[] {
  const { owner, place, planned } = owned;
  const about = { owner, file: place.path };
  if (planned.content.kind === "absent") {
    const message = `the file is gone; ${owner} has ${planned.decisions.length} entries in it on record`;
    const fix = `put it back with ${owner}'s own update or ${machine.program} apply, or forget it with: ${machine.program} uninstall ${owner}`;
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
  const fix = `the next ${program} apply puts it back; keep it out with: ${program} disown ${quoted(key)}`;
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
        : "they differ, so take out by hand what you do not need";
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
      message: `the record of ${key} was changed by something else than stet`,
      fix: "restore the registry from a backup; stet goes by the value it finds there",
    }));
}
