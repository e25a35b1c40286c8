import type { PlaceContent } from "../core/content.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { type PlanDocument, planDocument, planEntry } from "../core/plan-document.ts";
import type { Registry } from "../core/records.ts";
import { equalValues, isEmpty } from "../core/value.ts";
import { isOlder } from "../core/version.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import { hashedContent } from "../store/gate/content.ts";
import type { Change, SeenFile } from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import { type ObservedPlace, observePlaces } from "./observe.ts";
import type { OwnerState } from "./owner-state.ts";
import type { Evaluated, Place } from "./place.ts";
import { type PlannedPlace, planOnePlace } from "./plan-place.ts";
import { heldAfter, heldVersions, nextRegistry, type Planned, planTransaction, recordsChange } from "./records.ts";
import { revertedTo, withDropped } from "./reverted.ts";
import { heldBack } from "./revise.ts";

export interface PlanOptions {
  /** False: entries that are no longer wanted stay. */
  readonly prune?: boolean | undefined;
  /** Apply a version although it was rolled back from. */
  readonly unhold?: boolean | undefined;
  /** If a variable's new value moved a target, remove what is at the old place. */
  readonly relocate?: boolean | undefined;
}

/** A plan: what `--json` prints, and what `apply` needs. A value, made without writing anything. */
export interface OwnerPlan {
  readonly document: PlanDocument;
  /** All of it, or none. */
  readonly transaction: Planned;
  readonly places: readonly PlannedPlace[];
  /** The files that planning read and leaves as they are. */
  readonly seen: readonly SeenFile[];
}

/** What an owner has on record. */
type Recorded = Pick<OwnerState, "name" | "registry" | "registryText" | "committed" | "context" | "reader">;

/** What planning has to know of the machine: names, and nothing to look at. */
type PlanningMachine = Pick<Machine, "home" | "stateDir" | "program" | "project">;

export interface OwnerPlanOptions extends PlanOptions {
  readonly version: string;
  /** What the history calls it: apply, rollback, … */
  readonly note: string;
  /** Leave no records behind: the owner goes. */
  readonly leave?: boolean | undefined;
  /** Of what is no longer wanted, also remove what the user edited and what was found. */
  readonly takeAll?: boolean | undefined;
  /** A last word on each decision. */
  readonly revise?: ((decision: FileDecision, place: Place) => FileDecision) | undefined;
  /** A version to hold from now on. */
  readonly hold?: string | undefined;
  /** Of a file that is as an earlier generation left it, what has been dropped since goes too. */
  readonly upToDate?: boolean | undefined;
}

/** Observe, and plan: what lies between knowing what is wanted and writing it. */
export function planPlaces(
  state: OwnerState,
  machine: Machine,
  evaluated: Evaluated,
  options: OwnerPlanOptions,
): OwnerPlan {
  return planObserved(state, machine, evaluated, observePlaces(evaluated.places, state), options);
}

/** The same of places that were observed already. */
export function planObserved(
  state: OwnerState,
  machine: Machine,
  evaluated: Pick<Evaluated, "untouched" | "diagnostics">,
  observed: readonly ObservedPlace[],
  options: OwnerPlanOptions,
): OwnerPlan {
  const planning = { ...options, machine };
  const plan = planOwner(evaluated, observed, state, planning);
  const reverted = goesBack.test(options.note) ? [] : revertedPlaces(plan, observed, state, planning);
  if (reverted.length === 0) return plan;
  const seen = observed.map((place, i) => {
    const known = reverted.find(({ at }) => at === i)?.reverted;
    if (known === undefined) return place;
    return options.upToDate ? withDropped({ ...place, reverted: known }) : { ...place, reverted: known };
  });
  return planOwner(evaluated, seen, state, planning);
}

/** Whoever goes back or leaves looks at the history anyway. */
const goesBack = /^(?:rollback|uninstall)/;

