import { basename, dirname, join, resolve } from "node:path";
import type { FileStatus, Reader } from "./gate.ts";
import { errnoOf } from "./store-error.ts";

/**
 * A reader for the length of one plan: what stands at a path is asked once, and all files of a folder share the way to it. Planning looks at every
 * file from several sides, and resolving the whole way each time was most of its cost. What changes meanwhile is found when the plan is applied.
 */
export function cachingReader(base: Reader): Reader {
  const statuses = new Map<string, FileStatus | undefined>();
  const ways = new Map<string, string>();
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
    const here = join(realPath(parent), basename(path));
    // In a folder that is real, what is no link is real, also if it is not there.
    return isLink(here) ? base.realPath(path) : here;
  };
  const isLink = (path: string): boolean => {
    try {
      return stat(path)?.kind === "link";
    } catch (cause) {
      // Nobody may look: let the base say what it can. A name that is too long is nobody's.
      return errnoOf(cause) !== "ENAMETOOLONG";
    }
  };
  return { stat, realPath, read: (path) => base.read(path), list: (path) => base.list(path), readLink: (path) => base.readLink(path) };
}
