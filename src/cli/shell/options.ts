import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { InputError } from "../../core/diagnostic.ts";
import type { Machine } from "../../files/machine.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import type { Pack } from "../../files/manifest/pack.ts";
import { type CommonValues, commonOptions, type OptionTable, wantsColour } from "./common-options.ts";
import { heardGate } from "./heard-gate.ts";
import type { Io } from "./io.ts";
import { locationsOf } from "./locations.ts";

export type { CommonValues, OptionTable };
export { commonOptions, wantsColour };

/** What a command line with these options (and the common ones) parses to. Named, so that declarations can say it. */
export type Parsed<T extends OptionTable> = ReturnType<
  typeof parseArgs<{ args: string[]; options: typeof commonOptions & T; allowPositionals: true; strict: true }>
>;

/** How many arguments beside options a command takes at most; one that is not listed takes any number, or looks for itself. */
const mostArguments: Readonly<Record<string, number>> = {
  plan: 1,
  apply: 1,
  status: 1,
  blame: 1,
  explain: 1,
  resolve: 1,
  history: 1,
  rollback: 1,
  uninstall: 1,
  watch: 1,
  check: 1,
  completion: 1,
  doctor: 0,
  demo: 0,
  "host evaluate": 0,
  "host check": 0,
  "host show": 1,
  "host diff": 2,
  "host plan": 0,
  "host apply": 0,
  "host status": 0,
  "host watch": 0,
  "host rollback": 0,
};

/** Parse a command's arguments; a mistake is one line that says what to do. */
export function parseOptions<T extends OptionTable>(args: readonly string[], own: T, io: Io, command: string): Parsed<T> {
  const parsed = parseStrictly(args, own, io, command);
  // One that nobody looks at was meant: `uninstall a b` for both, `rollback a 3` for `--to 3`.
  const surplus = parsed.positionals[mostArguments[command] ?? Number.POSITIVE_INFINITY];
  if (surplus === undefined) return parsed;
  throw new InputError({ code: "usage", message: `'${surplus}' is one argument too many; see: ${io.program} ${command} --help` });
}

function parseStrictly<T extends OptionTable>(args: readonly string[], own: T, io: Io, command: string): Parsed<T> {
  try {
    return parseArgs({
      args: [...args],
      options: { ...commonOptions, ...own } as typeof commonOptions & T,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.split(/\.\s/)[0]! : String(error);
    throw new InputError({ code: "usage", message: `${message}; see: ${io.program} ${command} --help` });
  }
}

/** The machine a command works on, from its options and what `Io` knows. */
export function machineOf(values: CommonValues, io: Io): Machine {
  const platform = io.platform === "win32" || io.platform === "darwin" ? io.platform : "linux";
  return { ...locationsOf(values, io, homedir), env: io.env, platform, program: io.program, gate: heardGate(io), now: io.now };
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
