import { type Paint, printableLine } from "./colour.ts";
import { usualColumns } from "./fit.ts";
import { moment, tilde } from "./words.ts";

/** One change of files or records, as the store keeps it. */
interface Generation {
  readonly number: number;
  readonly time: string;
  readonly version: string;
  readonly from: string | null;
  readonly note: string;
  readonly files: readonly { readonly path: string }[];
}

/** The generations of an owner in columns, oldest first. */
export function historyText(
  generations: readonly Generation[],
  home: string,
  paint: Paint,
  columns = usualColumns,
): string {
  const rows = generations.map(({ number, time, version, from, note, files }) => ({
    number: String(number),
    time: moment(time),
    note: printableLine(note),
    versions: printableLine(from === null || from === version ? version : `${from} → ${version}`),
    touched: files.map((file) => tilde(file.path, home)).join(", ") || "records only",
  }));
  const widest = (column: "number" | "note" | "versions") =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0);
  const [number, note, versions] = [widest("number"), widest("note"), widest("versions")];
  // Where the columns do not fit, each generation has a line for when and one for what.
  const fits = number + note + versions + 32 <= columns;
  const gap = fits ? "  " : `\n  ${"".padEnd(number)}  `;
  return rows
    .map((row) => {
      const what = `${row.note.padEnd(note)}  ${fits ? row.versions.padEnd(versions) : row.versions}`;
      const files = number + note + versions + row.touched.length + 34 <= columns ? "  " : gap;
      return `  ${paint.bold(row.number.padStart(number))}  ${row.time}${gap}${what}${files}${paint.dim(row.touched)}\n`;
    })
    .join("");
}

/** Where going back leads to, in a few words; `to` 0 is before the first. */
export function backTo(to: number, generations: readonly Generation[]): string {
  if (to === 0) return "back to before it was installed";
  const there = generations.find(({ number }) => number === to);
  return `back to generation ${to}${there === undefined ? "" : ` (${there.note}, ${moment(there.time)})`}`;
}
