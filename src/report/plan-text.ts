import type { PlanDocument, PlanEntry, PlanFile } from "../core/plan-document.ts";
import { pushAll } from "../core/push-all.ts";
import { type Paint, printableLine } from "./colour.ts";
import { diffText } from "./diff-text.ts";
import { type Cut, cutAround, inOneLine } from "./difference.ts";
import { type Answer, type ChangeView, type EntryView, entryView, isQuiet, type Side } from "./entry-view.ts";
import { counted, tilde, usualColumns } from "./values.ts";
import { countsInWords, type Occasion } from "./words.ts";

/** `apply`: it is done; `plan`: it would be; `record`: it is done, and records changed even where no file did. */
export type Tense = "plan" | "apply" | "record";

export interface PlanTextOptions {
  readonly paint: Paint;
  /** Also what stays as it is. */
  readonly verbose: boolean;
  /** Show the bytes that change. */
  readonly diff: boolean;
  readonly tense: Tense;
  /** What it is a plan of; default: of installing or upgrading a pack. */
  readonly occasion?: Occasion | undefined;
  /** Said beside the versions. */
  readonly note?: string | undefined;
  readonly program: string;
  readonly home: string;
  /** How wide a line may be. */
  readonly columns?: number | undefined;
}

/** What stands below an entry begins here. */
const indent = 6;

/**
 * A plan for people: by file, a sign and a reason for each entry, the command that changes the outcome, one line at the
 * end.
 */
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
  if (loose.length > 0)
    blocks.push(loose.map((each) => `${severitySign(each.severity, paint)} ${printableLine(each.message)}`).join("\n"));
  blocks.push(summaryLines(document, options).join("\n"));
  return `${blocks.join("\n\n")}\n`;
}

function versions({ from, version }: PlanDocument): string {
  return printableLine(from === null || from === version ? version : `${from} → ${version}`);
}

const fileNotes = { create: "new file", modify: "changes", delete: "the file goes" } as const;

function fileBlock(
  file: PlanFile,
  entries: readonly PlanEntry[],
  document: PlanDocument,
  options: PlanTextOptions,
): string | undefined {
  const { paint } = options;
  const copies = keysOfCopies(file, document);
  const shown = entries.filter((entry) => options.verbose || copies.has(entry.key) || !isQuiet(entry));
  if (shown.length === 0 && file.action === "none") return undefined;
  const note = file.action === "none" ? "" : `  ${paint.dim(`(${fileNotes[file.action]})`)}`;
  const lines = [`${paint.bold(tilde(file.path, options.home))}${note}`];
  for (const entry of shown) pushAll(lines, entryLines(entryView(entry, document, options), options));
  const quiet = entries.length - shown.length;
  if (quiet > 0) lines.push(paint.dim(`  · ${quiet} more, ${quiet === 1 ? "unchanged" : "all unchanged"}`));
  if (options.diff && file.diff !== "")
    pushAll(
      lines,
      diffText(file.diff, paint).map((line) => `    ${line}`),
    );
  return lines.join("\n");
}

/** What is taken out of a file is never taken out without a line. */
function keysOfCopies({ path }: PlanFile, { diagnostics }: PlanDocument): ReadonlySet<string | undefined> {
  return new Set(
    diagnostics.filter(({ code, file }) => code === "duplicate-removed" && file === path).map(({ key }) => key),
  );
}

function entryLines(view: EntryView, { paint, columns = usualColumns }: PlanTextOptions): string[] {
  const key = printableLine(view.key);
  const fits = `  ${view.sign} ${key}  ${view.word}`.length <= columns;
  const [answer] = view.answers;
  const below = [
    ...(fits ? [] : [paint.dim(view.word)]),
    ...view.notes,
    ...view.changes.flatMap((change) => changeLines(change, paint, columns - indent)),
    ...(answer === undefined ? [] : [paint.dim(hint(view, answer))]),
    ...(view.hint === undefined ? [] : [paint.dim(view.hint)]),
  ];
  return [
    `  ${paint[view.colour](view.sign)} ${key}${fits ? `  ${paint.dim(view.word)}` : ""}`,
    ...below.map((line) => " ".repeat(indent) + line),
  ];
}

function hint({ waits }: EntryView, { effect, command }: Answer): string {
  return waits === "conflict" ? `to settle it: ${command} (or --theirs)` : `${effect}: ${command}`;
}

const sideColours = {
  old: "red",
  new: "green",
  yours: "green",
  theirs: "yellow",
  before: "dim",
} as const satisfies Record<Side["role"], keyof Paint>;

/** The sides of a change on one line where there is room; else below each other, cut around where they differ. */
export function changeLines({ field, sides, lines }: ChangeView, paint: Paint, room: number): string[] {
  if (lines !== undefined) return [lines];
  const label = field === "" ? "" : `${printableLine(field)}: `;
  const texts = sides.map(({ value }) => inOneLine(value));
  const named = sides.map(({ name }, i) => (name === "" ? texts[i]! : `${name} ${texts[i]}`));
  const between = sides[0]?.role === "old" ? " → " : "   ";
  if (label.length + named.join(between).length <= room) {
    const coloured = sides.map(
      ({ name, role }, i) => (name === "" ? "" : `${name} `) + paint[sideColours[role]](texts[i]!),
    );
    return [label + coloured.join(between)];
  }
  const inset = label === "" ? "" : "  ";
  const names = sides.map(({ name, role }) => (role === "old" ? " " : role === "new" ? "→" : name));
  const width = Math.max(...names.map((name) => name.length));
  const cuts = cutAround(texts, room - inset.length - width - 2);
  const rows = sides.map(
    ({ role }, i) => `${inset}${names[i]!.padEnd(width)}  ${cutText(cuts[i]!, paint[sideColours[role]], paint)}`,
  );
  return label === "" ? rows : [label.trimEnd(), ...rows];
}

/** The equal parts grey, so that the eye finds the difference. */
function cutText({ left, middle, right }: Cut, colour: (text: string) => string, paint: Paint): string {
  return `${left === "" ? "" : paint.dim(left)}${middle === "" ? "" : colour(middle)}${right === "" ? "" : paint.dim(right)}`;
}

function summaryLines(document: PlanDocument, { paint, tense, occasion, program }: PlanTextOptions): string[] {
  const words = countsInWords(document.entries);
  const waits = document.entries.some(({ verdict }) => verdict === "conflict");
  const next = waits && occasion === undefined && tense !== "plan" ? [paint.dim(`to decide: ${program} review`)] : [];
  if (document.changed > 0) {
    const what = words.join(", ") || counted(document.changed, "change", "changes");
    return [paint.bold(tense === "plan" ? `Plan: ${what}.` : `${what}.`), ...next];
  }
  const nothing = tense === "record" ? "Recorded; no file was changed." : "Nothing to change.";
  return [
    `${paint.green(nothing)}${words.length === 0 || occasion === "resolve" ? "" : ` ${paint.dim(`${words.join(", ")}.`)}`}`,
    ...next,
  ];
}

export function severitySign(severity: string, paint: Paint): string {
  return severity === "error"
    ? paint.red("error:")
    : severity === "warning"
      ? paint.yellow("warning:")
      : paint.dim("note:");
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
