import { textOf, withText } from "../core/content.ts";
import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import { groupBy } from "../core/lists.ts";
import { type PlanDocument, type PlanEntry, planEntry } from "../core/plan-document.ts";
import { canonicalText, equalValues, type Value } from "../core/value.ts";
import { planAndApplyTogether } from "../engine/apply.ts";
import { expandHome, type Machine, pathContext } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import type { Place } from "../engine/place.ts";
import { type OwnerPlan, planPlaces } from "../engine/plan-owner.ts";
import {
  inert,
  only,
  type Revision,
  settleAdopt,
  settleDisown,
  settleMine,
  settleTheirs,
  settleValue,
} from "../engine/revise.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import { canonicalPath } from "../identity/paths/paths.ts";
import {
  type Answer,
  type AnswerName,
  type EntryView,
  entryView,
  keysInSeveralFiles,
  toChooseFrom,
  type ViewOptions,
  type Waiting,
  waitingOf,
  waitings,
} from "../report/entry-view.ts";
import { maskDiagnostic, maskEntry } from "../report/mask/mask.ts";
import { tilde } from "../report/words.ts";
import { sha256 } from "../store/gate/content.ts";
import { afterTransaction } from "../store/transaction/pending.ts";
import { mergeFile } from "../text/merge-file.ts";
import { mergeText } from "../text/merge-text.ts";
import { hasCopyWithMarkers } from "./edit-conflict.ts";
import { type KnownEntry, unknownOwner } from "./places/find-entries.ts";
import { lastWishes, placesOnRecord } from "./places/record-places.ts";
import { statusOf } from "./status.ts";
import { whenSet } from "./when.ts";

/** An entry that waits for a person: what it is about, and what there is to decide. */
export interface WaitingEntry extends KnownEntry {
  /** Where it is installed: the user's, or a project's. */
  readonly machine: Machine;
  readonly version: string;
  readonly waits: Waiting;
  readonly view: EntryView;
  /** Names the value that the person looks at: an answer about another one is refused. */
  readonly seen: string;
  /** What an editor opens on, and what makes a value of the edited text; undefined where nothing can be edited. */
  readonly editable?: Editable | undefined;
  /** The answers that a command can give: one command edits conflicting lines, and no other value. */
  readonly commands: readonly Answer[];
}

/** A value as a text that a person can change. */
export interface Editable {
  readonly text: string;
  /** A name for the copy, so that an editor knows what it holds. */
  readonly name: string;
  readonly kind: "text" | "json";
  /** The line of the first conflict marker that still stands in an edited text. */
  remainingMarker(edited: string): number | undefined;
}

export interface WaitingFilter {
  readonly owner?: string | undefined;
  /** As the user says it, absolute or with `~`. */
  readonly file?: string | undefined;
  /** Show values that look secret. */
  readonly secrets?: boolean | undefined;
}

/**
 * Everything that waits for a person: conflicts first, then what is missing, what is no longer needed, and what was
 * edited.
 */
export async function whatWaits(machine: Machine, filter: WaitingFilter = {}): Promise<WaitingEntry[]> {
  return waitingIn(await statusOf(machine, filter.owner), machine, filter);
}

/** The same of plans that were made already. */
export function waitingIn(plans: readonly OwnerPlan[], machine: Machine, filter: WaitingFilter = {}): WaitingEntry[] {
  const context = pathContext(machine, []);
  const wanted = filter.file === undefined ? undefined : canonicalPath(expandHome(filter.file, machine.home), context);
  const found: WaitingEntry[] = [];
  for (const plan of plans) {
    const draw = drawing(plan, machine, filter.secrets === true);
    for (const { path, section, decisions } of plan.places) {
      if (wanted !== undefined && canonicalPath(path, context) !== wanted) continue;
      for (const decision of decisions) {
        const waits = waitingOf(decision.outcome);
        if (waits !== undefined) found.push(pending(decision, waits, { path, section }, plan.document, machine, draw));
      }
    }
  }
  return inOrder(found);
}

/** The largest uncertainty first, wherever it is. */
export function inOrder(entries: WaitingEntry[]): WaitingEntry[] {
  return entries.sort((a, b) => waitings.indexOf(a.waits) - waitings.indexOf(b.waits));
}

type Draw = (entry: PlanEntry, decision: FileDecision) => EntryView;

