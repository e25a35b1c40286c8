import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { runtimeUnit, type UnitName } from "../units/unit-kind.ts";
import { serviceNameIn } from "../units/unit-text.ts";
import type { EvaluatedFile, Layout } from "./evaluation.ts";

/** Places that two files claim, and payloads that would land among the units. */
export function findConflicts(files: readonly EvaluatedFile[], layout: Layout): HostDiagnostic[] {
  return [...samePath(files), ...sameRuntimeUnit(files), ...amongUnits(files, layout)];
}

function origin(file: EvaluatedFile): string {
  return file.origin.at(-1)!;
}

function samePath(files: readonly EvaluatedFile[]): HostDiagnostic[] {
  const first = new Map<string, EvaluatedFile>();
  return files.flatMap((file) => {
    const other = first.get(file.path);
    if (other === undefined) {
      first.set(file.path, file);
      return [];
    }
    return [
      diagnose(
        "path-conflict",
        { file: origin(file) },
        `would be written to ${file.path}, and so would ${origin(other)}`,
      ),
    ];
  });
}

/** `web.container` and `web.service` both become web.service; systemd would run one and forget the other. */
function sameRuntimeUnit(files: readonly EvaluatedFile[]): HostDiagnostic[] {
  const first = new Map<string, EvaluatedFile>();
  return runtimeUnits(files).flatMap(({ file, runtime }) => {
    const other = first.get(runtime);
    if (other === undefined) {
      first.set(runtime, file);
      return [];
    }
    if (other.path === file.path) return [];
    return [
      diagnose(
        "path-conflict",
        { file: origin(file) },
        `becomes ${runtime}, and so does ${origin(other)}: only one of them would run`,
      ),
    ];
  });
}

function amongUnits(files: readonly EvaluatedFile[], layout: Layout): HostDiagnostic[] {
  const folders = [layout.quadletFolder, layout.unitFolder];
  return files.flatMap((file) => {
    const folder =
      file.kind === "config" ? folders.find((unitFolder) => file.path.startsWith(`${unitFolder}/`)) : undefined;
    if (folder === undefined) return [];
    return [
      diagnose("unsafe-path", { file: origin(file) }, `would be written into ${folder}, where only units belong`),
    ];
  });
}

export interface RuntimeUnit {
  readonly file: EvaluatedFile;
  readonly unit: UnitName;
  /** What systemd knows it as. */
  readonly runtime: string;
}

const knownUnits = new WeakMap<readonly EvaluatedFile[], readonly RuntimeUnit[]>();

/**
 * Every unit file with the unit that systemd will run for it. A plan asks several times; evaluated files never change.
 */
export function runtimeUnits(files: readonly EvaluatedFile[]): readonly RuntimeUnit[] {
  const known = knownUnits.get(files) ?? findRuntimeUnits(files);
  knownUnits.set(files, known);
  return known;
}

/** `ServiceName=` may come from a drop-in. */
function findRuntimeUnits(files: readonly EvaluatedFile[]): RuntimeUnit[] {
  const dropIns = dropInsByUnit(files);
  const units = unitsByPath(files);
  return files.flatMap((file): RuntimeUnit[] => {
    const { unit } = file;
    if (unit === undefined || !units.has(file.path)) return [];
    if (unit.family === "native") return [{ file, unit, runtime: unit.name }];
    const parts = [file, ...(dropIns.get(unit.name) ?? [])].map((part) => unitBytes(part, units));
    return [{ file, unit, runtime: runtimeUnit(unit, serviceNameIn(unit, parts)) }];
  });
}

export function dropInsByUnit(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile[]> {
  const dropIns = new Map<string, EvaluatedFile[]>();
  for (const file of files) {
    if (file.kind !== "quadlet-dropin" && file.kind !== "unit-dropin") continue;
    const known = dropIns.get(file.unit!.name);
    if (known) known.push(file);
    else dropIns.set(file.unit!.name, [file]);
  }
  return dropIns;
}

/** The files that are units themselves, by path. */
export function unitsByPath(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile> {
  return new Map(files.filter(({ kind }) => kind === "quadlet" || kind === "unit").map((file) => [file.path, file]));
}

/** The text of a unit, through the one kind of link units may be: an instance's to its template. */
export function unitBytes(file: EvaluatedFile, units: ReadonlyMap<string, EvaluatedFile>): Uint8Array {
  const { content } = file;
  if (content.kind === "file") return content.bytes;
  const folder = file.path.slice(0, file.path.lastIndexOf("/"));
  const target = units.get(`${folder}/${content.target}`);
  return target?.content.kind === "file" ? target.content.bytes : new Uint8Array(0);
}
