import { InputError } from "../../core/diagnostic.ts";
import type { Machine } from "../../engine/machine.ts";
import { generationsOf } from "../../engine/owner-state.ts";
import { ownersOf } from "../../engine/records.ts";

import { planRollback, rollbackOwner } from "../../files/rollback.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { usualColumns } from "../../report/fit.ts";
import { moment, tilde } from "../../report/words.ts";
import { rollbackTarget } from "../../store/records/generations.ts";
import { defineCommand } from "../shell/command.ts";
import { columnsOf, tell } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { instancesOf, ownerArgument } from "./instances.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, plannedTense, showPlan } from "./show-plan.ts";

export const rollbackCommand = defineCommand({
  name: "rollback",
  usage: "[NAME] [--to N]",
  argument: "owner",
  most: 1,
  about: `Goes back to generation N; without --to, to the one before. Files that nobody has touched since get their
old bytes back. Others go back entry by entry, so your later edits and other owners' entries stay. The
version you leave is held: stet does not apply it again until a newer one comes or you say apply --unhold.`,
  options: {
    to: { type: "string", value: "N", help: "the generation to go back to (see stet history); 0 is before the first" },
    "dry-run": { type: "boolean", help: "only show what would change" },
    diff: { type: "boolean", help: "show the lines that change" },
  },
  example: "stet rollback zylos",
  async run({ values, positionals }, io) {
    const { name, machine } = ownerArgument(positionals[0], values, io);
    const to = values.to === undefined ? undefined : Number(values.to);
    if (to !== undefined && !(Number.isInteger(to) && to >= 0))
      throw new InputError({ code: "usage", message: `--to ${values.to}: give the number of a generation` });
    // Before anything changes: an error afterwards would say that nothing had.
    const generations = generationsOf(machine, name);
    const plan = values["dry-run"] ? await planRollback(name, machine, to) : await rollbackOwner(name, machine, to);
    const tense = values["dry-run"] ? plannedTense(plan) : appliedTense(plan);
    const went = plan.transaction.generation && rollbackTarget(plan.transaction.generation);
    const note = went === undefined ? undefined : backTo(went, generations);
    const project = machine.project?.root;
    const shown = { home: machine.home, project, tense, diff: values.diff, occasion: "rollback", note } as const;
    showPlan(plan.document, values, io, shown);
    if (!values["dry-run"]) await keepFingerprints([plan], machine, io);
    return 0;
  },
});

export const historyCommand = defineCommand({
  name: "history",
  usage: "[NAME]",
  argument: "owner",
  most: 1,
  about: "Lists the generations: every change to files or records, with its time (UTC), its command and its files.",
  options: {},
  example: "stet history zylos",
  async run({ values, positionals }, io) {
    const colours = paint(wantsColour(values, io));
    const draw = (name: string, machine: Machine) =>
      historyText(generationsOf(machine, name), machine.home, colours, columnsOf(io));
    const all = instancesOf(values, io).flatMap((machine) => ownersOf(machine).map((name) => ({ name, machine })));
    if (positionals[0] === undefined && all.length > 1 && !values.json) {
      const texts = all.map(({ name, machine }) => `${colours.bold(printableLine(name))}\n${draw(name, machine)}`);
      if (!values.quiet) tell(io, texts.join("\n"));
      return 0;
    }
    const { name, machine } = ownerArgument(positionals[0], values, io);
    if (values.json)
      io.out(
        `${JSON.stringify({ format_version: 1, name, generations: generationsOf(machine, name) }, undefined, 2)}\n`,
      );
    else if (!values.quiet) tell(io, draw(name, machine));
    return 0;
  },
});

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
