import { absent, asContent, type NextContent, type PlaceContent } from "../core/content.ts";
import type { RecordChange } from "../core/decide.ts";
import { type Diagnostic, positionsIn, type TextPosition } from "../core/diagnostic.ts";
import { diagnosticsFor, type Telling } from "../core/messages.ts";
import { planPlace, writes } from "../core/plan.ts";
import { changesBytes, type PlanFile } from "../core/plan-document.ts";
import type { PlaceRecord } from "../core/records.ts";
import { equalValues, field } from "../core/value.ts";
import { pathKey } from "../entries/entry-paths.ts";
import type { FileDecision, FileDesired, FileRecorded } from "../entries/file-entry.ts";
import type { Path } from "../formats/format.ts";
import type { Observed, Reading } from "../readings/reading.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { isSameContent, planFile } from "./file-diff.ts";
import { expandHome, type Machine } from "./machine.ts";
import { nextPlaceRecord } from "./next-record.ts";
import {
  type ForeignRecords,
  type Look,
  lookAt,
  type ObservedPlace,
  type PathContent,
  recordedEntries,
} from "./observe.ts";
import { type FormerReading, isWholeFile, type Place } from "./place.ts";
import { keptAsThen, tellReverted } from "./reverted.ts";
import { inert } from "./revise.ts";

/** What is to become of a place, and why. */
export interface PlannedPlace {
  readonly section: string;
  readonly path: string;
  readonly decisions: readonly FileDecision[];
  readonly changed: number;
  readonly files: readonly PlanFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** What to remember of it. */
  readonly record: PlaceRecord | undefined;
  /** What to write: nothing where the place stays as it is, two files where it is renamed. */
  readonly changes: readonly Change[];
  /** A file or link as one entry: what others point at. */
  readonly isWhole: boolean;
  readonly reading: Reading;
  readonly content: PlaceContent;
  /** The content as text, in readings of text; undefined where there is no file. */
  readonly text: string | undefined;
}

export interface PlacePlanOptions {
  readonly owner: string;
  readonly version: string;
  readonly prune: boolean;
  readonly takeAll?: boolean | undefined;
  /** The owner goes, from wherever it is. */
  readonly leave?: boolean | undefined;
  /** A last word on each decision: a held version holds it back, `resolve` settles it. */
  readonly revise?: ((decision: FileDecision, place: Place) => FileDecision) | undefined;
}

/** Decide the entries of one place, and find the content and the records that make the decisions true. Pure. */
export function planOnePlace(
  seen: ObservedPlace,
  machine: Pick<Machine, "home" | "program">,
  options: PlacePlanOptions,
): PlannedPlace {
  const { place, content, before } = seen;
  const { path, section, target } = place;
  const pass = place.former ? planAnew(seen, place.former, options) : planPasses(place, foundAt(seen), options);
  const { decisions, next } = pass;
  const telling = { owner: options.owner, program: machine.program, file: path };
  const positionOf = positionsIn(seen.observed.text ?? "");
  const written = writtenPlaces(seen, next, decisions);
  const folders = before?.created?.folders ?? [];
  return {
    section,
    path,
    decisions,
    changed: decisions.filter(changesBytes).length,
    files: written.map(({ file }) => file),
    diagnostics: [
      ...place.diagnostics,
      ...tellReverted(seen, decisions, machine.program),
      ...decisions.flatMap((decision) => tell(decision, telling, positionOf)),
    ],
    get record() {
      const record = pass.record();
      return record && { ...record, local: place.local || undefined, target, elsewhere: place.elsewhere || undefined };
    },
    changes: written.flatMap(({ there, next: after, file }) =>
      after === undefined || file.action === "none"
        ? []
        : [changeOf(there, guarded(after, decisions), { section, folders, home: machine.home })],
    ),
    isWhole: isWholeFile(place),
    reading: place.reading,
    content,
    text: seen.observed.text,
  };
}

interface WrittenPlace {
  readonly there: PathContent;
  /** Undefined: it stays as it is. */
  readonly next: NextContent | undefined;
  readonly file: PlanFile;
}

/** What is written, and where: the place itself and, where it is renamed, its old name, at which nothing stays. */
function writtenPlaces(
  seen: ObservedPlace,
  next: NextContent | undefined,
  decisions: readonly FileDecision[],
): WrittenPlace[] {
  const write = (there: PathContent, after: NextContent | undefined): WrittenPlace => ({
    there,
    next: after,
    file: planFile(there.path, there.content, after ?? there.content),
  });
  const isMoved = seen.origin !== undefined && next !== undefined && decisions.some(({ moved }) => moved);
  return [write(seen, next), ...(isMoved ? [write(seen.origin!, absent)] : [])];
}

