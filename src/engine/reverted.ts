import type { PlaceContent } from "../core/content.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { InputError } from "../core/diagnostic.ts";
import { quoted } from "../core/messages.ts";
import type { PlaceRecord } from "../core/records.ts";
import { equalValues } from "../core/value.ts";
import { containerNames } from "../entries/entry-paths.ts";
import { type FileDecision, type FileDesired, type FileRecorded, recordOf } from "../entries/file-entry.ts";
import { sha256 } from "../store/gate/content.ts";
import {
  type Generation,
  generationNumbers,
  listGenerations,
  readGeneration,
  readObject,
  registryBefore,
} from "../store/records/generations.ts";
import { lookAt, type ObservedPlace, recordedEntries } from "./observe.ts";
import type { OwnerState } from "./owner-state.ts";
import type { Place } from "./place.ts";

/**
 * A file that is byte for byte as an earlier generation left it: Git brought it back, or the records came from another
 * machine.
 */
export interface Reverted {
  /** The version that left it so. */
  readonly version: string;
  /** What was on record then; undefined if that is no longer known. */
  readonly recorded: readonly FileRecorded[] | undefined;
  readonly containers: PlaceRecord["containers"];
}

/**
 * Whether a place with an entry that is not as recorded is as an earlier generation left it. The history keeps the bytes
 * that each generation replaced, so one look tells for nearly all files that they are not.
 */
