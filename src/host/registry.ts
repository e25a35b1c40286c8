import { InputError } from "../core/diagnostic.ts";
import type { EntryRecord, PlaceRecord, Registry } from "../core/records.ts";
import { isList, isMap, type Value } from "../core/value.ts";
import { writeRecords } from "../engine/apply.ts";
import { registryPath, renderRegistry } from "../store/records/registry.ts";
import { withStateLock } from "../store/transaction/lock.ts";
import { recover } from "../store/transaction/recovery.ts";
import { lockWaitMs } from "./apply.ts";
import { type FileKind, fileKinds } from "./evaluate/evaluation.ts";
import { readHostRecords } from "./observe.ts";
import type { HostTarget } from "./target.ts";
import { isUnitVerb, type UnitAction } from "./units/unit-actions.ts";

/** What the host domain remembers besides its files. */
export interface HostRegistry extends Registry {
  readonly host?: string | undefined;
  /** The repository that was applied last. */
  readonly from?: RepositoryMemory | undefined;
  /** Actions on units that were decided together with the files and have not all been done yet. */
  readonly pending?: readonly UnitAction[] | undefined;
  /** Units that were found down and started again. */
  readonly starts?: Readonly<Record<string, StartMemory>> | undefined;
  /** Networks and volumes whose definition changed after podman had made them, by the name of their file. */
  readonly outdated?: readonly string[] | undefined;
  /** Where a person is at work. */
  readonly paused?: readonly Pause[] | undefined;
}

/** A repository and what was asked of it, without credentials. */
export interface RepositoryMemory {
  readonly repo: string;
  readonly rev: string | null;
}

/** That a unit was found down and started again. */
export interface StartMemory {
  /** `stopped`: it had ended without an error, by itself or by hand. */
  readonly why: "failed" | "stopped";
  /** How often in a row. */
  readonly count: number;
  /** The last time, ISO 8601. */
  readonly last: string;
}

/** Nothing is started, stopped or undone meanwhile: on the whole host, or for one unit. */
export interface Pause {
  /** A unit by the name of its file or as systemd knows it; null: everything. */
  readonly unit: string | null;
  /** ISO 8601; null: until somebody ends it. */
  readonly until: string | null;
}

/** What is known of a unit's file without its repository: what should run. */
export interface RunningMemory {
  /** The unit that should be running: itself, or the default instance of a template. */
  readonly runs: string | undefined;
  /** Has to be enabled: a native unit with an [Install] section. */
  readonly enabled: boolean;
  /** Its container has a health check. */
  readonly health: boolean;
}

/** What is known of a recorded file without its repository: whose it is, and what systemd runs for it. */
export interface FileMemory extends RunningMemory {
  readonly kind: FileKind;
  readonly service: string;
  /** The unit that systemd knows, for units and drop-ins; undefined for config. */
  readonly runtime: string | undefined;
}

export function memoryOf(place: PlaceRecord): FileMemory | undefined {
  const reading = place.reading as Value | undefined;
  if (!isMap(reading)) return undefined;
  const kind = fileKinds.find((each) => each === reading.kind);
  if (kind === undefined || typeof reading.service !== "string") return undefined;
  const text = (value: Value | undefined) => (typeof value === "string" ? value : undefined);
  const { service, runtime, runs, enabled, health } = reading;
  return {
    kind,
    service,
    runtime: text(runtime),
    runs: text(runs),
    enabled: enabled === true,
    health: health === true,
  };
}

export function memoryValue({ kind, service, runtime, runs, enabled, health }: FileMemory): Value {
  return {
    kind,
    service,
    ...(runtime === undefined ? {} : { runtime }),
    ...(runs === undefined ? {} : { runs }),
    ...(enabled ? { enabled } : {}),
    ...(health ? { health } : {}),
  };
}

export function entryOf(place: PlaceRecord): readonly [string, EntryRecord] | undefined {
  return Object.entries(place.entries)[0];
}

/**
 * The actions an interrupted run left to do. What we can't read is left out: it is found again by looking at the units.
 */
export function pendingActions(registry: HostRegistry | undefined): readonly UnitAction[] {
  return listIn(registry?.pending).flatMap((action) => {
    if (
      !isMap(action) ||
      typeof action.unit !== "string" ||
      typeof action.reason !== "string" ||
      !isUnitVerb(action.action)
    )
      return [];
    return [{ action: action.action, unit: action.unit, reason: action.reason }];
  });
}

