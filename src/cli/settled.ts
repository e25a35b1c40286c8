import type { FilesPlan } from "../files/plan.ts";
import type { Io } from "./io.ts";
import type { CommonValues } from "./options.ts";
import { showPlan } from "./show-plan.ts";

/** Print what settling did, one plan an owner; only the entries it was about. As JSON: one document, a list where there are several owners. */
export function showSettled(plans: readonly FilesPlan[], values: CommonValues, io: Io, home: string): void {
  for (const { document } of plans) {
    const entries = document.entries.filter((entry) => entry.verdict !== "unchanged");
    showPlan({ ...document, entries }, values, io, { home, tense: "apply" });
  }
}
