import { basename, dirname, resolve, sep } from "node:path";
import type { FileStatus, Reader } from "./gate.ts";
import { errnoOf } from "./store-error.ts";

/** A name in a folder whose path is real: `join` would look at each character of it once more. */
export function inFolder(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/**
 * A reader for the length of one plan: what stands at a path is asked once, and all files of a folder share the way to
 * it. Planning looks at every file from several sides, and resolving the whole way each time was most of its cost. What
 * changes meanwhile is found when the plan is applied.
 *
 * `namesAreExact`: a file is found by the one name it has. Elsewhere it is also found in another case, or by a short
 * name, and only the system knows which name is the real one.
 */
export function cachingReader(base: Reader, namesAreExact = process.platform === "linux"): Reader {
  const statuses = new Map<string, FileStatus | undefined>();
  const ways = new Map<string, string>();
  const missing = new Set<string>();
  const stat = (path: string): FileStatus | undefined => {
    if (!statuses.has(path)) statuses.set(path, base.stat(path));
    return statuses.get(path);
  };
  const realPath = (path: string): string => {
    const known = ways.get(path);
    if (known !== undefined) return known;
    const real = resolveWay(resolve(path));
    ways.set(path, real);
    return real;
  };
  const resolveWay = (path: string): string => {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = realPath(parent);
    const here = inFolder(folder, basename(path));
    // Below what is not there, nothing is. Asking anyway takes minutes for a path of thousands of names.
    if (missing.has(folder)) {
      missing.add(here);
      return here;
    }
    // In a real folder, whatever is not a link is real, even if it is not there.
    return leadsElsewhere(here) ? base.realPath(path) : here;
  };
  const leadsElsewhere = (path: string): boolean => {
    try {
      const status = stat(path);
      if (status === undefined) missing.add(path);
      return status !== undefined && (status.kind === "link" || !namesAreExact);
    } catch (cause) {
      // Nobody may look: let the base say what it can. A name that is too long is nobody's.
      return errnoOf(cause) !== "ENAMETOOLONG";
    }
  };
  return {
    stat,
    realPath,
    read: (path) => base.read(path),
    list: (path) => base.list(path),
    readLink: (path) => base.readLink(path),
  };
}