export function startsOf(registry: HostRegistry | undefined): ReadonlyMap<string, StartMemory> {
  const starts: unknown = registry?.starts;
  if (!isMap(starts as Value)) return new Map();
  return new Map(
    Object.entries(starts as Record<string, Value>).flatMap(([unit, start]) => {
      if (!isMap(start) || typeof start.count !== "number" || typeof start.last !== "string") return [];
      return [
        [
          unit,
          { why: start.why === "stopped" ? "stopped" : "failed", count: start.count, last: start.last } as const,
        ] as const,
      ];
    }),
  );
}

export function repositoryOf(registry: HostRegistry | undefined): RepositoryMemory | undefined {
  const from: unknown = registry?.from;
  if (!isMap(from as Value)) return undefined;
  const { repo, rev } = from as Record<string, Value>;
  return typeof repo === "string" ? { repo, rev: typeof rev === "string" ? rev : null } : undefined;
}

export function outdatedOf(registry: HostRegistry | undefined): readonly string[] {
  return listIn(registry?.outdated).filter((name) => typeof name === "string");
}

/** Pauses that are not over. */
export function pausesOf(registry: HostRegistry | undefined, now: Date): readonly Pause[] {
  return listIn(registry?.paused).flatMap((pause): Pause[] => {
    if (!isMap(pause)) return [];
    const unit = typeof pause.unit === "string" ? pause.unit : null;
    const until = typeof pause.until === "string" ? pause.until : null;
    return until !== null && Date.parse(until) <= now.getTime() ? [] : [{ unit, until }];
  });
}

/** Fields of ours in a file that anybody may have edited. */
function listIn(value: unknown): readonly Value[] {
  return isList(value as Value) ? (value as Value[]) : [];
}

/** Until it is over, nothing is started, stopped or undone: on the whole host, or for one unit. */
export function pauseHost(
  target: HostTarget,
  unit: string | undefined,
  forMs: number | undefined,
): Promise<readonly Pause[]> {
  const until = forMs === undefined ? null : new Date(target.now().getTime() + forMs).toISOString();
  return changePauses(target, unit, (pauses, named) => [
    ...pauses.filter((pause) => pause.unit !== named),
    { unit: named, until },
  ]);
}

/** Ends the pause of a unit, or without one all there are. */
export function resumeHost(target: HostTarget, unit: string | undefined): Promise<readonly Pause[]> {
  return changePauses(target, unit, (pauses, named) =>
    named === null ? [] : pauses.filter((pause) => pause.unit !== named),
  );
}

function changePauses(
  target: HostTarget,
  unit: string | undefined,
  change: (pauses: readonly Pause[], named: string | null) => readonly Pause[],
): Promise<readonly Pause[]> {
  return withStateLock(target.gate, target.stateDir, lockWaitMs, async (state) => {
    await recover(target.gate, state);
    const { registry, registryText: text, name } = readHostRecords(target);
    if (registry === undefined)
      throw new InputError({
        code: "nothing-applied",
        message: "nothing is applied to this host, so there is nothing to pause",
      });
    const named = unit === undefined ? null : unitNamed(registry, unit);
    const paused = change(pausesOf(registry, target.now()), named);
    const after = renderRegistry({ ...registry, paused: paused.length > 0 ? paused : undefined } as HostRegistry);
    const path = registryPath(target.stateDir, name);
    await writeRecords({ name, path, before: text, after }, target, state);
    return paused;
  });
}

/** A unit as people call it (`web`, `web.container`, `web.service`), as systemd knows it. */
function unitNamed(registry: HostRegistry, name: string): string {
  const units = Object.entries(registry.files).flatMap(([path, place]) => {
    const memory = memoryOf(place);
    const isUnit = memory?.kind === "quadlet" || memory?.kind === "unit";
    return isUnit && memory.runtime !== undefined
      ? [{ file: path.slice(path.lastIndexOf("/") + 1), ...memory, runtime: memory.runtime }]
      : [];
  });
  const found = units.find(
    ({ file, runtime, runs }) => [file, runtime, runs].includes(name) || runtime === `${name}.service`,
  );
  if (found !== undefined) return found.runtime;
  const known = units.map(({ file }) => file).join(", ");
  throw new InputError({ code: "unknown-unit", message: `this host has no unit ${name}; it has ${known || "none"}` });
}
