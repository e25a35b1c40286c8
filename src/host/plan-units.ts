import { changesBytes } from "../core/plan-document.ts";
import type { PlaceRecord } from "../store/records/registry.ts";
import type { Evaluation } from "./evaluate/evaluation.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { type HostRegistry, memoryOf, pendingActions } from "./registry.ts";
import { planUnitActions, type UnitAction } from "./units/unit-actions.ts";
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
    if (file?.kind === "config") reconfigured.set(file.service, path);
    else if (runtime !== undefined) changed.set(runtime, path);
  }
  const gone = [...known]
    .filter(([runtime]) => !wantedNames.has(runtime))
    .map(([runtime, path]) => ({ runtime, unit: parseUnitName(path.slice(path.lastIndexOf("/") + 1))! }));
  const fresh = new Set([...wantedNames].filter((runtime) => !known.has(runtime)));
  return withPending(planUnitActions({ wanted, gone, fresh, changed, reconfigured }), pendingActions(registry));
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

/** What an interrupted run still owes comes first, unless it is decided anew. */
function withPending(actions: readonly UnitAction[], pending: readonly UnitAction[]): UnitAction[] {
  const decided = new Set(actions.map((action) => action.unit));
  const owed = pending.filter((action) => !decided.has(action.unit)).map((action) => ({ ...action, reason: unfinished(action.reason) }));
  return [...owed, ...actions];
}

/** Why a unit is started again that failed before. */
export const didNotComeUp = "did not come up";
const unfinishedNote = "left over from an interrupted run";

function unfinished(reason: string): string {
  return reason === didNotComeUp || reason.includes(unfinishedNote) ? reason : `${reason} (${unfinishedNote})`;
}
