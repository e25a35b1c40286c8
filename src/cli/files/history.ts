import { generationsOf } from "../../files/owner-state.ts";
import { paint } from "../../report/colour.ts";
import { historyText } from "../../report/history-text.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, parseOptions, wantsColour } from "../shell/options.ts";
import { ownerArgument } from "./owner-argument.ts";

export const command: Command = {
  name: "history",
  summary: "what was changed, and when",
  help: `usage: stet history [NAME]

Lists the generations: every change of files or records, with when it was (UTC), what it was and which files it touched.
${commonHelp}
example: stet history zylos
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {}, io, "history");
    const machine = machineOf(values, io);
    const name = ownerArgument(positionals[0], machine);
    const generations = generationsOf(machine, name);
    if (values.json) {
      io.out(`${JSON.stringify({ format_version: 1, name, generations }, undefined, 2)}\n`);
      return 0;
    }
    if (!values.quiet) io.out(historyText(generations, machine.home, paint(wantsColour(values, io))));
    return 0;
  },
};
