import type { PlanDocument } from "../core/plan-document.ts";
import { paint } from "../report/colour.ts";
import { maskPlan } from "../report/mask.ts";
import { planText } from "../report/plan-text.ts";
import type { Io } from "./io.ts";
import { type CommonValues, wantsColour } from "./options.ts";

export interface ShowOptions {
  readonly home: string;
  readonly tense: "plan" | "apply";
  readonly diff?: boolean | undefined;
}

/** Print a plan the way the options ask for: JSON or text, secrets masked or not. */
export function showPlan(document: PlanDocument, values: CommonValues, io: Io, { home, tense, diff = false }: ShowOptions): void {
  const shown = values["show-secrets"] ? document : maskPlan(document);
  if (values.json) io.out(`${JSON.stringify(shown, undefined, 2)}\n`);
  else if (!values.quiet)
    io.out(
      planText(shown, { paint: paint(wantsColour(values, io)), verbose: values.verbose === true, diff, tense, program: io.program, home }),
    );
}

/** `--strict`: done, but something of it waits for a person. */
export function strictExit(document: PlanDocument, strict: boolean | undefined): number {
  const waiting = document.entries.some(
    ({ verdict, reason }) =>
      verdict === "conflict" ||
      (verdict === "keep" && (reason === "user-modified" || reason === "obsolete-modified" || reason === "locked" || reason === "blocked")),
  );
  return strict && waiting ? 3 : 0;
}
