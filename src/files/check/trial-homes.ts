import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inProject, type Machine } from "../../engine/machine.ts";
import { recordsFolder } from "../../store/records/project-records.ts";
import type { Pack } from "../manifest/pack.ts";
import type { Homes } from "./check.ts";

/** Gives a new folder for the time of one call, and removes it afterwards. */
export type WithFolder = <T>(use: (folder: string) => Promise<T>) => Promise<T>;

/** Homes for trying a pack, each in a folder of its own; one for a project has a project in it. */
export function trialHomes(
  scope: Pack["scope"],
  machine: Pick<Machine, "platform" | "program" | "gate" | "now">,
  withFolder: WithFolder,
): Homes {
  return {
    use: (trial) =>
      withFolder((folder) => {
        const [home, stateDir] = [join(folder, "home"), join(folder, "state")];
        mkdirSync(home);
        const user: Machine = { ...machine, home, stateDir, env: {} };
        const project = join(home, "project");
        // A project's records lie in the project, not in the state directory.
        const records = [stateDir, join(project, recordsFolder)];
        const forget = () => {
          for (const folder of records) rmSync(folder, { recursive: true, force: true });
        };
        if (scope !== "project") return trial({ machine: user, forget });
        mkdirSync(join(project, ".git"), { recursive: true });
        return trial({ machine: inProject(user, project), forget });
      }),
  };
}
