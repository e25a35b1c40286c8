import { runCommand } from "../../src/cli/main.ts";
import { heard, type Ran as Said } from "../cli/heard.ts";

export type { Said };

/** `stet host …` in this process, with its output and exit code. */
export function stetHost(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Said> {
  const outside = { env, cwd: process.cwd(), platform: process.platform, now: () => new Date("2026-11-15T12:00:00Z") };
  return heard((io) => runCommand(["host", ...args], io), outside);
}
