import { absent, type NextContent, type PlaceContent } from "../core/content.ts";
import type { Actual, Desired, Entry, Recorded } from "../core/entry.ts";
import { type Decision, planPlace } from "../core/plan.ts";
import { changesBytes, type PlanFile } from "../core/plan-document.ts";
import type { Policy } from "../core/policy.ts";
import type { Value } from "../core/value.ts";
import { planFile } from "../engine/file-diff.ts";
import { keyText } from "../identity/rules/keys.ts";
import type { Seen } from "../store/gate/content.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { type EvaluatedHost, type FileKind, nextContent } from "./evaluate/evaluation.ts";
import { contentValue, type HostObservation, type ObservedContent, observedValue } from "./observe.ts";
import { entryOf, type HostRegistry, memoryOf } from "./registry.ts";
import { placeUnder } from "./target.ts";

/** What the core decided about one file. */
export type HostFileDecision = Decision<Desired, Actual, Recorded>;

/** As on the host. */
export function pathOf(decision: HostFileDecision): string {
  return (decision.desired ?? decision.recorded)!.match;
}

/** To the core a file is one opaque value, known by its path on the host. */
function entry(type: FileKind, path: string, value: Value): Entry {
  return { key: keyText(type, [path]), match: path, pair: undefined, type, joining: "whole", value, normal: value };
}

export function recordedFiles(registry: HostRegistry | undefined): Recorded[] {
  return Object.entries(registry?.files ?? {}).flatMap(([path, place]): Recorded[] => {
    const [memory, recorded] = [memoryOf(place), entryOf(place)];
    if (memory === undefined || recorded === undefined) return [];
    const [, record] = recorded;
    const base = entry(memory.kind, path, record.value);
    return [
      {
        ...base,
        state: record.state ?? "managed",
        addedIn: record.added_in_version,
        updatedIn: record.last_updated_in_version,
      },
    ];
  });
}

/** What is to become of every file that is wanted or on record. */
export function decideFiles(
  evaluation: EvaluatedHost,
  observed: Pick<HostObservation, "files">,
  registry: HostRegistry | undefined,
  policies: readonly Policy[],
): HostFileDecision[] {
  const desired = evaluation.files.map((file): Desired => entry(file.kind, file.path, contentValue(file.content)));
  const recorded = recordedFiles(registry);
  const wanted = new Set(desired.map(({ match }) => match));
  const named: Entry[] = [...desired, ...recorded.filter(({ match }) => !wanted.has(match))];
  const actual = named.flatMap(({ key, match, type }): Actual[] => {
    const value = observedValue(observed.files.get(match)!.content);
    return value === undefined
      ? []
      : [{ key, match, pair: undefined, type, joining: "whole", value, normal: value, comments: [] }];
  });
  return planPlace({ desired, recorded, actual, claims: [], moves: [], policies, prune: true });
}

/** Git wins, unless told to leave edits alone. What is already there just so is taken over. */
export function policiesFor(keepDrift: boolean): Policy[] {
  return [{ match: "*", whenEdited: keepDrift ? "keep" : "overwrite", whenPresent: "adopt" }];
}

/** What a plan writes, and what it shows of it. */
export interface FilesPlan {
  /** For the store to do in one transaction. */
  readonly changes: readonly Change[];
  /** For people, when they look. */
  files(): readonly PlanFile[];
}

export function planChanges(
  evaluation: EvaluatedHost,
  decisions: readonly HostFileDecision[],
  observed: HostObservation,
  { root, registry }: { readonly root: string; readonly registry: HostRegistry | undefined },
): FilesPlan {
  const contents = new Map(evaluation.files.map((file) => [file.path, file.content]));
  const resultOf = (decision: HostFileDecision) =>
    decision.outcome.result === undefined ? undefined : contents.get(pathOf(decision));
  const changes = decisions.filter(changesBytes).flatMap((decision): Change[] => {
    const path = pathOf(decision);
    const { real, content } = observed.files.get(path)!;
    const before = seenOf(content);
    if (before === undefined) return [];
    const after = nextContent(resultOf(decision));
    const folders = after.kind === "absent" ? (registry?.files[path]?.created?.folders ?? []) : [];
    const removeFolders = folders.map((folder) => observed.folders.get(folder)!.real);
    return [{ path: placeUnder(root, path), real, before, after, section: path, removeFolders }];
  });
  const planOne = (decision: HostFileDecision): PlanFile => {
    const path = placeUnder(root, pathOf(decision));
    if (!changesBytes(decision)) return { path, action: "none", diff: "" };
    const after = nextContent(resultOf(decision));
    return planFile(path, contentBefore(observed.files.get(pathOf(decision))!.content, after), after);
  };
  return { changes, files: () => decisions.map(planOne) };
}

function seenOf(content: ObservedContent): Seen | undefined {
  if (content.kind === "other") return undefined;
  return content.kind === "file" ? { kind: "file", sha256: content.sha256 } : content;
}

/** Bytes that are not held are those that are wanted: then only the mode differs. */
function contentBefore(content: ObservedContent, wanted: NextContent): PlaceContent {
  if (content.kind === "link") return content;
  if (content.kind !== "file") return absent;
  const bytes = content.bytes ?? (wanted.kind === "file" ? wanted.bytes : new Uint8Array(0));
  return { kind: "file", bytes, mode: Number.parseInt(content.mode, 8) };
}
