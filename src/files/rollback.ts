import { InputError } from "../core/diagnostic.ts";
import { type PlanEntry, summarise } from "../core/plan-document.ts";
import type { Registry } from "../core/records.ts";
import { isOlder } from "../core/version.ts";
import { planAndApply } from "../engine/apply.ts";
import { planFile } from "../engine/file-diff.ts";
import type { Machine } from "../engine/machine.ts";
import { type OwnerState, readOwnerState } from "../engine/owner-state.ts";
import { isWholeFile, type Place } from "../engine/place.ts";
import { inOrder, type OwnerPlan, planPlaces } from "../engine/plan-owner.ts";
import { heldAfter, planTransaction, recordsChange } from "../engine/records.ts";
import { settleGoingBack } from "../engine/revise.ts";
import {
  type Generation,
  listGenerations,
  registryBefore,
  rollbackNote,
  rollbackTarget,
} from "../store/records/generations.ts";
import { projectRecordsPath } from "../store/records/project-records.ts";
import { parseRegistry } from "../store/records/registry.ts";
import { defaultWaitMs } from "../store/transaction/lock.ts";
import { finishRollback } from "../store/transaction/recovery.ts";
import { type ExactChange, exactChanges, exactEntries, sectionsLeftAlone } from "./exact-rollback.ts";
import { unknownOwner } from "./places/find-entries.ts";
import { placesOnRecord, wishesThen } from "./places/record-places.ts";

/** What there is to go back from and to. */
interface GoingBack {
  readonly state: OwnerState;
  readonly machine: Machine;
  /** The generation whose outcome is wanted; 0 is before the first. */
  readonly to: number;
  /** The records as that generation left them; undefined: there were none. */
  readonly registry: Registry | undefined;
  /** The generations that are undone. */
  readonly later: readonly Generation[];
  /** Files that get their old bytes back, since they are just as we left them. */
  readonly exact: readonly ExactChange[];
  /** Sections whose files no generation since then has touched: only their records go back. */
  readonly untouched: ReadonlySet<string>;
}

/** Back to how generation `to` left things (the one before the present state, unless told); 0 is before the first. */
export async function planRollback(name: string, machine: Machine, to?: number): Promise<OwnerPlan> {
  const state = readOwnerState(machine, name);
  const generations = listGenerations(state.reader, machine.stateDir, name);
  const target = targetOf(generations, to, name, machine);
  const later = generations.filter((generation) => generation.number > target);
  const registry = registryBefore(state.reader, machine.stateDir, name, later[0]!);
  const exact = exactChanges(state, machine, later, registry, registryLeft(generations, target, state, machine));
  const untouched = sectionsLeftAlone(state, machine, later, registry);
  const back: GoingBack = { state, machine, to: target, registry, later, exact, untouched };
  const { places } = await placesOnRecord(state, machine, wishesThen, registry ?? noRecords(state));
  return withOldRecords(await planEntrywise(back, places), back, places);
}

export async function rollbackOwner(name: string, machine: Machine, to?: number): Promise<OwnerPlan> {
  const went = await finishRollback(machine.gate, machine.stateDir, name, defaultWaitMs);
  return planAndApply(machine, () => planRollback(name, machine, to ?? went));
}

/** An owner that has left has no records: what `uninstall --all` took out after that, it took out by those of before. */
function registryLeft(generations: readonly Generation[], target: number, { reader, name }: OwnerState, at: Machine) {
  const last = generations.find(({ number }) => number === target);
  return last?.note === "uninstall" ? registryBefore(reader, at.stateDir, name, last) : undefined;
}

function targetOf(generations: readonly Generation[], to: number | undefined, name: string, machine: Machine): number {
  const last = generations.at(-1);
  if (last === undefined) throw unknownOwner(name, machine);
  const first = generations[0]!.number - 1;
  const target = to ?? before(stateAfter(last, generations), generations) ?? first;
  if (Number.isInteger(target) && target >= first && target < last.number) return target;
  const message = `there is no generation ${target} to go back to; the history of ${name} goes from ${first} to ${last.number - 1}: ${machine.program} history ${name}`;
  throw new InputError({ code: "unknown-generation", message });
}

