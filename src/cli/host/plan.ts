import { changesAnything } from "../../host/plan.ts";
import { desire } from "../../host/reconcile.ts";
import type { Io } from "../shell/io.ts";
import { parseHostOptions } from "./options.ts";
import { painter, printDiagnostics, printJson, shown, shownPlan } from "./output.ts";
import { reconcilingOf } from "./setup.ts";
import { hostPlanText } from "./text.ts";

/** `stet host plan`: what apply would change, and why. Writes nothing. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseHostOptions(args, {}, io, "plan");
  const desired = await desire(reconcilingOf(values, io));
  const planned = desired.plan();
  if (planned.kind === "refused") {
    if (values.json)
      printJson(io, { host: desired.evaluation.host, rev: desired.source.rev ?? null, diagnostics: shown(values, planned.diagnostics) });
    printDiagnostics(io, values, planned.diagnostics);
    return 1;
  }
  const { plan } = planned;
  const document = shownPlan(values, plan.document);
  if (values.json) printJson(io, document);
  else if (!values.quiet) io.out(hostPlanText(document, { paint: painter(values, io), diff: values.diff === true, tense: "plan" }));
  printDiagnostics(io, values, document.diagnostics);
  return values["exit-code"] && changesAnything(plan) ? 2 : 0;
}
