import { isAbsolute, posix } from "node:path";
import type { TreeEntry } from "./tree.ts";

/** The top-level names that links among these entries lead to. */
export function linkedTops(entries: readonly [string, TreeEntry][]): Set<string> {
  const tops = new Set<string>();
  for (const [path, entry] of entries) {
    if (entry.kind === "symlink" && !isAbsolute(entry.target)) tops.add(posix.join(posix.dirname(path), entry.target).split("/")[0]!);
  }
  return tops;
}
