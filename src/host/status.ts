import { equalValues } from "../core/value.ts";
import { heldVersions } from "../engine/records.ts";
import { conditionOf, isDown, stateText, type UnitCondition } from "./effects/health.ts";
import type { UnitState } from "./effects/systemd.ts";
import type { FileKind } from "./evaluate/evaluation.ts";
import { type Asking, type HostRecords, observeFiles, observeUnits } from "./observe.ts";
import { recordedFiles } from "./plan-files.ts";
import { isFinished } from "./plan-units.ts";
import {
  type FileMemory,
  type HostRegistry,
  memoryOf,
  outdatedOf,
  type Pause,
  pausesOf,
  pendingActions,
} from "./registry.ts";
import type { HostTarget } from "./target.ts";
import type { UnitAction } from "./units/unit-actions.ts";

/** How a host stands against what was last applied to it. */
export interface HostStatus {
  readonly format_version: 1;
  readonly name: string;
  readonly host: string | null;
  /** The commit that runs; null: nothing was ever applied. */
  readonly version: string | null;
  /** A commit that was rolled back from, and waits. */
  readonly held: string | null;
  /** The commit that an apply would take now; null where nobody looked. */
  readonly available: string | null;
  readonly paused: readonly Pause[];
  /** A run was interrupted while it wrote: the next one finishes it. */
  readonly interrupted: boolean;
  readonly pending: readonly UnitAction[];
  readonly files: readonly FileState[];
  readonly units: readonly UnitStatus[];
  /** Networks and volumes that podman keeps as they were made before their definition changed. */
  readonly outdated: readonly string[];
}

export interface FileState {
  readonly path: string;
  readonly kind: FileKind;
  readonly service: string;
  readonly state: "ok" | "edited" | "missing";
}

export interface UnitStatus extends UnitState {
  /**
   * `finished`: it ended with success again after it was started again. `disabled`: by hand, though its file wants it
   * enabled.
   */
  readonly standing: UnitCondition | "finished" | "disabled";
  /** It should be running. */
  readonly expected: boolean;
  /** For people. */
  readonly said: string;
}

/** `available`: what a look at the repository found. */
export async function hostStatus(
  target: HostTarget,
  records: HostRecords,
  asking: Asking,
  available: string | null,
): Promise<HostStatus> {
  const { registry, name, interrupted } = records;
  const held = registry === undefined ? [] : heldVersions(registry);
  return {
    format_version: 1,
    name,
    host: registry?.host ?? null,
    version: registry?.version ?? null,
    // Of several, the one that the repository has now is what waits.
    held: held.find((version) => version === available) ?? held[0] ?? null,
    available,
    paused: pausesOf(registry, target.now()),
    interrupted,
    // Where no unit is touched, nothing is owed to any.
    pending: asking.manager === undefined ? [] : pendingActions(registry),
    files: fileStates(target, records),
    units: await unitStates(registry, asking),
    outdated: outdatedOf(registry),
  };
}

function fileStates(target: HostTarget, { registry, reader }: HostRecords): FileState[] {
  const entries = recordedFiles(registry);
  const { files } = observeFiles(reader, target.root, {
    wanted: [],
    recorded: entries.map(({ match }) => match),
    made: [],
  });
  return entries.map(({ match: path, value: wanted }) => {
    const { value } = files.get(path)!;
    const { kind, service } = memoryOf(registry!.files[path]!)!;
    return {
      path,
      kind,
      service,
      state: value === undefined ? "missing" : equalValues(value, wanted) ? "ok" : "edited",
    };
  });
}

async function unitStates(registry: HostRegistry | undefined, asking: Asking): Promise<UnitStatus[]> {
  const memories = Object.values(registry?.files ?? {}).flatMap((place) => memoryOf(place) ?? []);
  const byUnit = new Map<string, FileMemory>();
  for (const memory of memories) {
    const name = memory.runs ?? memory.runtime;
    if (name !== undefined && (memory.kind === "quadlet" || memory.kind === "unit")) byUnit.set(name, memory);
  }
  const checked = new Set(memories.filter(({ health }) => health).map(({ runs }) => runs));
  const states = await observeUnits([...byUnit.keys()].sort(), checked, registry, asking);
  return [...states.values()].map((state) => {
    const { runs, enabled } = byUnit.get(state.unit)!;
    const standing = isFinished(state, registry) ? "finished" : conditionOf(state);
    const isDisabled = enabled && state.enabled === "disabled" && standing === "up";
    return {
      ...state,
      standing: isDisabled ? "disabled" : standing,
      expected: runs !== undefined,
      said: stateText(state),
    };
  });
}

/** Units that should run and do not, and others that have failed. */
export function downUnits({ units }: Pick<HostStatus, "units">): readonly UnitStatus[] {
  return units.filter(({ standing, expected }) => {
    if (standing === "finished") return false;
    if (standing === "disabled") return true;
    return expected ? isDown(standing) : standing === "failed" || standing === "unknown";
  });
}

/** Whether an apply has nothing to do, and no deployment waits. */
export function isSettled(status: HostStatus): boolean {
  const { interrupted, pending, files, held, available, version } = status;
  const isCurrent = held === null && (available === null || available === version);
  const needsReload = status.units.some((unit) => unit.needsReload);
  return (
    !interrupted &&
    pending.length === 0 &&
    isCurrent &&
    !needsReload &&
    files.every(({ state }) => state === "ok") &&
    downUnits(status).length === 0
  );
}
