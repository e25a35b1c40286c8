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
  const { code, severity, message } = told;
  const { file } = telling;
  const { key } = decision;
  return file === undefined ? { code, severity, message, key } : { code, severity, message, file, key };
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
    const how = `to keep it out: ${program} disown ${quoted(key)}`;
    return { code: "restored", severity: "warning", message: `you had deleted ${key}, and it is put back; ${how}` };
  }
  const { drops } = decision.outcome;
  if (drops !== undefined) {
    const what = drops === 1 ? "1 item of yours" : `${drops} items of yours`;
    const kept = `the history keeps it as it was: ${program} history ${quoted(owner)}`;
    return {
      code: "items-dropped",
      severity: "warning",
      message: `${key} is replaced as a whole, which drops ${what}; ${kept}`,
    };
  }
  if (decision.outcome.overwrites) {
    const kept = `the history keeps yours: ${program} history ${quoted(owner)}`;
    return {
      code: "overwritten",
      severity: "warning",
      message: `you edited ${key}, and ${owner}'s value replaces yours; ${kept}`,
    };
  }
  if (verdict === "conflict") return tellConflict(reason, decision, telling);
  if (verdict !== "keep" || reason === undefined) return undefined;
  const settle = `${program} explain ${quoted(key)}`;
  switch (reason) {
    case "user-modified":
      return { code: reason, severity: "warning", message: `you edited ${key}, and your value stays` };
    case "user-owned":
      // As wanted already: nothing to choose, and nothing to say.
      if (equalValues(decision.actual?.normal, decision.desired?.normal)) return undefined;
      return {
        code: reason,
        severity: "info",
        message: `${key} was there before ${owner} and stays yours; to let ${owner} manage it: ${program} adopt ${quoted(key)}`,
      };
    case "user-deleted":
      return {
        code: reason,
        severity: "info",
        message: `you deleted ${key}, and it stays out; to have it back: ${program} adopt ${quoted(key)}`,
      };
    case "obsolete-modified":
      return {
        code: reason,
        severity: "warning",
        message: `${owner} no longer needs ${key}, but you edited it, so it stays; manual cleanup recommended`,
      };
    case "prune-off":
      return {
        code: reason,
        severity: "info",
        message: `${owner} no longer needs ${key}, which stays because of --no-prune`,
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
  const settle = `to settle it: ${program} resolve ${quoted(key)} --mine, or --theirs`;
  if (reason === "ambiguous") {
    const message = `${key} is gone, and ${decision.ambiguous.length} entries could be what became of it, so nothing is added; ${settle}`;
    return { code: "ambiguous", severity: "warning", message };
  }
  if (reason === "owners-differ") {
    const others = otherOwners(decision).join(", ");
    const message = `${owner} and ${others} want different values for ${key}; the one that is there stays; ${settle} --owner ${owner}`;
    return { code: "owners-differ", severity: "warning", message };
  }
  const fields = decision.outcome.conflicts.map((conflict) => conflict.path.join(".")).filter((name) => name !== "");
  const where = fields.length === 0 ? key : `${key} (${fields.join(", ")})`;
  return {
    code: "conflict",
    severity: "warning",
    message: `you and ${owner} both changed ${where}; your value stays; ${settle}`,
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
