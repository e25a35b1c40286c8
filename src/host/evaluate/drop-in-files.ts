import { posix } from "node:path";
import type { FileOrLink } from "../../core/content.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { isIgnorable, type RepositoryTree, resolveEntry } from "../repository/tree.ts";
import type { Reference } from "../units/references.ts";
import { parseDropInFolder, parseUnitName, type UnitName } from "../units/unit-kind.ts";
import { deliveredFile } from "./evaluation.ts";

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
  readonly diagnostics: readonly HostDiagnostic[];
}

/** The drop-in folders of one layer. One that would reach units of others is refused. */
export function listDropInFolders(tree: RepositoryTree, layer: string): DropInLayer {
  const folders: DropInFolder[] = [];
  const others: string[] = [];
  const diagnostics: HostDiagnostic[] = [];
  for (const name of tree.names(layer)) {
    const source = `${layer}/${name}`;
    if (isIgnorable(name)) continue;
    const target = parseDropInFolder(name);
    const found = resolveEntry(tree, source);
    if (found.kind === "outside")
      diagnostics.push(diagnose("unsafe-path", { file: source }, `links to ${found.target}, outside the repository`));
    else if (target.kind === "foreign") {
      const message = "would also change units that are not in this repository: name one unit, as in name.container.d";
      diagnostics.push(diagnose("unsupported-file", { file: source }, message));
    } else if (target.kind === "none" || found.kind !== "folder") others.push(name);
    else folders.push({ unit: target.unit, source });
  }
  return { folders, others, diagnostics };
}

export function notADropIn(layer: string, name: string): HostDiagnostic {
  const message =
    "is not a drop-in folder: only <unit>.d/<name>.conf belongs here, where <unit> is the file name of a unit";
  return diagnose("unsupported-file", { file: `${layer}/${name}` }, message);
}

/** The `.conf` files of one folder, in byte order. */
export function readDropIns(
  tree: RepositoryTree,
  folder: DropInFolder,
): { dropIns: DropIn[]; diagnostics: HostDiagnostic[] } {
  const dropIns: DropIn[] = [];
  const diagnostics: HostDiagnostic[] = [];
  const real = resolveEntry(tree, folder.source).path;
  for (const name of tree.names(real)) {
    if (isIgnorable(name)) continue;
    const source = `${folder.source}/${name}`;
    const bytes = dropInBytes(tree, source);
    if (!name.endsWith(".conf") || name === ".conf") {
      diagnostics.push(
        diagnose(
          "unsupported-file",
          { file: source },
          "is not a drop-in: systemd and podman read only <name>.conf here",
        ),
      );
    } else if (bytes.kind === "refused") diagnostics.push(bytes.diagnostic);
    else dropIns.push({ unit: folder.unit, name, source, bytes: bytes.bytes });
  }
  if (dropIns.length === 0) {
    diagnostics.push(
      diagnose(
        "empty-dropin-dir",
        { file: folder.source },
        `holds no .conf file, so ${folder.unit.name} stays as it is`,
      ),
    );
  }
  return { dropIns, diagnostics };
}

type DropInBytes =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly diagnostic: HostDiagnostic };

function dropInBytes(tree: RepositoryTree, source: string): DropInBytes {
  const found = resolveEntry(tree, source);
  if (found.kind === "file") return { kind: "read", bytes: found.entry.bytes };
  // systemd's own way to mask a drop-in. An empty file does the same, for podman too.
  if (found.kind === "outside" && found.target === "/dev/null") return { kind: "read", bytes: new Uint8Array(0) };
  if (found.kind === "outside") {
    return {
      kind: "refused",
      diagnostic: diagnose("unsafe-path", { file: source }, `links to ${found.target}, outside the repository`),
    };
  }
  const what = {
    folder: "is a folder",
    submodule: "is a submodule",
    missing: "is a link to nothing",
    loop: "is a link in a circle",
  }[found.kind];
  return {
    kind: "refused",
    diagnostic: diagnose("unsupported-file", { file: source }, `${what}: a drop-in is a plain file`),
  };
}

/**
 * A file among the units that is not one: it is delivered if a unit names it by a relative path, as in
 * `EnvironmentFile=web.env`.
 */
export interface BesideFile {
  /** Below the folder of units. */
  readonly path: string;
  readonly source: string;
  readonly content: FileOrLink;
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
