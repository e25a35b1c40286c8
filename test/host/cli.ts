import { command } from "../../src/cli/host/host.ts";
import { InputError } from "../../src/core/diagnostic.ts";
import { heard, type Ran as Said } from "../cli/heard.ts";

export type { Said };

/** `stet host …` in this process, with its output and exit code. */
export function stetHost(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Said> {
  const outside = { env, cwd: process.cwd(), platform: process.platform, now: () => new Date("2026-11-15T12:00:00Z") };
  return heard(async (io) => {
    try {
      return await command.run(args, io);
    } catch (error) {
      // As the program's own main does: one line, exit 1.
      if (!(error instanceof InputError)) throw error;
      io.err(`stet: ${error.message}\n`);
      return 1;
    }
  }, outside);
}