/** A place as one pass finds it. */
interface Found extends Look {
  readonly before: PlaceRecord | undefined;
  readonly created: PlaceRecord["created"];
  readonly foreign: ForeignRecords;
  readonly reverted?: ObservedPlace["reverted"];
}

function foundAt({ before, foreign, content, missing, origin, ...seen }: ObservedPlace): Found {
  // A text that an earlier release is known to have written is a file of that release's.
  const isEarlier = seen.place.readingData.strategy === "merge" && seen.recorded.some(({ unwritten }) => unwritten);
  const made = content.kind === "absent" || isEarlier ? { folders: missing } : undefined;
  const known = origin ? undefined : before ? before.created : foreign.created;
  return { ...seen, before, foreign, created: known ?? made };
}

interface Pass {
  readonly decisions: readonly FileDecision[];
  /** The content that makes them true; undefined: it stays as it is. */
  readonly next: NextContent | undefined;
  /** What to remember, which only those need to know who write. */
  record(): PlaceRecord | undefined;
}

/**
 * A file that is read in another way from now on: what was written in the old way, and would not be found in the new
 * one, goes; and what is wanted comes.
 */
function planAnew(seen: ObservedPlace, { reading, only }: FormerReading, options: PlacePlanOptions): Pass {
  const { place } = seen;
  const found = foundAt(seen);
  const leaves = ({ recorded }: FileDecision) =>
    only === undefined || (recorded !== undefined && only.has(recorded.key));
  const revise = (decision: FileDecision, of: Place) =>
    leaves(decision) ? (options.revise?.(decision, of) ?? decision) : inert(decision);
  const leaving = planPasses(
    { ...place, reading, desired: [], moves: [] },
    { ...found, foreign: seen.formerForeign! },
    { ...options, revise },
  );
  const before = recordLeft(found, leaving.record(), only);
  const arriving = planPasses(place, foundAgain(place, { ...found, before }, leaving.next), options);
  const decisions = oneAKey(leaving.decisions.filter(leaves), arriving.decisions);
  const next = arriving.next ?? leaving.next;
  if (next === undefined || !isSameContent(seen.content, next)) return { ...arriving, next, decisions };
  return { ...arriving, next: undefined, decisions: decisions.map(onRecordOnly) };
}

/** What went and came again as it was is written down in another way, and nothing else. */
function onRecordOnly(decision: FileDecision): FileDecision {
  if (!changesBytes(decision)) return decision;
  const verdict = decision.desired ? "adopt" : "forget";
  const result = decision.outcome.result ?? decision.actual?.value;
  return { ...decision, copies: [], outcome: { ...decision.outcome, verdict, reason: undefined, result } };
}

/** What is on record once the entries that are found no more have gone. */
function recordLeft(
  { before, created }: Found,
  left: PlaceRecord | undefined,
  only: ReadonlySet<string> | undefined,
): PlaceRecord | undefined {
  if (only === undefined || before === undefined) return created && { entries: {}, created };
  const entries = Object.fromEntries(Object.entries(before.entries).filter(([key]) => !only.has(key)));
  return { ...before, entries, containers: left?.containers, created };
}

/** What goes in the old reading and comes in the new one under the same key has another place from now on. */
function oneAKey(leaving: readonly FileDecision[], arriving: readonly FileDecision[]): readonly FileDecision[] {
  const coming = new Map(arriving.map((decision) => [decision.key, decision]));
  const joined = new Map<FileDecision, FileDecision>();
  const going = leaving.filter((decision) => {
    const twin = coming.get(decision.key);
    if (twin === undefined) return true;
    const { recorded, actual } = decision;
    if (changesBytes(decision) && twin.outcome.verdict === "create")
      joined.set(twin, { ...twin, recorded, actual, outcome: { ...twin.outcome, verdict: "move", reason: "renamed" } });
    else if (!changesBytes(twin)) joined.set(twin, decision);
    return false;
  });
  return [...going, ...arriving.map((decision) => joined.get(decision) ?? decision)];
}

