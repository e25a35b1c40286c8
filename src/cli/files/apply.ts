import { resolve } from "node:path";
import { applySaved } from "../../engine/apply.ts";
import { readSavedPlan } from "../../engine/saved-plan.ts";
import { applyPack, planFrom } from "../../files/plan.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf } from "../shell/options.ts";
import { instanceFor, instanceOfPlan, packFromArgument } from "./instances.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, showPlan, strictExit } from "./show-plan.ts";

export const command = defineCommand({
  name: "apply",
  usage: "[DIR|stet.yaml|FILE]",
  argument: "file",
  most: 1,
  about: "Installs or upgrades a pack: all files and records together, or none. FILE is a plan saved by plan --out.",
  options: {
    "dry-run": { type: "boolean", help: "only show it: the same as plan" },
    diff: { type: "boolean", help: "the lines that change" },
    strict: { type: "boolean", help: "exit 3 if conflicts or kept edits remain" },
    "no-prune": { type: "boolean", help: "keep entries that are no longer wanted" },
    relocate: { type: "boolean", help: "also remove what was written where a variable's old value pointed" },
    unhold: { type: "boolean", help: "apply a version although it was rolled back from" },
  },
  example: "stet apply ./my-pack",
  async run({ values, positionals }, io, args) {
    if (values["dry-run"])
      return (await import("./plan.ts")).command.run(
        args.filter((arg) => arg !== "--dry-run" && arg !== "--strict"),
        io,
      );
    const argument = positionals[0];
    const path = argument === undefined ? undefined : resolve(io.cwd, argument);
    const user = machineOf(values, io);
    const here = path === undefined ? user : instanceOfPlan(path, user, values, io);
    const saved = path === undefined ? undefined : await readSavedPlan(here, path, (source) => planFrom(source, here));
    const pack = saved ? undefined : packFromArgument(argument, values, here, io);
    const machine = pack ? instanceFor(pack, user, values, io) : here;
    const planned = saved
      ? await applySaved(machine, saved)
      : await applyPack(pack!, machine, {
          prune: !values["no-prune"],
          unhold: values.unhold,
          relocate: values.relocate,
        });
    showPlan(planned.document, values, io, {
      home: machine.home,
      project: machine.project?.root,
      tense: appliedTense(planned),
      diff: values.diff,
    });
    await keepFingerprints(
      [planned],
      machine,
      io,
      saved ? undefined : { argument: positionals[0], set: values.set, fromEnv: values["from-env"] },
    );
    io.keepCompiled?.();
    return strictExit(planned.document, values.strict);
  },
});