export function revertedTo(seen: ObservedPlace, state: OwnerState, stateDir: string): Reverted | undefined {
  const { content, before, place } = seen;
  const { reader, registry, name } = state;
  if (content.kind !== "file" || before === undefined || registry === undefined) return undefined;
  try {
    const numbers = generationNumbers(reader, stateDir, name);
    if (numbers.length === 0) return undefined;
    // Every run that changes records adds a generation: otherwise they were written elsewhere.
    const areForeign = readGeneration(reader, stateDir, name, numbers.at(-1)!)?.version !== registry.version;
    // What the first generation left, none has replaced since.
    if (!areForeign && numbers.length === 1) return undefined;
    const hash = sha256(content.bytes);
    const wasReplaced = state.isKept(hash);
    if (!wasReplaced && !areForeign) return undefined;
    const generations = listGenerations(reader, stateDir, name);
    const left = generations.findLastIndex((generation) => isLeftAs(generation, seen, hash));
    if (left === -1 || !(areForeign || generations.slice(left + 1).some((generation) => stepOf(generation, seen))))
      return undefined;
    const next = generations[left + 1];
    const then = next
      ? recordsOf(seen, registryBefore(reader, stateDir, name, next)?.files[place.section])
      : writtenBy(generations[left]!, seen, state, stateDir);
    return { version: generations[left]!.version, recorded: undefined, containers: undefined, ...then };
  } catch (error) {
    // A damaged history is told by the commands that need it.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

type Then = Pick<Reverted, "recorded" | "containers">;

function recordsOf({ place }: ObservedPlace, record: PlaceRecord | undefined): Then | undefined {
  return record && { recorded: recordedEntries(place.reading, record), containers: record.containers };
}

/**
 * What the last generation of this machine left on record, where another machine's records have taken the place of its
 * own: what was on record before it, and what it wrote. That shows in the file, which is as it left it, beside what it
 * found there. Undefined where the history does not keep that any more.
 */
function writtenBy(
  generation: Generation,
  seen: ObservedPlace,
  { reader, name }: OwnerState,
  stateDir: string,
): Then | undefined {
  const { place, content } = seen;
  const found = stepOf(generation, seen)?.before;
  const bytes = (hash: string) => readObject(reader, stateDir, name, hash);
  try {
    const was = found?.kind === "file" ? entriesIn({ kind: "file", bytes: bytes(found.sha256), mode: 0 }, place) : [];
    const before = new Map(was.map((entry) => [entry.match, entry]));
    const wrote = entriesIn(content, place).filter(
      ({ match, normal }) => !equalValues(normal, before.get(match)?.normal),
    );
    const older = recordsOf(seen, registryBefore(reader, stateDir, name, generation)?.files[place.section]);
    const newer = new Set(wrote.map(({ match }) => match));
    const stood = new Set(["", ...was.flatMap(({ containers }) => containers)]);
    const made = wrote.flatMap(({ containers }) => containers.filter((each) => !stood.has(each)));
    return {
      recorded: [
        ...(older?.recorded ?? []).filter(({ match }) => !newer.has(match)),
        ...wrote.map((entry) => recordOf(entry, generation.version)),
      ],
      containers: { ...Object.fromEntries(made.map((each) => [each, { created: true }])), ...older?.containers },
    };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** All entries of a file, read as if it were a template, each with the containers around it. */
function entriesIn(content: PlaceContent, { reading, path }: Place): (FileDesired & { containers: string[] })[] {
  if (content.kind !== "file") return [];
  const text = Buffer.from(content.bytes).toString("utf8");
  const { entries } = reading.desired({ kind: "text", name: path, text }, new Map());
  const { actual } = reading.observe(content, { desired: entries, recorded: [] });
  const there = new Map(actual.map((entry) => [entry.match, entry]));
  return entries.map((entry) => {
    const found = there.get(entry.match);
    return { ...entry, containers: found ? containerNames(found, entry.source) : [] };
  });
}

function stepOf({ files }: Generation, { place, real }: ObservedPlace): Generation["files"][number] | undefined {
  return files.find(({ path, real: at }) => path === place.path || at === real.file);
}

function isLeftAs(generation: Generation, seen: ObservedPlace, hash: string): boolean {
  const after = stepOf(generation, seen)?.after;
  return after?.kind === "file" && after.sha256 === hash;
}

/** With what was on record then and has been dropped since: to be taken out where it is as it was. */
export function withDropped(seen: ObservedPlace): ObservedPlace {
  const { place, content, recorded, reverted } = seen;
  const known = new Set([...recorded, ...place.desired].map(({ match }) => match));
  const dropped = (reverted?.recorded ?? []).filter(({ match, state }) => state === "managed" && !known.has(match));
  if (dropped.length === 0) return seen;
  const all = [...recorded, ...dropped.map((entry) => ({ ...entry, unwritten: true }))];
  // The containers that were made for them go with them.
  const before = seen.before && { ...seen.before, containers: { ...reverted?.containers, ...seen.before.containers } };
  return { ...seen, before, ...lookAt(place.reading, content, { desired: place.desired, recorded: all }, before) };
}

/**
 * An entry that is as it was then, and not as it was wanted since, is nobody's edit; nor was one deleted that only came
 * since.
 */
export function keptAsThen(decision: FileDecision, { recorded }: Reverted): FileDecision {
  const { outcome, actual } = decision;
  const then = recorded?.find(({ match }) => match === (decision.recorded ?? decision.desired)?.match);
  const isMissing = outcome.verdict === "restore" && then === undefined;
  const isAsThen =
    outcome.reason === "user-modified" && (recorded === undefined || equalValues(actual?.normal, then?.normal));
  if (!isMissing && !isAsThen) return decision;
  return {
    ...decision,
    outcome: { verdict: "keep", reason: "reverted", result: actual?.value, record: { kind: "same" }, conflicts: [] },
  };
}

/** One line for the file, with the command that brings all of it up to date. */
export function tellReverted(
  { reverted, place }: ObservedPlace,
  decisions: readonly FileDecision[],
  program: string,
): Diagnostic[] {
  if (reverted === undefined || !decisions.some(({ outcome }) => outcome.reason === "reverted")) return [];
  const { path } = place;
  const command = `${program} resolve ${quoted(path)} --theirs`;
  const stays =
    reverted.recorded === undefined
      ? `; entries dropped since then stay, as nothing here says any more what ${reverted.version} wrote`
      : "";
  const message = `${path} is as ${reverted.version} left it, and stays so; to bring it up to date: ${command}${stays}`;
  return [{ code: "reverted", severity: "warning", message, file: path }];
}
