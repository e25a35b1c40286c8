import type { FileClaim } from "../../readings/reading.ts";
import type { ContainerRecord, PlaceRecord } from "../../store/records/registry.ts";
import type { OwnerState } from "../owner-state.ts";
import type { Place } from "./places.ts";

/** What others record of a file that an owner has a part in. */
export interface ForeignRecords {
  readonly claims: readonly FileClaim[];
  readonly containers: Readonly<Record<string, ContainerRecord>>;
  /** An owner made the file: whoever writes into it too is the last to leave, perhaps, and then takes it away. */
  readonly created: PlaceRecord["created"];
}

/** What others record of the same file: the entries they want, and the containers they made. */
export function foreignRecords({ path, reading }: Place, state: OwnerState): ForeignRecords {
  const claims: FileClaim[] = [];
  const containers: Record<string, ContainerRecord> = {};
  let created: PlaceRecord["created"];
  for (const { owner, record } of state.othersAt(path)) {
    Object.assign(containers, record.containers);
    created ??= record.created;
    for (const [key, entry] of Object.entries(record.entries)) {
      if (entry.state !== undefined) continue;
      const recorded = reading.recorded(key, entry);
      const wanted = record.wanted?.[key];
      claims.push({ ...(wanted ? reading.recorded(key, wanted) : recorded), trace: recorded.trace, recorded, owner });
    }
  }
  return { claims, containers, created };
}
