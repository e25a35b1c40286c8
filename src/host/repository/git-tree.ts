import { InputError } from "../../core/diagnostic.ts";
import type { Git } from "./git.ts";
import { hostsFolder, servicesFolder } from "./repository-names.ts";
import { linkedFolders, type RepositoryTree, repositoryTree, type TreeEntry } from "./tree.ts";

interface Listed {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

/** A commit as a tree in memory, straight from Git's objects: nothing is checked out, so no hook or filter can run. */
export async function readCommit(git: Git, commit: string): Promise<RepositoryTree> {
  const byTop = groupByTop(await list(git, commit));
  if (!byTop.has(servicesFolder) && !byTop.has(hostsFolder)) {
    const message = `commit ${commit.slice(0, 12)} has neither ${servicesFolder}/ nor ${hostsFolder}/: is it the right repository?`;
    throw new InputError({ code: "no-repository", message });
  }
  const entries: [string, TreeEntry][] = [];
  const wanted = [servicesFolder, hostsFolder];
  // What else the commit holds is read only where a link leads there. The list grows while it is walked.
  for (let i = 0; i < wanted.length; i++) {
    const read = await readEntries(git, byTop.get(wanted[i]!) ?? []);
    for (const entry of read) entries.push(entry);
    for (const top of linkedFolders(read)) if (!wanted.includes(top)) wanted.push(top);
  }
  return repositoryTree(entries);
}

async function list(git: Git, commit: string): Promise<Listed[]> {
  const result = await git.run(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit]);
  if (result.kind === "failed") throw new InputError({ code: "unreadable-commit", message: result.message });
  return result.stdout
    .toString("utf8")
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
      return { mode, id, path: line.slice(tab + 1) };
    });
}

function groupByTop(listed: readonly Listed[]): Map<string, Listed[]> {
  const groups = new Map<string, Listed[]>();
  for (const entry of listed) {
    const top = entry.path.split("/", 1)[0]!;
    const group = groups.get(top);
    if (group) group.push(entry);
    else groups.set(top, [entry]);
  }
  return groups;
}

const [linkMode, submoduleMode, programMode] = ["120000", "160000", "100755"];

async function readEntries(git: Git, listed: readonly Listed[]): Promise<[string, TreeEntry][]> {
  const blobs = await readBlobs(git, [
    ...new Set(listed.filter((entry) => entry.mode !== submoduleMode).map((entry) => entry.id)),
  ]);
  return listed.map(({ mode, id, path }): [string, TreeEntry] => {
    if (mode === submoduleMode) return [path, { kind: "submodule" }];
    const bytes = blobs.get(id) ?? new Uint8Array(0);
    if (mode === linkMode) return [path, { kind: "symlink", target: Buffer.from(bytes).toString("utf8") }];
    return [path, { kind: "file", bytes, executable: mode === programMode }];
  });
}

/** All objects in one run of Git: `<id> blob <size>`, a line end, the bytes, a line end. */
async function readBlobs(git: Git, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
  const blobs = new Map<string, Uint8Array>();
  if (ids.length === 0) return blobs;
  const result = await git.run(["cat-file", "--batch"], { input: `${ids.join("\n")}\n` });
  if (result.kind === "failed") throw new InputError({ code: "unreadable-commit", message: result.message });
  const { stdout } = result;
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0x0a, at);
    const [id = "", type, size] = stdout.toString("latin1", at, end).split(" ");
    if (type !== "blob")
      throw new InputError({
        code: "unreadable-commit",
        message: `git has no object ${id}: the repository is damaged`,
      });
    const start = end + 1;
    blobs.set(id, stdout.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
}
