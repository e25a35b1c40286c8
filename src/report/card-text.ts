import { type Paint, printable, printableLine } from "./colour.ts";
import type { ChangeView, EntryView, Side } from "./entry-view.ts";
import { wrapped } from "./fit.ts";
import { changeLines } from "./plan-text.ts";
import { tilde } from "./words.ts";

export interface CardOptions {
  readonly paint: Paint;
  readonly columns: number;
  readonly home: string;
  readonly version: string;
}

/** One entry that waits for a person, as lines that fit the terminal. */
export function cardLines(view: EntryView, { paint, columns, home, version }: CardOptions): string[] {
  const key = wrapped(printableLine(view.key), columns).map((line) => paint.bold(line));
  const where = wrapped(`${tilde(view.file, home)} · ${printableLine(`${view.owner} ${version}`)}`, columns).map(
    (line) => paint.dim(line),
  );
  const word = wrapped(view.word, columns).map((line) => paint[view.colour](line));
  const values = view.changes.flatMap((change) => sideLines(change, paint, columns - 2)).map((line) => `  ${line}`);
  return [...key, ...where, ...word, ...(values.length > 0 ? ["", ...values] : [])];
}

/** The keys that can be pressed, as many on a line as fit. */
export function keyLines(
  keys: readonly (readonly [key: string, label: string])[],
  paint: Paint,
  columns: number,
): string[] {
  const lines: { text: string; length: number }[] = [];
  for (const [key, label] of keys) {
    const [text, length] = [`${paint.bold(`[${key}]`)} ${label}`, key.length + label.length + 3];
    const last = lines.at(-1);
    if (last === undefined || last.length + 2 + length > columns) lines.push({ text, length });
    else lines[lines.length - 1] = { text: `${last.text}  ${text}`, length: last.length + 2 + length };
  }
  return lines.map(({ text }) => text);
}

const sideColours = { old: "red", new: "green", yours: "green", theirs: "yellow", before: "dim" } as const;

/** Texts of several lines are shown as lines, each side under its name; everything else as in a plan. */
function sideLines(change: ChangeView, paint: Paint, room: number): string[] {
  if (!change.sides.some(({ value }) => typeof value === "string" && value.includes("\n")))
    return changeLines(change, paint, room);
  const label = change.field === "" ? [] : [`${printableLine(change.field)}:`];
  return [...label, ...change.sides.flatMap((side) => textLines(side, paint, room))];
}

function textLines({ name, value, role }: Side, paint: Paint, room: number): string[] {
  const lines = typeof value === "string" ? value.replace(/\n$/, "").split("\n") : ["nothing"];
  const shown = lines.flatMap((line) => wrapped(printable(line), room - 2));
  return [`${name}:`, ...shown.map((line) => `  ${paint[sideColours[role]](line)}`)];
}
