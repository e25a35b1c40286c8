import type { FileOrLink } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import type { PlaceRecord } from "../core/records.ts";
import { field, isMap, type Value } from "../core/value.ts";
import { heldVersions } from "../engine/records.ts";
import { sha256 } from "../store/gate/content.ts";
import type { Reader } from "../store/gate/gate.ts";
import {
  type Generation,
  listGenerations,
  readObject,
  registryBefore,
  rollbackNote,
  rollbackTarget,
} from "../store/records/generations.ts";
import type { KeptContent } from "../store/transaction/transaction.ts";
import { type EvaluatedFile, type EvaluatedHost, isPayload } from "./evaluate/evaluation.ts";
import type { HostObservation, HostRecords } from "./observe.ts";
import type { HostDesired } from "./plan.ts";
import { entryOf, type HostRegistry, memoryOf } from "./registry.ts";
import { type HostTarget, ownerName, realPlace } from "./target.ts";
import { parseUnitName, type UnitName } from "./units/unit-kind.ts";

/** What `stet host history --json` prints. */
export interface HostHistory {
  readonly format_version: 1;
  readonly name: string;
  /** Oldest first. */
  readonly generations: readonly HostGeneration[];
}

export interface HostGeneration {
  readonly number: number;
  readonly time: string;
  readonly command: "apply" | "rollback";
  /** The commit that it brought. */
  readonly rev: string;
  /** The commit before it; null at the first. */
  readonly from: string | null;
  readonly files: readonly { readonly path: string; readonly action: "create" | "modify" | "delete" }[];
  /** This commit was rolled back from, and waits. */
  readonly held: boolean;
  /** This commit runs now. */
  readonly running: boolean;
}

export function hostHistory(target: HostTarget, { registry, reader, name }: HostRecords): HostHistory {
  const held = registry === undefined ? [] : heldVersions(registry);
  const generations = listGenerations(reader, target.stateDir, name).map(
    (generation): HostGeneration => ({
      number: generation.number,
      time: generation.time,
      command: rollbackTarget(generation) === undefined ? "apply" : "rollback",
      rev: generation.version,
      from: generation.from,
      files: generation.files.map(changeOf),
      held: held.includes(generation.version),
      running: registry?.version === generation.version,
    }),
  );
  return { format_version: 1, name, generations };
}

function changeOf({ path, before, after }: Generation["files"][number]): HostGeneration["files"][number] {
  return { path, action: before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "modify" };
}

/** An earlier state of this host, as its commit wanted it: to go back is to apply it like any other. */
export interface EarlierState extends HostDesired {
  /** The generation whose outcome it is; 0 is before the first. */
  readonly to: number;
}

export interface GoingBack {
  /** To the state after this generation; undefined: before the commit that is applied now. */
  readonly to: number | undefined;
  /** Also where nothing would be left. */
  readonly allowEmpty: boolean;
}

export function earlierState(target: HostTarget, records: HostRecords, { to, allowEmpty }: GoingBack): EarlierState {
  const { registry: current, reader, name } = records;
  const generations = listGenerations(reader, target.stateDir, name);
  const undone = current && generationsToUndo(generations, current.version, to);
  if (current === undefined || undone === undefined || undone.length === 0) {
    const message =
      to === undefined
        ? "there is no earlier state of this host to go back to"
        : `there is no generation after ${to} to go back from`;
    throw new InputError({ code: "no-generation", message });
  }
  const first = undone[0]!;
  const evaluation = {
    ...recordedState(reader, target, registryBefore(reader, target.stateDir, name, first)),
    host: current.host ?? "",
  };
  const count = Object.keys(current.files).length;
  if (evaluation.files.length === 0 && count > 0 && !allowEmpty) {
    const message = `nothing was applied to this host before that, so all ${count} files and their units would be removed; pass --yes if you mean that`;
    throw new InputError({ code: "empties-host", message });
  }
  const version = first.from ?? "none";
  const hold = version === current.version ? current.held : current.version;
  return { evaluation, version, note: rollbackNote(first.number - 1), hold, to: first.number - 1 };
}

