import { type Paint, printable } from "./colour.ts";
import { wrapped } from "./fit.ts";

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
