import { InputError } from "./core/diagnostic.ts";
import type { Pack } from "./files/manifest/pack.ts";
import { printableLine } from "./report/colour.ts";

export interface MainOptions {
  /** How the program calls itself, hints included: `zylos config`. */
  readonly program: string;
  /** The manifest its commands work on: loaded, or what `loadManifest` would load. */
  readonly manifest: Pack | string | URL | object;
}

/**
 * The whole command line under a framework's own name. Returns the exit code; the process is read and written as a CLI
 * does.
 */
export async function main(argv: readonly string[], { program, manifest }: MainOptions): Promise<number> {
  const { processIo } = await import("./cli/process.ts");
  const { runCommand } = await import("./cli/main.ts");
  const io = processIo(program);
  try {
    // Fingerprints are for the program that looks for them.
    return await runCommand(argv, { ...io, manifest: await loaded(manifest), build: undefined });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    io.err(`${program}: ${printableLine(error.message)}\n`);
    return 1;
  }
}

async function loaded(manifest: MainOptions["manifest"]): Promise<Pack> {
  // What a program gives to one that was loaded, nobody writes into a manifest.
  if (typeof manifest === "object" && "given" in manifest) return manifest as Pack;
  const { loadManifest } = await import("./library.ts");
  return loadManifest(manifest);
}
