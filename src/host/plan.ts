import type { Diagnostic } from "../core/diagnostic.ts";
import { changesBytes, type PlanDocument, planDocument, planEntry, withFields } from "../core/plan-document.ts";
import { equalValues } from "../core/value.ts";
import { changesAnything } from "../engine/plan-owner.ts";
import {
  heldAfter,
  nextRegistry,
  type Planned,
  planTransaction,
  type Recorded,
  registryChange,
} from "../engine/records.ts";
import { diagnose, hasErrors } from "./diagnostics.ts";
import type { UnitToBeUp } from "./effects/health.ts";
import type { EvaluatedHost } from "./evaluate/evaluation.ts";
import { contentsToKeep } from "./history.ts";
import type { HostObservation } from "./observe.ts";
import {
  decideFiles,
  diagnoseDecisions,
  type FilesPlan,
  findForeign,
  type HostFileDecision,
  nextRecords,
  pathOf,
  planChanges,
  policiesFor,
} from "./plan-files.ts";
import { firstReason, planUnits, type UnitsPlan } from "./plan-units.ts";
import { type HostRegistry, memoryOf, type Pause, pausesOf, type RepositoryMemory } from "./registry.ts";
import { type HostTarget, placeUnder } from "./target.ts";
import type { UnitAction } from "./units/unit-actions.ts";
import { runtimeByPath } from "./units/wanted-units.ts";

/** What a host shall be. */
export interface HostDesired {
  readonly evaluation: EvaluatedHost;
  /** The commit, or what stands for one. */
  readonly version: string;
  /** What the history calls it: apply, or where it goes back to. */
  readonly note: string;
  /** A commit that is not applied, because it was rolled back from. */
  readonly hold: string | undefined;
  /** Where it came from; undefined: from the records. */
  readonly from?: RepositoryMemory | undefined;
}

/** What is on record for this host. */
export type HostRecorded = Recorded<HostRegistry>;

export interface HostPlanOptions {
  /** Files that were edited on the host, and units that were stopped there, stay as they are. */
  readonly keepDrift: boolean;
  /** False: files only, no unit is touched. */
  readonly activate: boolean;
  /** Try what failed before at once, and not only when its time has come. */
  readonly retryNow: boolean;
  /** Make networks and volumes anew that podman does not change in place. */
  readonly recreate: boolean;
  /** This machine was another host before. */
  readonly hostChanged: boolean;
  readonly now: Date;
}

/** What `--json` prints: the document of every domain, and what happens to units. */
export interface HostPlanDocument extends PlanDocument {
  readonly host: string;
  readonly services: readonly string[];
  /** The commit that is not applied because it was rolled back from. */
  readonly held: string | null;
  readonly paused: readonly Pause[];
  /** Files that the commit changes and that wait for the end of a pause. */
  readonly waiting: readonly string[];
  /** What follows for units; only done where `activate` says so. */
  readonly actions: readonly UnitAction[];
  readonly activate: boolean;
}

/** A plan: a value, made without writing anything. */
export interface HostPlan {
  readonly document: HostPlanDocument;
  readonly evaluation: EvaluatedHost;
  readonly actions: readonly UnitAction[];
  readonly transaction: Planned;
  /** The registry after the files are in place and before the actions are done; undefined where nothing is recorded. */
  readonly registry: HostRegistry | undefined;
  /** What waits for the end of a pause, and is owed until then. */
  readonly deferred: readonly UnitAction[];
  /** Units that the change of a file starts or restarts: if one does not come up, the change is to blame. */
  readonly touched: ReadonlySet<string>;
  /** The units that should be up when all is done. */
  readonly expected: readonly UnitToBeUp[];
  /** Units that have failed. */
  readonly failing: ReadonlySet<string>;
  /** When a unit that failed again and again is due. */
  readonly retryAt: Date | undefined;
}

export type PlanResult =
  | { readonly kind: "planned"; readonly plan: HostPlan }
  /** Errors in the repository, or files of somebody else in the way. Nothing can be applied. */
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] };

export type PlanTarget = Pick<HostTarget, "root" | "stateDir" | "layout" | "program">;

