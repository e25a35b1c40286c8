import { dirname, extname } from "node:path";
import { absent, exactly, type NextContent, type PlaceContent } from "../core/content.ts";
import type { Actual, Desired, Entry, Recorded } from "../core/entry.ts";
import { type Decision, planPlace } from "../core/plan.ts";
import { changesBytes, type PlanFile } from "../core/plan-document.ts";
import type { Policy } from "../core/policy.ts";
import type { EntryRecord, PlaceRecord } from "../core/records.ts";
import { equalValues, type Value } from "../core/value.ts";
import { planFile } from "../engine/file-diff.ts";
import { versionedRecord } from "../engine/next-record.ts";
import type { Planned } from "../engine/records.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { Seen } from "../store/gate/content.ts";
import { parseRegistry, renderRegistry, valueHash } from "../store/records/registry.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import { ancestorsOf, type EvaluatedHost, type FileKind } from "./evaluate/evaluation.ts";
import type { HostObservation, ObservedContent } from "./observe.ts";
import type { HostPlan } from "./plan.ts";
import { entryOf, type FileMemory, type HostRegistry, memoryOf, memoryValue, type RunningMemory } from "./registry.ts";
import { placeUnder } from "./target.ts";
import { needsEnabling, type WantedUnit } from "./units/unit-actions.ts";
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
    decision.outcome.result === undefined ? absent : (contents.get(pathOf(decision)) ?? absent);
  const changes = decisions.filter(changesBytes).flatMap((decision): Change[] => {
    const path = pathOf(decision);
    const { real, content } = observed.files.get(path)!;
    const before = seenOf(content);
    if (before === undefined) return [];
    const after = exactly(resultOf(decision));
    const folders = after.kind === "absent" ? (registry?.files[path]?.created?.folders ?? []) : [];
    const removeFolders = folders.map((folder) => observed.folders.get(folder)!.real);
    return [{ path: placeUnder(root, path), real, before, after, section: path, removeFolders }];
  });
  const planOne = (decision: HostFileDecision): PlanFile => {
    const path = placeUnder(root, pathOf(decision));
    if (!changesBytes(decision)) return { path, action: "none", diff: "" };
    const after = exactly(resultOf(decision));
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
  return { kind: "file", bytes, mode: content.mode };
}

/**
 * What to remember once the decisions are true: one place a file. `left`: paths of which nothing is decided.
 */
export function nextRecords(
  evaluation: EvaluatedHost,
  decisions: readonly HostFileDecision[],
  observed: Pick<HostObservation, "folders">,
  { registry, version, left }: { registry: HostRegistry | undefined; version: string; left: ReadonlySet<string> },
): (readonly [path: string, record: PlaceRecord])[] {
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
  return records;
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
 * What a plan writes: all at once, or in two steps where a file becomes a folder or a folder a file. Then what goes has
 * to be gone before what comes can be written. A crash in between leaves what a smaller commit would have left.
 */
export function inSteps(plan: HostPlan): readonly Planned[] {
  const { changes, registry } = plan.transaction;
  const removals = changes.filter((change) => change.after.kind === "absent");
  const writes = changes.filter((change) => change.after.kind !== "absent");
  if (registry.before === undefined || !meet(removals, writes)) return [plan.transaction];
  const before = parseRegistry(registry.before, registry.path) as HostRegistry;
  const gone = new Set(removals.map((change) => change.section));
  const files = Object.fromEntries(Object.entries(before.files).filter(([path]) => !gone.has(path)));
  const between = renderRegistry({ ...before, files, pending: plan.registry?.pending } as HostRegistry);
  return [
    { ...plan.transaction, changes: removals, registry: { ...registry, after: between } },
    { ...plan.transaction, changes: writes, registry: { ...registry, before: between } },
  ];
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

/** Files that somebody else put where ours shall go. Equal ones are taken over; for others a person has to decide. */
export function findForeign(
  evaluation: EvaluatedHost,
  observed: Pick<HostObservation, "files">,
  root: string,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  return evaluation.files.flatMap((file): HostDiagnostic[] => {
    const place = placeUnder(root, file.path);
    const from = { file: file.origin.at(-1)! };
    const { content, leavesRoot, value, wanted } = observed.files.get(file.path)!;
    if (leavesRoot)
      return [diagnose("unsafe-path", from, `would be written to ${place}, but links there lead out of ${root}`)];
    if (content.kind === "other")
      return [
        diagnose(
          "foreign-file",
          from,
          `can't be written to ${place}: something that is not a file is there; move it away`,
        ),
      ];
    if (value === undefined || value === wanted || registry?.files[file.path] !== undefined) return [];
    const message = `can't be written to ${place}: a file that stet did not write is there; move it away, or give it the same content and stet will manage it`;
    return [diagnose("foreign-file", from, message)];
  });
}

/** What a person should hear about decisions: edits that are undone, files that are kept, data that stays. */
export function diagnoseDecisions(
  decisions: readonly HostFileDecision[],
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  return [...decisions.flatMap(tellDrift), ...keptData(decisions, evaluation, registry)];
}

function tellDrift(decision: HostFileDecision): HostDiagnostic[] {
  const { actual, recorded, outcome } = decision;
  const path = pathOf(decision);
  if (outcome.verdict === "restore")
    return [diagnose("edited-on-host", path, "was deleted on this host and is put back")];
  if (recorded === undefined || actual === undefined || equalValues(actual.value, recorded.value)) return [];
  if (outcome.verdict === "keep")
    return [diagnose("edited-on-host", path, "was edited on this host and stays as it is (--keep-drift)")];
  if (!changesBytes(decision)) return [];
  const what =
    outcome.verdict === "remove"
      ? "it is removed, because the repository no longer has it"
      : "the repository's version is put back";
  const message = `was edited on this host; ${what}, and the history keeps the edited file`;
  return [diagnose("edited-on-host", path, message)];
}

/** A volume or network outlives its unit. A renamed one looks like lost data: say so before anybody is frightened. */
function keptData(
  decisions: readonly HostFileDecision[],
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  const isData = (path: string) => path.endsWith(".volume") || path.endsWith(".network");
  const services = new Map(evaluation.files.map((file) => [file.path, file.service]));
  // The first that a service gets of each kind.
  const added = new Map<string, string>();
  for (const { outcome, desired } of decisions) {
    if (outcome.verdict !== "create" || !desired || !isData(desired.match)) continue;
    const id = `${services.get(desired.match)}\n${extname(desired.match)}`;
    if (!added.has(id)) added.set(id, desired.match);
  }
  return decisions
    .filter(({ outcome, recorded }) => outcome.verdict === "remove" && recorded && isData(recorded.match))
    .map((decision) => {
      const path = decision.recorded!.match;
      const place = registry?.files[path];
      const service = place && memoryOf(place)?.service;
      const what = path.endsWith(".volume") ? "volume" : "network";
      const successor = added.get(`${service}\n.${what}`);
      const renamed = successor
        ? `; ${successor} makes a new, empty one, so move the data over if this is only a new name`
        : "";
      return diagnose(
        "data-kept",
        path,
        `is removed, but the ${what} itself and its data stay; when you no longer need them, remove them with podman ${what} rm${renamed}`,
      );
    });
}
