import { groupBy } from "../core/lists.ts";
import { changesBytes } from "../core/plan-document.ts";
import { doubledDelay } from "../system/pause.ts";
import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import { conditionOf, type UnitCondition, type UnitToBeUp } from "./effects/health.ts";
import type { PodmanObject } from "./effects/podman.ts";
import type { UnitState } from "./effects/systemd.ts";
import type { EvaluatedHost, Layout } from "./evaluate/evaluation.ts";
import { type HostFileDecision, pathOf } from "./plan-files.ts";
import { type HostRegistry, memoryOf, outdatedOf, pendingActions, type StartMemory, startsOf } from "./registry.ts";
import {
  actionsInOrder,
  needsEnabling,
  planUnitActions,
  type UnitAction,
  type UnitChanges,
  type UnitVerb,
  unitInstances,
  type WantedUnit,
} from "./units/unit-actions.ts";
import { parseUnitName } from "./units/unit-kind.ts";
import { type ChangedFile, runtimeByPath, unitsUsing, wantedUnits } from "./units/wanted-units.ts";

export interface UnitPlanning {
  readonly evaluation: EvaluatedHost;
  readonly decisions: readonly HostFileDecision[];
  readonly registry: HostRegistry | undefined;
  readonly layout: Layout;
  /** How units stand; empty where none is touched. */
  readonly states: ReadonlyMap<string, UnitState>;
  /** Units that were stopped or disabled on the host stay so. */
  readonly keepDrift: boolean;
  /** Try what failed before at once, and not only when its time has come. */
  readonly retryNow: boolean;
  readonly now: Date;
  /** Make networks and volumes anew that podman does not change in place. */
  readonly recreate: boolean;
  /** Those that podman has made, by the names of their files. */
  readonly objects: ReadonlyMap<string, PodmanObject>;
  /** Whether a person is at work on this unit. */
  isPaused(unit: string): boolean;
}

export interface UnitsPlan {
  /** All there is to do, in order: for changed files, for an interrupted run, for units that are down. */
  readonly actions: readonly UnitAction[];
  /** What follows from the changed files alone. */
  readonly following: readonly UnitAction[];
  /** What has to wait until a pause ends. */
  readonly deferred: readonly UnitAction[];
  readonly starts: Readonly<Record<string, StartMemory>>;
  readonly outdated: readonly string[];
  readonly diagnostics: readonly HostDiagnostic[];
  /** The units that should be up when all is done. */
  readonly expected: readonly UnitToBeUp[];
  /** When a unit that failed again and again is due. */
  readonly retryAt: Date | undefined;
}

/** What has to happen to units. */
export function planUnits(planning: UnitPlanning): UnitsPlan {
  const changes = unitChanges(planning);
  const outdated = outdatedObjects(planning, changes);
  const recreated = new Set(outdated.filter((name) => planning.recreate && planning.objects.get(name)?.empty));
  const following = planUnitActions({ ...changes, recreated });
  const drift = planDrift(planning, changes);
  const decided = merge(following, drift.actions, changes);
  const all = withOwed(decided, pendingActions(planning.registry), changes).filter(
    ({ unit }) => !isMasked(planning, unit),
  );
  const waits = ({ action, unit }: UnitAction) => action !== "daemon-reload" && planning.isPaused(unit);
  return {
    actions: all.filter((action) => !waits(action)),
    following,
    deferred: all.filter(waits),
    starts: nextStarts(planning, changes, drift),
    outdated: outdated.filter((name) => !recreated.has(name)),
    diagnostics: [
      ...drift.diagnostics,
      ...outdated.filter((name) => !recreated.has(name)).map((name) => tellOutdated(name, planning)),
    ],
    expected: expectedUnits(planning, changes, drift, all),
    retryAt: drift.retryAt,
  };
}

/** What is left alone is not expected to run. */
function expectedUnits(
  { isPaused, states }: UnitPlanning,
  { wanted }: UnitChanges,
  { started, leftAlone }: Drift,
  actions: readonly UnitAction[],
): UnitToBeUp[] {
  const starting = new Set(
    actions.filter(({ action }) => action === "start" || action === "restart").map(({ unit }) => unit),
  );
  return wanted.flatMap(({ runtime, runs, health }) => {
    if (runs === undefined || isPaused(runtime) || leftAlone.has(runs) || states.get(runs)?.load === "masked")
      return [];
    return [{ unit: runs, health, started: starting.has(runs), mayFinish: started.get(runs) === "stopped" }];
  });
}

