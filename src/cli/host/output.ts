import { type Diagnostic, renderDiagnostic } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/push-all.ts";
import type { DoneAction } from "../../host/apply.ts";
import type { FailedUnit } from "../../host/effects/health.ts";
import type { HostPlanDocument } from "../../host/plan.ts";
import type { Pause } from "../../host/registry.ts";
import type { UnitAction } from "../../host/units/unit-actions.ts";
import { type Paint, paint, printable, printableLine } from "../../report/colour.ts";
import { maskLines, maskPlan } from "../../report/mask/mask.ts";
import { columnsOf } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
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
  adopt: ["=", "green", "already there just so; now ours"],
  keep: ["=", "blue", "edited on this host, stays"],
  forget: ["·", "dim", "gone already"],
};

/** How a report is drawn: in colours or not, and how wide. */
export interface Drawn {
  readonly paint: Paint;
  readonly columns: number;
}

/** Without a terminal lines stay whole: whoever reads them there looks for what stands in one. */
export function drawnFor(values: CommonValues, io: Io): Drawn {
  return { paint: painter(values, io), columns: io.terminal ? columnsOf(io) : Number.POSITIVE_INFINITY };
}

type Part = readonly [text: string, paint?: (text: string) => string];
const below = " ".repeat(6);

/**
 * Parts of a line, two blanks apart. What does not fit goes below the first, broken at blanks: a path or a name stays
 * whole.
 */
export function laidOut(columns: number, [first, paintFirst = unpainted]: Part, ...more: readonly Part[]): string {
  const lines = [paintFirst(first)];
  let used = first.length;
  for (const [text, paint = unpainted] of more) {
    if (text === "") continue;
    if (used + 2 + text.length <= columns) {
      lines.push(`${lines.pop()!}  ${paint(text)}`);
      used += 2 + text.length;
    } else {
      lines.push(lines.pop()!.trimEnd());
      for (const line of broken(text, columns - below.length)) {
        lines.push(below + paint(line));
        used = below.length + line.length;
      }
    }
  }
  return lines.join("\n");
}

const unpainted = (text: string): string => text;

function broken(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A sentence of its own. */
export function sentence(text: string, columns: number, indent = ""): string {
  const [first = "", ...rest] = broken(text, columns - Math.max(indent.length, indent === "" ? 0 : below.length));
  return [indent + first, ...rest.map((line) => (indent === "" ? line : below + line))].join("\n");
}

/** A plan for a host, for people: files, then units, then one line. */
export function hostPlanText(
  document: HostPlanDocument,
  options: Drawn & { readonly diff: boolean; readonly tense: "plan" | "apply" },
): string {
  const { paint, columns, diff, tense } = options;
  const version =
    document.from === null || document.from === document.version
      ? short(document.version)
      : `${short(document.from)} → ${short(document.version)}`;
  const host = printableLine(document.host);
  const title: Part = [`${host} ${printableLine(version)}`, (text) => paint.bold(host) + text.slice(host.length)];
  const lines = [laidOut(columns, title, [printableLine(document.services.join(", ")), paint.dim])];
  const diffs = diff ? new Map(document.files.map((file) => [file.path, file.diff])) : undefined;
  for (const entry of document.entries) {
    const shown = signs[entry.verdict];
    if (shown === undefined) continue;
    lines.push(markedLine(shown, entry.file, options));
    if (diffs) pushAll(lines, diffText(diffs.get(entry.file) ?? "", paint));
  }
  for (const path of document.waiting)
    lines.push(markedLine(["…", "yellow", "changed by the commit; waits: paused"], path, options));
  if (document.actions.length > 0 && !document.activate)
    lines.push("", paint.dim(sentence("no unit is touched; on a running host would follow:", columns, "  ")));
  pushAll(
    lines,
    document.actions.map((action) => actionLine(action, options)),
  );
  for (const { severity, file, message } of document.diagnostics) {
    const note = `note: ${printableLine(file === undefined ? message : `${file} ${message}`)}`;
    if (severity === "info") lines.push(paint.dim(sentence(note, columns, "  ")));
  }
  lines.push("", sentence(summary(document, tense), columns));
  return `${lines.join("\n")}\n`;
}

function markedLine(
  [sign, colour, word]: readonly [string, keyof Paint, string],
  path: string,
  { paint, columns }: Drawn,
): string {
  const first: Part = [`  ${sign} ${printableLine(path)}`, (text) => `  ${paint[colour](sign)}${text.slice(3)}`];
  return laidOut(columns, first, [word, paint.dim]);
}

function diffText(diff: string, paint: Paint): string[] {
  const colour = (line: string) =>
    line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line;
  return diff
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `      ${colour(printable(line))}`);
}

export function actionLine({ action, unit, reason }: UnitAction, { paint, columns }: Drawn): string {
  const first: Part = [
    `  ${action} ${printableLine(unit)}`,
    (text) => `  ${paint.cyan(action)}${text.slice(2 + action.length)}`,
  ];
  return laidOut(columns, first, [printableLine(reason), paint.dim]);
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

export function pauseLine({ unit, until }: Pause, { paint, columns }: Drawn): string {
  const what = unit === null ? "the whole host" : printableLine(unit);
  const text = `paused: ${what}${until === null ? "" : ` until ${printableLine(until)}`}`;
  return sentence(text, columns, "  ").replace("paused", paint.yellow);
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
