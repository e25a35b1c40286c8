import { type PlanDocument, type PlanEntry, summarise } from "../../core/plan-document.ts";
import { changesAnything, type OwnerPlan } from "../../engine/plan-owner.ts";
import { paint } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { planText } from "../../report/plan-text.ts";
import type { Tense } from "../../report/plan-view.ts";
import type { Occasion } from "../../report/words.ts";
import { columnsOf, fileColumnsOf, type Io } from "../shell/io.ts";
import { type CommonValues, wantsColour } from "../shell/options.ts";
import { instancesOf } from "./instances.ts";

export interface ShowOptions {
  readonly home: string;
  /** The project that files are named in. */
  readonly project?: string | undefined;
  readonly tense: Tense;
  readonly occasion?: Occasion | undefined;
  readonly note?: string | undefined;
  readonly diff?: boolean | undefined;
  /** When the owner of an entry that waits set it, in words. */
  readonly when?: ((entry: PlanEntry) => string | undefined) | undefined;
  /** Also what usually nobody needs to hear of. */
  readonly all?: boolean | undefined;
}

/** Print a plan the way the options ask for: JSON or text, secrets masked or not. */
export function showPlan(
  document: PlanDocument,
  values: CommonValues,
  io: Io,
  { diff = false, all = false, ...options }: ShowOptions,
): void {
  const shown = values["show-secrets"] ? document : maskPlan(document);
  const verbose = all || values.verbose === true;
  if (values.json) io.out(`${jsonText(shown)}\n`);
  else if (!values.quiet)
    io.out(
      planText(shown, {
        ...options,
        paint: paint(wantsColour(values, io)),
        verbose,
        diff,
        program: io.program,
        columns: columnsOf(io),
        fileColumns: fileColumnsOf(io),
      }),
    );
}

/** The same for a pull request, where files are named as the project names them. */
export async function showMarkdown(
  document: PlanDocument,
  values: CommonValues,
  io: Io,
  { diff = false, all = false, ...options }: ShowOptions,
): Promise<void> {
  const { planMarkdown } = await import("../../report/markdown.ts");
  const shown = values["show-secrets"] ? document : maskPlan(document);
  const verbose = all || values.verbose === true;
  io.out(planMarkdown(shown, { ...options, diff, verbose, program: io.program }));
}

/** How to speak of a plan that is only shown. */
export function plannedTense(plan: OwnerPlan): Tense {
  return changesAnything(plan) ? "to-record" : "plan";
}

/** How to speak of a plan that was applied. */
export function appliedTense(plan: OwnerPlan): Tense {
  return changesAnything(plan) ? "record" : "apply";
}

/** `--strict`: done, but something of it waits for a person. */
export function strictExit(document: PlanDocument, strict: boolean | undefined): number {
  const waiting = document.entries.some(
    ({ verdict, reason }) =>
      verdict === "conflict" ||
      (verdict === "keep" &&
        (reason === "user-modified" || reason === "obsolete-modified" || reason === "locked" || reason === "blocked")),
  );
  return strict && waiting ? 3 : 0;
}

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
