import { join } from "node:path";
import type { InputError } from "../core/diagnostic.ts";
import type { Reader } from "../store/gate/gate.ts";
import { storeError } from "../store/gate/store-error.ts";
import { placeOf, refuseOwnState, standsInTheWay } from "../store/gate/target.ts";
import type { Change } from "../store/transaction/transaction.ts";
import { configFolder, defaultStateDir, type Machine, xdgFolder } from "./machine.ts";

type Locations = Pick<Machine, "stateDir" | "home" | "env" | "platform"> & { readonly gate: Reader };
type RealPlace = Pick<Change, "path" | "real">;

/**
 * Refuses places that are, lie in or stand in the way of what only stet and the user write: records, and the user's own
 * policies. An owner that wrote them would decide about the files of every other, or have the last word on what becomes
 * of the user's edits.
 */
export function refuseOwnPlaces(machine: Locations, places: readonly RealPlace[]): void {
  if (places.length === 0) return;
  const { gate, platform } = machine;
  const real = (folders: readonly string[]) => [...new Set(folders.map((folder) => gate.realPath(folder)))];
  const records = real([machine.stateDir, defaultStateDir(machine)]);
  const configuration = real(configFolders(machine));
  for (const place of places) {
    for (const folder of records) refuseOwnState(folder, place, platform);
    if (configuration.some((folder) => standsInTheWay(place.real, folder, platform))) throw policies(place.path);
  }
}

/** The same for a target. The file a link leads to, and the link itself: which of the two is meant shows later. */
export function refuseOwnPlace(machine: Locations, path: string): void {
  const reals = new Set([machine.gate.realPath(path), placeOf(machine.gate, path, "link")]);
  refuseOwnPlaces(
    machine,
    [...reals].map((real) => ({ path, real })),
  );
}

/** Where the user's own configuration of stet is, or may be. */
function configFolders(machine: Locations): string[] {
  return [configFolder(machine), join(xdgFolder("CONFIG", machine), "stet")];
}

function policies(path: string): InputError {
  const message =
    "it is, or is in the way of, the folder that holds the user's own policies, on which no pack decides; name another target";
  return storeError("unsafe-path", path, message);
}
