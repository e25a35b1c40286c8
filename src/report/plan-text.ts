import { pushAll } from "../core/lists.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import { diffText, type Paint, printableLine } from "./colour.ts";
import { type Cut, cutAround, inOneLine } from "./difference.ts";
import type { Answer, ChangeView, EntryView, Side } from "./entry-view.ts";
import { fitted, usualColumns } from "./fit.ts";
import { type FileView, type PlanView, type PlanViewOptions, planView } from "./plan-view.ts";
import { counted } from "./words.ts";

export interface PlanTextOptions extends PlanViewOptions {
  readonly paint: Paint;
  /** Show the bytes that change. */
  readonly diff: boolean;
  /** Said beside the versions. */
  readonly note?: string | undefined;
  /** How wide a line may be, and one of a file. */
  readonly columns?: number | undefined;
  readonly fileColumns?: number | undefined;
}

/** What stands below an entry begins here. */
const indent = 6;

/**
 * A plan for people: by file, a sign and a reason for each entry, the command that changes the outcome, one line at the
 * end.
 */
export function planText(document: PlanDocument, options: PlanTextOptions): string {
  const { paint, columns = usualColumns, program } = options;
  const view = planView(document, options);
  const inColumns = (text: string) => fitted(text, columns, program);
  const note = options.note === undefined ? "" : `  ${paint.dim(printableLine(options.note))}`;
  const blocks = [
    inColumns(`${paint.bold(view.name)} ${view.versions}${note}`),
    ...view.files.map((file) => inColumns(fileBlock(file, options)) + diffBlock(file, options)),
    ...(view.messages.length === 0
      ? []
      : [inColumns(view.messages.map(({ severity, text }) => `${severitySign(severity, paint)} ${text}`).join("\n"))]),
    inColumns(summaryLines(view, paint).join("\n")),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function fileBlock({ path, note, entries, quiet }: FileView, options: PlanTextOptions): string {
  const { paint } = options;
  const lines = [`${paint.bold(path)}${note === "" ? "" : `  ${paint.dim(`(${note})`)}`}`];
  for (const entry of entries) pushAll(lines, entryLines(entry, options));
  if (quiet > 0) lines.push(paint.dim(`  · ${quiet} more, ${quiet === 1 ? "unchanged" : "all unchanged"}`));
  return lines.join("\n");
}

function diffBlock({ diff: text }: FileView, { diff, paint, fileColumns }: PlanTextOptions): string {
  if (!diff || text === "") return "";
  return diffText(text, paint, fileColumns && fileColumns - 4)
    .map((line) => `\n    ${line}`)
    .join("");
}

function entryLines(view: EntryView, { paint, columns = usualColumns }: PlanTextOptions): string[] {
  const key = printableLine(view.key);
  const [answer] = view.answers;
  const below = [
    ...view.notes,
    ...someChanges(view, (change) => changeLines(change, paint, columns - indent)),
    ...(answer === undefined ? [] : [paint.dim(hint(view, answer))]),
    ...(view.hint === undefined ? [] : [paint.dim(view.hint)]),
  ];
  return [
    `  ${paint[view.colour](view.sign)} ${key}  ${paint.dim(view.word)}`,
    ...below.map((line) => " ".repeat(indent) + line),
  ];
}

function hint({ waits }: EntryView, { effect, command }: Answer): string {
  return waits === "conflict" ? `to settle it: ${command} (or --theirs)` : `${effect}: ${command}`;
}

/** In how many places an entry may differ before the rest is only counted. */
const mostChanges = 5;

/** The first differences of an entry, and how many more there are: `review` and `--diff` show them all. */
export function someChanges({ changes }: EntryView, draw: (change: ChangeView) => string[]): string[] {
  const more = changes.length - mostChanges;
  const shown = changes.slice(0, more > 0 ? mostChanges : changes.length).flatMap(draw);
  return more > 0 ? [...shown, `and ${counted(more, "more difference", "more differences")}`] : shown;
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

function summaryLines({ summary, besides, changes, next }: PlanView, paint: Paint): string[] {
  const line = changes
    ? paint.bold(summary)
    : `${paint.green(summary)}${besides === "" ? "" : ` ${paint.dim(besides)}`}`;
  return next === undefined ? [line] : [line, paint.dim(next)];
}

export function severitySign(severity: string, paint: Paint): string {
  return severity === "error"
    ? paint.red("error:")
    : severity === "warning"
      ? paint.yellow("warning:")
      : paint.dim("note:");
}
