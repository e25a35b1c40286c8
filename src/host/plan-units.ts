import { changesBytes } from "../core/plan-document.ts";
import type { PlaceRecord } from "../core/records.ts";
import { type Evaluation, isPayload } from "./evaluate/evaluation.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { type HostRegistry, memoryOf, pendingActions } from "./registry.ts";
import { inOrder, instancesOf, planUnitActions, type UnitAction, type UnitChanges, type UnitVerb } from "./units/unit-actions.ts";
import { parseUnitName } from "./units/unit-kind.ts";
import { runtimeByPath, wantedUnits } from "./units/wanted-units.ts";

/** What the decisions about files mean for units, and what an interrupted run still owes. */
export function unitActions(evaluation: Evaluation, decisions: readonly FileDecision[], registry: HostRegistry | undefined): UnitAction[] {
  const wanted = wantedUnits(evaluation.files);
  const wantedNames = new Set(wanted.map((unit) => unit.runtime));
  const known = knownUnits(registry);
  const touched = decisions.filter((decision) => changesBytes(decision)).map(pathOf);
  const runtimes = runtimeByPath(evaluation.files);
  const byPath = new Map(evaluation.files.map((file) => [file.path, file]));
  const changed = new Map<string, string>();
  const reconfigured = new Map<string, string>();
  for (const path of touched) {
    const file = byPath.get(path) ?? rememberedFile(registry, path);
    const runtime = runtimes.get(path) ?? rememberedFile(registry, path)?.runtime;
    if (file !== undefined && isPayload(file.kind)) reconfigured.set(file.service, path);
    else if (runtime !== undefined) changed.set(runtime, path);
  }
  const gone = [...known]
    .filter(([runtime]) => !wantedNames.has(runtime))
    .map(([runtime, path]) => ({ runtime, unit: parseUnitName(path.slice(path.lastIndexOf("/") + 1))! }));
  const fresh = new Set([...wantedNames].filter((runtime) => !known.has(runtime)));
  const changes = { wanted, gone, fresh, changed, reconfigured };
  return withOwed(planUnitActions(changes), pendingActions(registry), changes);
}

/** The units on record, with the path of their file. */
function knownUnits(registry: HostRegistry | undefined): Map<string, string> {
  const units = new Map<string, string>();
  for (const [path, place] of Object.entries(registry?.files ?? {})) {
    const memory = memoryOf(place);
    if (memory?.runtime !== undefined && (memory.kind === "quadlet" || memory.kind === "unit")) units.set(memory.runtime, path);
  }
  return units;
}

function rememberedFile(registry: HostRegistry | undefined, path: string) {
  const place: PlaceRecord | undefined = registry?.files[path];
  return place && memoryOf(place);
}

/**
 * What an interrupted run still owes takes its place in the order of the plan, so that a reload comes before every start. What the plan
 * decides anew about a unit counts, and all that is owed to a unit which nobody wants any more is to stop it.
 */
function withOwed(
  actions: readonly UnitAction[],
  owed: readonly UnitAction[],
  { wanted, gone }: Pick<UnitChanges, "wanted" | "gone">,
): UnitAction[] {
  if (owed.length === 0) return [...actions];
  const wantedNames = new Set(wanted.flatMap(({ runtime }) => [runtime, instancesOf(runtime)]));
  const still = owed.filter((action) => action.action === "daemon-reload" || isRemoval(action) !== wantedNames.has(action.unit));
  // It still runs as it was before it left and came back: only a restart brings the new definition.
  const leftRunning = new Set(owed.filter((action) => action.action === "stop" && wantedNames.has(action.unit)).map(({ unit }) => unit));
  const decided = actions.map(
    (action): UnitAction => (action.action === "start" && leftRunning.has(action.unit) ? { ...action, action: "restart" } : action),
  );
  const missing = notCovered(still, decided).map((action) => ({ ...action, reason: unfinished(action.reason) }));
  const units = new Map([...gone, ...wanted].map((unit) => [unit.runtime, unit.unit]));
  return inOrder([...notCovered(decided, missing), ...missing], units);
}

/** Those actions that no action of the others makes needless. */
function notCovered(actions: readonly UnitAction[], others: readonly UnitAction[]): UnitAction[] {
  const byUnit = new Map<string, UnitAction[]>();
  for (const other of others) byUnit.set(other.unit, [...(byUnit.get(other.unit) ?? []), other]);
  return actions.filter((action) => byUnit.get(action.unit)?.some((other) => covers(other, action)) !== true);
}

function isRemoval({ action }: UnitAction): boolean {
  return action === "stop" || action === "disable";
}

const strength: Partial<Readonly<Record<UnitVerb, number>>> = { "try-restart": 1, start: 2, restart: 3, stop: 4 };

/** Whether one action makes another of the same unit needless: the same, or one that brings the unit at least as far. */
function covers(one: UnitAction, other: UnitAction): boolean {
  const [strong, weak] = [strength[one.action], strength[other.action]];
  if (strong === undefined || weak === undefined)
    return one.action === other.action || (one.action === "disable" && other.action === "enable");
  return strong >= weak;
}

/** Why a unit is started again that failed before. */
export const didNotComeUp = "did not come up";
const unfinishedNote = "left over from an interrupted run";

function unfinished(reason: string): string {
  return reason === didNotComeUp || reason.includes(unfinishedNote) ? reason : `${reason} (${unfinishedNote})`;
}
