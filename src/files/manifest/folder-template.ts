import { join } from "node:path";
import picomatch from "picomatch";
import { InputError } from "../../core/diagnostic.ts";
import type { Reader } from "../../store/gate/gate.ts";

/** Which files of a folder are shipped: globs over their paths below it. */
export interface FolderFilter {
  /** Without any, all files are. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
}

/** Deeper than any folder that a person made: a link that leads back up ends here. */
const deepest = 64;

/** The files below a folder of a pack, by their path below it (with `/`), in order. */
export function filesBelow(reader: Reader, folder: string, { include, exclude }: FolderFilter): string[] {
  const options = { dot: true };
  const isIncluded = include === undefined ? () => true : picomatch([...include], options);
  const isExcluded = exclude === undefined ? () => false : picomatch([...exclude], options);
  const found: string[] = [];
  const visit = (below: string, depth: number) => {
    const at = join(folder, below);
    if (depth > deepest)
      throw new InputError({ code: "unsafe-path", message: `this folder is more than ${deepest} levels deep`, file: at });
    for (const name of reader.list(at) ?? []) {
      const path = below === "" ? name : `${below}/${name}`;
      const kind = reader.stat(reader.realPath(join(folder, path)))?.kind;
      if (kind === "folder") visit(path, depth + 1);
      else if (isIncluded(path) && !isExcluded(path)) found.push(path);
    }
  };
  visit("", 0);
  return found.sort();
}
