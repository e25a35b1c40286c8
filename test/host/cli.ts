import { runCommand } from "../../src/cli/main.ts";
import { heard, type Ran as Said } from "../cli/heard.ts";

export type { Said };

/**
 * `stet host …` in this process, with its output and exit code. Root's tests keep no state in the machine's own folder.
 */
export function stetHost(args: readonly string[], given: Readonly<Record<string, string | undefined>>): Promise<Said> {
  const env = { STET_STATE_DIR: given.HOME && `${given.HOME}/.local/state/stet`, ...given };
  const outside = { env, cwd: process.cwd(), platform: process.platform, now: () => new Date("2026-11-15T12:00:00Z") };
  return heard((io) => runCommand(["host", ...args], io), outside);
}
