import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/push-all.ts";
import type { Machine } from "../../engine/machine.ts";
import { ownersOf } from "../../engine/records.ts";
import type { Finding } from "../../report/finding.ts";
import { type OwnedPlace, placesOfOwner, type RecordedPlace } from "../places/owned-places.ts";
import { commandFindings } from "./commands.ts";
import { entryFindings } from "./entries.ts";
import { expansionFindings } from "./expansion.ts";
import { otherToolFindings } from "./other-tools.ts";
import { runtimeFindings } from "./runtime.ts";
import { historyFindings, stateFindings } from "./state.ts";

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