/** What the decisions about files mean for units. */
function unitChanges({ evaluation, decisions, registry, layout }: UnitPlanning): UnitChanges {
  const wanted = wantedUnits(evaluation.files);
  const wantedNames = new Set(wanted.map((unit) => unit.runtime));
  const known = knownUnits(registry);
  const runtimes = runtimeByPath(evaluation.files);
  const byPath = new Map(evaluation.files.map((file) => [file.path, file]));
  const changed = new Map<string, string>();
  const files: ChangedFile[] = [];
  for (const path of decisions.filter(changesBytes).map(pathOf)) {
    const remembered = registry?.files[path] && memoryOf(registry.files[path]);
    const file = byPath.get(path) ?? remembered;
    const runtime = runtimes.get(path) ?? remembered?.runtime;
    if (runtime !== undefined) changed.set(runtime, path);
    else if (file !== undefined) files.push({ path, service: file.service });
  }
  const gone = [...known]
    .filter(([runtime]) => !wantedNames.has(runtime))
    .map(([runtime, path]) => ({ runtime, unit: parseUnitName(path.slice(path.lastIndexOf("/") + 1))! }));
  const fresh = new Set([...wantedNames].filter((runtime) => !known.has(runtime)));
  return { wanted, gone, fresh, changed, reconfigured: unitsUsing(files, wanted, evaluation.files, layout) };
}

/** The units on record, with the path of their file. */
function knownUnits(registry: HostRegistry | undefined): Map<string, string> {
  const units = new Map<string, string>();
  for (const [path, place] of Object.entries(registry?.files ?? {})) {
    const memory = memoryOf(place);
    if (memory?.runtime !== undefined && (memory.kind === "quadlet" || memory.kind === "unit"))
      units.set(memory.runtime, path);
  }
  return units;
}

interface Drift {
  readonly actions: UnitAction[];
  readonly diagnostics: HostDiagnostic[];
  /** Units that are started because they are down. */
  readonly started: Map<string, StartMemory["why"]>;
  /** Units that stay down: finished, or stopped by somebody whose word counts. */
  readonly leftAlone: Set<string>;
  retryAt: Date | undefined;
}

/** Units that are not as they were left: down, stopped, disabled, or read by systemd before they changed. */
function planDrift(planning: UnitPlanning, changes: UnitChanges): Drift {
  const drift: Drift = { actions: [], diagnostics: [], started: new Map(), leftAlone: new Set(), retryAt: undefined };
  for (const unit of changes.wanted) {
    if (changes.fresh.has(unit.runtime) || planning.isPaused(unit.runtime)) continue;
    driftOfDefinition(unit, planning, drift);
    const state = unit.runs === undefined ? undefined : planning.states.get(unit.runs);
    if (state !== undefined) driftOfState(state, planning, drift);
  }
  return drift;
}

function driftOfDefinition(unit: WantedUnit, { states, keepDrift }: UnitPlanning, drift: Drift): void {
  const state = states.get(unit.runtime);
  if (state?.needsReload) drift.actions.push(reloadFor("its files are newer than what systemd has read"));
  if (!needsEnabling(unit) || state?.enabled !== "disabled") return;
  const what = "was disabled on this host";
  drift.diagnostics.push(
    tellDrift(unit.runtime, keepDrift ? `${what} and stays so (--keep-drift)` : `${what} and is enabled again`),
  );
  if (!keepDrift) drift.actions.push({ action: "enable", unit: unit.runtime, reason: what }, reloadFor(what));
}

function reloadFor(reason: string): UnitAction {
  return { action: "daemon-reload", unit: "systemd", reason };
}

function tellDrift(unit: string, message: string): HostDiagnostic {
  return diagnose("unit-drift", undefined, `${unit} ${message}`);
}

function driftOfState(state: UnitState, planning: UnitPlanning, drift: Drift): void {
  const { unit } = state;
  const condition = conditionOf(state);
  if (condition === "masked") {
    drift.diagnostics.push(
      diagnose(
        "unit-masked",
        undefined,
        `${unit} is masked on this host, so stet leaves it alone; systemctl unmask ${unit} hands it back`,
      ),
    );
  } else if (condition === "stopped" || (condition === "failed" && state.stopped))
    driftOfStopped(state, planning, drift);
  else if (condition === "failed" || condition === "not-loaded") {
    const why = condition === "failed" ? `failed (${state.result})` : "is not known to systemd";
    const due = dueAt(unit, planning);
    if (due !== undefined && !planning.retryNow) {
      drift.retryAt = drift.retryAt === undefined || due < drift.retryAt ? due : drift.retryAt;
      drift.diagnostics.push(
        diagnose("unit-down", undefined, `${unit} ${why}; it is started again after ${due.toISOString()}`),
      );
      return;
    }
    if (condition === "not-loaded") drift.actions.push(reloadFor(`${unit} ${why}`));
    startAgain(unit, "failed", why, drift);
  } else if (leftToOthers[condition] !== undefined)
    drift.diagnostics.push(diagnose("unit-down", undefined, `${unit} ${leftToOthers[condition]}`));
}

