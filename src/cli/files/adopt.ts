import { InputError } from "../../core/diagnostic.ts";
import { adoptAll, adoptEntries } from "../../files/settle.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, parseOptions } from "../shell/options.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { showSettled } from "./settled.ts";

export const command: Command = {
  name: "adopt",
  summary: "take entries under management",
  help: `usage: stet adopt KEY… | --all

Takes entries under management: what was there before the owner, was handed over to you, or had been deleted (that comes back). A
value that differs from what the owner wants counts as your edit, and stands.

  --all         everything that waits to be adopted
  --owner NAME  only this owner's
${commonHelp}
example: stet adopt setting:env.EDITOR
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { all: { type: "boolean" }, owner: { type: "string" } }, io, "adopt");
    if ((positionals.length === 0) !== (values.all === true)) {
      throw new InputError({ code: "usage", message: `say which entries: ${io.program} adopt KEY…, or --all` });
    }
    const machine = machineOf(values, io);
    const queries = positionals.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
    const plans = values.all ? await adoptAll(machine, values.owner) : await adoptEntries(queries, machine);
    showSettled(plans, values, io, machine.home);
    await keepFingerprints(plans, machine, io);
    return 0;
  },
};
