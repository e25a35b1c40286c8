import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import type { EvaluatedFile, Layout } from "./evaluation.ts";
import { runtimeUnit, type UnitName } from "./unit-kind.ts";
import { serviceNameIn } from "./unit-text.ts";

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
    return [diagnose("path-conflict", { file: origin(file) }, `would be written to ${file.path}, and so would ${origin(other)}`)];
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
      diagnose("path-conflict", { file: origin(file) }, `becomes ${runtime}, and so does ${origin(other)}: only one of them would run`),
    ];
  });
}

function amongUnits(files: readonly EvaluatedFile[], layout: Layout): HostDiagnostic[] {
  const folders = [layout.quadletFolder, layout.unitFolder];
  return files.flatMap((file) => {
    const folder = file.kind === "config" ? folders.find((unitFolder) => file.path.startsWith(`${unitFolder}/`)) : undefined;
    if (folder === undefined) return [];
    return [diagnose("unsafe-path", { file: origin(file) }, `would be written into ${folder}, where only units belong`)];
  });
}

export interface RuntimeUnit {
  readonly file: EvaluatedFile;
  readonly unit: UnitName;
  /** What systemd knows it as. */
  readonly runtime: string;
}

/** Every unit file with the unit that systemd will run for it; `ServiceName=` may come from a drop-in. */
export function runtimeUnits(files: readonly EvaluatedFile[]): RuntimeUnit[] {
  const dropIns = new Map<string, EvaluatedFile[]>();
  for (const file of files) {
    if (file.kind === "quadlet-dropin") dropIns.set(file.unit!.name, [...(dropIns.get(file.unit!.name) ?? []), file]);
  }
  return files.flatMap((file): RuntimeUnit[] => {
    if (file.unit === undefined || (file.kind !== "quadlet" && file.kind !== "unit")) return [];
    const { unit } = file;
    if (unit.family === "native") return [{ file, unit, runtime: unit.name }];
    const parts = [file, ...(dropIns.get(unit.name) ?? [])].map((part) => unitBytes(part, files));
    return [{ file, unit, runtime: runtimeUnit(unit, serviceNameIn(unit, parts)) }];
  });
}

/** The text of a unit, through the one kind of link units may be: an instance's to its template. */
export function unitBytes(file: EvaluatedFile, files: readonly EvaluatedFile[]): Uint8Array {
  const { content } = file;
  if (content.kind === "file") return content.bytes;
  const folder = file.path.slice(0, file.path.lastIndexOf("/"));
  const target = files.find((other) => other.path === `${folder}/${content.target}`);
  return target?.content.kind === "file" ? target.content.bytes : new Uint8Array(0);
}
