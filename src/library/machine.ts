import { isAbsolute, resolve as resolvePath } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import { inProject, type Machine, platformFrom, takeOverStateDir } from "../engine/machine.ts";
import type { Platform } from "../identity/paths/path-context.ts";
import { diskGate } from "../store/gate/disk-gate.ts";

/** Where to work. Of the process, only the platform is looked at; `thisMachine` also takes its home and environment. */
export interface MachineOptions {
  /** The home that `~` means: an absolute path. */
  readonly home: string;
  /** Where stet remembers. Default: as on the command line, from `env` and `home`. */
  readonly stateDir?: string | undefined;
  /** The environment, for manifest variables and XDG folders. Default: empty. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whose rules for paths hold. Default: this machine's. */
  readonly platform?: Platform | undefined;
  /** The project's folder, for packs of `scope: project` and their records. */
  readonly project?: string | undefined;
  /** How hints call your program. Default: `stet`. */
  readonly program?: string | undefined;
  /** The clock. Default: the system's. */
  readonly now?: (() => Date) | undefined;
}

/**
 * The machine this process runs on, with its home and environment.
 *
 * @example
 * import { status, thisMachine } from "stet";
 *
 * console.log(await status(thisMachine())); // []
 */
export function thisMachine(options: Partial<MachineOptions> = {}): MachineOptions {
  return { env: process.env, home: process.env.HOME ?? process.env.USERPROFILE ?? "", ...options };
}

/** What the engine needs of a machine, defaults filled in. */
export function machineFrom(options: MachineOptions): Machine {
  const home = (options as Partial<MachineOptions> | undefined)?.home;
  if (typeof home !== "string" || !isAbsolute(home)) {
    const given = home ? `the home ${home} is not absolute` : "no home is given";
    throw new InputError({ code: "no-home", message: `${given}; pass { home: "/home/you" }, or thisMachine()` });
  }
  const env = options.env ?? {};
  const platform = options.platform ?? thisPlatform();
  const gate = diskGate();
  const machine: Machine = {
    home,
    env,
    stateDir: options.stateDir ?? takeOverStateDir({ env, home, platform, gate }),
    platform,
    program: options.program ?? "stet",
    gate,
    now: options.now ?? (() => new Date()),
  };
  return options.project === undefined ? machine : inProject(machine, resolvePath(options.project));
}

export function thisPlatform(): Platform {
  return platformFrom(process.platform);
}
