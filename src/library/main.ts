import { InputError } from "../core/diagnostic.ts";
import { printableLine } from "../report/colour.ts";
import { insistOnText, insistOnTexts } from "./arguments.ts";
import { type FileUrl, isManifest, loadManifest, type Manifest, type ManifestSource, packOf } from "./manifest.ts";

export interface MainOptions {
  /** How the program calls itself, hints included: `zylos config`. */
  readonly program: string;
  /** The manifest its commands work on: loaded, or what `loadManifest` would load. */
  readonly manifest: Manifest | string | FileUrl | ManifestSource;
}

/**
 * The whole command line under a framework's own name. Returns the exit code; the process is read and written as a CLI
 * does.
 *
 * @example
 * import { main } from "stet";
 *
 * const manifest = { name: "chime", version: "1.0.0", files: [{ target: "~/.chime.json", template: { volume: 3 } }] };
 * process.exitCode = await main(["apply", "--quiet"], { program: "chime config", manifest });
 * console.log(process.exitCode); // 0
 */
export async function main(argv: readonly string[], options: MainOptions): Promise<number> {
  insistOnText((options as MainOptions | undefined)?.program, "main: { program }, how it calls itself,");
  const { program, manifest } = options;
  const { processIo } = await import("../cli/process.ts");
  const { runCommand } = await import("../cli/main.ts");
  const io = processIo(program);
  try {
    insistOnTexts(argv, "main: the arguments");
    const pack = packOf(isManifest(manifest) ? manifest : await loadManifest(manifest));
    // Fingerprints are for the program that looks for them.
    return await runCommand(argv, { ...io, manifest: pack, build: undefined });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    io.err(`${program}: ${printableLine(error.message)}\n`);
    return 1;
  }
}
