import type { Pack } from "../files/pack.ts";

/** Everything a command may use of the outside, as arguments: tests and embedding programs pass their own. */
export interface Io {
  /** Standard output and error, text as given. */
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Whether standard output is a terminal, and how wide. */
  readonly terminal: { readonly columns: number } | undefined;
  /** Whether standard error is a terminal where a command may show that it is at work. */
  readonly errorTerminal?: boolean | undefined;
  /** The whole of standard input, for `-`. */
  readInput(): Promise<string>;
  now(): Date;
  /** How the program calls itself in hints: `stet`, or `zylos config`. */
  readonly program: string;
  /** The manifest of the program we are part of: commands work on it unless told another. */
  readonly manifest?: Pack | undefined;
}

/** One file a command, loaded only when it is called. Returns the exit code of `contract.md`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  run(args: readonly string[], io: Io): Promise<number>;
}
