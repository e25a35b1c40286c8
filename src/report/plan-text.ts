import { verdicts } from "../core/entry.ts";
import type { PlanDocument, PlanEntry, PlanFile } from "../core/plan-document.ts";
import { pushAll } from "../core/push-all.ts";
import { equalValues } from "../core/value.ts";
import { type Paint, printableLine } from "./colour.ts";
import { conflictLines } from "./conflict-lines.ts";
import { diffText } from "./diff-text.ts";
import { fieldChanges } from "./field-changes.ts";
import { lineChanges } from "./line-changes.ts";
import { hintFor } from "./plan-hints.ts";
import { besideEachOther, changeOf, fieldLabel, indent, ownersSide } from "./sides.ts";
import { columns, counted, tilde } from "./values.ts";
import { type Occasion, type VerdictWords, verdictWords } from "./verdict-words.ts";

/** `apply`: it is done; `plan`: it would be; `record`: it is done, and records changed even where no file did. */
export type Tense = "plan" | "apply" | "record";

export interface PlanTextOptions {
  readonly paint: Paint;
  /** Also what stays as it is. */
  readonly verbose: boolean;
  /** Show the bytes that change. */
  readonly diff: boolean;
  readonly tense: Tense;
  /** What it is a plan of; default: of making a pack true. */
  readonly occasion?: Occasion | undefined;
  /** Said beside the versions. */
  readonly note?: string | undefined;
  readonly program: string;
  readonly home: string;
}

/** A plan for people: by file, a sign and a reason for each entry, the command that changes the outcome, one line at the end. */
export function planText(document: PlanDocument, options: PlanTextOptions): string {
  const { paint } = options;
  const note = options.note === undefined ? "" : `  ${paint.dim(printableLine(options.note))}`;
  const blocks = [`${paint.bold(printableLine(document.name))} ${versions(document)}${note}`];
  const byFile = groupByFile(document.entries);
  for (const file of document.files) {
    const block = fileBlock(file, byFile.get(file.path) ?? [], document, options);
    if (block !== undefined) blocks.push(block);
  }
  const loose = document.diagnostics.filter((each) => each.key === undefined);
  if (loose.length > 0) blocks.push(loose.map((each) => `${severitySign(each.severity, paint)} ${printableLine(each.message)}`).join("\n"));
  blocks.push(summaryLine(document, options));
  return `${blocks.join("\n\n")}\n`;
}

function versions({ from, version }: PlanDocument): string {
  return printableLine(from === null || from === version ? version : `${from} → ${version}`);
}

const fileNotes = { create: "new file", modify: "changes", delete: "the file goes" } as const;

function fileBlock(file: PlanFile, entries: readonly PlanEntry[], document: PlanDocument, options: PlanTextOptions): string | undefined {
  const { paint } = options;
  const copies = copiesIn(file, document);
  const shown = entries.filter((entry) => options.verbose || copies.has(entry.key) || !isQuiet(entry));
  if (shown.length === 0 && file.action === "none") return undefined;
  const note = file.action === "none" ? "" : `  ${paint.dim(`(${fileNotes[file.action]})`)}`;
  const lines = [`${paint.bold(tilde(file.path, options.home))}${note}`];
  for (const entry of shown) pushAll(lines, entryLines(entry, copies.get(entry.key), document, options));
  const quiet = entries.length - shown.length;
  if (quiet > 0) lines.push(paint.dim(`  · ${quiet} more, as they should be`));
  if (options.diff && file.diff !== "")
    pushAll(
      lines,
      diffText(file.diff, paint).map((line) => `    ${line}`),
    );
  return lines.join("\n");
}

/** Nothing happens, and nobody needs to know. */
function isQuiet({ verdict, reason }: PlanEntry): boolean {
  if (verdict === "unchanged" || verdict === "forget") return true;
  return verdict === "keep" && (reason === "disowned" || reason === "user-deleted");
}

/** By key: that copies of an entry go. What is taken out of a file is never taken out without a line. */
function copiesIn({ path }: PlanFile, { diagnostics }: PlanDocument): ReadonlyMap<string | undefined, string> {
  const gone = diagnostics.filter(({ code, file }) => code === "duplicate-removed" && file === path);
  return new Map(gone.map(({ key, message }) => [key, message]));
}

