import { canonicalText, type Value } from "../core/value.ts";
import { printableLine } from "./colour.ts";

/**
 * What a line holds where nobody says otherwise. Wider terminals get the same report; narrower ones get one that fits.
 */
export const usualColumns = 80;

/** A value in a few words of one line. */
export function brief(value: Value | undefined, width = 72): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : canonicalText(value);
  return printableLine(text.length > width ? `${text.slice(0, width - 3)}…` : text);
}

/** A path as a person would say it: below the home as manifests and records spell it, on Windows too. */
export function tilde(path: string, home: string): string {
  const rest = path.startsWith(home) ? path.slice(home.length) : undefined;
  if (rest === "" || rest?.startsWith("/")) return printableLine(`~${rest}`);
  const isOfWindows = /^(?:[A-Za-z]:|\\\\)/.test(home);
  return printableLine(isOfWindows && rest?.startsWith("\\") ? `~${rest.replaceAll("\\", "/")}` : path);
}

/** A time of the history, to the second; all of them are UTC. */
export function moment(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A text in lines of at most so many characters, broken at blanks where there are any. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(" ", columns);
    const at = blank > columns / 2 ? blank : columns;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** A message in lines, broken between its clauses; a clause that is too long is broken at blanks, a command never. */
export function clauses(message: string, width: number): string[] {
  const lines: string[] = [];
  for (const clause of message.split(/(?<=;) /).flatMap((each) => shorter(each, width))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + clause.length <= width) lines[lines.length - 1] = `${last} ${clause}`;
    else lines.push(clause);
  }
  return lines;
}

/** What follows a colon may be a command to copy. */
function shorter(clause: string, width: number): string[] {
  if (clause.length <= width) return [clause];
  const at = clause.lastIndexOf(": ");
  return at === -1 ? wrapped(clause, width) : [...wrapped(clause.slice(0, at + 1), width), clause.slice(at + 2)];
}
