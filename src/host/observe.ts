import { dirname } from "node:path";
import type { FileOrLink } from "../core/content.ts";
import { equalValues, field, type Value } from "../core/value.ts";
import { type OwnerRecords, readOwnerRecords } from "../engine/owner-state.ts";
import { hashedValue } from "../readings/whole-file.ts";
import { cachingReader } from "../store/gate/caching-reader.ts";
import { sha256 } from "../store/gate/content.ts";
import type { Reader } from "../store/gate/gate.ts";
import { conditionOf } from "./effects/health.ts";
import { objectName, type Podman, type PodmanObject } from "./effects/podman.ts";
import type { StopQuestion, UnitManager, UnitState } from "./effects/systemd.ts";
import { ancestorsOf, contentHash, type EvaluatedFile, type EvaluatedHost } from "./evaluate/evaluation.ts";
import { type HostRegistry, memoryOf, outdatedOf, type StartMemory, startsOf } from "./registry.ts";
import { type HostTarget, leavesRoot, ownerName, placeUnder, realPlace } from "./target.ts";
import { runtimeByPath, wantedUnits } from "./units/wanted-units.ts";

/** Everything a plan looks at on the host, looked at once. */
export interface HostObservation {
  /** Files that are wanted or on record, by their path as on the host. Nobody else's file is looked at. */
  readonly files: ReadonlyMap<string, ObservedFile>;
  /** The folders above them. */
  readonly folders: ReadonlyMap<string, ObservedFolder>;
  /** Units that are wanted or on record; empty where no unit is touched. */
  readonly units: ReadonlyMap<string, UnitState>;
  /** Networks and volumes whose definition changed, by the names of their files; empty where podman is not asked. */
  readonly objects: ReadonlyMap<string, PodmanObject>;
}

export interface ObservedFile {
  readonly path: string;
  /** Where it really is, its folders' links resolved. */
  readonly real: string;
  /** Links on the way lead out of the root. */
  readonly leavesRoot: boolean;
  readonly content: ObservedContent;
  /** What stands there, to the decision table; undefined where nothing does. The same object as `wanted` if equal. */
  readonly value: Value | undefined;
  /** What shall stand there, likewise; undefined for a file that goes. */
  readonly wanted: Value | undefined;
}

export type ObservedContent =
  | { readonly kind: "absent" }
  | { readonly kind: "link"; readonly target: string }
  /** `bytes` only where they differ from what is wanted: large files that are as they should be are not held. */
  | { readonly kind: "file"; readonly sha256: string; readonly mode: number; readonly bytes: Uint8Array | undefined }
  /** A folder, a pipe, a device. */
  | { readonly kind: "other"; readonly what: string };

export interface ObservedFolder {
  readonly real: string;
  readonly exists: boolean;
}

/** The paths a plan is about. */
export interface Looking {
  readonly wanted: readonly EvaluatedFile[];
  /** On record, by path. */
  readonly recorded: readonly string[];
  /** Folders that are on record as made by us. */
  readonly made: readonly string[];
}

/** The files and folders of one plan. What changes meanwhile is found when the plan is applied. */
export function observeFiles(base: Reader, root: string, looking: Looking): Pick<HostObservation, "files" | "folders"> {
  const reader = cachingReader(base);
  const wanted = new Map(looking.wanted.map((file) => [file.path, file.content]));
  const going = new Set(looking.recorded.filter((path) => !wanted.has(path)));
  const files = new Map<string, ObservedFile>();
  for (const path of [...wanted.keys(), ...going])
    files.set(path, observeFile(reader, root, path, { content: wanted.get(path), going }));
  const folders = new Map<string, ObservedFolder>();
  const observeFolder = (folder: string): void => {
    const place = placeUnder(root, folder);
    const exists = goingAt(folder, going) === undefined && reader.stat(place) !== undefined;
    folders.set(folder, { real: reader.realPath(place), exists });
  };
  for (const path of files.keys())
    for (let at = dirname(path); at !== "/" && at !== "." && !folders.has(at); at = dirname(at)) observeFolder(at);
  for (const folder of looking.made) if (!folders.has(folder)) observeFolder(folder);
  return { files, folders };
}