/** One pass; and where a wish has to wait for something of ours to go, a second one on what the first leaves. */
function planPasses(place: Place, found: Found, options: PlacePlanOptions): Pass {
  const decided = decidePlace(place, found, options);
  const late = waitingForRemovals(decided);
  if (late.size === 0) return finishPass(place, found, decided, options);
  const early = decided.map((decision) => (late.has(decision.key) ? waiting(decision) : decision));
  const first = finishPass(place, found, early, options);
  const left = foundAgain(place, { ...found, before: first.record() }, first.next);
  const second = finishPass(place, left, decidePlace(place, left, options), options);
  const settled = new Map(second.decisions.map((decision) => [decision.key, decision]));
  const decisions = decided.map((decision) => {
    const later = late.has(decision.key) ? settled.get(decision.key) : undefined;
    return later && changesBytes(later) ? later : decision;
  });
  return { ...second, next: second.next ?? first.next, decisions };
}

/** The place as an edit of ours leaves it. */
function foundAgain(place: Place, found: Found, next: NextContent | undefined): Found {
  const content = next === undefined ? found.observed.content : asContent(next);
  const sought = { desired: place.desired, recorded: recordedEntries(place.reading, found.before) };
  return { ...found, ...lookAt(place.reading, content, sought, found.before) };
}

function decidePlace(place: Place, found: Found, options: PlacePlanOptions): readonly FileDecision[] {
  const { foreign, recorded, observed } = found;
  const granted = grantedWishes(place, found);
  const planned = planPlace({
    desired: observed.blocked.size === 0 ? place.desired : place.desired.map((entry) => withObstacle(entry, observed)),
    actual: observed.content.kind === "absent" ? [] : observed.actual,
    recorded: granted.size === 0 ? recorded : recorded.map((entry) => granted.get(entry.key) ?? entry),
    claims: foreign.claims,
    moves: place.moves,
    policies: place.policies,
    prune: options.prune,
    elsewhere: place.elsewhere && !options.leave,
    leaves: options.leave,
    takeAll: options.takeAll,
  }).map((decision) => withCommentKept(found.reverted ? keptAsThen(decision, found.reverted) : decision));
  return options.revise ? planned.map((decision) => options.revise!(decision, place)) : planned;
}

/** Edit, and record. */
function finishPass(place: Place, found: Found, decisions: readonly FileDecision[], options: PlacePlanOptions): Pass {
  const { observed, before, created, foreign } = found;
  const { reading, readingData } = place;
  const isAbsent = observed.content.kind === "absent";
  const edited = reading.edit(observed, decisions, {
    created: before?.created !== undefined || isAbsent,
    // Without the file nothing in it is as it was found.
    containers: isAbsent ? {} : (before?.containers ?? {}),
    foreignContainers: foreign.containers,
    claims: foreign.claims,
  });
  const next = edited.content;
  const isGone = (next ?? observed.content).kind === "absent";
  const recording = { before, version: options.version, reading, readingData, isGone, created, text: observed.text };
  return { decisions, next, record: () => nextPlaceRecord(decisions, edited, recording) };
}

function withObstacle(entry: FileDesired, observed: Observed): FileDesired {
  const blocked = observed.blocked.get(entry.match);
  return blocked === undefined ? entry : { ...entry, blocked };
}

/**
 * A pending wish that has come true meanwhile (another owner, or the user, wrote it) counts as recorded: adopted
 * without being asked.
 */
function grantedWishes({ desired }: Place, { pending, observed }: Found): Map<string, FileRecorded> {
  const granted = new Map<string, FileRecorded>();
  if (pending.size === 0) return granted;
  const there = new Map(observed.actual.map((entry) => [entry.match, entry]));
  const wishes = new Map(desired.map((entry) => [entry.match, entry]));
  for (const [key, entry] of pending) {
    // Still wanted so: the table says `adopt`, and then it is on record.
    if (equalValues(wishes.get(entry.match)?.normal, entry.normal)) continue;
    if (equalValues(there.get(entry.match)?.normal, entry.normal)) granted.set(key, entry);
  }
  return granted;
}

/** Nobody else may read a new file that holds a secret. */
function guarded(next: NextContent, decisions: readonly FileDecision[]): NextContent {
  const isSecret = next.kind === "file" && "created" in next.mode && decisions.some(({ desired }) => desired?.secret);
  return isSecret ? { ...next, mode: { created: 0o600 } } : next;
}

