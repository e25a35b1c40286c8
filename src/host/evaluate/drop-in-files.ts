import { posix } from "node:path";
import type { Complain } from "../diagnostics.ts";
import { isIgnorable, type RepositoryTree, refuseEntry, resolveEntry } from "../repository/tree.ts";
import type { Reference } from "../units/references.ts";
import { parseDropInFolder, parseUnitName, type UnitName } from "../units/unit-kind.ts";
import { deliveredFile, type LayerFile } from "./evaluation.ts";

/** A folder `X.d` found in a layer, not yet read: whose it is must be known first. */
export interface DropInFolder {
  readonly unit: UnitName;
  readonly source: string;
}

export interface DropIn {
  readonly unit: UnitName;
  /** The file's name, as it stands in the repository. */
  readonly name: string;
  readonly source: string;
  readonly bytes: Uint8Array;
}

export interface DropInLayer {
  readonly folders: readonly DropInFolder[];
  /** The names of what else is there. */
  readonly others: readonly string[];
}

/** The drop-in folders of one layer. One that would reach units of others is refused. */
export function listDropInFolders(tree: RepositoryTree, layer: string, complain: Complain): DropInLayer {
  const folders: DropInFolder[] = [];
  const others: string[] = [];
  for (const name of tree.names(layer)) {
    const source = `${layer}/${name}`;
    if (isIgnorable(name)) continue;
    const target = parseDropInFolder(name);
    const found = resolveEntry(tree, source);
    if (found.kind === "outside" || target.kind === "foreign")
      refuseEntry(
        found,
        source,
        "would also change units that are not in this repository: name a single unit, as in name.container.d",
        complain,
      );
    else if (target.kind === "none" || found.kind !== "folder") others.push(name);
    else folders.push({ unit: target.unit, source });
  }
  return { folders, others };
}

export function refuseNoDropIn(layer: string, name: string, complain: Complain): void {
  const message =
    "is not a drop-in folder: only <unit>.d/<name>.conf belongs here, where <unit> is the file name of a unit";
  complain("unsupported-file", `${layer}/${name}`, message);
}

/** The `.conf` files of one folder, in byte order. */
export function readDropIns(
  tree: RepositoryTree,
  { unit, source: folder }: DropInFolder,
  complain: Complain,
): DropIn[] {
  const real = resolveEntry(tree, folder).path;
  const names = tree.names(real).filter((name) => !isIgnorable(name));
  const dropIns = names.flatMap((name): DropIn[] => {
    const source = `${folder}/${name}`;
    if (!name.endsWith(".conf") || name === ".conf") {
      complain("unsupported-file", source, "is not a drop-in: systemd and podman read only <name>.conf here");
      return [];
    }
    const bytes = dropInBytes(tree, source, complain);
    return bytes === undefined ? [] : [{ unit, name, source, bytes }];
  });
  if (dropIns.length === 0) complain("empty-dropin-dir", folder, `holds no .conf file, so ${unit.name} stays as it is`);
  return dropIns;
}

function dropInBytes(tree: RepositoryTree, source: string, complain: Complain): Uint8Array | undefined {
  const found = resolveEntry(tree, source);
  if (found.kind === "file") return found.entry.bytes;
  // systemd's own way to mask a drop-in. An empty file does the same, for podman too.
  if (found.kind === "outside" && found.target === "/dev/null") return new Uint8Array(0);
  const what = {
    outside: "",
    folder: "is a folder",
    submodule: "is a submodule",
    missing: "is a link to nothing",
    loop: "is a link in a circle",
  }[found.kind];
  refuseEntry(found, source, `${what}: a drop-in is a plain file`, complain);
  return undefined;
}

/** What stands at `path` below a layer's folder of units: a file, or all files of a folder. */
export function readBeside(tree: RepositoryTree, folder: string, path: string, complain: Complain): LayerFile[] {
  const source = `${folder}/${path}`;
  if (tree.isFolder(source)) {
    const names = tree.names(source).filter((name) => !isIgnorable(name));
    return names.flatMap((name) => readBeside(tree, folder, `${path}/${name}`, complain));
  }
  const found = resolveEntry(tree, source);
  if (found.kind !== "file") refuseEntry(found, source, "is neither a file nor a link to one", complain);
  else if (path.includes("/") && parseUnitName(path) !== undefined)
    complain("unsupported-file", source, "is a unit in a subfolder: units belong directly in the folder of units");
  else return [{ path, source, content: deliveredFile(found.entry.bytes, found.entry.executable) }];
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
