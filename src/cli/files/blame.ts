import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { blameLines } from "../../files/blame/blame.ts";
import { type Paint, paint, printable, printableLine } from "../../report/colour.ts";
import { wrapped } from "../../report/fit.ts";
import { maskKey, maskLines, maskText } from "../../report/mask/mask.ts";
import { defineCommand } from "../shell/command.ts";
import { fileColumnsOf } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { instancesOf } from "./instances.ts";

export const command = defineCommand({
  name: "blame",
  usage: "FILE",
  argument: "file",
  most: 1,
  about: `Shows who owns each line of a file:

  zylos@1.4.0      zylos wrote it, last in version 1.4.0
  you              yours, although an owner wants it too
  you-over-zylos   your change to what zylos wrote
  unmanaged        yours: no owner manages it`,
  options: {},
  example: "stet blame ~/.claude/settings.json",
  async run({ values, positionals }, io) {
    const [file] = positionals;
    if (file === undefined) throw new InputError({ code: "usage", message: `name a file: ${io.program} blame FILE` });
    const found = await blameLines(file.startsWith("~") ? file : resolve(io.cwd, file), instancesOf(values, io));
    const lines = values["show-secrets"] ? found.lines : maskBlame(found.lines);
    if (values.json) io.out(`${JSON.stringify({ ...found, lines }, undefined, 2)}\n`);
    else if (!values.quiet) io.out(blameText(lines, paint(wantsColour(values, io)), fileColumnsOf(io)));
    return 0;
  },
});

interface Line {
  readonly line: number;
  readonly text: string;
  readonly owner: string;
  /** An entry in it holds a secret that came from the environment. */
  readonly secret?: true | undefined;
}

/** A file with a column of owners before it, aligned. A line that is wider than `columns` goes on below. */
function blameText(lines: readonly Line[], paint: Paint, columns = Number.POSITIVE_INFINITY): string {
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
function maskBlame<L extends Line & { readonly keys: readonly string[] }>(lines: readonly L[]): L[] {
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
