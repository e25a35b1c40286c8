import { fewestColumns, fitted, usualColumns } from "../../report/fit.ts";
import type { Io } from "./io.ts";

/** How wide a report may be: 80 columns, less where the terminal has less. */
export function columnsOf({ terminal }: Pick<Io, "terminal">): number {
  return Math.max(fewestColumns, Math.min(usualColumns, terminal?.columns || usualColumns));
}

/** How wide lines of a file may be: they are broken only where somebody looks at them. */
export function fileColumnsOf(io: Pick<Io, "terminal">): number {
  return io.terminal === undefined ? Number.POSITIVE_INFINITY : columnsOf(io);
}

/** Say something to people, in lines that fit. Documents and the content of files go through `io.out` as they are. */
export function tell(io: Io, text: string): void {
  io.out(fitted(text, columnsOf(io), io.program));
}

/** The same on standard error. What reads it there, and is no terminal, gets one line a message. */
export function complain(io: Io, text: string): void {
  io.err(io.errorTerminal ? fitted(text, columnsOf(io), io.program) : text);
}