/** Pure: what is desired, what stands there and what is on record decide it all. */
export function planHost(
  desired: HostDesired,
  observed: HostObservation,
  recorded: HostRecorded,
  { target, ...options }: HostPlanOptions & { readonly target: PlanTarget },
): PlanResult {
  const { evaluation } = desired;
  const { registry } = recorded;
  if (hasErrors(evaluation.diagnostics)) return { kind: "refused", diagnostics: evaluation.diagnostics };
  const errors = [
    ...otherHost(evaluation, registry, options),
    ...findForeign(evaluation, observed, target.root, registry),
  ];
  if (errors.length > 0) return { kind: "refused", diagnostics: [...evaluation.diagnostics, ...errors] };
  const pauses = pausesOf(registry, options.now);
  const input: Planning = { desired, observed, recorded, target, options, pauses };
  return { kind: "planned", plan: makePlan(input) };
}

interface Planning {
  readonly desired: HostDesired;
  readonly observed: HostObservation;
  readonly recorded: HostRecorded;
  readonly target: PlanTarget;
  readonly options: HostPlanOptions;
  readonly pauses: readonly Pause[];
}

/** A machine that was cloned, or renamed by mistake, must not lose everything it runs. */
function otherHost(
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
  { hostChanged }: HostPlanOptions,
): Diagnostic[] {
  if (hostChanged || registry?.host === undefined || registry.host === "" || registry.host === evaluation.host)
    return [];
  const message = `this machine was ${registry.host} and would become ${evaluation.host}, so everything that only ${registry.host} has would be removed; pass --host-changed if you mean that`;
  return [diagnose("host-changed", undefined, message)];
}

function makePlan(input: Planning): HostPlan {
  const { desired, observed, recorded, target, options, pauses } = input;
  const { evaluation, version } = desired;
  const { registry } = recorded;
  const pausedUnits = new Set(pauses.map(({ unit }) => unit));
  // The whole host: nothing is decided, and nothing on record changes.
  const isPaused = pausedUnits.has(null);
  const paused = pausedPaths(evaluation, registry, pausedUnits);
  const waits = (decision: HostFileDecision) => isPaused || paused.has(pathOf(decision));
  const all = decideFiles(evaluation, observed, registry, policiesFor(options.keepDrift));
  const waiting = all.filter((decision) => waits(decision) && comesWithCommit(decision));
  const decisions = all.filter((decision) => !waits(decision));
  const files = planChanges(evaluation, decisions, observed, { root: target.root, registry });
  const units = isPaused
    ? noUnits
    : planUnits({
        ...options,
        evaluation,
        decisions,
        registry,
        layout: target.layout,
        states: observed.units,
        objects: observed.objects,
        isPaused: (unit) => pausedUnits.has(unit),
      });
  const next = isPaused ? registry : registryAfter(input, decisions, units, paused);
  // What was taken over as it stood has to be kept as well.
  const needsGeneration = files.changes.length > 0 || decisions.some(({ outcome }) => outcome.verdict === "adopt");
  const generation = {
    version,
    from: registry?.version,
    note: desired.note,
    // Made when it is written: a plan that is only shown needs none of it.
    get keeps() {
      return contentsToKeep(evaluation, observed, registry);
    },
  };
  const { actions } = options.activate ? units : { actions: [] };
  return {
    document: hostDocument(input, { decisions, waiting, files, units }),
    evaluation,
    actions,
    deferred: units.deferred,
    registry: next,
    touched: new Set(units.following.map(({ unit }) => unit)),
    expected: options.activate ? units.expected : [],
    failing: new Set([...observed.units.values()].filter(({ active }) => active === "failed").map(({ unit }) => unit)),
    retryAt: units.retryAt,
    transaction: planTransaction(
      target.stateDir,
      recorded.name,
      { changes: files.changes, registry: registryChange(recorded, next, target.stateDir) },
      needsGeneration ? generation : undefined,
    ),
  };
}

/** The plan with other fields of its document. */
export function withDocument(plan: HostPlan, fields: Partial<HostPlanDocument>): HostPlan {
  return { ...plan, document: withFields(plan.document, fields) as HostPlanDocument };
}

