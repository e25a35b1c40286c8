import { summarise } from "../../core/plan-document.ts";
import type { OwnerPlan } from "../../engine/plan-owner.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import type { Occasion } from "../../report/words.ts";
import type { Io } from "../shell/io.ts";
import type { CommonValues } from "../shell/options.ts";
import { instancesOf } from "./instances.ts";
import { appliedTense, showPlan } from "./show-plan.ts";

/**
 * Print what settling did, one plan an owner; only the entries it was about. As JSON: one document, a list where there
 * are several owners.
 */
export function showSettled(
  plans: readonly OwnerPlan[],
  values: CommonValues,
  io: Io,
  home: string,
  occasion?: Occasion,
): void {
  const settled = plans.map((plan) => {
    const entries = plan.document.entries.filter(({ verdict }) => verdict !== "unchanged");
    return { document: { ...plan.document, entries, summary: summarise(entries) }, tense: appliedTense(plan) };
  });
  if (values.json && settled.length !== 1) {
    const documents = settled.map(({ document }) => (values["show-secrets"] ? document : maskPlan(document)));
    io.out(`${jsonText(documents)}\n`);
    return;
  }
  const project = instancesOf(values, io)[0]?.project?.root;
  for (const { document, tense } of settled)
    showPlan(document, values, io, { home, project, tense, all: true, occasion });
}
