import { InputError } from "../../core/diagnostic.ts";
import { quoted } from "../../core/messages.ts";
import { planUninstall, uninstall } from "../../files/uninstall.ts";
import { paint } from "../../report/colour.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, parseOptions, wantsColour } from "../shell/options.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, showPlan } from "./show-plan.ts";

export const command: Command = {
  name: "uninstall",
  summary: "take out everything an owner wrote that you have not changed",
  help: `usage: stet uninstall NAME

Takes out every entry that NAME wrote and you have not changed, with the files and folders it created and nobody else uses.

  --dry-run     only show it
  --diff        the lines that change
${commonHelp}
example: stet uninstall zylos
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { diff: { type: "boolean" }, "dry-run": { type: "boolean" } }, io, "uninstall");
    const [name] = positionals;
    if (name === undefined)
      throw new InputError({ code: "usage", message: `say which owner: ${io.program} uninstall NAME; see: ${io.program} status` });
    const machine = machineOf(values, io);
    const plan = values["dry-run"] ? await planUninstall(name, machine) : await uninstall(name, machine);
    const tense = values["dry-run"] ? "plan" : appliedTense(plan);
    showPlan(plan.document, values, io, { home: machine.home, tense, diff: values.diff, occasion: "uninstall" });
    if (!values["dry-run"] && !values.json && !values.quiet)
      io.out(`${paint(wantsColour(values, io)).dim(`to have it back as it was: ${io.program} rollback ${quoted(name)}`)}\n`);
    if (!values["dry-run"]) await keepFingerprints([plan], machine, io);
    return 0;
  },
};
