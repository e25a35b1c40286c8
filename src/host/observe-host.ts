import { type OwnerRecords, readOwnerRecords } from "../engine/owner-state.ts";
import { objectName, type Podman, type PodmanObject } from "./effects/podman.ts";
import type { StopQuestion, UnitManager, UnitState } from "./effects/systemd.ts";
import type { Evaluation } from "./evaluate/evaluation.ts";
import { type HostObservation, observeFiles } from "./observe.ts";
import { type HostRegistry, memoryOf, outdatedOf, type StartMemory, startsOf } from "./registry.ts";
import { type HostTarget, ownerName } from "./target.ts";
import { conditionOf } from "./units/condition.ts";
import { runtimeByPath, wantedUnits } from "./units/wanted-units.ts";

/** Who is asked about units and containers; without a manager nobody is. */
export interface Asking {
  readonly manager: UnitManager | undefined;
  readonly podman: Pick<Podman, "health" | "object">;
}

/** What is on record, as an interrupted run will leave it. */
export type HostRecords = OwnerRecords<HostRegistry>;

export function readRecords(target: HostTarget): HostRecords {
  return readOwnerRecords(target, ownerName(target)) as HostRecords;
}

/** Everything that a plan for this evaluation looks at. */
export async function observeHost(
  target: HostTarget,
  evaluation: Evaluation,
  records: HostRecords,
  asking: Asking,
): Promise<HostObservation> {
  const { registry, reader } = records;
  const recorded = Object.keys(registry?.files ?? {});
  const made = Object.values(registry?.files ?? {}).flatMap((place) => place.created?.folders ?? []);
  const files = observeFiles(reader, target.root, { wanted: evaluation.files, recorded, made });
  if (asking.manager === undefined) return { ...files, units: new Map(), objects: new Map() };
  const wanted = wantedUnits(evaluation.files);
  const names = wanted.flatMap(({ runtime, runs }) => (runs === undefined ? [runtime] : [runtime, runs]));
  const checked = new Set(wanted.filter(({ health }) => health).map(({ runs }) => runs));
  return {
    ...files,
    units: await observeUnits(names, checked, registry, asking),
    objects: await observeObjects(evaluation, files, registry, asking),
  };
}

/**
 * How units stand: what systemd says, what podman's health checks say, and whether somebody stopped what ended without
 * an error.
 */
export async function observeUnits(
  names: readonly string[],
  checked: ReadonlySet<string | undefined>,
  registry: HostRegistry | undefined,
  { manager, podman }: Asking,
): Promise<ReadonlyMap<string, UnitState>> {
  // A template is no unit that could stand in any way.
  const units = [...new Set(names)].filter((name) => !name.includes("@."));
  if (manager === undefined || units.length === 0) return new Map();
  const [states, health] = [await manager.states(units), checked.size > 0 ? await podman.health() : undefined];
  const starts = startsOf(registry);
  const found = await Promise.all(
    states.map(async (state): Promise<UnitState> => {
      const question = stopQuestion(state, starts.get(state.unit));
      const stopped = question && (await manager.wasStopped(state.unit, question));
      return { ...state, stopped, health: health?.get(state.unit) };
    }),
  );
  return new Map(found.map((state) => [state.unit, state]));
}

/** Whether to ask who ended a unit, and since when: systemd forgets the last start of a unit that nothing refers to. */
function stopQuestion(state: UnitState, start: StartMemory | undefined): StopQuestion | undefined {
  const condition = conditionOf(state);
  if (condition === "stopped" && start?.why === "stopped") return { time: new Date(start.last) };
  // A container that had to be killed when it was stopped reads as failed.
  return condition === "failed" ? { invocation: state.invocation } : undefined;
}

/** Networks and volumes of which a file changes or changed: podman is only asked where it matters. */
async function observeObjects(
  evaluation: Evaluation,
  { files }: Pick<HostObservation, "files">,
  registry: HostRegistry | undefined,
  { podman }: Asking,
): Promise<ReadonlyMap<string, PodmanObject>> {
  const outdated = new Set(outdatedOf(registry));
  const runtimes = runtimeByPath(evaluation.files);
  const differs = ({ content }: { content: { kind: string; bytes?: unknown } }) =>
    content.kind !== "file" || content.bytes !== undefined;
  const changed = new Set(
    [...files.values()]
      .filter(differs)
      .map(({ path }) => runtimes.get(path) ?? (registry?.files[path] && memoryOf(registry.files[path])?.runtime)),
  );
  const objects = new Map<string, PodmanObject>();
  for (const { unit, runtime, effective } of wantedUnits(evaluation.files)) {
    if (unit.type !== "network" && unit.type !== "volume") continue;
    if (!changed.has(runtime) && !outdated.has(unit.name)) continue;
    const object = await podman.object(unit.type, objectName(unit, effective));
    if (object !== undefined) objects.set(unit.name, object);
  }
  return objects;
}
