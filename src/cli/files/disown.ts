import { InputError } from "../../core/diagnostic.ts";
import { disownEntries } from "../../files/settle.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, parseOptions } from "../shell/options.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { showSettled } from "./settled.ts";

export const command: Command = {
  name: "disown",
  summary: "hand entries to the user for good",
  help: `usage: stet disown KEY…

Hands entries to you for good: they are never written, removed or put back again, until stet adopt.

  --owner NAME  only this owner's
${commonHelp}
example: stet disown 'hook:Stop:*:node ~/zylos/stop.js'
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { owner: { type: "string" } }, io, "disown");
    if (positionals.length === 0) throw new InputError({ code: "usage", message: `say which entries: ${io.program} disown KEY…` });
    const machine = machineOf(values, io);
    const queries = positionals.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
    const plans = await disownEntries(queries, machine);
    showSettled(plans, values, io, machine.home);
    await keepFingerprints(plans, machine, io);
    return 0;
  },
};
