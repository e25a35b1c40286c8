import { type Paint, printable, printableLine } from "./colour.ts";
import { wrapped } from "./fit.ts";
import { maskKey, maskLines, maskText } from "./mask/mask.ts";

interface Line {
  readonly line: number;
  readonly text: string;
  readonly owner: string;
  /** An entry in it holds a secret that came from the environment. */
  readonly secret?: true | undefined;
}

/** A file with a column of owners before it, aligned. A line that is wider than `columns` goes on below. */
export function blameText(lines: readonly Line[], paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  const width = lines.reduce((widest, { owner }) => Math.max(widest, owner.length), 0);
  const digits = String(lines.length).length;
  return lines
    .flatMap(({ line, text, owner }) => {
      const [first, ...more] = wrapped(printable(text), Math.max(12, columns - width - digits - 5));
      const below = `${"".padEnd(width)}  ${paint.dim(`${"".padEnd(digits)} │`)}`;
      const gutter = paint.dim(`${String(line).padStart(digits)} │`);
      return [
        `${colourOf(owner, paint)(printableLine(owner).padEnd(width))}  ${gutter} ${first}`.trimEnd(),
        ...more.map((rest) => `${below} ${rest}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** The lines as reports may show them. A secret that spans lines (a private key) is only known from all of them. */
export function maskBlame<L extends Line & { readonly keys: readonly string[] }>(lines: readonly L[]): L[] {
  const masked = maskLines(lines.map(({ text }) => text).join("\n")).split("\n");
  return lines.map((line, i) => ({
    ...line,
    text: line.secret ? maskText : (masked[i] ?? ""),
    keys: line.keys.map(maskKey),
  }));
}

function colourOf(owner: string, paint: Paint): (text: string) => string {
  if (owner === "unmanaged") return paint.dim;
  if (owner.includes("you-over-")) return paint.yellow;
  return owner === "you" ? paint.blue : paint.green;
}
