import { resolve } from "node:path";
import { changesAnything, planPack } from "../../files/plan.ts";
import { renderSavedPlan } from "../../files/saved-plan.ts";
import { writeAtomically } from "../../store/gate/atomic.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, packOf, parseOptions } from "../shell/options.ts";
import { showPlan } from "./show-plan.ts";

const options = {
  diff: { type: "boolean" },
  "exit-code": { type: "boolean" },
  "no-prune": { type: "boolean" },
  unhold: { type: "boolean" },
  out: { type: "string" },
} as const;

export const command: Command = {
  name: "plan",
  summary: "show what would change, and why",
  help: `usage: stet plan [DIR|stet.yaml]

Shows what apply would change and why, and writes nothing.

  --diff        the lines that change
  --exit-code   2 if an apply would change something, files or records
  --no-prune    keep entries that are no longer wanted
  --unhold      plan a version although it was rolled back from
  --out FILE    save the plan; apply FILE applies just that
${commonHelp}
example: stet plan ./my-pack --diff
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, options, io, "plan");
    const machine = machineOf(values, io);
    const pack = packOf(positionals[0], values, machine, io);
    const planned = await planPack(pack, machine, { prune: !values["no-prune"], unhold: values.unhold });
    if (values.out) writeAtomically(machine.gate, resolve(io.cwd, values.out), Buffer.from(renderSavedPlan(planned)), 0o600);
    showPlan(planned.document, values, io, { home: machine.home, tense: "plan", diff: values.diff });
    return values["exit-code"] && changesAnything(planned) ? 2 : 0;
  },
};
