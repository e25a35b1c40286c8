import type { EntryRecord, PlaceRecord, Registry } from "../core/records.ts";
import { isList, isMap, type Value } from "../core/value.ts";
import type { FileKind } from "./evaluate/evaluation.ts";
import { fileKinds } from "./evaluate/evaluation.ts";
import { isUnitVerb, type UnitAction } from "./units/unit-actions.ts";

/** What the host domain remembers besides its files. */
export interface HostRegistry extends Registry {
  /** Actions on units that were decided together with the files and have not all been done yet. */
  readonly pending?: readonly UnitAction[] | undefined;
  /** The last commit that was applied and came up: what to keep when the remote is gone. */
  readonly host?: string | undefined;
}

/** What is known of a recorded file without its repository: whose it is, and what systemd runs for it. */
export interface FileMemory {
  readonly kind: FileKind;
  readonly service: string;
  /** The unit that systemd knows, for units and drop-ins; undefined for config. */
  readonly runtime: string | undefined;
}

export function memoryOf(place: PlaceRecord): FileMemory | undefined {
  const { reading } = place;
  if (!isMap(reading)) return undefined;
  const kind = fileKinds.find((each) => each === reading.kind);
  if (kind === undefined || typeof reading.service !== "string") return undefined;
  return { kind, service: reading.service, runtime: typeof reading.runtime === "string" ? reading.runtime : undefined };
}

export function memoryValue({ kind, service, runtime }: FileMemory): Value {
  return runtime === undefined ? { kind, service } : { kind, service, runtime };
}

export function entryOf(place: PlaceRecord): readonly [string, EntryRecord] | undefined {
  return Object.entries(place.entries)[0];
}

/** The actions an interrupted run left to do. What we can't read is left out: they are found again by looking at the units. */
export function pendingActions(registry: HostRegistry | undefined): readonly UnitAction[] {
  const pending: unknown = registry?.pending;
  if (!isList(pending as Value)) return [];
  return (pending as Value[]).flatMap((action) => {
    if (!isMap(action) || typeof action.unit !== "string" || typeof action.reason !== "string" || !isUnitVerb(action.action)) return [];
    return [{ action: action.action, unit: action.unit, reason: action.reason }];
  });
}
