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

/** What a schema library says is wrong with a value: the parts of it that we use. */
interface SchemaIssue {
  readonly message: string;
  /** How the library shows what it found: a text in quotes, or the name of a kind. */
  readonly received: string;
}

/** What is wrong, without repeating the value: where a list was expected a password may stand. */
export function issueMessage({ message, received }: SchemaIssue): string {
  const kind = receivedKind(received);
  return kind === received ? message : message.split(received).join(kind);
}

/** What was found, by its kind. */
export function receivedKind(received: string): string {
  if (received.startsWith('"')) return "a text";
  if (received === "Object") return "a map";
  if (received === "Array") return "a list";
  return /^-?\d/.test(received) ? "a number" : received;
}

/**
 * The candidate that `word` was probably meant to be, for "did you mean"; undefined where none is near enough to be
 * worth naming.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = word.length <= 4 ? 1 : word.length <= 7 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean X?)`, or nothing: to be put behind what was not found. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = closest(word, candidates);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/**
 * How many letters have to be added, dropped, changed or swapped with their neighbour. Stops counting at `limit`: a
 * long list of long keys must not cost more than a glance.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    if (Math.min(...row) >= limit) return limit;
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
