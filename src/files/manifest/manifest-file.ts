// Apart from what reads manifests: the fast path needs this of it, and nothing else.
import { join } from "node:path";
import type { Reader } from "../../store/gate/gate.ts";

/** A manifest may be named by its folder. */
export function manifestFile(reader: Reader, path: string): string {
  return reader.stat(reader.realPath(path))?.kind === "folder" ? join(path, "stet.yaml") : path;
}
