import { InputError } from "../../core/diagnostic.ts";
import { disownEntries } from "../../files/settle.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf } from "../shell/options.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { showSettled } from "./settled.ts";

export const command = defineCommand({
  name: "disown",
  usage: "KEY…",
  argument: "key",
  about: "Hands entries to you for good: they are never written, removed or put back again, until stet adopt.",
  options: {
    owner: { type: "string", value: "NAME", help: "only this owner's" },
  },
  example: "stet disown 'hook:Stop:*:node ~/zylos/stop.js'",
  async run({ values, positionals }, io) {
    if (positionals.length === 0) throw new InputError({ code: "usage", message: `say which entries: ${io.program} disown KEY…` });
    const machine = machineOf(values, io);
    const queries = positionals.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
    const plans = await disownEntries(queries, machine);
    showSettled(plans, values, io, machine.home);
    await keepFingerprints(plans, machine, io);
    return 0;
  },
});
