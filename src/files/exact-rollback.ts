import { sep } from "node:path";
import { asContent, type PlaceContent } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import type { PlanEntry } from "../core/plan-document.ts";
import type { EntryRecord, Registry } from "../core/records.ts";
import { equalValues, type Value } from "../core/value.ts";
import { expandHome, type Machine } from "../engine/machine.ts";
import { contentAt } from "../engine/observe.ts";
import type { OwnerState } from "../engine/owner-state.ts";
import type { Place } from "../engine/place.ts";
import { observe, sameContent } from "../store/gate/content.ts";
import { storeError } from "../store/gate/store-error.ts";
import { type Generation, type KeptFile, readObject, registryBefore } from "../store/records/generations.ts";
import { projectRecordsPath } from "../store/records/project-records.ts";
import { ownerFolder } from "../store/records/state-dir.ts";
import type { Change } from "../store/transaction/transaction.ts";

/** A place that gets its old content back, and the content it has now. */
export interface ExactChange {
  readonly change: Change;
  readonly before: PlaceContent;
}

type Step = Generation["files"][number];

/** Files that are just as we left them, and that nobody else wrote into since then. */
export function exactChanges(
  state: OwnerState,
  machine: Machine,
  later: readonly Generation[],
  registry: Registry | undefined,
  left: Registry | undefined,
): ExactChange[] {
  const registries = [state.registry, registry, left, ...registriesBetween(state, machine, later)];
  const sections = sectionsByPath(registries, machine.home);
  const chains = new Map<string, Step[]>();
  for (const file of later.flatMap((generation) => generation.files))
    chains.set(file.real, [...(chains.get(file.real) ?? []), file]);
  return [...chains].flatMap(([real, steps]) => {
    const [first, last] = [steps[0]!, steps.at(-1)!];
    const unbroken = steps.every((step, i) => i === 0 || sameContent(steps[i - 1]!.after, step.before));
    if (!unbroken || !sameContent(observe(state.reader, real), last.after)) return [];
    const { path } = first;
    // The records themselves are made anew.
    if (machine.project && path === projectRecordsPath(machine.project.root, state.name)) return [];
    const section = sections.get(path);
    if (section === undefined) {
      // In a home that was left, nothing is ours to change. What no record ever named was not written by us, whatever
      // the history says.
      if (isInFormerHome(path, registries)) return [];
      // A project's records change with every pull: what a run here wrote below it, it wrote by records that are gone
      // since.
      if (!machine.project || !path.startsWith(`${machine.project.root}${sep}`)) throw strange(path, state, machine);
    }
    const after = withUsersMode(afterOf(first.before, state, machine), last.after, state.reader.stat(real)?.mode);
    const change: Change = {
      path,
      real,
      before: seenOf(last.after),
      after,
      section,
      removeFolders: section === undefined ? [] : foldersOf(after, section, state, machine),
    };
    return [{ change, before: contentAt(state.reader, real, last.after.kind === "link") }];
  });
}

/** What was on record on the way: a file may have come and gone since then. */
function registriesBetween(state: OwnerState, { stateDir }: Machine, later: readonly Generation[]): Registry[] {
  const registries = later.slice(1).map((generation) => registryBefore(state.reader, stateDir, state.name, generation));
  return registries.filter((registry) => registry !== undefined);
}

function strange(path: string, { name }: OwnerState, { stateDir }: Machine): InputError {
  const message = `the history names ${path}, which ${name} never had on record, so nothing is put back; restore the state directory from a backup`;
  return storeError("generation-damaged", ownerFolder(stateDir, name), message);
}

/** What is on record, then or now, of files that no generation since then has written. */
export function sectionsLeftAlone(
  state: OwnerState,
  machine: Machine,
  later: readonly Generation[],
  registry: Registry | undefined,
): ReadonlySet<string> {
  const touched = new Set(later.flatMap((generation) => generation.files.map(({ path }) => path)));
  const sections = [registry, state.registry].flatMap((each) => Object.keys(each?.files ?? {}));
  return new Set(sections.filter((section) => !touched.has(expandHome(section, machine.home))));
}

function seenOf(kept: KeptFile): Change["before"] {
  return kept.kind === "file" ? { kind: "file", sha256: kept.sha256 } : kept;
}

function afterOf(kept: KeptFile, state: OwnerState, machine: Machine): Change["after"] {
  if (kept.kind !== "file") return kept;
  return {
    kind: "file",
    bytes: readObject(state.reader, machine.stateDir, state.name, kept.sha256),
    mode: { exact: kept.mode },
  };
}

/** A mode that somebody gave the file since we wrote it is an edit, and stands. */
function withUsersMode(after: Change["after"], left: KeptFile, mode: number | undefined): Change["after"] {
  if (after.kind !== "file" || left.kind !== "file" || mode === undefined || mode === left.mode) return after;
  return { ...after, mode: { exact: mode } };
}

/** A file that goes takes along the folders that were made for it, innermost first. */
function foldersOf(
  after: Change["after"],
  section: string | undefined,
  { registry }: OwnerState,
  { home }: Machine,
): string[] {
  if (after.kind !== "absent" || section === undefined) return [];
  const made = registry?.files[section]?.created?.folders ?? [];
  return made.map((folder) => expandHome(folder, home)).reverse();
}

function sectionsByPath(registries: readonly (Registry | undefined)[], home: string): ReadonlyMap<string, string> {
  const sections = registries.flatMap((registry) => Object.keys(registry?.files ?? {}));
  return new Map(sections.map((section) => [expandHome(section, home), section]));
}

function isInFormerHome(path: string, registries: readonly (Registry | undefined)[]): boolean {
  const homes = new Set(registries.flatMap((registry) => registry?.homes ?? []));
  return [...homes].some((home) => sectionsByPath(registries, home).has(path));
}

export type EntryRecords = Readonly<Record<string, EntryRecord>>;

/**
 * What putting old bytes back means for each entry on record, now or then: as it stands in the file, where a user may
 * have changed it.
 */
export function exactEntries(
  { change, before }: ExactChange,
  place: Place,
  now: EntryRecords,
  then: EntryRecords,
): PlanEntry[] {
  const records = { ...now, ...then };
  const [actuals, results] = [
    valuesIn(before, place, records, now),
    valuesIn(asContent(change.after), place, records, then),
  ];
  const keys = Object.keys(records).sort();
  return keys.flatMap((key) => {
    const [actual, result] = [actuals.get(key), results.get(key)];
    if (equalValues(actual, result)) return [];
    const verdict = actual === undefined ? "restore" : result === undefined ? "remove" : "update";
    const values = {
      ...(actual !== undefined && { base: actual, actual }),
      ...(result !== undefined && { desired: result, result }),
    };
    return [{ file: change.path, key, type: records[key]!.entry_type, verdict, ...values } as const];
  });
}

/** Content that can't be read now is put back all the same: of it the records have to do. */
function valuesIn(
  content: PlaceContent,
  { reading }: Place,
  records: EntryRecords,
  own: EntryRecords,
): ReadonlyMap<string, Value> {
  if (content.kind === "absent") return new Map();
  const recorded = Object.entries(records).map(([key, record]) => reading.recorded(key, record));
  try {
    const found = new Map(
      reading.observe(content, { desired: [], recorded }).actual.map(({ match, value }) => [match, value]),
    );
    return new Map(recorded.flatMap(({ key, match }) => (found.has(match) ? [[key, found.get(match)!]] : [])));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return new Map(Object.entries(own).map(([key, { value }]) => [key, value]));
  }
}
