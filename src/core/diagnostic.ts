import type { DiagnosticCode } from "./diagnostic-codes.ts";
import { firstReached } from "./search.ts";

export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** One line: what, why, and what to do about it. */
  readonly message: string;
  readonly file?: string;
  /** From 1, in characters as an editor counts them. */
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
}

/**
 * An error in what somebody gave us (a file, an option): told in one line, never with a stack. Anything else thrown is
 * a bug. What else is wrong with the same thing is told with it, a line each.
 */
export class InputError extends Error {
  /** The first diagnostic's code: what a program looks at. */
  readonly code: DiagnosticCode;
  readonly diagnostic: Diagnostic;
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostic: Omit<Diagnostic, "severity">, others: readonly Omit<Diagnostic, "severity">[] = []) {
    const all = [diagnostic, ...others].map((each): Diagnostic => ({ ...each, severity: "error" }));
    super(all.map(renderDiagnostic).join("\n"));
    this.name = "InputError";
    this.code = diagnostic.code;
    this.diagnostic = all[0]!;
    this.diagnostics = all;
  }
}

/** `file:line:column: message`, as compilers say it. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, message } = diagnostic;
  if (file === undefined) return message;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}`;
}

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where an offset stands, for people: both from 1. */
export function lineAndColumn(text: string, offset: number): TextPosition {
  return positionsIn(text)(offset);
}

/** The same for many offsets of one text: its lines are looked for once, when the first is asked for. */
export function positionsIn(text: string): (offset: number) => TextPosition {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    const all = starts;
    const line = Math.max(
      1,
      firstReached(all.length, (i) => all[i]! > offset),
    );
    const mark = line === 1 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
    return { line, column: Math.max(1, offset - all[line - 1]! + 1 - mark) };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
