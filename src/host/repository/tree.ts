import { isAbsolute, join, posix } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Reader } from "../../store/gate/gate.ts";
import type { Complain } from "../diagnostics.ts";
import { compareBytes } from "../units/unit-kind.ts";

/** What stands at a path of the repository. Paths are relative, with `/`, and never end in one. */
export type TreeEntry =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "symlink"; readonly target: string }
  /** An empty folder on disk. Git knows none. */
  | { readonly kind: "folder" }
  /** Another repository, mounted here. Never followed. */
  | { readonly kind: "submodule" };

export type TreeFile = Extract<TreeEntry, { kind: "file" }>;

/** A repository at one commit, or a folder as it is, held in memory: evaluation reads nothing else. */
export interface RepositoryTree {
  get(path: string): TreeEntry | undefined;
  /** The names in a folder, in byte order. Empty for what is no folder. */
  names(folder: string): readonly string[];
  isFolder(path: string): boolean;
}

export function repositoryTree(entries: Iterable<readonly [string, TreeEntry]>): RepositoryTree {
  const byPath = new Map<string, TreeEntry>();
  const folders = new Map<string, string[]>([["", []]]);
  // Names are added once, whoever says them: a file by itself, a folder when it is first heard of.
  const addToParents = (path: string): void => {
    for (let child = path; ; ) {
      const slash = child.lastIndexOf("/");
      const [parent, name] = slash === -1 ? ["", child] : [child.slice(0, slash), child.slice(slash + 1)];
      const known = folders.get(parent);
      if (known !== undefined) {
        known.push(name);
        return;
      }
      folders.set(parent, [name]);
      child = parent;
    }
  };
  for (const [path, entry] of entries) {
    const isKnown = entry.kind === "folder" ? folders.has(path) : byPath.has(path);
    if (entry.kind === "folder" && !isKnown) folders.set(path, []);
    if (entry.kind !== "folder") byPath.set(path, entry);
    if (!isKnown) addToParents(path);
  }
  const sorted = new Map<string, readonly string[]>();
  return {
    get: (path) => byPath.get(path),
    isFolder: (path) => folders.has(path),
    names(folder) {
      let names = sorted.get(folder);
      if (names === undefined) {
        names = [...(folders.get(folder) ?? [])].sort(compareBytes);
        sorted.set(folder, names);
      }
      return names;
    },
  };
}

export type Resolved =
  | { readonly kind: "file"; readonly path: string; readonly entry: TreeFile }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "submodule"; readonly path: string }
  | { readonly kind: "missing"; readonly path: string }
  /** A link in the way is absolute, or climbs out of the repository. */
  | { readonly kind: "outside"; readonly path: string; readonly target: string }
  | { readonly kind: "loop"; readonly path: string };

const maxLinks = 40;

/** Where a path leads after all symbolic links, as long as they stay inside the repository. */
export function resolveEntry(tree: RepositoryTree, path: string): Resolved {
  // Nothing stands below a link: what is found by its very path has none in the way.
  const direct = condition(tree, path);
  if (direct.kind !== "missing" && tree.get(path)?.kind !== "symlink") return direct;
  let rest = path.split("/");
  let at: string[] = [];
  for (let links = 0; rest.length > 0; ) {
    const [segment, ...following] = rest as [string, ...string[]];
    rest = following;
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      if (at.length === 0) return { kind: "outside", path, target: path };
      at = at.slice(0, -1);
      continue;
    }
    const here = [...at, segment].join("/");
    const entry = tree.get(here);
    if (entry?.kind !== "symlink") {
      at.push(segment);
      continue;
    }
    if (entry.target.startsWith("/")) return { kind: "outside", path: here, target: entry.target };
    if (++links > maxLinks) return { kind: "loop", path: here };
    if (climbsOut(at, entry.target)) return { kind: "outside", path: here, target: entry.target };
    rest = [...entry.target.split("/"), ...rest];
  }
  return condition(tree, at.join("/"));
}

function condition(tree: RepositoryTree, path: string): Resolved {
  const entry = tree.get(path);
  if (entry?.kind === "file") return { kind: "file", path, entry };
  if (entry?.kind === "submodule") return { kind: "submodule", path };
  return tree.isFolder(path) ? { kind: "folder", path } : { kind: "missing", path };
}

/** Said of the link itself, so that the message can name it rather than where it was used. */
function climbsOut(folder: readonly string[], target: string): boolean {
  let depth = folder.length;
  for (const segment of target.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The top-level names that links among these entries lead to. */
export function linkedFolders(entries: readonly [string, TreeEntry][]): Set<string> {
  const tops = new Set<string>();
  for (const [path, entry] of entries) {
    if (entry.kind === "symlink" && !isAbsolute(entry.target))
      tops.add(posix.join(posix.dirname(path), entry.target).split("/")[0]!);
  }
  return tops;
}

/** Complains about a path that leads out of the repository, or, as `message` says, to something of the wrong kind. */
export function refuseEntry(found: Resolved, path: string, message: string, complain: Complain): void {
  if (found.kind === "outside") complain("unsafe-path", path, `links to ${found.target}, outside the repository`);
  else complain("unsupported-file", path, message);
}

/**
 * Where a folder with a fixed name (`quadlet`, `overrides` …) really is: it may be a link to another one in the
 * repository. If something else stands in its place, that is an error, because a whole layer would be missing.
 */
export function findLayer(tree: RepositoryTree, path: string, complain: Complain): string {
  if (tree.get(path) === undefined) return path;
  const found = resolveEntry(tree, path);
  if (found.kind === "folder") return found.path;
  refuseEntry(found, path, "must be a folder, or a link to one", complain);
  return path;
}

/** What may stand anywhere in the repository and means nothing to us: notes for people, and Git's own files. */
const ignorable = new Set([".gitkeep", ".gitignore", ".gitattributes", ".keep"]);
const notes = /^(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|AUTHORS|TODO)(\.[A-Za-z]+|-[\w.-]+)?$/i;

export function isIgnorable(name: string): boolean {
  return ignorable.has(name);
}

/**
 * Notes, and files whose names begin with a dot, may stand beside a service's or host's own folders, not inside them:
 * podman and systemd would look at them there.
 */
export function isNote(name: string): boolean {
  return notes.test(name) || name.startsWith(".");
}

export const servicesFolder = "services";
export const hostsFolder = "hosts";

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
