import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { hostsFolder, servicesFolder } from "./repository-names.ts";
import { linkedFolders, type RepositoryTree, repositoryTree, type TreeEntry } from "./tree.ts";

/** A repository as it lies in a folder, committed or not. Links are noted, never followed on disk. */
export function readFolder(reader: Reader, folder: string): RepositoryTree {
  const tops = new Set(listTop(reader, folder));
  if (!tops.has(hostsFolder) && !tops.has(servicesFolder)) {
    const message = `${folder} has neither ${servicesFolder}/ nor ${hostsFolder}/: is it the right repository?`;
    throw new InputError({ code: "no-repository", message });
  }
  const entries: [string, TreeEntry][] = [];
  const wanted = [servicesFolder, hostsFolder];
  // What else lies in the folder is read only where a link leads there. The list grows while it is walked.
  for (let i = 0; i < wanted.length; i++) {
    const before = entries.length;
    if (tops.has(wanted[i]!)) readEntry(reader, folder, wanted[i]!, entries);
    for (const name of linkedFolders(entries.slice(before)))
      if (!wanted.includes(name) && name !== ".git") wanted.push(name);
  }
  return repositoryTree(entries);
}

function listTop(reader: Reader, folder: string): readonly string[] {
  const names = reader.stat(reader.realPath(folder))?.kind === "folder" ? reader.list(folder) : undefined;
  if (names !== undefined) return names;
  throw new InputError({
    code: "no-repository",
    message: `${folder} is not a folder: --repo takes a folder or a Git remote`,
  });
}

function readEntry(reader: Reader, root: string, path: string, entries: [string, TreeEntry][]): void {
  const absolute = join(root, path);
  const status = reader.stat(absolute);
  if (status?.kind === "link") entries.push([path, { kind: "symlink", target: reader.readLink(absolute) ?? "" }]);
  else if (status?.kind === "folder") readSubfolder(reader, root, path, entries);
  else if (status?.kind === "file") {
    const bytes = reader.read(absolute) ?? new Uint8Array(0);
    entries.push([path, { kind: "file", bytes, executable: (status.mode & 0o111) !== 0 }]);
  }
  // Sockets, pipes and devices can't be in a repository.
}

function readSubfolder(reader: Reader, root: string, path: string, entries: [string, TreeEntry][]): void {
  const children = reader.list(join(root, path)) ?? [];
  if (children.includes(".git")) entries.push([path, { kind: "submodule" }]);
  else if (children.length === 0) entries.push([path, { kind: "folder" }]);
  else for (const child of children) readEntry(reader, root, `${path}/${child}`, entries);
}