function revertedPlaces(
  { places }: OwnerPlan,
  observed: readonly ObservedPlace[],
  state: OwnerState,
  { machine, revise }: OwnerPlanOptions & { readonly machine: Machine },
) {
  return observed.flatMap((place, at) => {
    const isOff = ({ outcome }: FileDecision) => outcome.verdict === "restore" || outcome.reason === "user-modified";
    const isSuspicious = revise !== undefined || places[at]!.decisions.some(isOff);
    if (!isSuspicious || place.place.former) return [];
    const reverted = revertedTo(place, state, machine.stateDir);
    return reverted ? [{ at, reverted }] : [];
  });
}

/** What becomes of all places of an owner, and of its records. Pure: everything it goes by has been looked at. */
export function planOwner(
  { untouched, diagnostics = [] }: Pick<Evaluated, "untouched" | "diagnostics">,
  observed: readonly ObservedPlace[],
  state: Recorded,
  { machine, ...options }: OwnerPlanOptions & { readonly machine: PlanningMachine },
): OwnerPlan {
  const { registry } = state;
  const isHeld = registry !== undefined && heldVersions(registry).includes(options.version);
  const held = isHeld && options.unhold !== true && options.note === "apply";
  const revise = held ? heldBack : options.revise;
  const { version, takeAll, leave } = options;
  const planning = { owner: state.name, version, prune: options.prune !== false, takeAll, leave, revise };
  const planned = observed.map((place) => planOnePlace(place, machine, planning));
  const document = planDocument({
    name: state.name,
    version,
    from: registry?.version ?? null,
    decisions: planned.flatMap(({ decisions }) => decisions),
    entries: () => planned.flatMap(({ path, decisions }) => decisions.map((decision) => planEntry(path, decision))),
    files: () => planned.flatMap((place) => place.files),
    diagnostics: [
      ...versionDiagnostics(state, options, held, machine),
      ...(options.note === "apply" ? standsAlready(observed, planned, state, machine) : []),
      ...diagnostics,
      ...tellElsewhere(observed, planned, state.name, machine),
      ...planned.flatMap((place) => place.diagnostics),
    ],
  });
  const whole = new Set(planned.filter(({ isWhole }) => isWhole).flatMap((place) => place.changes));
  const changes = inOrder(
    planned.flatMap((place) => place.changes),
    (change) => whole.has(change),
  );
  const generation = { version, from: registry?.version, note: options.note };
  let transaction: Planned | undefined;
  const transactionOf = () => {
    const next = held ? registry : registryAfter(state, machine, planned, untouched, options);
    return planTransaction(machine.stateDir, state.name, recordsChange(state, next, changes, machine), generation);
  };
  return {
    document,
    places: planned,
    seen: planned.filter((place) => place.changes.length === 0).map(({ path, content }) => seenFile(path, content)),
    // Written out when somebody asks: most who look at what is there never apply it.
    get transaction() {
      transaction ??= transactionOf();
      return transaction;
    },
  };
}

/** Hashed when somebody asks: most plans are applied at once. */
function seenFile(path: string, content: PlaceContent): SeenFile {
  return {
    path,
    get content() {
      return hashedContent(content);
    },
  };
}

/**
 * What others point at comes before them and goes after them: files, then links to them, then entries that name them.
 * No runtime ever sees a hook without its script.
 */
export function inOrder(changes: readonly Change[], isWhole: (change: Change) => boolean): Change[] {
  const rank = (change: Change): number => {
    if (!isWhole(change)) return 2;
    const isLink = change.before.kind === "link" || change.after.kind === "link";
    return change.after.kind === "absent" ? (isLink ? 3 : 4) : isLink ? 1 : 0;
  };
  return [...changes].sort((a, b) => rank(a) - rank(b));
}

/** Whether applying a plan would write anything: files, or records. */
export function changesAnything(plan: Pick<OwnerPlan, "transaction">): boolean {
  const { changes, registry } = plan.transaction;
  return changes.length > 0 || registry.before !== registry.after;
}

