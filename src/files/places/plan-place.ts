import { dirname } from "node:path";
import { type Diagnostic, positionsIn, type TextPosition } from "../../core/diagnostic.ts";
import { diagnosticsFor, type Telling } from "../../core/messages.ts";
import { planPlace } from "../../core/plan.ts";
import { changesBytes, type PlanFile } from "../../core/plan-document.ts";
import { equalValues } from "../../core/value.ts";
import { withCommentKept } from "../../entries/commented-moves.ts";
import { portablePath } from "../../identity/paths/paths.ts";
import type { Edited, FileDecision, FileDesired, FileRecorded, Observed } from "../../readings/reading.ts";
import { decodeText } from "../../readings/text.ts";
import { placeOf } from "../../store/gate/target.ts";
import type { PlaceRecord } from "../../store/records/registry.ts";
import { missingFolders } from "../../store/records/state-dir.ts";
import type { Change } from "../../store/transaction/transaction.ts";
import { unifiedDiff } from "../../text/diff-lines.ts";
import { expandHome, type Machine } from "../machine.ts";
import type { OwnerState } from "../owner-state.ts";
import { type ForeignRecords, foreignRecords } from "./foreign-records.ts";
import { nextPlaceRecord } from "./next-record.ts";
import type { Place } from "./places.ts";
import { waiting, waitingForRemovals } from "./succession.ts";

export interface PlannedPlace {
  readonly section: string;
  readonly path: string;
  readonly decisions: readonly FileDecision[];
  readonly changed: number;
  readonly file: PlanFile;
  readonly diagnostics: readonly Diagnostic[];
  readonly record: PlaceRecord | undefined;
  readonly change: Change | undefined;
  /** The text as it is now; undefined where there is no file. */
  readonly text: string | undefined;
}

interface Options {
  readonly version: string;
  readonly prune: boolean;
  /** A last word on each decision: a held version holds it back, `resolve` settles it. */
  readonly revise?: ((decision: FileDecision, place: Place) => FileDecision) | undefined;
}

/** Observe one file, decide its entries, and find the bytes and the records that make the decisions true. */
export function planOnePlace(place: Place, state: OwnerState, machine: Machine, options: Options): PlannedPlace {
  const { path, section } = place;
  const real = placeOf(state.reader, path, "file");
  const bytes = state.reader.read(path);
  const text = bytes && decodeText(bytes, path);
  const before = state.registry?.files[section];
  const foreign = foreignRecords(place, state);
  const created = before ? before.created : foreign.created;
  const made = created ?? (text === undefined ? { folders: newFolders(state, real) } : undefined);
  const found: Found = { text, before, created: made, foreign };
  const { decisions, edited, record } = place.former
    ? planAnew(place, { ...place, reading: place.former, desired: [], moves: [] }, found, state, options)
    : planPasses(place, found, options);
  const telling = { owner: state.name, program: machine.program, file: path };
  const positionOf = positionsIn(text ?? "");
  const file = planFile(path, text, edited.text);
  return {
    section,
    path,
    decisions,
    changed: decisions.filter(changesBytes).length,
    file,
    diagnostics: [...place.diagnostics, ...decisions.flatMap((decision) => tell(decision, telling, positionOf))],
    record,
    change:
      file.action === "none"
        ? undefined
        : changeOf({ path, real, bytes, edited, section, folders: before?.created?.folders ?? [], home: machine.home }),
    text,
  };
}

/** A place as one pass finds it. */
interface Found {
  readonly text: string | undefined;
  readonly before: PlaceRecord | undefined;
  readonly created: PlaceRecord["created"];
  readonly foreign: ForeignRecords;
}

interface Pass {
  readonly decisions: readonly FileDecision[];
  readonly edited: Edited;
  readonly record: PlaceRecord | undefined;
}

/** A file that is read in another way from now on: all that was written in the old way goes, and what is wanted comes in the new one. */
function planAnew(place: Place, former: Place, found: Found, state: OwnerState, options: Options): Pass {
  const leaving = planPasses(former, { ...found, foreign: foreignRecords(former, state) }, options);
  const before = found.created && { entries: {}, created: found.created };
  const arriving = planPasses(place, { ...found, text: leaving.edited.text, before }, options);
  return { ...arriving, decisions: [...leaving.decisions, ...arriving.decisions] };
}

/** One pass; and where a wish has to wait for something of ours to go, a second one on what the first leaves. */
function planPasses(place: Place, found: Found, options: Options): Pass {
  const decided = decidePlace(place, found, options);
  const late = waitingForRemovals(decided.decisions);
  if (late.size === 0) return finishPass(place, found, decided, options);
  const early = decided.decisions.map((decision) => (late.has(decision.key) ? waiting(decision) : decision));
  const first = finishPass(place, found, { ...decided, decisions: early }, options);
  const left: Found = { ...found, text: first.edited.text, before: first.record };
  const second = finishPass(place, left, decidePlace(place, left, options), options);
  const settled = new Map(second.decisions.map((decision) => [decision.key, decision]));
  const decisions = decided.decisions.map((decision) => {
    const later = late.has(decision.key) ? settled.get(decision.key) : undefined;
    return later && changesBytes(later) ? later : decision;
  });
  return { ...second, decisions };
}

interface Decided {
  readonly observed: Observed;
  readonly decisions: readonly FileDecision[];
}

