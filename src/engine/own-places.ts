import { join } from "node:path";
import type { InputError } from "../core/diagnostic.ts";
import type { Reader } from "../store/gate/gate.ts";
import { storeError } from "../store/gate/store-error.ts";
import { placeOf, refuseOwnState, standsInTheWay } from "../store/gate/target.ts";
import { defaultStateDir, type Machine, xdgFolder } from "./machine.ts";

type Locations = Pick<Machine, "stateDir" | "home" | "env" | "platform"> & { readonly gate: Reader };

/**
 * Refuses a place that is, lies in or stands in the way of what only stet and the user write: records, and the user's own policies. An owner that wrote
 * them would decide about the files of every other, or have the last word on what becomes of the user's edits.
 */
export function refuseOwnPlace(machine: Locations, path: string): void {
  const { gate, platform } = machine;
  // The file a link leads to, and the link itself: which of the two is meant shows later.
  for (const real of new Set([gate.realPath(path), placeOf(gate, path, "link")])) {
    for (const folder of new Set([machine.stateDir, defaultStateDir(machine)]))
      refuseOwnState(gate.realPath(folder), { path, real }, platform);
    for (const folder of configFolders(machine)) if (standsInTheWay(real, gate.realPath(folder), platform)) throw policies(path);
  }
}

/** Where the user's own configuration of stet is, or may be. */
function configFolders(machine: Locations): string[] {
  const roaming = machine.env.APPDATA;
  return [xdgFolder("CONFIG", machine), ...(machine.platform === "win32" && roaming ? [roaming] : [])].map((folder) =>
    join(folder, "stet"),
  );
}

function policies(path: string): InputError {
  const message =
    "it is, or is in the way of, the folder that holds the user's own policies, on which no pack decides; name another target";
  return storeError("unsafe-path", path, message);
}
