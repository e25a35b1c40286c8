import { InputError } from "../../core/diagnostic.ts";
import type { ApplyResult } from "../../host/apply.ts";
import { changesAnything, type PlanResult } from "../../host/plan.ts";
import { planRollback, rollBack } from "../../host/reconcile.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { exitCodes, type HostValues, hostOptions, takeOverState } from "./options.ts";
import { painter, printDiagnostics, printJson, refuse, shownPlan } from "./output.ts";
import { reconcilingOf } from "./setup.ts";
import { untilSignal } from "./signals.ts";
import { failureText, hostPlanText } from "./text.ts";

export const command = defineCommand({
  name: "host rollback",
  usage: "",
  argument: "nothing",
  most: 0,
  about: `Back to the state before the last commit, or to a generation. The commit you
leave is held: it is not applied again until a newer one, or --unhold.`,
  options: {
    to: { type: "string", value: "N", help: "the generation to go back to; see host history" },
    "dry-run": { type: "boolean", help: "only show it" },
    yes: { type: "boolean", help: "also where nothing would be left on this host" },
    ...hostOptions,
  },
  notes: exitCodes,
  example: "stet host rollback",
  async run({ values }, io) {
    const going = { to: generationOf(values.to), allowEmpty: values.yes === true };
    if (values["dry-run"]) {
      const { target, effects } = reconcilingOf(values, io);
      return showPlanned(await planRollback(target, effects, { ...going, allowEmpty: true }), values, io);
    }
    await takeOverState(values, io);
    return untilSignal(io, values.json === true, async (interrupt) => {
      const { target, effects } = reconcilingOf(values, io, { interrupt });
      return show(await rollBack(target, effects, going), values, io);
    });
  },
});

function showPlanned(planned: PlanResult, values: HostValues, io: Io): number {
  if (planned.kind === "refused") return refuse(io, values, planned.diagnostics);
  const document = shownPlan(values, planned.plan.document);
  if (values.json) printJson(io, document);
  else if (!values.quiet)
    io.out(hostPlanText(document, { paint: painter(values, io), diff: values.diff === true, tense: "plan" }));
  printDiagnostics(io, values, document.diagnostics);
  return values["exit-code"] && changesAnything(planned.plan) ? 2 : 0;
}

function show(done: ApplyResult, values: HostValues, io: Io): number {
  if (done.kind === "refused") return refuse(io, values, done.diagnostics);
  const shown = shownPlan(values, done.plan.document);
  const { actions, failed, generation } = done;
  if (values.json) printJson(io, { ...shown, actions, failed, generation: generation ?? null });
  else if (!values.quiet)
    io.out(hostPlanText(shown, { paint: painter(values, io), diff: values.diff === true, tense: "apply" }));
  printDiagnostics(io, values, shown.diagnostics);
  io.err(failureText(failed, actions));
  return failed.length > 0 || actions.some(({ outcome }) => outcome === "failed") ? 4 : 0;
}

function generationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new InputError({ code: "usage", message: `--to ${text}: a generation is a number` });
  return Number(text);
}
