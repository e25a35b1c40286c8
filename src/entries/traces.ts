import type { Path, Trace } from "../formats/format.ts";
import { pathKey } from "./entry-paths.ts";
import type { FileClaim, FileDecision, KnownPlace, Location } from "./file-entry.ts";

export type TracesIn = (container: Path) => readonly Trace[];

/**
 * The traces of entries in a container, whoever put them there. A new entry beside them may be the last to go, and then
 * takes along what was made for the first (in TOML, the header of a table that had none).
 */
export function standingTraces(decisions: readonly FileDecision[], { claims }: KnownPlace): TracesIn {
  let known: Map<string, Trace[]> | undefined;
  return (container) => {
    known ??= byContainer(decisions, claims);
    return known.get(pathKey(container)) ?? [];
  };
}

function byContainer(decisions: readonly FileDecision[], claims: readonly FileClaim[]): Map<string, Trace[]> {
  const known = new Map<string, Trace[]>();
  const add = (location: Location, trace: Trace | undefined) => {
    // Positions in lists change; nothing that stands in a list has to be remembered for its neighbours.
    if (trace === undefined || !location.every((step) => typeof step === "string")) return;
    const container = pathKey(location.slice(0, -1) as Path);
    const traces = known.get(container);
    if (traces) traces.push(trace);
    else known.set(container, [trace]);
  };
  for (const { recorded, actual } of decisions) if (recorded && actual) add(recorded.location, recorded.trace);
  for (const { location, trace } of claims) add(location, trace as Trace | undefined);
  return known;
}
