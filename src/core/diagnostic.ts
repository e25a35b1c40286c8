/** Everything stet can have to say about an input, by a code that stays. `docs/diagnostics.md` explains each; a test compares. */
export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** One line: what, why, and what to do about it. */
  readonly message: string;
  readonly file?: string;
  /** From 1, in characters as an editor counts them. */
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
}

/** An error in what somebody gave us (a file, an option): told in one line, never with a stack. Anything else thrown is a bug. */
export class InputError extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Omit<Diagnostic, "severity">) {
    super(renderDiagnostic({ ...diagnostic, severity: "error" }));
    this.name = "InputError";
    this.diagnostic = { ...diagnostic, severity: "error" };
  }
}

/** `file:line:column: message`, as compilers say it. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, message } = diagnostic;
  if (file === undefined) return message;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}`;
}

/** Where an offset stands, for people: both from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  const bom = start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return { line, column: Math.max(1, offset - start + 1 - bom) };
}