function generationsToUndo(
  generations: readonly Generation[],
  version: string,
  to: number | undefined,
): readonly Generation[] {
  if (to !== undefined) return generations.filter((generation) => generation.number > to);
  // Later ones of the same commit undid edits. A commit that changed nothing here has none: then it is the last that
  // changed something.
  const bringsAny = ({ note, version: brought, from }: Generation) => note === "apply" && brought !== from;
  const last =
    generations.findLast((each) => bringsAny(each) && each.version === version) ?? generations.findLast(bringsAny);
  const brings = (generation: Generation | undefined) =>
    generation !== undefined && bringsAny(generation) && generation.version === last?.version;
  let first = generations.findLastIndex(brings);
  if (first === -1) return [];
  // A commit may have taken several: to replace a file by a folder.
  while (brings(generations[first - 1])) first--;
  return generations.slice(first);
}

/** The desired state that is on record: what a commit wanted, whatever was edited on the host since. */
export function recordedState(reader: Reader, target: HostTarget, registry: HostRegistry | undefined): EvaluatedHost {
  const files = Object.entries(registry?.files ?? {}).flatMap(([path, place]): EvaluatedFile[] => {
    const memory = memoryOf(place);
    const content = contentOf(reader, target, path, place);
    if (memory === undefined || content === undefined) return [];
    const { kind, service } = memory;
    return [{ path, kind, service, origin: [path], content, unit: isPayload(kind) ? undefined : unitOf(path) }];
  });
  return {
    host: registry?.host ?? "",
    services: [...new Set(files.map((file) => file.service))],
    files,
    diagnostics: [],
  };
}

/** The bytes that were wanted: kept in the history, or else still in place. */
function contentOf(reader: Reader, target: HostTarget, path: string, place: PlaceRecord): FileOrLink | undefined {
  const entry = entryOf(place)?.[1];
  if (entry === undefined || entry.state !== undefined || !isMap(entry.value)) return undefined;
  const { sha256: hash, mode, link } = entry.value;
  if (typeof link === "string") return { kind: "link", target: link };
  if (typeof hash !== "string") return undefined;
  const bytes = bytesKept(reader, target, path, hash);
  return { kind: "file", bytes, mode: typeof mode === "string" ? Number.parseInt(mode, 8) : 0o644 };
}

/** From the history first: what stands in place is looked at once, when the plan is made. */
function bytesKept(reader: Reader, target: HostTarget, path: string, hash: string): Uint8Array {
  try {
    return readObject(reader, target.stateDir, ownerName(target), hash);
  } catch (error) {
    // A disk that can't be read now may be readable later: only what is gone is no longer kept.
    if (!(error instanceof InputError) || error.diagnostic.code !== "generation-damaged") throw error;
    const inPlace = bytesInPlace(reader, realPlace(reader, target.root, path), hash);
    if (inPlace !== undefined) return inPlace;
    const message = `${path} as that commit wanted it is no longer kept; apply the commit itself with --rev instead`;
    throw new InputError({ code: "not-kept", message });
  }
}

function bytesInPlace(reader: Reader, real: string, hash: string): Uint8Array | undefined {
  const bytes = reader.stat(real)?.kind === "file" ? reader.read(real) : undefined;
  return bytes && sha256(bytes) === hash ? bytes : undefined;
}

/** `…/web.container`, or the `web.container` of `…/web.container.d/10-a.conf`. */
function unitOf(path: string): UnitName | undefined {
  const segments = path.split("/");
  const folder = segments.at(-2) ?? "";
  return parseUnitName(folder.endsWith(".d") ? folder.slice(0, -2) : (segments.at(-1) ?? ""));
}

/** What has to be kept so that the states before and after a run can be made again. */
export function contentsToKeep(
  evaluation: EvaluatedHost,
  { files }: Pick<HostObservation, "files">,
  registry: HostRegistry | undefined,
): KeptContent[] {
  const kept: KeptContent[] = [];
  const keep = (value: Value | undefined, bytes: Uint8Array | undefined): void => {
    const hash = field(value, "sha256");
    if (typeof hash === "string") kept.push({ sha256: hash, bytes });
  };
  for (const { path, content } of evaluation.files)
    if (content.kind === "file") keep(files.get(path)!.wanted, content.bytes);
  for (const path in registry?.files) keep(entryOf(registry.files[path]!)?.[1].value, undefined);
  return kept;
}
