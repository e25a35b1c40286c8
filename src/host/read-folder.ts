import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import { linkedTops } from "./linked-tops.ts";
import { hostsFolder, servicesFolder } from "./repository-names.ts";
import { type RepositoryTree, repositoryTree, type TreeEntry } from "./tree.ts";

/** A repository as it lies in a folder, committed or not. Links are noted, never followed on disk. */
export async function readFolder(folder: string): Promise<RepositoryTree> {
  const names = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new InputError({ code: "no-repository", message: `${folder} is not a folder: --repo takes a folder or a Git remote` });
  });
  const tops = new Map(names.map((entry) => [entry.name, entry]));
  if (!tops.has(hostsFolder) && !tops.has(servicesFolder)) {
    const message = `${folder} has neither ${servicesFolder}/ nor ${hostsFolder}/: is it the right repository?`;
    throw new InputError({ code: "no-repository", message });
  }
  const entries: [string, TreeEntry][] = [];
  const wanted = [servicesFolder, hostsFolder];
  // What else lies in the folder is read only where a link leads there. The list grows while it is walked.
  for (let i = 0; i < wanted.length; i++) {
    const top = tops.get(wanted[i]!);
    const before = entries.length;
    if (top) await readEntry(folder, top.name, top, entries);
    for (const name of linkedTops(entries.slice(before))) if (!wanted.includes(name) && name !== ".git") wanted.push(name);
  }
  return repositoryTree(entries);
}

interface FolderEntry {
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFile(): boolean;
}

async function readEntry(root: string, path: string, entry: FolderEntry, entries: [string, TreeEntry][]): Promise<void> {
  const absolute = join(root, path);
  if (entry.isSymbolicLink()) entries.push([path, { kind: "symlink", target: await readlink(absolute) }]);
  else if (entry.isDirectory()) await readSubfolder(root, path, entries);
  else if (entry.isFile()) {
    const [bytes, { mode }] = await Promise.all([readFile(absolute), stat(absolute)]);
    entries.push([path, { kind: "file", bytes, executable: (mode & 0o111) !== 0 }]);
  }
  // Sockets, pipes and devices can't be in a repository.
}

async function readSubfolder(root: string, path: string, entries: [string, TreeEntry][]): Promise<void> {
  const children = await readdir(join(root, path), { withFileTypes: true });
  if (children.some((child) => child.name === ".git")) entries.push([path, { kind: "submodule" }]);
  else if (children.length === 0) entries.push([path, { kind: "folder" }]);
  else for (const child of children) await readEntry(root, `${path}/${child.name}`, child, entries);
}
