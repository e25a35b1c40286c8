import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../identity/paths/path-context.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import type { Homes } from "./check.ts";

export interface TrialHomeOptions {
  readonly platform: Platform;
  readonly program: string;
  now(): Date;
}

/** Homes for trying a pack, below a folder that is for passing things. Each goes when its trial is over. */
export function trialHomes(below: string, options: TrialHomeOptions): Homes {
  return {
    async use(trial) {
      const folder = realpathSync(mkdtempSync(join(below, "stet-check-")));
      try {
        const [home, stateDir] = [join(folder, "home"), join(folder, "state")];
        mkdirSync(home);
        const forget = () => rmSync(stateDir, { recursive: true, force: true });
        return await trial({ machine: { ...options, home, stateDir, env: {}, gate: diskGate() }, forget });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