/** Down as well, but somebody else deals with it: to start it once more would only get in the way. */
const leftToOthers: Partial<Readonly<Record<UnitCondition, string>>> = {
  restarting: "keeps ending; systemd starts it again each time, as Restart= says",
  unhealthy: "runs, but its health check fails; podman does what HealthOnFailure= says (by default, nothing)",
};

/**
 * Ended without an error: somebody stopped it, or it had nothing more to do. The second time it ends by itself, it is
 * done.
 */
function driftOfStopped(state: UnitState, { registry, keepDrift }: UnitPlanning, drift: Drift): void {
  const { unit } = state;
  const finished = isFinished(state, registry);
  if (finished || keepDrift) drift.leftAlone.add(unit);
  if (finished) {
    drift.diagnostics.push(
      diagnose(
        "unit-finished",
        undefined,
        `${unit} was started again and ended successfully once more, so it counts as finished and stet leaves it alone`,
      ),
    );
  } else if (keepDrift) drift.diagnostics.push(tellDrift(unit, "was stopped on this host and stays so (--keep-drift)"));
  else {
    drift.diagnostics.push(tellDrift(unit, "was stopped on this host and is started again"));
    startAgain(unit, "stopped", "stopped on this host", drift);
  }
}

export function isFinished(state: UnitState, registry: HostRegistry | undefined): boolean {
  return (
    conditionOf(state) === "stopped" && startsOf(registry).get(state.unit)?.why === "stopped" && state.stopped !== true
  );
}

function startAgain(unit: string, why: StartMemory["why"], reason: string, drift: Drift): void {
  drift.actions.push({ action: "start", unit, reason });
  drift.started.set(unit, why);
}

const firstRetryMs = 60_000;
const longestRetryMs = 30 * 60_000;
/** What has not failed for so long begins anew. */
const forgottenMs = 2 * longestRetryMs;

/** When a unit that has failed before may be started again; undefined: now. */
function dueAt(unit: string, { registry, now }: Pick<UnitPlanning, "registry" | "now">): Date | undefined {
  const start = startsOf(registry).get(unit);
  const last = start === undefined ? Number.NaN : Date.parse(start.last);
  if (start === undefined || start.why !== "failed" || !(now.getTime() - last < forgottenMs)) return undefined;
  const due = last + doubledDelay(start.count, firstRetryMs, longestRetryMs);
  return due > now.getTime() ? new Date(due) : undefined;
}