/** The generation whose outcome a generation stands for: one that went back stands for where it went. */
function stateAfter(last: Generation, generations: readonly Generation[]): number {
  const to = rollbackTarget(last);
  if (to === undefined) return last.number;
  const went = generations.find((generation) => generation.number === to);
  return went ? stateAfter(went, generations) : to;
}

function before(number: number, generations: readonly Generation[]): number | undefined {
  return generations.findLast((generation) => generation.number < number)?.number;
}

function noRecords({ name, registry }: OwnerState): Registry {
  return { format_version: 1, name, version: "", homes: [], ...registry, files: {} };
}

/** What is no longer as we left it goes back entry by entry, so that later edits and other owners' entries stand. */
async function planEntrywise(back: GoingBack, places: readonly Place[]): Promise<OwnerPlan> {
  const { state, machine, exact, untouched } = back;
  const done = new Set(exact.map(({ change }) => change.path));
  const left = places.filter((place) => !done.has(place.path) && !untouched.has(place.section));
  const { version, hold } = versions(back);
  return planPlaces(
    state,
    machine,
    { places: left, untouched: new Set() },
    { version, note: rollbackNote(back.to), hold, revise: settleGoingBack },
  );
}

/**
 * A version that is gone back from is held; going forward again holds nothing. The same version is, where applying it
 * again would bring back what is undone: its pack changed under one number, or a run put back what somebody had
 * changed.
 */
function versions({ state, registry, later }: GoingBack): { version: string; hold: string | undefined } {
  const from = state.registry?.version ?? registry?.version ?? "";
  const version = registry?.version ?? from;
  const appliedAgain =
    version === from && later.some((generation) => generation.note === "apply" && generation.version === from);
  const isHeld = state.registry !== undefined && (registry === undefined || isOlder(version, from) || appliedAgain);
  return { version, hold: isHeld ? from : undefined };
}

function withOldRecords(plan: OwnerPlan, back: GoingBack, places: readonly Place[]): OwnerPlan {
  const { state, machine, exact } = back;
  const after = nextRegistry(plan, back);
  const entries = [...plan.document.entries, ...exact.flatMap((each) => exactlyChanged(each, back, places))];
  const files = exact.map(({ change, before }) => planFile(change.path, before, change.after));
  const records = machine.project && projectRecordsPath(machine.project.root, state.name);
  const own = plan.transaction.changes.filter(({ path }) => path !== records);
  const whole = new Set(places.filter(isWholeFile).map(({ path }) => path));
  const changes = inOrder([...own, ...exact.map(({ change }) => change)], ({ path }) => whole.has(path));
  const written = recordsChange(state, after, changes, machine);
  const generation = { version: plan.document.version, from: state.registry?.version, note: rollbackNote(back.to) };
  return {
    ...plan,
    document: {
      ...plan.document,
      changed: plan.document.changed + entries.length - plan.document.entries.length,
      summary: summarise(entries),
      entries,
      files: [...plan.document.files, ...files],
    },
    transaction: planTransaction(machine.stateDir, state.name, written, generation),
  };
}

function exactlyChanged(exact: ExactChange, { state, registry }: GoingBack, places: readonly Place[]): PlanEntry[] {
  const place = places.find(({ path }) => path === exact.change.path);
  if (place === undefined) return [];
  const [now, then] = [state.registry, registry].map((each) => each?.files[place.section]?.entries ?? {});
  return exactEntries(exact, place, now!, then!);
}

/** The records that planning made, with those of files that went back as a whole as they were. */
function nextRegistry(plan: OwnerPlan, back: GoingBack): Registry | undefined {
  const { registry, exact, untouched } = back;
  const { after } = plan.transaction.registry;
  const planned =
    after === undefined
      ? registry && { ...registry, ...heldAfter(registry, versions(back)), files: {} }
      : parseRegistry(after, "");
  if (planned === undefined) return undefined;
  const files = { ...planned.files };
  for (const section of [...untouched, ...exact.map(({ change }) => change.section)]) {
    const old = section === undefined ? undefined : registry?.files[section];
    if (section !== undefined && old !== undefined) files[section] = old;
  }
  return { ...planned, files: Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) };
}
