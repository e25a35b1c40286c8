import { equalValues } from "../core/value.ts";
import type { Reader } from "../store/gate/gate.ts";
import { readRegistry } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import type { UnitManager, UnitState } from "./effects/systemd.ts";
import type { FileKind } from "./evaluate/evaluation.ts";
import { recordedEntries } from "./file-entries.ts";
import { observe } from "./observe.ts";
import { type HostRegistry, memoryOf, pendingActions } from "./registry.ts";
import { type HostTarget, ownerName } from "./target.ts";
import type { UnitAction } from "./units/unit-actions.ts";

/** How a host stands against what was last applied to it. */
export interface HostStatus {
  readonly format_version: 1;
  readonly name: string;
  readonly host: string | null;
  /** The commit that is applied; null: nothing was ever applied. */
  readonly version: string | null;
  readonly held: string | null;
  /** A run was interrupted while it wrote: the next one finishes it. */
  readonly interrupted: boolean;
  readonly pending: readonly UnitAction[];
  readonly files: readonly {
    readonly path: string;
    readonly kind: FileKind;
    readonly service: string;
    readonly state: "ok" | "edited" | "missing";
  }[];
  readonly units: readonly UnitState[];
}

export async function statusOf(target: HostTarget, manager: UnitManager | undefined): Promise<HostStatus> {
  refuseShared(target.gate, target.stateDir);
  const journal = pendingJournal(target.gate, target.stateDir);
  const reader: Reader = journal?.reader ?? target.gate;
  const registry = readRegistry(reader, target.stateDir, ownerName(target))?.registry as HostRegistry | undefined;
  const files = recordedEntries(registry).map((entry) => {
    const { value } = observe(reader, target.root, entry.match);
    const { kind, service } = memoryOf(registry!.files[entry.match]!)!;
    const state = value === undefined ? ("missing" as const) : equalValues(value, entry.value) ? ("ok" as const) : ("edited" as const);
    return { path: entry.match, kind, service, state };
  });
  return {
    format_version: 1,
    name: ownerName(target),
    host: registry?.host ?? null,
    version: registry?.version ?? null,
    held: registry?.held ?? null,
    interrupted: journal !== undefined,
    pending: pendingActions(registry),
    files,
    units: manager ? await manager.states(runtimesOf(registry)) : [],
  };
}

function runtimesOf(registry: HostRegistry | undefined): string[] {
  const runtimes = Object.values(registry?.files ?? {}).flatMap((place) => memoryOf(place)?.runtime ?? []);
  return [...new Set(runtimes)].filter((runtime) => !runtime.includes("@.")).sort();
}

/** Whether an apply of the same commit would have something to do. */
export function isSettled(status: HostStatus): boolean {
  return !status.interrupted && status.pending.length === 0 && status.files.every(({ state }) => state === "ok");
}
