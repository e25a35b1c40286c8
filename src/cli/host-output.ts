import { type Diagnostic, renderDiagnostic } from "../core/diagnostic.ts";
import { type Paint, paint, printable } from "../report/colour.ts";
import type { Io } from "./io.ts";
import { type CommonValues, wantsColour } from "./options.ts";

export function printJson(io: Io, document: unknown): void {
  io.out(`${JSON.stringify(document, undefined, 2)}\n`);
}

export function painter(values: CommonValues, io: Io): Paint {
  return paint(wantsColour(values, io));
}

/** Errors go to standard error whatever else is asked for, one line each; the rest unless it stands in a JSON document or is not wanted. */
export function printDiagnostics(io: Io, values: CommonValues, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity !== "error" && (values.json || values.quiet)) continue;
    if (diagnostic.severity === "info" && !values.verbose) continue;
    const name = diagnostic.severity === "error" ? "" : `${diagnostic.severity}: `;
    io.err(`${io.program}: ${name}${printable(renderDiagnostic(diagnostic))} [${diagnostic.code}]\n`);
  }
}
