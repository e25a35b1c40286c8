import { summarise } from "../core/plan-document.ts";
import type { FilesPlan } from "../files/plan.ts";
import { jsonText } from "../report/json-text.ts";
import { maskPlan } from "../report/mask.ts";
import type { Io } from "./io.ts";
import type { CommonValues } from "./options.ts";
import { showPlan } from "./show-plan.ts";

/** Print what settling did, one plan an owner; only the entries it was about. As JSON: one document, a list where there are several owners. */
export function showSettled(plans: readonly FilesPlan[], values: CommonValues, io: Io, home: string): void {
  const settled = plans.map(({ document }) => {
    const entries = document.entries.filter(({ verdict }) => verdict !== "unchanged");
    return { ...document, entries, summary: summarise(entries) };
  });
  if (values.json && settled.length !== 1) {
    io.out(`${jsonText(values["show-secrets"] ? settled : settled.map(maskPlan))}\n`);
    return;
  }
  for (const document of settled) showPlan(document, values, io, { home, tense: "record", all: true });
}
