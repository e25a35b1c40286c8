import { posix } from "node:path";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { isIgnorable } from "../repository/repository-names.ts";
import { type RepositoryTree, resolveEntry } from "../repository/tree.ts";
import type { Reference } from "../units/references.ts";
import { parseUnitName } from "../units/unit-kind.ts";
import type { DeliveredContent } from "./evaluation.ts";

/**
 * A file among the units that is not one: it is delivered if a unit names it by a relative path, as in
 * `EnvironmentFile=web.env`.
 */
export interface BesideFile {
  /** Below the folder of units. */
  readonly path: string;
  readonly source: string;
  readonly content: DeliveredContent;
}

/** What stands at `path` below a layer's folder of units: a file, or all files of a folder. */
export function readBeside(
  tree: RepositoryTree,
  folder: string,
  path: string,
  diagnostics: HostDiagnostic[],
): BesideFile[] {
  const source = `${folder}/${path}`;
  if (tree.isFolder(source)) {
    const names = tree.names(source).filter((name) => !isIgnorable(name));
    return names.flatMap((name) => readBeside(tree, folder, `${path}/${name}`, diagnostics));
  }
  const found = resolveEntry(tree, source);
  if (found.kind === "outside")
    diagnostics.push(diagnose("unsafe-path", { file: source }, `links to ${found.target}, outside the repository`));
  else if (found.kind !== "file")
    diagnostics.push(diagnose("unsupported-file", { file: source }, "is neither a file nor a link to one"));
  else if (path.includes("/") && parseUnitName(path) !== undefined)
    diagnostics.push(
      diagnose(
        "unsupported-file",
        { file: source },
        "is a unit in a folder: units stand directly in the folder of units",
      ),
    );
  else
    return [{ path, source, content: { kind: "file", bytes: found.entry.bytes, executable: found.entry.executable } }];
  return [];
}

/**
 * Whether one of these references means the file: by its path, by a folder it is in, or with a specifier for a part of
 * its name.
 */
export function isNamed(path: string, references: readonly Reference[]): boolean {
  return references.some(({ kind, name }) => {
    if (kind !== "path" || name.startsWith("/")) return false;
    const named = posix.normalize(name).replace(/\/$/, "");
    if (named === "." || named === path || path.startsWith(`${named}/`)) return true;
    return named.includes("%") && specifierPattern(named).test(path);
  });
}

function specifierPattern(named: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${named.split(/%./).map(literal).join("[^/]*")}(/|$)`);
}