/** How the entries of a plan are drawn. What that takes is looked up when the first of them is. */
function drawing(plan: OwnerPlan, machine: Machine, secrets: boolean): Draw {
  const { document, places } = plan;
  const when = whenSet(plan, machine);
  let shared: ReadonlySet<string> | undefined;
  let told: ReadonlyMap<string | undefined, readonly Diagnostic[]> | undefined;
  const options = ({ key, file }: PlanEntry, decision: FileDecision): ViewOptions => {
    shared ??= keysInSeveralFiles(
      places.flatMap(({ path, decisions }) => decisions.map((decision) => ({ key: decision.key, file: path }))),
    );
    const within = shared.has(key) ? tilde(file, machine.home) : undefined;
    return { program: machine.program, within, when: () => when(decision) };
  };
  if (secrets) return (entry, decision) => pendingView(entry, document, options(entry, decision));
  return (entry, decision) => {
    told ??= groupBy(document.diagnostics, (each) => each.key);
    const own = (told.get(entry.key) ?? []).filter(({ file }) => file === undefined || file === entry.file);
    const diagnostics = own.map(maskDiagnostic);
    return pendingView(
      maskEntry(entry),
      { ...document, entries: [], files: [], diagnostics },
      options(entry, decision),
    );
  };
}

/** Drawn when somebody looks: of ten thousand entries a page shows a few. */
function pending(
  decision: FileDecision,
  waits: Waiting,
  { path, section }: Pick<OwnerPlan["places"][number], "path" | "section">,
  { name: owner, version }: PlanDocument,
  machine: Machine,
  draw: Draw,
): WaitingEntry {
  let view: EntryView | undefined;
  return {
    machine,
    owner,
    section,
    key: decision.key,
    version,
    waits,
    get view() {
      view ??= draw(planEntry(path, decision), decision);
      return view;
    },
    get seen() {
      return seenOf(decision);
    },
    get editable() {
      return editableOf(decision, owner, version);
    },
    get commands() {
      return this.view.answers.filter(({ name }) => name !== "edit" || hasCopyWithMarkers(decision));
    },
  };
}

/** Nothing has been done yet: what a plan says of a deleted entry is what the next run would do. */
function pendingView(entry: PlanEntry, document: PlanDocument, options: ViewOptions): EntryView {
  const drawn = entryView(entry, document, options);
  const view = { ...drawn, answers: toChooseFrom(drawn.answers) };
  if (view.waits !== "deleted") return view;
  const value = textOf(entry.desired) ?? entry.desired;
  const sides = [{ name: `${view.owner}'s`, value, role: "theirs" }] as const;
  return { ...view, word: "you deleted it; the next run puts it back", changes: [{ field: "", sides }] };
}

function seenOf({ actual }: FileDecision): string {
  return sha256(actual === undefined ? "nothing" : canonicalText(actual.normal));
}

function editableOf(decision: FileDecision, owner: string, version: string): Editable | undefined {
  const { recorded, actual, desired } = decision;
  if (actual === undefined || actual.locked !== undefined) return undefined;
  const { value } = actual;
  const own = textOf(value);
  if (own === undefined || !own.includes("\n")) {
    const text = `${JSON.stringify(value, undefined, 2) ?? "null"}\n`;
    return { kind: "json", name: "value.json", text, remainingMarker: () => undefined };
  }
  const [base, theirs] = [textOf(recorded?.value), textOf(desired?.value)];
  const whole: Editable = { kind: "text", name: "value.txt", text: own, remainingMarker: () => undefined };
  if (base === undefined || theirs === undefined) return whole;
  const merged = mergeText(base, own, theirs);
  if (merged.kind !== "conflict") return whole;
  const markers = { mine: "yours", base: "before", theirs: `${owner} ${version}`, style: "diff3" } as const;
  return {
    ...whole,
    text: mergeFile(base, own, theirs, markers).text,
    remainingMarker: (edited) => merged.remainingMarker(edited),
  };
}

/** What a person decided about one entry. */
export interface EntryAnswer extends KnownEntry {
  readonly machine: Machine;
  readonly answer: AnswerName;
  readonly seen: string;
  /** With `edit`: the value to write. */
  readonly value?: Value | undefined;
}

/** What the answers would do, one plan an owner. Writes nothing. */
export async function planAnswers(answers: readonly EntryAnswer[]): Promise<OwnerPlan[]> {
  const plans: OwnerPlan[] = [];
  for (const own of byInstance(answers)) plans.push(...(await planInOrder(own)));
  return plans;
}

