import { wrapped } from "./fit.ts";

/** Colours for a terminal, or none: the only place that knows escape sequences. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export function paint(colours: boolean): Paint {
  const entries = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (colours ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ]);
  return Object.fromEntries(entries) as Paint;
}

/**
 * What a terminal obeys, or what makes a text read otherwise than it is stored: controls, and changes of the reading
 * direction.
 */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text from a file or a network for a terminal: control characters shown, never obeyed. Line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(unseen, escaped);
}

/** The same for what must stay on its line: a key, a name, a message. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped);
}

function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}

/** A unified diff in the usual colours. A line that is wider than `columns` goes on below, further in. */
export function diffText(diff: string, paint: Paint, columns = Number.POSITIVE_INFINITY): string[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => {
      const [first = "", ...more] = wrapped(printable(line), columns - 4);
      const colour = colourOf(line, paint);
      return [colour(first), ...more.map((rest) => `    ${colour(rest)}`)];
    });
}

function colourOf(line: string, paint: Paint): (text: string) => string {
  if (line.startsWith("+++ ") || line.startsWith("--- ")) return paint.bold;
  if (line.startsWith("+")) return paint.green;
  if (line.startsWith("-")) return paint.red;
  return line.startsWith("@@") ? paint.cyan : (text) => text;
}
