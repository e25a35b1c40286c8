import { InputError } from "../core/diagnostic.ts";
import { resolveConflict } from "../files/settle.ts";
import { commonHelp } from "./help.ts";
import type { Command } from "./io.ts";
import { machineOf, parseOptions } from "./options.ts";
import { showSettled } from "./settled.ts";

const options = { mine: { type: "boolean" }, theirs: { type: "boolean" }, owner: { type: "string" } } as const;

export const command: Command = {
  name: "resolve",
  summary: "settle a conflict",
  help: `usage: stet resolve KEY|FILE --mine|--theirs

Settles a conflict, or all conflicts of a file. KEY may be FILE#KEY, or an unambiguous part.

  --mine        your value is the accepted one
  --theirs      write the owner's value now, in the parts that conflict
  --owner NAME  whose wish, where two owners differ
${commonHelp}
example: stet resolve setting:theme --mine
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, options, io, "resolve");
    const [text] = positionals;
    if (text === undefined || values.mine === values.theirs) {
      throw new InputError({ code: "usage", message: `say what, and whose value counts: ${io.program} resolve KEY --mine, or --theirs` });
    }
    const machine = machineOf(values, io);
    const plans = await resolveConflict({ text, owner: values.owner, folder: io.cwd }, values.mine ? "mine" : "theirs", machine);
    showSettled(plans, values, io, machine.home);
    return 0;
  },
};
