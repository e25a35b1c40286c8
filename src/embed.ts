import type { Pack } from "./files/pack.ts";

export interface MainOptions {
  /** How the program calls itself, hints included: `zylos config`. */
  readonly program: string;
  /** The manifest its commands work on. */
  readonly manifest: Pack;
}

/** The whole command line under a framework's own name. Returns the exit code; the process is read and written as a CLI does. */
export async function main(argv: readonly string[], { program, manifest }: MainOptions): Promise<number> {
  const { processIo } = await import("./cli/process.ts");
  const { runCommand } = await import("./cli/main.ts");
  // Fingerprints are for the program that looks for them.
  return runCommand(argv, { ...processIo(program), manifest, build: undefined });
}
