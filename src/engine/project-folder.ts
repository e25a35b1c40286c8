// What the fast path has to know of projects as well: it loads next to nothing.
import { dirname, join } from "node:path";
import type { Reader } from "../store/gate/gate.ts";

/**
 * The project that a folder belongs to: the nearest at or above it that has `.stet` or `.git`. The home itself is none,
 * unless somebody says so: half of all homes are a repository of dotfiles.
 */
export function findProject(reader: Reader, from: string, home: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    if (at === home) return undefined;
    if (reader.stat(join(at, ".stet"))?.kind === "folder" || reader.stat(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where this machine keeps what it knows of a project, wherever that is called from. */
export function projectStateDir(
  reader: Reader,
  stateDir: string,
  root: string,
  sha256: (text: string) => string,
): string {
  return join(stateDir, "projects", sha256(reader.realPath(root)).slice(0, 24));
}
