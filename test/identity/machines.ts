import type { PathContext } from "../../src/identity/paths/path-context.ts";

/** Machines that need not exist: the rules of every platform are tested on any. */
export function machine(
  given: Partial<Omit<PathContext, "resolveLinks" | "foldsCase">> & {
    links?: Record<string, string>;
    folds?: boolean;
  } = {},
): PathContext {
  const { platform = "linux", home = "/home/alice", formerHomes = [], env = {}, links = {}, folds = false } = given;
  return { platform, home, formerHomes, env, resolveLinks: (path) => followLinks(path, links), foldsCase: () => folds };
}

export const linux = machine();
export const darwin = machine({ platform: "darwin", home: "/Users/alice", folds: true });
export const windows = machine({
  platform: "win32",
  home: "C:\\Users\\alice",
  env: { APPDATA: "C:\\Users\\alice\\AppData\\Roaming" },
  folds: true,
});

/**
 * Replaces the longest linked folder, as often as there is one: what a file system does, given links from folder to
 * folder.
 */
function followLinks(path: string, links: Record<string, string>): string {
  for (const [from, to] of Object.entries(links)) {
    if (path === from || path.startsWith(`${from}/`)) return followLinks(to + path.slice(from.length), links);
  }
  return path;
}
