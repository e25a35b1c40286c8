import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { applySaved } from "../../engine/apply.ts";
import type { Machine } from "../../engine/machine.ts";
import { changesAnything } from "../../engine/plan-owner.ts";
import { readSavedPlan, renderSavedPlan, type SealKey, sealKey } from "../../engine/saved-plan.ts";
import { applyPack, planFrom, planPack } from "../../files/plan.ts";
import { whenEntrySet } from "../../files/when.ts";
import { writeAtomically } from "../../store/transaction/atomic.ts";
import { defineCommand } from "../shell/command.ts";
import { formatOf, formatOption, machineOf } from "../shell/options.ts";
import { instanceFor, instanceOfPlan, packFromArgument, variablesFrom } from "./instances.ts";
import { keepFingerprints } from "./keep-fingerprints.ts";
import { appliedTense, plannedTense, showMarkdown, showPlan, strictExit } from "./show-plan.ts";

export const planCommand = defineCommand({
  name: "plan",
  usage: "[DIR|stet.yaml]",
  argument: "file",
  most: 1,
  about: "Shows what apply would change, and why. Writes nothing.",
  options: {
    diff: { type: "boolean", help: "show the lines that change" },
    ...formatOption,
    "exit-code": { type: "boolean", help: "exit 2 if an apply would change files or records" },
    "no-prune": { type: "boolean", help: "keep entries that the pack no longer has" },
    relocate: { type: "boolean", help: "also remove what was written where a variable pointed before" },
    unhold: { type: "boolean", help: "plan this version even if you rolled back from it" },
    out: { type: "string", value: "FILE", help: "save the plan; apply FILE then applies exactly that" },
  },
  example: "stet plan ./my-pack --diff",
  async run({ values, positionals }, io) {
    const machine = machineOf(values, io);
    const format = formatOf(values);
    // Nothing here to plan: whoever asks wants to know how things are. A script that asks wants to be told of its
    // mistake.
    const asked = positionals.length > 0 || io.manifest || values["exit-code"] || format !== "text" || values.out;
    if (!asked && machine.gate.stat(resolve(io.cwd, "stet.yaml")) === undefined) {
      await (await import("./status.ts")).showStatus(undefined, values, io, { suggest: true });
      return 0;
    }
    const pack = packFromArgument(positionals[0], values, machine, io);
    const { unhold = false, relocate = false } = values;
    const options = { prune: !values["no-prune"], unhold, relocate };
    const instance = instanceFor(pack, machine, values, io);
    const planned = await planPack(pack, instance, options);
    if (values.out) {
      const manifest = positionals[0] === undefined && io.manifest ? undefined : resolve(io.cwd, positionals[0] ?? ".");
      const source =
        manifest === undefined
          ? undefined
          : { manifest, set: variablesFrom(values.set), fromEnv: values["from-env"] ?? [], ...options };
      const text = () => Buffer.from(renderSavedPlan(planned, source, keyFor(instance)));
      writeAtomically(machine.gate, resolve(io.cwd, values.out), text, 0o600);
    }
    const shown = {
      home: machine.home,
      project: instance.project?.root,
      tense: plannedTense(planned),
      diff: values.diff,
    } as const;
    if (format !== "markdown") showPlan(planned.document, { ...values, json: format === "json" }, io, shown);
    else if (!values.quiet)
      await showMarkdown(planned.document, values, io, { ...shown, when: whenEntrySet(planned, instance) });
    return values["exit-code"] && changesAnything(planned) ? 2 : 0;
  },
});

/** Where the state directory can't be written there is none: whoever applies the plan there has it made again. */
function keyFor({ gate, stateDir }: Machine): SealKey | undefined {
  try {
    return sealKey(gate, stateDir);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

export const applyCommand = defineCommand({
  name: "apply",
  usage: "[DIR|stet.yaml|FILE]",
  argument: "file",
  most: 1,
  about:
    "Installs or upgrades a pack. All files and records change together, or none do. FILE is a plan that plan --out saved.",
  options: {
    "dry-run": { type: "boolean", help: "only show what would change, as plan does" },
    diff: { type: "boolean", help: "show the lines that change" },
    strict: { type: "boolean", help: "exit 3 if conflicts or kept edits remain" },
    "no-prune": { type: "boolean", help: "keep entries that the pack no longer has" },
    relocate: { type: "boolean", help: "also remove what was written where a variable pointed before" },
    unhold: { type: "boolean", help: "apply this version even if you rolled back from it" },
  },
  example: "stet apply ./my-pack",
  async run({ values, positionals }, io, args) {
    if (values["dry-run"])
      return planCommand.run(
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
