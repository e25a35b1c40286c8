import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { type RepositoryTree, resolve } from "./tree.ts";

/**
 * Where a folder with a fixed name (`quadlet`, `overrides` …) really is: it may be a link to another one in the repository. Undefined, and
 * said, where something else stands in its place: to pass it over would lose a whole layer without a word.
 */
export function layerFolder(tree: RepositoryTree, path: string, diagnostics: HostDiagnostic[]): string | undefined {
  if (tree.get(path) === undefined) return path;
  const found = resolve(tree, path);
  if (found.kind === "folder") return found.path;
  if (found.kind === "outside")
    diagnostics.push(diagnose("unsafe-path", { file: path }, `links to ${found.target}, outside the repository`));
  else diagnostics.push(diagnose("unsupported-file", { file: path }, "must be a folder, or a link to one"));
  return undefined;
}