function entryLines(
  entry: PlanEntry,
  copies: string | undefined,
  document: PlanDocument,
  { paint, occasion, program }: PlanTextOptions,
): string[] {
  const { sign, colour, word } = wordsFor(entry, document.name, occasion);
  const key = printableLine(entry.key);
  const hint = hintFor(entry, document, { program, occasion });
  const fits = `  ${sign} ${key}  ${word}`.length <= columns;
  const below = [
    ...(fits ? [] : [paint.dim(word)]),
    ...(copies === undefined ? [] : [printableLine(copies)]),
    ...details(entry, document, paint),
    ...(hint === undefined ? [] : [paint.dim(hint)]),
  ];
  return [`  ${paint[colour](sign)} ${key}${fits ? `  ${paint.dim(word)}` : ""}`, ...below.map((line) => " ".repeat(indent) + line)];
}

function wordsFor({ verdict, reason, actual, desired, others }: PlanEntry, owner: string, occasion: Occasion | undefined): VerdictWords {
  const words = verdictWords(verdict, reason, occasion);
  if (others !== undefined)
    return { ...words, word: printableLine(`conflict: ${owner} and ${others.join(", ")} differ; what is there stands`) };
  if (verdict === "keep" && reason === "disowned" && actual === undefined) return { ...words, word: "stays out: handed over to you" };
  // Adopting records the owner's wish, whatever is there: where that differs it is the user's edit, and must not be called as wanted.
  const edited = verdict === "adopt" && occasion === undefined && !equalValues(actual, desired);
  return edited ? { ...words, word: "kept current from now on; your value stands" } : words;
}

function details(entry: PlanEntry, document: PlanDocument, paint: Paint): string[] {
  switch (entry.verdict) {
    case "conflict":
      return conflictLines(entry, document.name, paint);
    case "update":
    case "merge":
    case "move":
      return changeLines(entry, paint);
    case "keep":
      return entry.reason === "user-modified" || entry.reason === "user-owned" ? keptLines(entry, document.name, paint) : [];
    default:
      return [];
  }
}

/** What changes, field by field, in the user's file. */
function changeLines({ actual, result }: PlanEntry, paint: Paint): string[] {
  if (typeof actual === "string" && typeof result === "string" && result.includes("\n")) return [lineChanges(actual, result)];
  return fieldChanges(actual, result).flatMap(({ path, before, after }) => changeOf(fieldLabel(path), before, after, paint));
}

/** Where what stands is not what the owner wants: both. */
function keptLines({ actual, desired }: PlanEntry, owner: string, paint: Paint): string[] {
  if (desired === undefined || (typeof desired === "string" && desired.includes("\n"))) return [];
  return fieldChanges(actual, desired).flatMap(({ path, before, after }) =>
    besideEachOther(fieldLabel(path), [
      { name: "yours", value: before, colour: paint.green },
      { name: ownersSide(owner), value: after, colour: paint.dim },
    ]),
  );
}

function summaryLine(document: PlanDocument, { paint, tense }: PlanTextOptions): string {
  const counts = verdicts.flatMap((verdict) => (document.summary[verdict] ? [`${document.summary[verdict]} ${verdict}`] : []));
  const rest = counts.length === 0 ? "" : ` ${paint.dim(counts.join(", "))}`;
  if (document.changed === 0) return `${paint.green(tense === "record" ? "Recorded; no file was changed." : "Nothing to change.")}${rest}`;
  const done = tense === "plan" ? "to change" : "changed";
  return `${paint.bold(`${counted(document.changed, "entry", "entries")} ${done}.`)}${rest}`;
}

function severitySign(severity: string, paint: Paint): string {
  return severity === "error" ? paint.red("error:") : severity === "warning" ? paint.yellow("warning:") : paint.dim("note:");
}

function groupByFile(entries: readonly PlanEntry[]): Map<string, PlanEntry[]> {
  const groups = new Map<string, PlanEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.file);
    if (group) group.push(entry);
    else groups.set(entry.file, [entry]);
  }
  return groups;
}
