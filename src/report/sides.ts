import type { Value } from "../core/value.ts";
import { type Paint, printableLine } from "./colour.ts";
import { brief, columns } from "./values.ts";

/** What stands below an entry begins here. */
export const indent = 6;
const room = columns - indent;

/** One of the values that are to be compared: whose it is, and its colour. */
export interface Side {
  readonly name: string;
  readonly value: Value | undefined;
  readonly colour: (text: string) => string;
}

/** Values beside each other; under each other, and shortened, where a line has no room for that. */
export function besideEachOther(label: string, sides: readonly Side[]): string[] {
  const texts = sides.map(({ name, value }) => `${name} ${brief(value)}`);
  if (label.length + texts.join("   ").length <= room)
    return [label + sides.map(({ name, value, colour }) => `${name} ${colour(brief(value))}`).join("   ")];
  const inset = label === "" ? "" : "  ";
  const width = Math.max(...sides.map(({ name }) => name.length));
  const rows = sides.map(
    ({ name, value, colour }) => `${inset}${name.padEnd(width)}  ${colour(brief(value, room - inset.length - width - 2))}`,
  );
  return label === "" ? rows : [label.trimEnd(), ...rows];
}

/** A value and what becomes of it; below each other where a line has no room for both. */
export function changeOf(label: string, before: Value | undefined, after: Value | undefined, paint: Paint): string[] {
  const [red, green] = [(width?: number) => paint.red(brief(before, width)), (width?: number) => paint.green(brief(after, width))];
  if (label.length + brief(before).length + brief(after).length + 3 <= room) return [`${label}${red()} → ${green()}`];
  const rows = [`  ${red(room - 2)}`, `→ ${green(room - 2)}`];
  return label === "" ? rows : [label.trimEnd(), ...rows.map((row) => `  ${row}`)].map((row) => row.trimEnd());
}

export function ownersSide(owner: string): string {
  return `${printableLine(owner)}'s`;
}

/** What stands before the values of a field; nothing before a whole value. */
export function fieldLabel(path: readonly string[]): string {
  return path.length === 0 ? "" : `${printableLine(path.join("."))}: `;
}