function decidePlace(place: Place, { text, before, foreign }: Found, options: Options): Decided {
  const { reading } = place;
  const recorded: FileRecorded[] = [];
  // Not by `Object.entries`: there may be many, and a pair for each takes as long as reading it.
  for (const key in before?.entries) recorded.push(reading.recorded(key, before.entries[key]!));
  const observed = reading.observe(text, { desired: place.desired, recorded });
  const granted = grantedWishes(place, before, observed);
  const planned = planPlace({
    desired: place.desired.map((entry) => withObstacle(leftToUser(entry, before), observed)),
    actual: text === undefined ? [] : observed.actual,
    recorded: recorded.map((entry) => granted.get(entry.key) ?? entry),
    claims: foreign.claims,
    moves: place.moves,
    earlier: place.earlier,
    policies: place.policies,
    prune: options.prune,
  }).map(withCommentKept);
  return { observed, decisions: options.revise ? planned.map((decision) => options.revise!(decision, place)) : planned };
}

function finishPass(place: Place, { text, before, created, foreign }: Found, { observed, decisions }: Decided, options: Options): Pass {
  const { reading, readingData } = place;
  // Without the file nothing in it is as it was found.
  const containers = text === undefined ? {} : (before?.containers ?? {});
  const made = before?.created !== undefined || text === undefined;
  const known = { created: made, containers, foreignContainers: foreign.containers, claims: foreign.claims };
  const edited: Edited = reading.edit(observed, decisions, known);
  const record = nextPlaceRecord(decisions, edited, { before, version: options.version, reading, readingData, created });
  return { decisions, edited, record };
}

/** A wish that waits without a record: what stood there was the user's already when the owner came. */
function leftToUser(entry: FileDesired, before: PlaceRecord | undefined): FileDesired {
  const waits = before?.wanted !== undefined && Object.hasOwn(before.wanted, entry.key) && !Object.hasOwn(before.entries, entry.key);
  return waits ? { ...entry, left: true } : entry;
}

function withObstacle(entry: FileDesired, observed: Observed): FileDesired {
  const blocked = observed.blocked.get(entry.match);
  return blocked === undefined ? entry : { ...entry, blocked };
}

/** A pending wish that has come true meanwhile (another owner, or the user, wrote it) counts as recorded: adopted without being asked. */
function grantedWishes({ reading, desired }: Place, before: PlaceRecord | undefined, { actual }: Observed): Map<string, FileRecorded> {
  const granted = new Map<string, FileRecorded>();
  if (before?.wanted === undefined) return granted;
  const there = new Map(actual.map((entry) => [entry.match, entry]));
  const wishes = new Map(desired.map((entry) => [entry.match, entry]));
  for (const [key, wish] of Object.entries(before.wanted)) {
    const record = before.entries[key];
    if (record === undefined || record.state !== undefined) continue;
    const entry = reading.recorded(key, { ...record, value: wish.value });
    // Still wanted so: the table says `adopt`, and then it is on record.
    if (equalValues(wishes.get(entry.match)?.normal, entry.normal)) continue;
    if (equalValues(there.get(entry.match)?.normal, entry.normal)) granted.set(key, entry);
  }
  return granted;
}

function newFolders(state: OwnerState, real: string): string[] {
  return missingFolders(state.reader, dirname(real)).map((folder) => portablePath(folder, state.context));
}

/** The ends first: most changes of a huge file are near one of them, and going through all of it takes as long as writing it. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  return a.slice(-nearTheEnd) === b.slice(-nearTheEnd) && a === b;
}

const nearTheEnd = 1 << 16;

/** What becomes of a file, for the report. */
export function planFile(path: string, before: string | undefined, after: string | undefined): PlanFile {
  const action = isSame(before, after) ? "none" : before === undefined ? "create" : after === undefined ? "delete" : "modify";
  let diff: string | undefined;
  return {
    path,
    action,
    // Only when somebody looks: a diff of a huge file costs more than changing it.
    get diff() {
      diff ??=
        before === after
          ? ""
          : unifiedDiff(before ?? "", after ?? "", {
              from: before === undefined ? "/dev/null" : path,
              to: after === undefined ? "/dev/null" : path,
            });
      return diff;
    },
  };
}

interface ChangeInput {
  readonly path: string;
  readonly real: string;
  readonly bytes: Uint8Array | undefined;
  readonly edited: Edited;
  readonly section: string;
  readonly folders: readonly string[];
  readonly home: string;
}

function changeOf({ path, real, bytes, edited, section, folders, home }: ChangeInput): Change {
  const removeFolders = edited.text === undefined ? folders.map((folder) => expandHome(folder, home)).reverse() : [];
  return {
    path,
    real,
    before: bytes === undefined ? { kind: "absent" } : { kind: "file", bytes },
    after: edited.text === undefined ? { kind: "absent" } : { kind: "file", bytes: Buffer.from(edited.text), mode: { created: 0o666 } },
    section,
    removeFolders,
  };
}

function tell(decision: FileDecision, telling: Telling, positionOf: (offset: number) => TextPosition): readonly Diagnostic[] {
  const told = diagnosticsFor(decision, telling);
  const start = told.length > 0 ? decision.actual?.node.entryRanges[0]?.start : undefined;
  return start === undefined ? told : told.map((each) => ({ ...each, ...positionOf(start) }));
}
