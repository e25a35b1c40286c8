import type { Pack } from "../../files/manifest/pack.ts";
import { fewestColumns, fitted, usualColumns } from "../../report/fit.ts";
import type { Keyboard } from "./keyboard.ts";

/** Everything a command may use of the outside, as arguments: tests and embedding programs pass their own. */
export interface Io {
  /** Standard output and error, text as given. */
  out(text: string): void;
  err(text: string): void;
  /** Bytes that are no text, on standard output. Undefined: it takes nothing but text. */
  readonly outBytes?: ((bytes: Uint8Array) => void) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Whether standard output is a terminal, and how wide. */
  readonly terminal: { readonly columns: number; readonly rows?: number } | undefined;
  /**
   * Whether `err` goes to this process's standard error, and that is a terminal where a command may show that it is at
   * work.
   */
  readonly errorTerminal?: boolean | undefined;
  /**
   * Told as work goes on, with the bytes that are to be worked on next: that may leave no time to show anything later.
   */
  atWork?(ahead: number): void;
  /** The whole of standard input, for `-`: every byte of it, so what is no UTF-8 is refused. */
  readInput(): Promise<string>;
  /** The keys of the terminal that somebody sits at; undefined where there is none. */
  keyboard?(): Keyboard | undefined;
  /** Calls `tell` when the process is told to end, and ends it then. Undefined: whoever runs us sees to that. */
  readonly onSignal?: ((tell: (signal: NodeJS.Signals) => void) => void) | undefined;
  now(): Date;
  /** How the program calls itself in hints: `stet`, or `zylos config`. */
  readonly program: string;
  /** What tells this build of the program from any other; undefined: runs keep no fingerprint for the next. */
  readonly build?: string | undefined;
  /** Called by a command that writes: the program keeps its compiled code, so that it starts sooner next time. */
  readonly keepCompiled?: (() => void) | undefined;
  /** The manifest of the program we are part of: commands work on it unless told another. */
  readonly manifest?: Pack | undefined;
}

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
