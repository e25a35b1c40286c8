import { diffLines } from "../text/diff-lines.ts";
import { counted } from "./values.ts";

/** How much of a longer text changes; the lines themselves are the diff's business. */
export function lineChanges(before: string, after: string): string {
  let [added, removed] = [0, 0];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(before, after)) {
    removed += beforeEnd - beforeStart;
    added += afterEnd - afterStart;
  }
  return `${counted(added, "line", "lines")} in, ${counted(removed, "line", "lines")} out; see them with --diff`;
}
