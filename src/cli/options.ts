import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { InputError } from "../core/diagnostic.ts";
import { readPack } from "../files/load-manifest.ts";
import { defaultStateDir, type Machine, requireHome } from "../files/machine.ts";
import type { Pack } from "../files/pack.ts";
import { heardGate } from "./heard-gate.ts";
import type { Io } from "./io.ts";

export type OptionTable = NonNullable<ParseArgsConfig["options"]>;

/** Options every command takes. */
export const commonOptions = {
  json: { type: "boolean" },
  home: { type: "string" },
  "state-dir": { type: "string" },
  set: { type: "string", multiple: true },
  "no-color": { type: "boolean" },
  "show-secrets": { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  verbose: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const satisfies OptionTable;

export interface CommonValues {
  readonly json?: boolean;
  readonly home?: string;
  readonly "state-dir"?: string;
  readonly set?: string[];
  readonly "no-color"?: boolean;
  readonly "show-secrets"?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly help?: boolean;
}

/** What a command line with these options (and the common ones) parses to. Named, so that declarations can say it. */
export type Parsed<T extends OptionTable> = ReturnType<
  typeof parseArgs<{ args: string[]; options: typeof commonOptions & T; allowPositionals: true; strict: true }>
>;

/** Parse a command's arguments; a mistake is one line that says what to do. */
export function parseOptions<T extends OptionTable>(args: readonly string[], own: T, io: Io, command: string): Parsed<T> {
  try {
    return parseArgs({
      args: [...args],
      options: { ...commonOptions, ...own } as typeof commonOptions & T,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.split(". ")[0]! : String(error);
    throw new InputError({ code: "usage", message: `${message}; see: ${io.program} ${command} --help` });
  }
}

/** The machine a command works on, from its options and what `Io` knows. */
export function machineOf(values: CommonValues, io: Io): Machine {
  const platform = io.platform === "win32" || io.platform === "darwin" ? io.platform : "linux";
  const home = requireHome(values.home ? resolve(io.cwd, values.home) : homeOf(io));
  const base = { home, env: io.env };
  const stateDir = values["state-dir"] ? resolve(io.cwd, values["state-dir"]) : resolve(io.cwd, defaultStateDir(base));
  return { ...base, stateDir, platform, program: io.program, gate: heardGate(io), now: io.now };
}

/** `$HOME`, else the system's answer; a home that is not absolute is none. */
function homeOf(io: Io): string | undefined {
  const set = io.env.HOME ?? (io.platform === "win32" ? io.env.USERPROFILE : undefined);
  if (set !== undefined && set !== "") return isAbsolute(set) ? set : undefined;
  try {
    const answer = homedir();
    return isAbsolute(answer) && answer !== "/" ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** `--set NAME=VALUE`, as often as wanted. */
export function variablesFrom(settings: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    (settings ?? []).map((setting) => {
      const at = setting.indexOf("=");
      if (at <= 0) throw new InputError({ code: "usage", message: `--set ${setting}: write --set NAME=VALUE` });
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}

/** The pack a command is about: the one named, the embedding program's, or the one here. */
export function packOf(argument: string | undefined, values: CommonValues, machine: Machine, io: Io): Pack {
  const vars = variablesFrom(values.set);
  if (argument === undefined && io.manifest) return { ...io.manifest, given: { ...io.manifest.given, ...vars } };
  return readPack(machine.gate, resolve(io.cwd, argument ?? "."), { vars });
}

/** Colours on a terminal, unless somebody says no. */
export function wantsColour(values: CommonValues, io: Io): boolean {
  if (values["no-color"] || io.env.NO_COLOR || io.env.TERM === "dumb") return false;
  return io.terminal !== undefined || Boolean(io.env.FORCE_COLOR && io.env.FORCE_COLOR !== "0");
}
