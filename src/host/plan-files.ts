import { dirname } from "node:path";
import { absent, type NextContent, type PlaceContent } from "../core/content.ts";
import type { Actual, Desired, Entry, Recorded } from "../core/entry.ts";
import { type Decision, planPlace } from "../core/plan.ts";
import { changesBytes, type PlanFile } from "../core/plan-document.ts";
import type { Policy } from "../core/policy.ts";
import type { EntryRecord, PlaceRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import { planFile } from "../engine/file-diff.ts";
import { versionedRecord } from "../engine/next-record.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { Seen } from "../store/gate/content.ts";
import { parseRegistry, renderRegistry, valueHash } from "../store/records/registry.ts";
import type { Change, Transaction } from "../store/transaction/transaction.ts";
import { type EvaluatedHost, type FileKind, nextContent } from "./evaluate/evaluation.ts";
import { ancestorsOf, type HostObservation, type ObservedContent } from "./observe.ts";
import type { HostPlan } from "./plan.ts";
import { entryOf, type FileMemory, type HostRegistry, memoryOf, memoryValue, type RunningMemory } from "./registry.ts";
import { placeUnder } from "./target.ts";
import { needsEnabling, type WantedUnit } from "./units/unit-actions.ts";
import { compareBytes } from "./units/unit-kind.ts";
import { runtimeByPath, wantedUnits } from "./units/wanted-units.ts";

/** What the core decided about one file. */
export type HostFileDecision = Decision<Desired, Actual, Recorded>;

/** As on the host. */
export function pathOf(decision: HostFileDecision): string {
  return (decision.desired ?? decision.recorded)!.match;
}

/** To the core a file is one opaque value, known by its path on the host. */
function entry(key: string, type: FileKind, path: string, value: Value): Entry {
  return { key, match: path, pair: undefined, type, joining: "whole", value, normal: value };
}

export function recordedFiles(registry: HostRegistry | undefined): Recorded[] {
  const files: Recorded[] = [];
  for (const path in registry?.files) {
    const place = registry.files[path]!;
    const [memory, recorded] = [memoryOf(place), entryOf(place)];
    if (memory === undefined || recorded === undefined) continue;
    const [key, record] = recorded;
    files.push({
      ...entry(key, memory.kind, path, record.value),
      state: record.state ?? "managed",
      addedIn: record.added_in_version,
      updatedIn: record.last_updated_in_version,
    });
  }
  return files;
}

/** What is to become of every file that is wanted or on record. */
export function decideFiles(
  evaluation: EvaluatedHost,
  observed: Pick<HostObservation, "files">,
  registry: HostRegistry | undefined,
  policies: readonly Policy[],
): HostFileDecision[] {
  const desired = evaluation.files.map(
    ({ kind, path }): Desired => entry(keyText(kind, [path]), kind, path, observed.files.get(path)!.wanted!),
  );
  const recorded = recordedFiles(registry);
  const actual: Actual[] = [];
  const look = ({ key, match, type }: Entry): void => {
    const { value } = observed.files.get(match)!;
    if (value !== undefined)
      actual.push({ key, match, pair: undefined, type, joining: "whole", value, normal: value, comments: [] });
  };
  for (const each of desired) look(each);
  for (const each of recorded) if (observed.files.get(each.match)!.wanted === undefined) look(each);
  return planPlace({ desired, recorded, actual, claims: [], moves: [], policies, prune: true });
}

/** Git wins, unless told to leave edits alone. What is already there just so is taken over. */
export function policiesFor(keepDrift: boolean): Policy[] {
  return [{ match: "*", whenEdited: keepDrift ? "keep" : "overwrite", whenPresent: "adopt" }];
}

/** What a plan writes, and what it shows of it. */
export interface FilesPlan {
  /** For the store to do in one transaction. */
  readonly changes: readonly Change[];
  /** For people, when they look. */
  files(): readonly PlanFile[];
}

export function planChanges(
  evaluation: EvaluatedHost,
  decisions: readonly HostFileDecision[],
  observed: HostObservation,
  { root, registry }: { readonly root: string; readonly registry: HostRegistry | undefined },
): FilesPlan {
  const contents = new Map(evaluation.files.map((file) => [file.path, file.content]));
  const resultOf = (decision: HostFileDecision) =>
    decision.outcome.result === undefined ? undefined : contents.get(pathOf(decision));
  const changes = decisions.filter(changesBytes).flatMap((decision): Change[] => {
    const path = pathOf(decision);
    const { real, content } = observed.files.get(path)!;
    const before = seenOf(content);
    if (before === undefined) return [];
    const after = nextContent(resultOf(decision));
    const folders = after.kind === "absent" ? (registry?.files[path]?.created?.folders ?? []) : [];
    const removeFolders = folders.map((folder) => observed.folders.get(folder)!.real);
    return [{ path: placeUnder(root, path), real, before, after, section: path, removeFolders }];
  });
  const planOne = (decision: HostFileDecision): PlanFile => {
    const path = placeUnder(root, pathOf(decision));
    if (!changesBytes(decision)) return { path, action: "none", diff: "" };
    const after = nextContent(resultOf(decision));
    return planFile(path, contentBefore(observed.files.get(pathOf(decision))!.content, after), after);
  };
  return { changes, files: () => decisions.map(planOne) };
}

function seenOf(content: ObservedContent): Seen | undefined {
  if (content.kind === "other") return undefined;
  return content.kind === "file" ? { kind: "file", sha256: content.sha256 } : content;
}

/** Bytes that are not held are those that are wanted: then only the mode differs. */
function contentBefore(content: ObservedContent, wanted: NextContent): PlaceContent {
  if (content.kind === "link") return content;
  if (content.kind !== "file") return absent;
  const bytes = content.bytes ?? (wanted.kind === "file" ? wanted.bytes : new Uint8Array(0));
  return { kind: "file", bytes, mode: Number.parseInt(content.mode, 8) };
}

/**
 * What to remember once the decisions are true: one place a file, in the order of paths. `left`: paths of which nothing
 * is decided.
 */
export function nextRecords(
  evaluation: EvaluatedHost,
  decisions: readonly HostFileDecision[],
  observed: Pick<HostObservation, "folders">,
  { registry, version, left }: { registry: HostRegistry | undefined; version: string; left: ReadonlySet<string> },
): Record<string, PlaceRecord> {
  const byPath = new Map(evaluation.files.map((file) => [file.path, file]));
  const runtimes = runtimeByPath(evaluation.files);
  const units = new Map(wantedUnits(evaluation.files).map((unit) => [unit.file.path, unit]));
  const createdFor = folderFinder(observed, registry);
  const records: (readonly [string, PlaceRecord])[] = [];
  for (const decision of decisions) {
    const path = pathOf(decision);
    const before = registry?.files[path];
    const entry = nextEntry(decision, before, version);
    if (entry === undefined) continue;
    const file = byPath.get(path);
    const memory = file && {
      kind: file.kind,
      service: file.service,
      runtime: runtimes.get(path),
      ...runningOf(units.get(path)),
    };
    const created = before?.created ?? createdFor(path);
    const isSame = before?.entries[decision.key] === entry && created === before.created && remembers(before, memory);
    const reading = memory ? memoryValue(memory) : before?.reading;
    records.push([path, isSame ? before : { ...before, entries: { [decision.key]: entry }, created, reading }]);
  }
  for (const path of left) if (registry?.files[path] !== undefined) records.push([path, registry.files[path]]);
  return Object.fromEntries(records.sort(([a], [b]) => compareBytes(a, b)));
}

/** Whether a record says this of its file already. */
function remembers(place: PlaceRecord, memory: FileMemory | undefined): boolean {
  const known = memoryOf(place);
  if (known === undefined || memory === undefined) return memory === undefined;
  const names = ["kind", "service", "runtime", "runs", "enabled", "health"] as const;
  return names.every((name) => known[name] === memory[name]);
}

function runningOf(unit: WantedUnit | undefined): RunningMemory {
  return { runs: unit?.runs, enabled: unit !== undefined && needsEnabling(unit), health: unit?.health === true };
}

function nextEntry(
  { outcome, recorded, type }: HostFileDecision,
  before: PlaceRecord | undefined,
  version: string,
): EntryRecord | undefined {
  const old = before && entryOf(before)?.[1];
  if (outcome.record.kind === "drop") return undefined;
  if (outcome.record.kind === "same") return old;
  const { value, state } = outcome.record;
  const record = versionedRecord(type, { value, hash: valueHash(value) }, { recorded, old, version });
  return { ...old, ...record, state: state === "managed" ? undefined : state };
}

/**
 * Finds the folders above a file that are made for it, or were made by us for another: they go with the last file in
 * them. Innermost first, and the same for all files of a folder.
 */
function folderFinder(
  { folders: found }: Pick<HostObservation, "folders">,
  registry: HostRegistry | undefined,
): (path: string) => PlaceRecord["created"] {
  const made = new Set(Object.values(registry?.files ?? {}).flatMap((place) => place.created?.folders ?? []));
  const known = new Map<string, PlaceRecord["created"]>();
  const find = (innermost: string): PlaceRecord["created"] => {
    const folders: string[] = [];
    for (let folder = innermost; folder !== "/"; folder = dirname(folder)) {
      if (found.get(folder)?.exists && !made.has(folder)) break;
      folders.push(folder);
    }
    return folders.length > 0 ? { folders } : undefined;
  };
  return (path) => {
    const folder = dirname(path);
    if (!known.has(folder)) known.set(folder, find(folder));
    return known.get(folder);
  };
}

/**
 * Where a file becomes a folder, or a folder a file, what goes has to be gone before what comes can be written. That
 * takes a transaction of its own, after which the rest is planned anew; a crash in between leaves what a smaller commit
 * would have left. Undefined where one step will do.
 */
export function removalsFirst(plan: HostPlan): Omit<Transaction, "time"> | undefined {
  const { changes, registry } = plan.transaction;
  const removals = changes.filter((change) => change.after.kind === "absent");
  const writes = changes.filter((change) => change.after.kind !== "absent");
  if (registry.before === undefined || !meet(removals, writes)) return undefined;
  const before = parseRegistry(registry.before, registry.path) as HostRegistry;
  const gone = new Set(removals.map((change) => change.section));
  const files = Object.fromEntries(Object.entries(before.files).filter(([path]) => !gone.has(path)));
  const after: HostRegistry = { ...before, files, pending: plan.registry?.pending };
  return { ...plan.transaction, changes: removals, registry: { ...registry, after: renderRegistry(after) } };
}

/** Whether a path of one list lies below a path of the other. */
function meet(removals: readonly Change[], writes: readonly Change[]): boolean {
  const [going, coming] = [
    new Set(removals.map(({ section }) => section)),
    new Set(writes.map(({ section }) => section)),
  ];
  const below = (paths: ReadonlySet<string | undefined>, others: ReadonlySet<string | undefined>) =>
    [...paths].some((path) => path !== undefined && ancestorsOf(path).some((ancestor) => others.has(ancestor)));
  return below(coming, going) || below(going, coming);
}