/** A changed unit begins anew; so does one that is no longer wanted, if it ever comes back. */
function nextStarts(
  { registry, now }: UnitPlanning,
  changes: UnitChanges,
  { started }: Drift,
): Record<string, StartMemory> {
  const before = startsOf(registry);
  const next: [string, StartMemory][] = changes.wanted.flatMap(({ runtime, runs }): [string, StartMemory][] => {
    if (runs === undefined || changes.changed.has(runtime) || changes.reconfigured.has(runtime)) return [];
    const [old, why] = [before.get(runs), started.get(runs)];
    if (why === undefined) return old === undefined ? [] : [[runs, old]];
    const goesOn = old !== undefined && old.why === why && now.getTime() - Date.parse(old.last) < forgottenMs;
    return [[runs, { why, count: goesOn ? old.count + 1 : 1, last: now.toISOString() }]];
  });
  return Object.fromEntries(next.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Networks and volumes whose definition changes, or changed in an earlier run: podman keeps the ones it has made. */
function outdatedObjects({ registry, objects }: UnitPlanning, { wanted, fresh, changed }: UnitChanges): string[] {
  const before = new Set(outdatedOf(registry));
  const isObject = ({ unit }: WantedUnit) => unit.type === "network" || unit.type === "volume";
  const isOutdated = ({ unit, runtime }: WantedUnit) =>
    !fresh.has(runtime) && (changed.has(runtime) || before.has(unit.name));
  const names = wanted.filter((unit) => isObject(unit) && isOutdated(unit)).map(({ unit }) => unit.name);
  return names.filter((name) => objects.get(name)?.exists !== false);
}

function tellOutdated(name: string, { evaluation, recreate }: UnitPlanning): HostDiagnostic {
  const file =
    evaluation.files.find((each) => each.unit?.name === name && each.kind === "quadlet")?.origin.at(-1) ?? name;
  const isVolume = name.endsWith(".volume");
  const what = isVolume ? "volume" : "network";
  const means = isVolume
    ? recreate
      ? "it holds data, so move that by hand and remove the volume with podman"
      : "--recreate recreates it if it holds no data"
    : "--recreate recreates it, for which everything that uses it stops for a moment";
  return diagnose(
    "not-changed-in-place",
    file,
    `changed, but podman does not change a ${what} that exists, so it stays as it is; ${means}`,
  );
}

function isMasked({ states }: UnitPlanning, unit: string): boolean {
  return states.get(unit)?.load === "masked";
}

/** Two lists of actions as one: each unit is brought as far as the stronger of them says. */
function merge(one: readonly UnitAction[], other: readonly UnitAction[], changes: UnitChanges): UnitAction[] {
  const added = new Map(notCovered(other, one).map((action) => [`${action.action} ${action.unit}`, action]));
  return actionsInOrder([...notCovered(one, [...added.values()]), ...added.values()], unitsByName(changes));
}

function unitsByName({ wanted, gone }: UnitChanges): Map<string, WantedUnit["unit"]> {
  const runs = wanted.flatMap((unit) => (unit.runs === undefined ? [] : [[unit.runs, unit.unit] as const]));
  return new Map([...[...gone, ...wanted].map((unit) => [unit.runtime, unit.unit] as const), ...runs]);
}

/**
 * What an interrupted run still owes takes its place in the order of the plan, so that a reload comes before every
 * start. What the plan decides anew about a unit counts, and all that is owed to a unit which nobody wants any more is
 * to stop it.
 */
function withOwed(actions: readonly UnitAction[], owed: readonly UnitAction[], changes: UnitChanges): UnitAction[] {
  if (owed.length === 0) return [...actions];
  const wantedNames = new Set(
    changes.wanted.flatMap(({ runtime, runs, unit }) => [runtime, unitInstances(runtime), runs, unit.name]),
  );
  const still = owed.filter(
    (action) => action.action === "daemon-reload" || isRemoval(action) !== wantedNames.has(action.unit),
  );
  // It still runs as it was before it left and came back: only a restart brings the new definition.
  const leftRunning = new Set(
    owed.filter((action) => action.action === "stop" && wantedNames.has(action.unit)).map(({ unit }) => unit),
  );
  const decided = actions.map(
    (action): UnitAction =>
      action.action === "start" && leftRunning.has(action.unit) ? { ...action, action: "restart" } : action,
  );
  const unfinishedActions = still.map((action) => ({ ...action, reason: unfinished(action.reason) }));
  return merge(decided, unfinishedActions, changes);
}

/** Those actions that no action of the others makes needless. */
function notCovered(actions: readonly UnitAction[], others: readonly UnitAction[]): UnitAction[] {
  const byUnit = groupBy(others, ({ unit }) => unit);
  return actions.filter((action) => byUnit.get(action.unit)?.some((other) => covers(other, action)) !== true);
}

function isRemoval({ action }: UnitAction): boolean {
  return action === "stop" || action === "disable";
}

const strength: Partial<Readonly<Record<UnitVerb, number>>> = { "try-restart": 1, start: 2, restart: 3, stop: 4 };

/**
 * Whether one action makes another of the same unit needless: the same, or one that brings the unit at least as far.
 */
function covers(one: UnitAction, other: UnitAction): boolean {
  const [strong, weak] = [strength[one.action], strength[other.action]];
  if (strong === undefined || weak === undefined)
    return one.action === other.action || (one.action === "disable" && other.action === "enable");
  return strong >= weak;
}

const unfinishedNote = "left over from an interrupted run";

/** Why an action was decided in the first place. */
export function firstReason(action: UnitAction): UnitAction {
  return { ...action, reason: action.reason.replace(` (${unfinishedNote})`, "") };
}

function unfinished(reason: string): string {
  return reason.includes(unfinishedNote) ? reason : `${reason} (${unfinishedNote})`;
}
