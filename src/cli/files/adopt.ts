import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/push-all.ts";
import type { OwnerPlan } from "../../engine/plan-owner.ts";
import { adoptAll, adoptEntries } from "../../files/settle.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf } from "../shell/options.ts";
import { byInstance, instancesOf } from "./instances.ts";
import { keepFingerprintsHere } from "./keep-fingerprints.ts";
import { showSettled } from "./show-plan.ts";

export const command = defineCommand({
  name: "adopt",
  usage: "KEY… | --all",
  argument: "key",
  about: `Lets an owner manage entries: those that were there before it, those you made yours, and those you
deleted (they come back). A value that differs from the owner's counts as your edit, and stays.`,
  options: {
    all: { type: "boolean", help: "everything that waits to be adopted" },
    owner: { type: "string", value: "NAME", help: "only this owner's" },
  },
  example: "stet adopt setting:env.EDITOR",
  async run({ values, positionals }, io) {
    if ((positionals.length === 0) !== (values.all === true)) {
      throw new InputError({ code: "usage", message: `say which entries: ${io.program} adopt KEY…, or --all` });
    }
    const queries = positionals.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
    const plans: OwnerPlan[] = [];
    if (values.all)
      for (const machine of instancesOf(values, io)) pushAll(plans, await adoptAll(machine, values.owner));
    for (const [machine, own] of byInstance(queries, values, io)) pushAll(plans, await adoptEntries(own, machine));
    const user = machineOf(values, io);
    showSettled(plans, values, io, user.home);
    await keepFingerprintsHere(plans, values, io);
    return 0;
  },
});
