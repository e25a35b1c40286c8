import { type Paint, printable } from "./colour.ts";

/** A unified diff, line by line, in the usual colours. */
export function diffText(diff: string, paint: Paint): string[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const shown = printable(line);
      if (line.startsWith("+++ ") || line.startsWith("--- ")) return paint.bold(shown);
      if (line.startsWith("+")) return paint.green(shown);
      if (line.startsWith("-")) return paint.red(shown);
      return line.startsWith("@@") ? paint.cyan(shown) : shown;
    });
}