interface Expected {
  /** What is wanted there; undefined for a file that goes. */
  readonly content: FileOrLink | undefined;
  /** Recorded files that are no longer wanted. */
  readonly going: ReadonlySet<string>;
}

/**
 * What stands at a path. Where other files of ours are about to go, a wanted path is looked at as if they were gone: a
 * folder that holds only such files makes way, and nothing lies below a file or link that goes.
 */
function observeFile(reader: Reader, root: string, path: string, { content, going }: Expected): ObservedFile {
  const wanted = content && hashedValue(content, contentHash(content));
  const above = wanted === undefined ? undefined : goingAt(dirname(path), going);
  const leaves = leavesRoot(reader, root, above ?? path);
  const nothing = { path, leavesRoot: leaves, content: absent, value: undefined, wanted };
  if (above !== undefined) return { ...nothing, real: realPlace(reader, root, above) + path.slice(above.length) };
  const real = realPlace(reader, root, path);
  const seen = leaves ? absent : observeContent(reader, real, content, wanted);
  if (wanted !== undefined && seen.kind === "other" && holdsOnly(reader, root, path, going))
    return { ...nothing, real };
  const value = observedValue(seen);
  const isWanted = wanted !== undefined && value !== undefined && equalValues(value, wanted);
  return { path, real, leavesRoot: leaves, content: seen, value: isWanted ? wanted : value, wanted };
}

const absent = { kind: "absent" } as const;

function observeContent(
  reader: Reader,
  real: string,
  wanted: FileOrLink | undefined,
  value: Value | undefined,
): ObservedContent {
  const status = reader.stat(real);
  if (status === undefined) return absent;
  if (status.kind === "link") return { kind: "link", target: reader.readLink(real) ?? "" };
  if (status.kind !== "file") return { kind: "other", what: status.kind };
  const bytes = reader.read(real);
  if (bytes === undefined) return absent;
  const isSame = wanted?.kind === "file" && Buffer.compare(wanted.bytes, bytes) === 0;
  const hash = isSame ? (field(value, "sha256") as string) : sha256(bytes);
  return { kind: "file", sha256: hash, mode: status.mode, bytes: isSame ? undefined : bytes };
}

function observedValue(content: ObservedContent): Value | undefined {
  if (content.kind === "absent") return undefined;
  if (content.kind === "other") return { other: content.what };
  return hashedValue(content, content.kind === "file" ? content.sha256 : "");
}

/** The topmost path at or above this one where a file or link goes. */
function goingAt(path: string, going: ReadonlySet<string>): string | undefined {
  return going.size === 0 ? undefined : [path, ...ancestorsOf(path)].findLast((each) => going.has(each));
}

/** Whether a folder would be empty, and therefore go, without the files that are going. An empty one is somebody's. */
function holdsOnly(reader: Reader, root: string, folder: string, going: ReadonlySet<string>): boolean {
  const place = placeUnder(root, folder);
  // A pipe or a device is no file either.
  if (reader.stat(place)?.kind !== "folder") return false;
  const names = reader.list(place) ?? [];
  return (
    names.length > 0 &&
    names.every((name) => going.has(`${folder}/${name}`) || holdsOnly(reader, root, `${folder}/${name}`, going))
  );
}

/** Who is asked about units and containers; without a manager nobody is. */
export interface Asking {
  readonly manager: UnitManager | undefined;
  readonly podman: Pick<Podman, "health" | "object">;
}

/** What is on record, as an interrupted run will leave it. */
export type HostRecords = OwnerRecords<HostRegistry>;

export function readHostRecords(target: HostTarget): HostRecords {
  return readOwnerRecords(target, ownerName(target)) as HostRecords;
}

/** Everything that a plan for this evaluation looks at. */
export async function observeHost(
  target: HostTarget,
  evaluation: EvaluatedHost,
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
  evaluation: EvaluatedHost,
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
