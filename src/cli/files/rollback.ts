import { InputError } from "../../core/diagnostic.ts";
import { generationsOf } from "../../engine/owner-state.ts";
import { planRollback, rollbackOwner } from "../../files/rollback.ts";
import { backTo } from "../../report/history-text.ts";
import { rollbackTarget } from "../../store/records/generations.ts";
import { defineCommand } from "../shell/command.ts";
import { ownerArgument } from "./instances.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, showPlan } from "./show-plan.ts";

export const command = defineCommand({
  name: "rollback",
  usage: "[NAME] [--to N]",
  argument: "owner",
  most: 1,
  about: `Goes back to generation N; without --to, to the one before. Files that are as stet left them get
their old bytes. Others go back entry by entry, so that your later edits and other owners' entries
stay. The version you leave is held: it is not applied again until a newer one comes, or you say
apply --unhold.`,
  options: {
    to: { type: "string", value: "N", help: "the generation (see: stet history); 0 is before the first" },
    "dry-run": { type: "boolean", help: "only show it" },
    diff: { type: "boolean", help: "the lines that change" },
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
    const tense = values["dry-run"] ? "plan" : appliedTense(plan);
    const went = plan.transaction.generation && rollbackTarget(plan.transaction.generation);
    const note = went === undefined ? undefined : backTo(went, generations);
    const project = machine.project?.root;
    const shown = { home: machine.home, project, tense, diff: values.diff, occasion: "rollback", note } as const;
    showPlan(plan.document, values, io, shown);
    if (!values["dry-run"]) await keepFingerprints([plan], machine, io);
    return 0;
  },
});
