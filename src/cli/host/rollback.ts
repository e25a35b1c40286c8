import { InputError } from "../../core/diagnostic.ts";
import type { ApplyResult } from "../../host/apply.ts";
import { rollBack } from "../../host/reconcile.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { exitCodes, type HostValues, hostOptions } from "./options.ts";
import { painter, printDiagnostics, printJson, shownPlan } from "./output.ts";
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
  options: { to: { type: "string", value: "N", help: "the generation to go back to" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host rollback",
  async run({ values }, io) {
    const to = generationOf(values.to);
    return untilSignal(io, values.json === true, async (interrupt) => {
      const { target, effects } = reconcilingOf(values, io, { interrupt });
      return show(await rollBack(target, effects, to), values, io);
    });
  },
});

function show(done: ApplyResult, values: HostValues, io: Io): number {
  if (done.kind === "refused") {
    printDiagnostics(io, values, done.diagnostics);
    return 1;
  }
  const { document } = done.plan;
  const shown = shownPlan(values, document);
  const { actions, failed, generation } = done;
  if (values.json) printJson(io, { ...shown, actions, failed, generation: generation ?? null });
  else if (!values.quiet) io.out(hostPlanText(shown, { paint: painter(values, io), diff: values.diff === true, tense: "apply" }));
  io.err(failureText(failed, actions));
  return failed.length > 0 || actions.some(({ outcome }) => outcome === "failed") ? 4 : 0;
}

function generationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new InputError({ code: "usage", message: `--to ${text}: a generation is a number` });
  return Number(text);
}
