import type { Diagnostic, Severity } from "../core/diagnostic.ts";
import { compareBytes } from "./units/unit-kind.ts";

/** Everything evaluation, planning and applying can have to say, with how bad it is. */
export const hostDiagnosticCodes = {
  "unknown-service": "error",
  "unknown-host": "error",
  "no-host-identity": "error",
  "invalid-host-yaml": "error",
  "orphan-dropin": "error",
  "unsupported-file": "error",
  "unsafe-path": "error",
  "path-outside-service": "error",
  "path-conflict": "error",
  "invalid-unit": "error",
  "missing-reference": "error",
  "invalid-tmpfiles": "error",
  "plain-secret": "error",
  "foreign-file": "error",
  "unverified-units": "error",
  "host-changed": "error",
  "empty-dropin-dir": "warning",
  "conflicting-keys": "warning",
  "missing-secret": "warning",
  "edited-on-host": "warning",
  "data-kept": "warning",
  "no-generator": "info",
  "unit-drift": "warning",
  "unit-down": "warning",
  "not-changed-in-place": "warning",
  "no-lingering": "warning",
  held: "warning",
  paused: "warning",
  "unit-masked": "info",
  "unit-finished": "info",
  "unselected-overlay": "info",
  "renamed-dropin": "info",
  "host-override": "info",
} as const satisfies Record<string, Severity>;

export type HostDiagnosticCode = keyof typeof hostDiagnosticCodes;

export interface HostDiagnostic extends Diagnostic {
  readonly code: HostDiagnosticCode;
}

/** A place in the repository. */
export interface RepositoryPlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `where`: a file as a whole, a place in one, or undefined for what is about no file. */
export function diagnose(
  code: HostDiagnosticCode,
  where: string | RepositoryPlace | undefined,
  message: string,
): HostDiagnostic {
  const place = typeof where === "string" ? { file: where } : where;
  return { code, severity: hostDiagnosticCodes[code], message, ...place };
}

/** Says what is wrong, to whoever collects it. */
export type Complain = (...what: Parameters<typeof diagnose>) => void;

export function complainTo(diagnostics: HostDiagnostic[]): Complain {
  return (...what) => void diagnostics.push(diagnose(...what));
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** `--strict`: what would be a warning keeps the host as it is. */
export function asErrors<T extends Diagnostic>(diagnostics: readonly T[]): T[] {
  return diagnostics.map((each) => (each.severity === "warning" ? { ...each, severity: "error" } : each));
}

/** By place, so that the same input always tells the same story; each said once. */
export function diagnosticsInOrder(diagnostics: readonly HostDiagnostic[]): readonly HostDiagnostic[] {
  const sorted = [...diagnostics].sort(
    (a, b) =>
      compareBytes(a.file ?? "", b.file ?? "") ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      compareBytes(a.code, b.code) ||
      compareBytes(a.message, b.message),
  );
  return sorted.filter((diagnostic, i) => i === 0 || JSON.stringify(diagnostic) !== JSON.stringify(sorted[i - 1]));
}
