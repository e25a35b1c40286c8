import { paint, printable } from "../report/colour.ts";
import { tilde } from "../report/values.ts";
import { listGenerations } from "../store/generations.ts";
import { commonHelp } from "./help.ts";
import type { Command } from "./io.ts";
import { machineOf, parseOptions, wantsColour } from "./options.ts";
import { ownerArgument } from "./owner-argument.ts";

export const command: Command = {
  name: "history",
  summary: "what was changed, and when",
  help: `usage: stet history [NAME]

Lists the generations: every change of files or records, with what it was and which files it touched.
${commonHelp}
example: stet history zylos
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {}, io, "history");
    const machine = machineOf(values, io);
    const name = ownerArgument(positionals[0], machine);
    const generations = listGenerations(machine.gate, machine.stateDir, name);
    if (values.json) {
      io.out(`${JSON.stringify({ format_version: 1, name, generations }, undefined, 2)}\n`);
      return 0;
    }
    const { bold, dim } = paint(wantsColour(values, io));
    for (const { number, time, version, from, note, files } of generations) {
      const versions = from === null || from === version ? version : `${from} → ${version}`;
      const touched = files.map((file) => tilde(file.path, machine.home)).join(", ") || "records only";
      io.out(`${bold(String(number).padStart(4))}  ${time}  ${note.padEnd(9)}  ${printable(versions)}  ${dim(touched)}\n`);
    }
    return 0;
  },
};
