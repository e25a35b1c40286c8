import { isAbsolute, resolve } from "node:path";
import { defaultStateDir, platformFrom, requireHome } from "../../engine/machine.ts";
import type { Options } from "./command.ts";
import type { Io } from "./io.ts";

/** Options every command takes. */
export const commonOptions = {
  json: { type: "boolean", help: "print one JSON document on standard output" },
  home: { type: "string", value: "DIR", help: "the home that ~ stands for" },
  "state-dir": { type: "string", value: "DIR", help: "where stet keeps its records" },
  set: { type: "string", multiple: true, value: "NAME=VALUE", help: "set a variable of the manifest" },
  "from-env": {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "let the pack read this variable, although it looks secret",
  },
  project: { type: "string", value: "DIR", help: "the project to work in (default: the one around this folder)" },
  "no-color": { type: "boolean", help: "no colours (also NO_COLOR)" },
  "show-secrets": { type: "boolean", help: "show values that look secret instead of masking them" },
  quiet: { type: "boolean", short: "q", help: "print only errors" },
  verbose: { type: "boolean", short: "v", help: "print everything, even what is unchanged" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

export interface CommonValues {
  readonly json?: boolean;
  readonly home?: string;
  readonly "state-dir"?: string;
  readonly set?: string[];
  readonly "from-env"?: string[];
  readonly project?: string;
  readonly "no-color"?: boolean;
  readonly "show-secrets"?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly help?: boolean;
}

/** Colours on a terminal, unless somebody says no. */
export function wantsColour(values: CommonValues, io: Pick<Io, "env" | "terminal">): boolean {
  if (values["no-color"] || io.env.NO_COLOR || io.env.TERM === "dumb") return false;
  return io.terminal !== undefined || Boolean(io.env.FORCE_COLOR && io.env.FORCE_COLOR !== "0");
}

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
