import { resolve } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import { quoted } from "../core/messages.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import { planAndApply } from "../engine/apply.ts";
import type { Machine } from "../engine/machine.ts";
import { type OwnerState, readOwnerState } from "../engine/owner-state.ts";
import { type OwnerPlan, type OwnerPlanOptions, planPlaces } from "../engine/plan-owner.ts";
import type { PlannedPlace } from "../engine/plan-place.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import { scriptOf } from "../identity/commands/scripts.ts";
import { canonicalPath } from "../identity/paths/paths.ts";
import { listGenerations, registryBefore } from "../store/records/generations.ts";
import { defaultWaitMs } from "../store/transaction/lock.ts";
import { finishInterrupted } from "../store/transaction/recovery.ts";
import { commandOf, inProjectFolder } from "./doctor/commands.ts";
import { unknownOwner } from "./places/find-entries.ts";
import { followRuntime } from "./places/follow-runtime.ts";
import { placesOnRecord } from "./places/record-places.ts";

export interface UninstallOptions {
  /** Also what the user edited, and what was there before and was adopted. */
  readonly all?: boolean | undefined;
}

/**
 * Wanting nothing any more: what the owner wrote and the user has not changed goes, what was found comes back, and the
 * records go.
 */
export async function planUninstall(
  name: string,
  machine: Machine,
  { all }: UninstallOptions = {},
): Promise<OwnerPlan> {
  const state = await followRuntime(stateToLeave(name, machine, all === true), machine);
  const evaluated = await placesOnRecord(state, machine, () => []);
  const options: OwnerPlanOptions = {
    version: state.registry!.version,
    note: "uninstall",
    leave: true,
    takeAll: all,
  };
  const plan = planPlaces(state, machine, evaluated, options);
  const runsGone = runsWhatGoes(plan, state, machine);
  const left = plan.places.flatMap(({ decisions }) => decisions).filter(isKept);
  const revise = (decision: FileDecision) =>
    isKept(decision) && runsGone(decision) ? withItsScript(decision) : decision;
  const last = left.some(runsGone) ? planPlaces(state, machine, evaluated, { ...options, revise }) : plan;
  const told = [...tellScripts(last, runsGone, state, machine), ...tellStaying(last, name, machine)];
  return { ...last, document: withDiagnostics(last.document, told) };
}

/**
 * What an owner has on record. What an uninstall left standing is on record no more, so to take that out too the
 * records are those of before it.
 */
function stateToLeave(name: string, machine: Machine, all: boolean): OwnerState {
  const state = readOwnerState(machine, name);
  if (state.registry !== undefined) return state;
  const last = all ? listGenerations(state.reader, machine.stateDir, name).at(-1) : undefined;
  const registry = last?.note === "uninstall" ? registryBefore(state.reader, machine.stateDir, name, last) : undefined;
  if (registry === undefined) throw unknownOwner(name, machine);
  return { ...state, registry };
}

function isKept({ outcome }: FileDecision): boolean {
  return outcome.verdict === "keep" && outcome.reason === "obsolete-modified";
}

/** Whether an entry runs a file that goes with this plan. */
function runsWhatGoes({ transaction }: OwnerPlan, { context }: OwnerState, { project }: Machine) {
  const gone = new Set(
    transaction.changes.filter(({ after }) => after.kind === "absent").map(({ path }) => canonicalPath(path, context)),
  );
  return ({ key, actual }: Pick<FileDecision, "key" | "actual">): boolean => {
    const command = gone.size === 0 || actual === undefined ? undefined : commandOf(key, actual.value);
    if (command === undefined) return false;
    const script = scriptOf(inProjectFolder(command, { project }), context, "canonical");
    const path = project === undefined ? script : resolve(project.root, script);
    return gone.has(canonicalPath(path, context));
  };
}

/** A hook that runs nothing is an error at every event: the edit is kept in the history, and not in the file. */
function withItsScript(decision: FileDecision): FileDecision {
  const outcome = {
    verdict: "remove",
    reason: "script-removed",
    result: undefined,
    record: { kind: "drop" },
    conflicts: [],
  } as const;
  return { ...decision, copies: [], outcome };
}

type RunsGone = ReturnType<typeof runsWhatGoes>;

function tellScripts({ places, document }: OwnerPlan, runsGone: RunsGone, state: OwnerState, machine: Machine) {
  return places.flatMap((place): Diagnostic[] => {
    const tell = (key: string, message: string): Diagnostic => {
      return { code: "script-removed", severity: "warning", message, file: place.path, key };
    };
    const taken = place.decisions.filter(({ outcome }) => outcome.reason === "script-removed");
    const history = `${machine.program} history ${quoted(document.name)}`;
    return [
      ...taken.map(({ key }) =>
        tell(key, `you edited ${key}, but it goes with the script it runs; the history keeps it: ${history}`),
      ),
      ...ownEntries(place, state).flatMap((entry) =>
        runsGone({ key: entry.key, actual: entry })
          ? [tell(entry.key, `${entry.key} is yours and stays, but the script it runs goes with ${document.name}`)]
          : [],
      ),
    ];
  });
}

/** The entries of a file that its owner has nothing to do with. */
function ownEntries({ section, content, decisions, reading }: PlannedPlace, { registry }: OwnerState) {
  const recorded = Object.entries(registry?.files[section]?.entries ?? {}).map(([key, entry]) =>
    reading.recorded(key, entry),
  );
  const ours = new Set(decisions.flatMap(({ actual, recorded: known }) => [actual?.match, known?.match]));
  return reading.observe(content, { desired: [], recorded }).actual.filter(({ match }) => !ours.has(match));
}

/** What stays behind, and how to be rid of it. */
function tellStaying({ places }: OwnerPlan, name: string, { program }: Machine): Diagnostic[] {
  const stays = ({ outcome }: FileDecision) =>
    (outcome.verdict === "keep" && outcome.reason !== "disowned") || outcome.reason === "found";
  const staying = places.flatMap(({ decisions }) => decisions).filter(stays);
  if (staying.length === 0) return [];
  const [what, them] = staying.length === 1 ? ["1 entry stays", "it"] : [`${staying.length} entries stay`, "them"];
  const why = staying.every(isKept) ? `because you changed ${them}` : "because you changed them or had them before";
  const message = `${what}, ${why}; to remove ${them} too: ${program} uninstall ${quoted(name)} --all`;
  return [{ code: "entries-stay", severity: "info", message }];
}

/** The entries are made when somebody looks at them, and stay so. */
function withDiagnostics(document: PlanDocument, told: readonly Diagnostic[]): PlanDocument {
  if (told.length === 0) return document;
  const all = [...document.diagnostics, ...told];
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(document),
      diagnostics: { value: all, enumerable: true },
    },
  ) as PlanDocument;
}

export async function uninstallOwner(
  name: string,
  machine: Machine,
  options: UninstallOptions = {},
): Promise<OwnerPlan> {
  // It may be this very uninstall that was interrupted: then finishing it is all there is to do.
  const finished = await finishInterrupted(machine.gate, machine.stateDir, defaultWaitMs);
  const state = finished?.name === name ? readOwnerState(machine, name) : undefined;
  if (state !== undefined && state.registry === undefined)
    return planPlaces(
      state,
      machine,
      { places: [], untouched: new Set() },
      { version: "", note: "uninstall", leave: true },
    );
  return planAndApply(machine, () => planUninstall(name, machine, options));
}
