import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/push-all.ts";
import type { OwnerPlan } from "../../engine/plan-owner.ts";
import { disownEntries } from "../../files/settle.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf } from "../shell/options.ts";
import { byInstance } from "./instances.ts";
import { keepFingerprintsHere } from "./keep-fingerprints.ts";
import { showSettled } from "./show-plan.ts";

export const command = defineCommand({
  name: "disown",
  usage: "KEY…",
  argument: "key",
  about: "Makes entries yours for good: they are never written, removed or put back again until you say stet adopt.",
  options: {
    owner: { type: "string", value: "NAME", help: "only this owner's" },
  },
  example: "stet disown 'hook:Stop:*:node ~/zylos/stop.js'",
  async run({ values, positionals }, io) {
    if (positionals.length === 0)
      throw new InputError({ code: "usage", message: `say which entries: ${io.program} disown KEY…` });
    const queries = positionals.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
    const plans: OwnerPlan[] = [];
    for (const [machine, own] of byInstance(queries, values, io)) pushAll(plans, await disownEntries(own, machine));
    const user = machineOf(values, io);
    showSettled(plans, values, io, user.home);
    await keepFingerprintsHere(plans, values, io);
    return 0;
  },
});
