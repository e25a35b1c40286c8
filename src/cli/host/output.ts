import { type Diagnostic, renderDiagnostic } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/lists.ts";
import type { DoneAction } from "../../host/apply.ts";
import type { FailedUnit } from "../../host/effects/health.ts";
import type { HostPlanDocument } from "../../host/plan.ts";
import type { Pause } from "../../host/registry.ts";
import type { UnitAction } from "../../host/units/unit-actions.ts";
import { diffText, type Paint, paint, printable, printableLine } from "../../report/colour.ts";
import { fitted } from "../../report/fit.ts";
import { maskLines, maskPlan } from "../../report/mask/mask.ts";
import { columnsOf, complain, fileColumnsOf, type Io } from "../shell/io.ts";
import { type CommonValues, wantsColour } from "../shell/options.ts";

export function printJson(io: Io, document: unknown): void {
  io.out(`${JSON.stringify(document, undefined, 2)}\n`);
}

export function painter(values: CommonValues, io: Io): Paint {
  return paint(wantsColour(values, io));
}

/** Units and their values are quoted in messages: what looks secret in them is masked like everywhere else. */
export function shownRun(values: CommonValues, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (values["show-secrets"]) return diagnostics;
  return diagnostics.map((diagnostic) => ({ ...diagnostic, message: maskLines(diagnostic.message) }));
}

/** A plan as it may be printed. */
export function shownPlan(values: CommonValues, document: HostPlanDocument): HostPlanDocument {
  if (values["show-secrets"]) return document;
  return { ...document, ...maskPlan(document), diagnostics: shownRun(values, document.diagnostics) };
}

/**
 * Errors go to standard error whatever else is asked for, one line each; the rest unless it stands in a JSON document
 * or is not wanted.
 */
export function printDiagnostics(io: Io, values: CommonValues, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of shownRun(values, diagnostics)) {
    if (diagnostic.severity !== "error" && (values.json || values.quiet)) continue;
    if (diagnostic.severity === "info" && !values.verbose) continue;
    const name = diagnostic.severity === "error" ? "" : `${diagnostic.severity}: `;
    complain(io, `${io.program}: ${name}${printableLine(renderDiagnostic(diagnostic))} [${diagnostic.code}]\n`);
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
  if (values.json)
    printJson(io, { format_version: 1, host, rev, ...nothing, diagnostics: shownRun(values, diagnostics) });
  printDiagnostics(io, values, diagnostics);
  return 1;
}

const signs: Readonly<Record<string, readonly [string, keyof Paint, string]>> = {
  create: ["+", "green", "new"],
  update: ["~", "yellow", "changed"],
  restore: ["+", "magenta", "put back"],
  remove: ["-", "red", "goes"],
  adopt: ["=", "green", "already there with the same content; now managed"],
  keep: ["=", "blue", "edited on this host; stays"],
  forget: ["·", "dim", "gone already"],
};

/** How a report is drawn: in colours or not, and how wide it is; lines of files have a width of their own. */
export interface Drawn {
  readonly paint: Paint;
  readonly columns: number;
  readonly fileColumns: number;
}

export function drawnFor(values: CommonValues, io: Io): Drawn {
  return { paint: painter(values, io), columns: columnsOf(io), fileColumns: fileColumnsOf(io) };
}

/** A plan for a host, for people: files, then units, then one line. */
export function hostPlanText(
  document: HostPlanDocument,
  options: Drawn & { readonly diff: boolean; readonly tense: "plan" | "apply" },
): string {
  const { paint, columns, fileColumns, diff, tense } = options;
  const inColumns = (text: string) => fitted(text, columns);
  const version =
    document.from === null || document.from === document.version
      ? short(document.version)
      : `${short(document.from)} → ${short(document.version)}`;
  const host = printableLine(document.host);
  const services = paint.dim(printableLine(document.services.join(", ")));
  const lines = [inColumns(`${paint.bold(host)} ${printableLine(version)}  ${services}`)];
  const diffs = diff ? new Map(document.files.map((file) => [file.path, file.diff])) : undefined;
  for (const entry of document.entries) {
    const shown = signs[entry.verdict];
    if (shown === undefined) continue;
    lines.push(inColumns(markedLine(shown, entry.file, paint)));
    const changed = diffs?.get(entry.file) ?? "";
    if (changed !== "")
      pushAll(
        lines,
        diffText(changed, paint, fileColumns - 6).map((line) => `      ${line}`),
      );
  }
  for (const path of document.waiting)
    lines.push(
      inColumns(markedLine(["…", "yellow", "changed by the commit; waits for the pause to end"], path, paint)),
    );
  if (document.actions.length > 0 && !document.activate)
    lines.push("", inColumns(paint.dim("  no unit is touched; on a running host this would follow:")));
  pushAll(
    lines,
    document.actions.map((action) => inColumns(actionLine(action, paint))),
  );
  for (const { severity, file, message } of document.diagnostics) {
    const note = `  note: ${printableLine(file === undefined ? message : `${file} ${message}`)}`;
    if (severity === "info") lines.push(inColumns(paint.dim(note)));
  }
  lines.push("", inColumns(summary(document, tense)));
  return `${lines.join("\n")}\n`;
}

function markedLine([sign, colour, word]: readonly [string, keyof Paint, string], path: string, paint: Paint): string {
  return `  ${paint[colour](sign)} ${printableLine(path)}  ${paint.dim(word)}`;
}

export function actionLine({ action, unit, reason }: UnitAction, paint: Paint): string {
  return `  ${paint.cyan(action)} ${printableLine(unit)}  ${paint.dim(printableLine(reason))}`;
}

function summary(document: HostPlanDocument, tense: "plan" | "apply"): string {
  const waits = document.waiting.length === 0 ? "" : `; ${counted(document.waiting.length)} for the end of the pause`;
  if (document.paused.some(({ unit }) => unit === null)) return `paused: nothing is done${waits}`;
  const held = `${document.held === null ? "" : `; ${short(document.held)} is held`}${waits}`;
  if (document.changed === 0 && (document.actions.length === 0 || !document.activate)) return `nothing to do${held}`;
  const files = `${document.changed} ${document.changed === 1 ? "file" : "files"}`;
  const count = document.activate ? document.actions.length : 0;
  const actions = `${count} unit ${count === 1 ? "action" : "actions"}`;
  return `${files} ${tense === "plan" ? "would change" : "changed"}, ${actions}${held}`;
}

const counted = (files: number): string => (files === 1 ? "1 file waits" : `${files} files wait`);

export function pauseLine({ unit, until }: Pause, paint: Paint): string {
  const what = unit === null ? "the whole host" : printableLine(unit);
  return `  ${paint.yellow("paused")}: ${what}${until === null ? "" : ` until ${printableLine(until)}`}`;
}

/** Commits by as much as people need of them. */
export function short(version: string): string {
  return version.replace(/^([0-9a-f]{12})[0-9a-f]{28,52}/, "$1");
}

/** What did not work: one line a unit on standard error, with its last words below. */
export function failureText(failed: readonly FailedUnit[], actions: readonly DoneAction[]): string {
  const units = failed.flatMap(({ unit, state, log }) => [
    printableLine(`${unit} did not come up: ${state}`),
    ...log.map((line) => `    ${printable(line)}`),
  ]);
  const named = new Set(failed.map(({ unit }) => unit));
  const others = actions.flatMap(({ outcome, message, unit }) =>
    outcome === "failed" && !named.has(unit) && message ? [printableLine(message)] : [],
  );
  return [...units, ...others].map((line) => `${line}\n`).join("");
}
