import type { Value } from "../core/value.ts";
import { type Paint, printable, printableLine } from "./colour.ts";
import { type Cut, cutAround } from "./difference.ts";
import type { ChangeView, EntryView, Side } from "./entry-view.ts";
import { wrapped } from "./fit.ts";
import { changeLines } from "./plan-text.ts";
import { speltIn, tilde } from "./words.ts";

export interface CardOptions {
  readonly paint: Paint;
  readonly columns: number;
  readonly home: string;
  /** The project that it is installed in. */
  readonly project?: string | undefined;
  readonly version: string;
}

/** One entry that waits for a person, as lines that fit the terminal. */
export function cardLines(view: EntryView, { paint, columns, home, project, version }: CardOptions): string[] {
  const key = wrapped(printableLine(view.key), columns).map((line) => paint.bold(line));
  const file = speltIn(view.file, { home, project });
  const where = wrapped(`${file} · ${printableLine(`${view.owner} ${version}`)}`, columns).map((line) =>
    paint.dim(line),
  );
  const word = wrapped(view.word, columns).map((line) => paint[view.colour](line));
  const when = wrapped(view.when ?? "", columns).map((line) => paint.dim(line));
  const values = view.changes.flatMap((change) => sideLines(change, paint, columns - 2)).map((line) => `  ${line}`);
  return [
    ...key,
    ...where,
    ...word,
    ...(view.when === undefined ? [] : when),
    ...(values.length > 0 ? ["", ...values] : []),
  ];
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
  const texts = change.sides.map(({ value }) => textLines(value));
  return [...label, ...change.sides.flatMap((side, at) => sideText(side, texts, at, paint, room))];
}

function textLines(value: Value | undefined): string[] {
  return typeof value === "string" ? value.replace(/\n$/, "").split("\n").map(printable) : ["nothing"];
}

/** One side below its name. Where all have as many lines, the words that are the same in each are grey. */
function sideText({ name, role }: Side, texts: readonly string[][], at: number, paint: Paint, room: number): string[] {
  const lines = texts[at]!;
  const paired = texts.length > 1 && texts.every((each) => each.length === lines.length);
  const colour = paint[sideColours[role]];
  const shown = lines.flatMap((line, i) => {
    const beside = paired ? texts.map((each) => each[i]!) : [];
    if (!paired || beside.some((each) => each.length > room - 2)) return wrapped(line, room - 2).map(colour);
    const { left, middle, right } = cutAround(beside, room - 2)[at]!;
    return [`${left && paint.dim(left)}${middle && colour(middle)}${right && paint.dim(right)}`];
  });
  return [`${name}:`, ...shown.map((line) => `  ${line}`)];
}

/** What each key does, in a sentence. */
export function helpLines(
  keys: readonly (readonly [key: string, means: string])[],
  paint: Paint,
  columns: number,
): string[] {
  const width = Math.max(...keys.map(([key]) => key.length));
  return keys.flatMap(([key, means]) =>
    wrapped(means, columns - width - 4).map(
      (line, i) => `  ${i === 0 ? paint.bold(key.padEnd(width)) : "".padEnd(width)}  ${line}`,
    ),
  );
}

/**
 * A unified diff on one row a line, for looking at: what is too long is cut around where it differs from the line that it
 * replaces.
 */
export function briefDiffText(diff: string, paint: Paint, columns: number, home: string): string[] {
  const named = diff.replaceAll(/^(---|\+\+\+) (.*)$/gm, (line, sign, path) =>
    path.startsWith(home) ? `${sign} ${tilde(path, home)}` : line,
  );
  const lines = printable(named).replace(/\n$/, "").split("\n");
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "-");
    const added = runOf(lines, at + removed.length, "+");
    const pairs = removed.length === added.length ? removed.map((line, i) => [line, added[i]!]) : [];
    const both = pairs.map((pair) =>
      cutAround(
        pair.map((line) => line.slice(1)),
        columns - 1,
      ),
    );
    if (both.length > 0) {
      for (const [side, sign] of ["-", "+"].entries())
        for (const cuts of both) shown.push(signColour(sign, paint)(`${sign}${joined(cuts[side]!)}`));
      at += removed.length + added.length;
    } else {
      const line = lines[at++]!;
      shown.push(signColour(line, paint)(line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
    }
  }
  return shown;
}

function runOf(lines: readonly string[], from: number, sign: string): string[] {
  const isIn = (line: string) => line.startsWith(sign) && !line.startsWith(`${sign.repeat(3)} `);
  let end = from;
  while (end < lines.length && isIn(lines[end]!)) end++;
  return lines.slice(from, end);
}

function joined({ left, middle, right }: Cut): string {
  return left + middle + right;
}

function signColour(line: string, paint: Paint): (text: string) => string {
  if (line.startsWith("+++ ") || line.startsWith("--- ")) return paint.bold;
  if (line.startsWith("+")) return paint.green;
  if (line.startsWith("-")) return paint.red;
  return line.startsWith("@@") ? paint.cyan : (text) => text;
}
