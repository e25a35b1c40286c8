import { InputError } from "../../core/diagnostic.ts";
import { quoted } from "../../core/messages.ts";
import { planUninstall, uninstallOwner } from "../../files/uninstall.ts";
import { paint } from "../../report/colour.ts";
import { defineCommand } from "../shell/command.ts";
import { tell } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { ownerArgument } from "./instances.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, plannedTense, showPlan } from "./show-plan.ts";

export const command = defineCommand({
  name: "uninstall",
  usage: "NAME",
  argument: "owner",
  most: 1,
  about:
    "Removes every entry that NAME wrote and you have not changed, and the files and folders it made that nobody else uses.\n" +
    "An entry that you adopted goes back to how it was found.",
  options: {
    all: { type: "boolean", help: "also remove what you changed and what you adopted" },
    "dry-run": { type: "boolean", help: "only show what would change" },
    diff: { type: "boolean", help: "show the lines that change" },
  },
  example: "stet uninstall zylos",
  async run({ values, positionals }, io) {
    const [name] = positionals;
    if (name === undefined)
      throw new InputError({
        code: "usage",
        message: `name an owner: ${io.program} uninstall NAME; see: ${io.program} status`,
      });
    const { machine } = ownerArgument(name, values, io);
    const { all } = values;
    const plan = values["dry-run"]
      ? await planUninstall(name, machine, { all })
      : await uninstallOwner(name, machine, { all });
    const tense = values["dry-run"] ? plannedTense(plan) : appliedTense(plan);
    const project = machine.project?.root;
    const shown = { home: machine.home, project, tense, diff: values.diff, occasion: "uninstall" } as const;
    showPlan(plan.document, values, io, shown);
    if (!values["dry-run"] && !values.json && !values.quiet)
      tell(
        io,
        `${paint(wantsColour(values, io)).dim(`to have it back as it was: ${io.program} rollback ${quoted(name)}`)}\n`,
      );
    if (!values["dry-run"]) await keepFingerprints([plan], machine, io);
    return 0;
  },
});
