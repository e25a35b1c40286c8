import type { Actual, Desired, Recorded } from "../core/entry.ts";
import type { Decision } from "../core/plan.ts";

/** What the core decided about one file. */
export type FileDecision = Decision<Desired, Actual, Recorded>;

/** As on the host. */
export function pathOf(decision: FileDecision): string {
  return (decision.desired ?? decision.recorded)!.match;
}