/** Whether applying would write or do anything. */
export function hostChanges(plan: HostPlan): boolean {
  return changesAnything(plan) || plan.actions.length > 0;
}

function registryAfter(
  { desired, observed, recorded, options }: Planning,
  decisions: readonly HostFileDecision[],
  units: UnitsPlan,
  paused: ReadonlySet<string>,
): HostRegistry | undefined {
  const { evaluation, version, hold } = desired;
  const { registry } = recorded;
  const places = nextRecords(evaluation, decisions, observed, { registry, version, left: paused });
  // Stopping happens before the files change: what is owed after a crash is the rest. Where no unit is touched, all of
  // it is owed.
  const isBefore = ({ action }: UnitAction) => action === "stop" || action === "disable";
  const owed = options.activate
    ? [...units.actions.filter((action) => !isBefore(action)), ...units.deferred]
    : units.actions;
  const { starts, outdated } = units;
  return nextRegistry(recorded, places, {
    version,
    homes: registry?.homes ?? [],
    host: evaluation.host,
    from: desired.from ?? registry?.from,
    // Another commit ends every hold; whoever goes back twice holds both commits.
    ...heldAfter(registry, { version, hold, unhold: hold === undefined }),
    pending: owed.length > 0 ? owed.map(firstReason) : undefined,
    starts: Object.keys(starts).length > 0 ? starts : undefined,
    outdated: outdated.length > 0 ? outdated : undefined,
  });
}

/** Files of units that a person is at work on. */
function pausedPaths(
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
  pausedUnits: ReadonlySet<string | null>,
): ReadonlySet<string> {
  if (pausedUnits.size === 0) return new Set();
  const remembered = Object.entries(registry?.files ?? {}).map(
    ([path, place]) => [path, memoryOf(place)?.runtime] as const,
  );
  const runtimes = new Map([...remembered, ...runtimeByPath(evaluation.files)]);
  return new Set(
    [...runtimes].filter(([, runtime]) => runtime !== undefined && pausedUnits.has(runtime)).map(([path]) => path),
  );
}

function tellPause({ unit, until }: Pause, program: string): Diagnostic {
  const what = unit === null ? "this host" : unit;
  const end = `${program} host resume${unit === null ? "" : ` ${unit}`}`;
  return diagnose(
    "paused",
    undefined,
    `${what} is paused${until === null ? "" : ` until ${until}`}: nothing is changed, started or undone; to end the pause: ${end}`,
  );
}

const noUnits: UnitsPlan = {
  actions: [],
  following: [],
  deferred: [],
  starts: {},
  outdated: [],
  diagnostics: [],
  expected: [],
  retryAt: undefined,
};

/** Whether the commit changes this file; what was edited on the host is no deployment. */
function comesWithCommit(decision: HostFileDecision): boolean {
  const { desired, recorded } = decision;
  const isSame = desired !== undefined && recorded !== undefined && equalValues(desired.value, recorded.value);
  return changesBytes(decision) && !isSame;
}

/** What was decided. */
interface Decided {
  readonly decisions: readonly HostFileDecision[];
  readonly waiting: readonly HostFileDecision[];
  readonly files: FilesPlan;
  readonly units: UnitsPlan;
}

function hostDocument(
  { desired, recorded, target, options, pauses }: Planning,
  { decisions, waiting, files, units }: Decided,
): HostPlanDocument {
  const { evaluation, version, hold } = desired;
  const document = planDocument({
    name: recorded.name,
    version,
    from: recorded.registry?.version ?? null,
    decisions,
    entries: () => decisions.map((decision) => planEntry(placeUnder(target.root, pathOf(decision)), decision)),
    files: () => files.files(),
    diagnostics: [
      ...evaluation.diagnostics,
      ...diagnoseDecisions(decisions, evaluation, recorded.registry),
      ...units.diagnostics,
      ...pauses.map((pause) => tellPause(pause, target.program)),
    ],
  });
  return withFields(document, {
    host: evaluation.host,
    services: evaluation.services,
    held: hold ?? null,
    paused: pauses,
    waiting: waiting.map((decision) => placeUnder(target.root, pathOf(decision))),
    actions: options.activate ? units.actions : units.following,
    activate: options.activate,
  });
}
