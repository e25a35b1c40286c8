import { isAbsolute, resolve } from "node:path";
import { defaultStateDir, platformFrom, requireHome } from "../../engine/machine.ts";
import type { CommonValues } from "./common-options.ts";
import type { Io } from "./io.ts";

type Outside = Pick<Io, "env" | "cwd" | "platform">;

/**
 * The home and the state directory that a command works with: as its options say, else as the environment does, else as
 * the system does.
 */
export function locationsOf(
  values: CommonValues,
  io: Outside,
  systemHome: () => string,
): { readonly home: string; readonly stateDir: string } {
  const home = requireHome(values.home ? resolve(io.cwd, values.home) : homeOf(io, systemHome));
  return {
    home,
    stateDir: resolve(
      io.cwd,
      values["state-dir"] || defaultStateDir({ home, env: io.env, platform: platformFrom(io.platform) }),
    ),
  };
}

/** `$HOME`, else the system's answer; a home that is not absolute is none. */
export function homeOf(io: Outside, systemHome: () => string): string | undefined {
  const set = io.env.HOME ?? (io.platform === "win32" ? io.env.USERPROFILE : undefined);
  if (set !== undefined && set !== "") return isAbsolute(set) ? set : undefined;
  try {
    const answer = systemHome();
    return isAbsolute(answer) && answer !== "/" ? answer : undefined;
  } catch {
    return undefined;
  }
}
