import type { Diagnostic } from "./diagnostic.ts";
import type { Actual, Desired, Reason, Recorded, Verdict } from "./entry.ts";
import type { Decision } from "./plan.ts";
import { otherOwners } from "./plan-document.ts";
import { equalValues } from "./value.ts";

type AnyDecision = Decision<Desired, Actual, Recorded>;

/** How to talk about a decision: who we are, how the program is called, and which file it is about. */
export interface Telling {
  readonly owner: string;
  readonly program: string;
  readonly file?: string | undefined;
}

const nothing: readonly Diagnostic[] = [];

/** What a person should hear about a decision, with what to do about it; nothing for the ordinary. */
export function diagnosticsFor(decision: AnyDecision, telling: Telling): readonly Diagnostic[] {
  const { verdict, reason } = decision.outcome;
  const told = tellVerdict(verdict, reason, decision, telling);
  if (told === undefined && decision.copies.length === 0) return nothing;
  const found: Diagnostic[] = [];
  if (told) found.push(withFile(told, decision, telling));
  if (decision.copies.length > 0) {
    const many = decision.copies.length === 1 ? "1 further copy" : `${decision.copies.length} further copies`;
    found.push(
      withFile(
        { code: "duplicate-removed", severity: "info", message: `${many} of ${decision.key} taken out` },
        decision,
        telling,
      ),
    );
  }
  return found;
}

function withFile(
  told: Pick<Diagnostic, "code" | "severity" | "message">,
  decision: AnyDecision,
  telling: Telling,
): Diagnostic {
  return { ...told, ...(telling.file === undefined ? {} : { file: telling.file }), key: decision.key };
}

function tellVerdict(
  verdict: Verdict,
  reason: Reason | undefined,
  decision: AnyDecision,
  telling: Telling,
): Pick<Diagnostic, "code" | "severity" | "message"> | undefined {
  const { key } = decision;
  const { owner, program } = telling;
  if (verdict === "restore") {
    const how = `keep it out with: ${program} disown ${quoted(key)}`;
    return { code: "restored", severity: "warning", message: `${key} had been deleted and is put back; ${how}` };
  }
  const { drops } = decision.outcome;
  if (drops !== undefined) {
    const what = drops === 1 ? "1 item of yours is" : `${drops} items of yours are`;
    const kept = `kept in the history: ${program} history ${quoted(owner)}`;
    return {
      code: "items-dropped",
      severity: "warning",
      message: `${key} is replaced as a whole, and ${what} no longer in it; ${kept}`,
    };
  }
  if (decision.outcome.overwrites) {
    const kept = `yours is kept in the history: ${program} history ${quoted(owner)}`;
    return {
      code: "overwritten",
      severity: "warning",
      message: `${key} was changed by you and is replaced by ${owner}'s; ${kept}`,
    };
  }
  if (verdict === "conflict") return tellConflict(reason, decision, telling);
  if (verdict !== "keep" || reason === undefined) return undefined;
  const settle = `${program} explain ${quoted(key)}`;
  switch (reason) {
    case "user-modified":
      return { code: reason, severity: "warning", message: `${key} was changed by you and stays as it is` };
    case "user-owned":
      // As wanted already: nothing to choose, and nothing to say.
      if (equalValues(decision.actual?.normal, decision.desired?.normal)) return undefined;
      return {
        code: reason,
        severity: "info",
        message: `${key} was there before ${owner} and stays yours; let ${owner} keep it current with: ${program} adopt ${quoted(key)}`,
      };
    case "user-deleted":
      return {
        code: reason,
        severity: "info",
        message: `${key} was deleted by you and stays out; have it back with: ${program} adopt ${quoted(key)}`,
      };
    case "obsolete-modified":
      return {
        code: reason,
        severity: "warning",
        message: `${key} is no longer needed by ${owner} but was changed by you; manual cleanup recommended`,
      };
    case "prune-off":
      return {
        code: reason,
        severity: "info",
        message: `${key} is no longer needed by ${owner} and stays because of --no-prune`,
      };
    case "locked":
      return {
        code: reason,
        severity: "warning",
        message: `${key} can't be edited safely (${decision.outcome.why ?? decision.actual?.locked ?? decision.actual?.fixed}) and stays as it is; see: ${settle}`,
      };
    case "blocked":
      return { code: reason, severity: "warning", message: `${key} can't be added: ${decision.desired?.blocked}` };
    default:
      return undefined;
  }
}

function tellConflict(
  reason: Reason | undefined,
  decision: AnyDecision,
  { owner, program }: Telling,
): Pick<Diagnostic, "code" | "severity" | "message"> {
  const { key } = decision;
  const settle = `settle it with: ${program} resolve ${quoted(key)} --mine, or --theirs`;
  if (reason === "ambiguous") {
    const message = `${key} is gone and ${decision.ambiguous.length} entries could be what became of it; nothing is added; ${settle}`;
    return { code: "ambiguous", severity: "warning", message };
  }
  if (reason === "owners-differ") {
    const others = otherOwners(decision).join(", ");
    const message = `${key} is wanted differently by ${owner} and ${others}; what is there stands; ${settle} --owner ${owner}`;
    return { code: "owners-differ", severity: "warning", message };
  }
  const fields = decision.outcome.conflicts.map((conflict) => conflict.path.join(".")).filter((name) => name !== "");
  const where = fields.length === 0 ? key : `${key} (${fields.join(", ")})`;
  return {
    code: "conflict",
    severity: "warning",
    message: `${where} was changed by you and by ${owner}; yours stands; ${settle}`,
  };
}

/** A key as one word of a command line. */
export function quoted(key: string): string {
  return /^[A-Za-z0-9_@%+=:,./~-]+$/.test(key) && !key.startsWith("~") ? key : shellQuoted(key);
}

/** A text as one word for a shell, whatever is in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
