import type { PlaceContent } from "../../core/content.ts";
import { asContent } from "../../core/content.ts";
import { InputError } from "../../core/diagnostic.ts";
import type { PlanEntry } from "../../core/plan-document.ts";
import type { EntryRecord } from "../../core/records.ts";
import { equalValues, type Value } from "../../core/value.ts";
import type { Place } from "../../engine/place.ts";
import type { ExactChange } from "../exact-rollback.ts";

export type EntryRecords = Readonly<Record<string, EntryRecord>>;

/** What putting old bytes back means for each entry on record, now or then: as it stands in the file, where a user may have changed it. */
export function exactEntries({ change, before }: ExactChange, place: Place, now: EntryRecords, then: EntryRecords): PlanEntry[] {
  const records = { ...now, ...then };
  const [actuals, results] = [valuesIn(before, place, records, now), valuesIn(asContent(change.after), place, records, then)];
  const keys = Object.keys(records).sort();
  return keys.flatMap((key) => {
    const [actual, result] = [actuals.get(key), results.get(key)];
    if (equalValues(actual, result)) return [];
    const verdict = actual === undefined ? "restore" : result === undefined ? "remove" : "update";
    const values = { ...(actual !== undefined && { base: actual, actual }), ...(result !== undefined && { desired: result, result }) };
    return [{ file: change.path, key, type: records[key]!.entry_type, verdict, ...values } as const];
  });
}

/** Content that can't be read now is put back all the same: of it the records have to do. */
function valuesIn(content: PlaceContent, { reading }: Place, records: EntryRecords, own: EntryRecords): ReadonlyMap<string, Value> {
  if (content.kind === "absent") return new Map();
  const recorded = Object.entries(records).map(([key, record]) => reading.recorded(key, record));
  try {
    const found = new Map(reading.observe(content, { desired: [], recorded }).actual.map(({ match, value }) => [match, value]));
    return new Map(recorded.flatMap(({ key, match }) => (found.has(match) ? [[key, found.get(match)!]] : [])));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return new Map(Object.entries(own).map(([key, { value }]) => [key, value]));
  }
}
