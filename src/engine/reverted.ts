import { join } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import { InputError } from "../core/diagnostic.ts";
import { quoted } from "../core/messages.ts";
import type { PlaceRecord } from "../core/records.ts";
import { equalValues } from "../core/value.ts";
import type { FileDecision, FileRecorded } from "../entries/file-entry.ts";
import { sha256 } from "../store/gate/content.ts";
import {
  type Generation,
  generationNumbers,
  listGenerations,
  objectPath,
  readGeneration,
  readObject,
} from "../store/records/generations.ts";
import { parseRegistry, registryPath } from "../store/records/registry.ts";
import { ownerFolder } from "../store/records/state-dir.ts";
import { lookAt, type ObservedPlace, recordedEntries } from "./observe.ts";
import type { OwnerState } from "./owner-state.ts";

/**
 * A file that is byte for byte as an earlier generation left it: Git brought it back, or the records came from another
 * machine.
 */
export interface Reverted {
  /** The version that left it so. */
  readonly version: string;
  /** What was on record then; undefined where nobody knows any more. */
  readonly recorded: readonly FileRecorded[] | undefined;
  readonly containers: PlaceRecord["containers"];
}

/**
 * Files up to this size are compared with the history in every plan, larger ones only where an entry is not as
 * recorded.
 */
const quicklyHashed = 256 * 1024;

/**
 * Whether a place is as an earlier generation left it. The history keeps the bytes that each generation replaced, so
 * one look tells for nearly all files that they are not.
 */
export function revertedTo(
  seen: ObservedPlace,
  isSuspicious: boolean,
  state: OwnerState,
  stateDir: string,
): Reverted | undefined {
  const { content, before, place } = seen;
  const { reader, registry, name } = state;
  if (content.kind !== "file" || before === undefined || registry === undefined) return undefined;
  if (!isSuspicious && content.bytes.length > quicklyHashed) return undefined;
  const hash = sha256(content.bytes);
  const wasReplaced = reader.stat(join(ownerFolder(stateDir, name), objectPath(hash))) !== undefined;
  if (!wasReplaced && !isSuspicious) return undefined;
  try {
    const last = generationNumbers(reader, stateDir, name).at(-1);
    if (last === undefined) return undefined;
    // Every run that changes records adds a generation: otherwise they were written elsewhere.
    const areForeign = readGeneration(reader, stateDir, name, last)?.version !== registry.version;
    if (!wasReplaced && !areForeign) return undefined;
    const generations = listGenerations(reader, stateDir, name);
    const left = generations.findLastIndex((generation) => stepOf(generation, seen)?.after === hash);
    if (left === -1 || !(areForeign || generations.slice(left + 1).some((generation) => stepOf(generation, seen))))
      return undefined;
    const next = generations[left + 1]?.registryBefore ?? undefined;
    const text = next && readObject(reader, stateDir, name, next).toString("utf8");
    const then: PlaceRecord | undefined =
      text === undefined ? undefined : parseRegistry(text, registryPath(stateDir, name)).files[place.section];
    return {
      version: generations[left]!.version,
      recorded: then && recordedEntries(place.reading, then),
      containers: then?.containers,
    };
  } catch (error) {
    // A damaged history is told by the commands that need it.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function stepOf({ files }: Generation, { place, real }: ObservedPlace): { after: string | undefined } | undefined {
  const step = files.find(({ path, real: at }) => path === place.path || at === real.file);
  return step && { after: step.after.kind === "file" ? step.after.sha256 : undefined };
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
  const message = `${path} is as ${reverted.version} left it, and stays so; bring it up to date with: ${program} resolve ${quoted(path)} --theirs`;
  return [{ code: "reverted", severity: "warning", message, file: path }];
}