function registryAfter(
  state: Recorded,
  machine: PlanningMachine,
  planned: readonly PlannedPlace[],
  untouched: ReadonlySet<string>,
  options: OwnerPlanOptions,
): Registry | undefined {
  if (options.leave) return undefined;
  const { registry } = state;
  const kept = Object.entries(registry?.files ?? {}).filter(([section]) => untouched.has(section));
  const recorded = planned.flatMap(({ section, record }) => (record ? [[section, record] as const] : []));
  const homes = machine.project
    ? []
    : registry?.homes.includes(machine.home)
      ? registry.homes
      : [...(registry?.homes ?? []), machine.home];
  const fields = { version: options.version, homes, ...heldAfter(registry, options) };
  return nextRegistry(state, [...kept, ...recorded], fields);
}

/** One line a file or folder: it may have many entries, and all of them stay for the same reason. */
function tellElsewhere(
  observed: readonly ObservedPlace[],
  planned: readonly PlannedPlace[],
  owner: string,
  { program }: PlanningMachine,
): Diagnostic[] {
  const stays = planned.flatMap(({ decisions }, i) =>
    decisions.some(({ outcome }) => outcome.reason === "elsewhere") ? [observed[i]!.place] : [],
  );
  const groups = new Map<string, Place[]>();
  for (const place of stays) {
    const folder = place.path.slice(0, place.path.length - (place.readingData.name?.length ?? 0));
    groups.set(folder, [...(groups.get(folder) ?? []), place]);
  }
  return [...groups].map(([folder, [first, ...others]]) => {
    const { path, target, readingData } = first!;
    const [where, was, what] =
      others.length === 0
        ? [path, target, `what ${owner} wrote there`]
        : [folder, target?.slice(0, -readingData.name!.length), `${others.length + 1} files of ${owner} there`];
    const message = `${where} is where ${was} was, and keeps ${what}; to take that out: ${program} apply --relocate`;
    return { code: "elsewhere", severity: "info", message, file: where };
  });
}

/**
 * Records that were lost, or an installer from before there were any: at least half of what is wanted is there, and
 * nobody knows whose it is.
 */
function standsAlready(
  observed: readonly ObservedPlace[],
  planned: readonly PlannedPlace[],
  { name: owner, registry }: Recorded,
  { program }: PlanningMachine,
): Diagnostic[] {
  const unknown = planned.filter((_, i) => isEmpty(observed[i]!.before?.entries ?? {}));
  const wanted = unknown.flatMap(({ decisions }) => decisions.filter(({ desired }) => desired !== undefined));
  const there = wanted.filter(isThereUnrecorded);
  if (there.length === 0 || there.length * 2 < wanted.length) return [];
  const files = unknown.filter(({ decisions }) => decisions.some(isThereUnrecorded)).map(({ path }) => path);
  const where = files.length === 1 ? files[0] : `${files.length} files`;
  const [are, them] = there.length === 1 ? ["is", "it"] : ["are", "them"];
  const entries = wanted.length === 1 ? "the entry" : `${there.length} of the ${wanted.length} entries`;
  const what = `${entries} that ${owner} wants in ${where} ${are} already there, but not on record`;
  // Adopting works from records, and a plan makes none.
  const when = registry === undefined ? " once it is applied" : "";
  const message = `${what}; if ${owner} wrote ${them}, let it manage ${them}${when}: ${program} adopt --all --owner ${owner}`;
  return [{ code: "stands-already", severity: "info", message, ...(files.length === 1 && { file: files[0]! }) }];
}

function isThereUnrecorded({ outcome, actual, desired }: FileDecision): boolean {
  return outcome.reason === "user-owned" && equalValues(actual?.normal, desired?.normal);
}

function versionDiagnostics(
  { registry, name }: Recorded,
  options: OwnerPlanOptions,
  held: boolean,
  machine: PlanningMachine,
): Diagnostic[] {
  if (held) {
    const message = `you went back from ${name} ${options.version}, so it is held: nothing changes until a newer version comes; to apply it again: ${machine.program} apply --unhold`;
    return [{ code: "held", severity: "warning", message }];
  }
  if (options.note !== "apply" || registry === undefined || !isOlder(options.version, registry.version)) return [];
  return [
    {
      code: "downgrade",
      severity: "warning",
      message: `${name} goes back from ${registry.version} to ${options.version}`,
    },
  ];
}
