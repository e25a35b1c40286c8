import { InputError } from "../core/diagnostic.ts";
import type { Reader } from "../store/gate/gate.ts";
import { type Generation, type KeptFile, listGenerations, readObject } from "../store/records/generations.ts";
import { parseRegistry, readRegistry, registryPath } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { type Content, type EvaluatedFile, type Evaluation, isPayload } from "./evaluate/evaluation.ts";
import { type HostRegistry, memoryOf } from "./registry.ts";
import { type HostTarget, ownerName, placeUnder, realPlace } from "./target.ts";
import { parseUnitName, type UnitName } from "./units/unit-kind.ts";

/** An earlier state of this host, put together from its history: to go back is to apply it like any other. */
export interface EarlierState {
  readonly evaluation: Evaluation;
  /** The commit it came from. */
  readonly version: string;
  /** The generation whose outcome it is; 0 is before the first. */
  readonly to: number;
  /** The commit to hold from now on: the one that is left, or where none is, the one that was. */
  readonly hold: string | undefined;
}

/** The state before the commit that is applied now, or the one that stood after generation `to`. */
export function earlierState(target: HostTarget, to: number | undefined): EarlierState {
  const name = ownerName(target);
  const reader: Reader = target.gate;
  refuseShared(target.gate, target.stateDir);
  const current = readRegistry(reader, target.stateDir, name)?.registry as HostRegistry | undefined;
  const generations = listGenerations(reader, target.stateDir, name);
  const undone = current && generationsToUndo(generations, current.version, to);
  if (current === undefined || undone === undefined || undone.length === 0) {
    const message =
      to === undefined ? "there is no earlier state of this host to go back to" : `there is no generation after ${to} to go back from`;
    throw new InputError({ code: "no-generation", message });
  }
  const first = undone[0]!;
  const kept = new Map<string, KeptFile>();
  // The oldest of them knows best what stood there before them all.
  for (const generation of [...undone].reverse()) for (const file of generation.files) kept.set(file.path, file.before);
  const files = filesBefore(reader, target, registryBefore(reader, target, name, first), kept);
  const services = [...new Set(files.map((file) => file.service))];
  const evaluation = { host: current.host ?? "", services, files, diagnostics: [] };
  const version = first.from ?? "none";
  return { evaluation, version, to: first.number - 1, hold: version === current.version ? current.held : current.version };
}

/** The files that were on record, with what stood there. */
function filesBefore(
  reader: Reader,
  target: HostTarget,
  registry: HostRegistry | undefined,
  kept: ReadonlyMap<string, KeptFile>,
): EvaluatedFile[] {
  return Object.entries(registry?.files ?? {}).flatMap(([path, place]): EvaluatedFile[] => {
    const memory = memoryOf(place);
    const content = contentBefore(reader, target, path, kept);
    if (memory === undefined || content === undefined) return [];
    const { kind, service } = memory;
    return [{ path, kind, service, origin: [path], content, unit: isPayload(kind) ? undefined : unitOf(path) }];
  });
}

function generationsToUndo(generations: readonly Generation[], version: string, to: number | undefined): readonly Generation[] {
  if (to !== undefined) return generations.filter((generation) => generation.number > to);
  const isApplied = (generation: Generation | undefined) => generation?.note === "apply" && generation.version === version;
  let first = generations.findLastIndex(isApplied);
  if (first === -1) return [];
  // A commit may have taken several: to replace a file by a folder, or to undo edits later.
  while (isApplied(generations[first - 1])) first--;
  return generations.slice(first);
}

function registryBefore(reader: Reader, target: HostTarget, name: string, generation: Generation): HostRegistry | undefined {
  if (generation.registryBefore === null) return undefined;
  const text = readObject(reader, target.stateDir, name, generation.registryBefore).toString("utf8");
  return parseRegistry(text, registryPath(target.stateDir, name)) as HostRegistry;
}

/** The bytes that stood there: kept where a later run replaced them, and otherwise still in place. */
function contentBefore(reader: Reader, target: HostTarget, path: string, kept: ReadonlyMap<string, KeptFile>): Content | undefined {
  const old = kept.get(placeUnder(target.root, path));
  if (old === undefined) return contentNow(reader, realPlace(reader, target.root, path));
  if (old.kind === "absent") return undefined;
  if (old.kind === "link") return { kind: "symlink", target: old.target };
  return { kind: "file", bytes: readObject(reader, target.stateDir, ownerName(target), old.sha256), executable: (old.mode & 0o111) !== 0 };
}

function contentNow(reader: Reader, real: string): Content | undefined {
  const status = reader.stat(real);
  if (status?.kind === "link") return { kind: "symlink", target: reader.readLink(real) ?? "" };
  const bytes = status?.kind === "file" ? reader.read(real) : undefined;
  return bytes && { kind: "file", bytes, executable: (status!.mode & 0o111) !== 0 };
}

/** `…/web.container`, or the `web.container` of `…/web.container.d/10-a.conf`. */
function unitOf(path: string): UnitName | undefined {
  const segments = path.split("/");
  const folder = segments.at(-2) ?? "";
  return parseUnitName(folder.endsWith(".d") ? folder.slice(0, -2) : (segments.at(-1) ?? ""));
}
