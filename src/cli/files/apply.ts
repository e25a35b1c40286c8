import { resolve } from "node:path";
import { applyPack, applySaved } from "../../files/apply.ts";
import { readSavedPlan } from "../../files/saved-plan.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, packOf, parseOptions } from "../shell/options.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, showPlan, strictExit } from "./show-plan.ts";

const options = {
  diff: { type: "boolean" },
  "dry-run": { type: "boolean" },
  strict: { type: "boolean" },
  "no-prune": { type: "boolean" },
  unhold: { type: "boolean" },
} as const;

export const command: Command = {
  name: "apply",
  summary: "make it so",
  help: `usage: stet apply [DIR|stet.yaml|FILE]

Makes a pack true: all files and records together, or none. FILE is a plan saved by plan --out.

  --dry-run     only show it: the same as plan
  --diff        the lines that change
  --strict      exit 3 if conflicts or kept edits remain
  --no-prune    keep entries that are no longer wanted
  --unhold      apply a version although it was rolled back from
${commonHelp}
example: stet apply ./my-pack
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, options, io, "apply");
    if (values["dry-run"])
      return (await import("./plan.ts")).command.run(
        args.filter((arg) => arg !== "--dry-run" && arg !== "--strict"),
        io,
      );
    const machine = machineOf(values, io);
    const saved = positionals[0] === undefined ? undefined : readSavedPlan(machine, resolve(io.cwd, positionals[0]));
    const planned = saved
      ? await applySaved(machine, saved)
      : await applyPack(packOf(positionals[0], values, machine, io), machine, { prune: !values["no-prune"], unhold: values.unhold });
    showPlan(planned.document, values, io, { home: machine.home, tense: appliedTense(planned), diff: values.diff });
    await keepFingerprints([planned], machine, io, saved ? undefined : { argument: positionals[0], set: values.set });
    return strictExit(planned.document, values.strict);
  },
};