/**
 * Does it: one transaction for all owners of the user's, one for those of a project. An entry that changed since it was
 * looked at refuses all of it.
 */
export async function applyAnswers(answers: readonly EntryAnswer[]): Promise<OwnerPlan[]> {
  // All of them are planned before the first is written: an answer that no longer fits must not leave half of them
  // done.
  await planAnswers(answers);
  const plans: OwnerPlan[] = [];
  for (const own of byInstance(answers)) {
    const { machine } = own[0]!;
    try {
      plans.push(...(await planAndApplyTogether(machine, () => planInOrder(own))));
    } catch (error) {
      throw saidWhatIsWritten(error, plans, machine);
    }
  }
  return plans;
}

/** A transaction that fails undoes no other: what was written before it has to be told. */
function saidWhatIsWritten(error: unknown, written: readonly OwnerPlan[], { program }: Machine): unknown {
  if (!(error instanceof InputError) || written.length === 0) return error;
  const names = written.map(({ document }) => document.name);
  const undo = names.map((name) => `${program} rollback ${name}`).join("; ");
  const message = `your answers about ${names.join(" and ")} were written before that; to take them back: ${undo}`;
  return new InputError(error.diagnostic, [...error.diagnostics.slice(1), { code: error.code, message }]);
}

/** Owners may share a file: each is planned upon what those before it will leave. */
async function planInOrder(answers: readonly EntryAnswer[]): Promise<OwnerPlan[]> {
  const plans: OwnerPlan[] = [];
  let { machine } = answers[0]!;
  for (const own of groupBy(answers, ({ owner }) => owner).values()) {
    const plan = await planOwnersAnswers(own, machine);
    plans.push(plan);
    machine = { ...machine, gate: { ...machine.gate, ...afterTransaction(machine.gate, plan.transaction) } };
  }
  return plans;
}

async function planOwnersAnswers(answers: readonly EntryAnswer[], machine: Machine): Promise<OwnerPlan> {
  const { owner } = answers[0]!;
  const state = readOwnerState(machine, owner);
  if (state.registry === undefined) throw unknownOwner(owner, machine);
  const { places, untouched } = await placesOnRecord(state, machine, lastWishes);
  const byPlace = new Map<string, Map<string, EntryAnswer>>();
  for (const answer of answers)
    byPlace.set(answer.section, (byPlace.get(answer.section) ?? new Map()).set(answer.key, answer));
  const concerned = places.filter(({ section }) => byPlace.has(section));
  const left = new Set([
    ...untouched,
    ...places.filter(({ section }) => !byPlace.has(section)).map(({ section }) => section),
  ]);
  const revise = (decision: FileDecision, { section }: Place) => {
    const answer = byPlace.get(section)?.get(decision.key);
    return only(() => answer !== undefined, answered(answer))(decision);
  };
  const options = { version: state.registry.version, note: "review", revise };
  return planPlaces(state, machine, { places: concerned, untouched: left }, options);
}

function answered(answer: EntryAnswer | undefined): Revision {
  return (decision) => {
    if (answer === undefined) return decision;
    if (seenOf(decision) !== answer.seen) {
      if (isDone(decision, answer)) return inert(decision);
      const message = `${decision.key} changed since you looked at it; nothing was written; look again`;
      throw new InputError({ code: "file-changed", message, file: answer.section });
    }
    switch (answer.answer) {
      case "mine":
        return settleMine(decision);
      case "theirs":
        return settleTheirs(decision);
      case "hand-over":
      case "keep-out":
        return settleDisown(decision);
      case "adopt":
        return settleAdopt(decision);
      case "edit":
        return settleValue(decision, editedValue(decision, answer.value!));
    }
  };
}

/** Written a moment ago, when another file of the same answers had to be planned again. */
function isDone(decision: FileDecision, { answer, value }: EntryAnswer): boolean {
  if (answer === "edit") return equalValues(decision.actual?.value, editedValue(decision, value!));
  return (answer === "theirs" || answer === "adopt") && decision.outcome.verdict === "unchanged";
}

/** By whose they are: the user's, or a project's. */
function byInstance(answers: readonly EntryAnswer[]): EntryAnswer[][] {
  return [...groupBy(answers, ({ machine }) => machine.stateDir).values()];
}

/** What a person edited of a file is its text: its mode stays. */
function editedValue({ actual }: FileDecision, value: Value): Value {
  return typeof value === "string" ? withText(actual?.value, value) : value;
}
