import { type Diagnostic, renderDiagnostic } from "../../core/diagnostic.ts";
import type { HostPlanDocument } from "../../host/plan.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { maskLines, maskPlan } from "../../report/mask/mask.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, wantsColour } from "../shell/options.ts";

export function printJson(io: Io, document: unknown): void {
  io.out(`${JSON.stringify(document, undefined, 2)}\n`);
}

export function painter(values: CommonValues, io: Io): Paint {
  return paint(wantsColour(values, io));
}

/** Units and their values are quoted in messages: what looks secret in them is masked like everywhere else. */
export function shown(values: CommonValues, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (values["show-secrets"]) return diagnostics;
  return diagnostics.map((diagnostic) => ({ ...diagnostic, message: maskLines(diagnostic.message) }));
}

/** A plan as it may be printed. */
export function shownPlan(values: CommonValues, document: HostPlanDocument): HostPlanDocument {
  if (values["show-secrets"]) return document;
  return { ...document, ...maskPlan(document), diagnostics: shown(values, document.diagnostics) };
}

/**
 * Errors go to standard error whatever else is asked for, one line each; the rest unless it stands in a JSON document
 * or is not wanted.
 */
export function printDiagnostics(io: Io, values: CommonValues, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of shown(values, diagnostics)) {
    if (diagnostic.severity !== "error" && (values.json || values.quiet)) continue;
    if (diagnostic.severity === "info" && !values.verbose) continue;
    const name = diagnostic.severity === "error" ? "" : `${diagnostic.severity}: `;
    io.err(`${io.program}: ${name}${printableLine(renderDiagnostic(diagnostic))} [${diagnostic.code}]\n`);
  }
}

/** Where nothing can be planned: the same document as ever, in which nothing changes, with the reasons. */
export function refuse(
  io: Io,
  values: CommonValues,
  diagnostics: readonly Diagnostic[],
  about: { host?: string; rev?: string | undefined } = {},
): number {
  const { host = null, rev = null } = about;
  const nothing = { changed: 0, summary: {}, entries: [], files: [], actions: [] };
  if (values.json) printJson(io, { format_version: 1, host, rev, ...nothing, diagnostics: shown(values, diagnostics) });
  printDiagnostics(io, values, diagnostics);
  return 1;
}
