import { verifyPlan } from "../../host/apply.ts";
import { changesAnything } from "../../host/plan.ts";
import { evaluateRun } from "../../host/reconcile.ts";
import { defineCommand } from "../shell/command.ts";
import { exitCodes, hostOptions } from "./options.ts";
import { painter, printDiagnostics, printJson, refuse, shownPlan } from "./output.ts";
import { reconcilingOf } from "./setup.ts";
import { hostPlanText } from "./text.ts";

export const command = defineCommand({
  name: "host plan",
  usage: "",
  argument: "nothing",
  most: 0,
  about: "What apply would change on this host, and why. Writes nothing.",
  options: hostOptions,
  notes: exitCodes,
  example: "stet host plan --repo ssh://git@git.example.org/homelab.git --host kadath --diff",
  async run({ values }, io) {
    const reconciling = reconcilingOf(values, io);
    const wanted = await evaluateRun(reconciling);
    const first = await wanted.plan();
    const planned = first.kind === "refused" ? first : await verifyPlan(first.plan, reconciling.effects);
    if (planned.kind === "refused")
      return refuse(io, values, planned.diagnostics, { host: wanted.evaluation.host, rev: wanted.source.rev });
    const { plan } = planned;
    const document = shownPlan(values, plan.document);
    if (values.json) printJson(io, document);
    else if (!values.quiet)
      io.out(hostPlanText(document, { paint: painter(values, io), diff: values.diff === true, tense: "plan" }));
    printDiagnostics(io, values, document.diagnostics);
    return values["exit-code"] && changesAnything(plan) ? 2 : 0;
  },
});