interface ChangeOf {
  readonly section: string;
  /** Folders that were made for the file, outermost first. */
  readonly folders: readonly string[];
  readonly home: string;
}

function changeOf(
  { path, real, content }: PathContent,
  after: NextContent,
  { section, folders, home }: ChangeOf,
): Change {
  const isLink = content.kind === "link" || after.kind === "link";
  return {
    path,
    real: isLink ? real.link : real.file,
    before: content.kind === "file" ? { kind: "file", bytes: content.bytes } : content,
    after,
    section,
    removeFolders: after.kind === "absent" ? folders.map((folder) => expandHome(folder, home)).reverse() : [],
  };
}

function tell(
  decision: FileDecision,
  telling: Telling,
  positionOf: (offset: number) => TextPosition,
): readonly Diagnostic[] {
  const told = diagnosticsFor(decision, telling);
  const start = told.length > 0 ? decision.actual?.node.entryRanges[0]?.start : undefined;
  return start === undefined ? told : told.map((each) => ({ ...each, ...positionOf(start) }));
}

/**
 * What can only be decided once something of ours has gone: `a: 1` becomes `a: { b: 1 }`, or the other way round. Where
 * one wish takes the place of another, the old entry goes first, and the new one is planned on the text without it.
 */
function waitingForRemovals(decisions: readonly FileDecision[]): ReadonlySet<string> {
  const removed = decisions.filter(
    ({ outcome, actual }) => actual && outcome.result === undefined && writes(outcome, actual),
  );
  if (removed.length === 0) return new Set();
  const going = new Set(removed.map(({ actual }) => pathKey(actual!.path)));
  const shortest = Math.min(...new Set(removed.map(({ actual }) => actual!.path.length)));
  // Most stand beside what goes, and not in it.
  const isInGoing = (path: Path) => path.length > shortest && prefixesOf(path).some((prefix) => going.has(prefix));
  const emptying = new Set(removed.flatMap(({ actual }) => prefixesOf(actual!.path)));
  const waits = ({ desired, recorded, actual }: FileDecision) => {
    if (desired === undefined) return false;
    if (actual !== undefined && isInGoing(actual.path)) return true;
    // What is to be renamed into a place that is taken waits like what is to be added there.
    if (actual !== undefined && desired.blocked === undefined)
      return recorded === undefined && emptying.has(pathKey(actual.path));
    const names = desired.location.filter((step): step is string => typeof step === "string");
    return isInGoing(names.length < desired.location.length ? [...names, 0] : names);
  };
  return new Set(decisions.filter(waits).map(({ key }) => key));
}

/** All containers around what is at a path, except the root, which is never removed. */
function prefixesOf(path: Path): string[] {
  return path.slice(1).map((_, i) => pathKey(path.slice(0, i + 1)));
}

/** Nothing yet: what is there stays, and so does what is recorded. */
function waiting(decision: FileDecision): FileDecision {
  const { recorded, actual } = decision;
  const record: RecordChange = recorded?.unwritten
    ? { kind: "set", value: recorded.value, state: "managed" }
    : { kind: "same" };
  const outcome = { verdict: "keep", reason: "blocked", result: actual?.value, record, conflicts: [] } as const;
  return { ...decision, copies: [], outcome };
}

/**
 * A comment in an entry can't go along to another place, and is not ours to lose: the entry stays where it is, and that
 * is told.
 */
function withCommentKept(decision: FileDecision): FileDecision {
  const { actual, outcome, moved } = decision;
  if (
    !moved ||
    actual === undefined ||
    !changesBytes(decision) ||
    actual.comments.length === 0 ||
    staysInPlace(decision)
  )
    return decision;
  const why = "it is to be renamed, and a comment inside it would be lost";
  return {
    ...decision,
    outcome: {
      ...outcome,
      verdict: "keep",
      reason: "locked",
      why,
      result: actual.value,
      record: { kind: "same" },
      conflicts: [],
    },
  };
}

/**
 * An item of a list is renamed where it stands, unless a part of its key that it does not hold itself leads to another
 * list or group.
 */
function staysInPlace({ desired, recorded, rekeyed }: FileDecision): boolean {
  if (desired === undefined || recorded === undefined || rekeyed || typeof desired.location.at(-1) === "string")
    return false;
  const around = Object.keys(desired.source).filter(
    (name) => name !== "value" && field(desired.value, name) === undefined,
  );
  return around.every((name) => desired.source[name] === recorded.source[name]);
}
