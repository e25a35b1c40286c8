import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";

/**
 * A Git folder of our own that shows the commits, branches and tags of somebody's repository. Its configuration is
 * ours: nothing that the repository configures is in force, whatever its name, and neither are its hooks and
 * attributes.
 */
export interface RepositoryView {
  readonly gitDir: string;
  /** The files that are checked out; undefined for a bare repository. */
  readonly workTree: string | undefined;
  /** The repository's own index: what `git status` compares the files with. */
  readonly index: string;
}

interface GitFolders {
  readonly workTree: string | undefined;
  /** HEAD and the index. */
  readonly own: string;
  /** Objects, branches and tags: another folder for a linked worktree. */
  readonly common: string;
}

/** Runs `use` with a view of the repository at `folder`, and takes the view away afterwards. */
export async function withView<T>(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  use: (view: RepositoryView) => Promise<T>,
): Promise<T> {
  const folders = findGitFolders(folder);
  if (folders === undefined) throw unusable(folder, "is not a Git repository");
  for (const path of new Set([folders.workTree ?? folders.own, folders.own, folders.common]))
    if (isForeign(path, env))
      throw unusable(path, "belongs to another user, so Git is not asked about it: run as that user");
  const gitDir = mkdtempSync(join(tmpdir(), "stet-git-"));
  try {
    fillView(gitDir, folders);
    return await use({ gitDir, workTree: folders.workTree, index: join(folders.own, "index") });
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

function unusable(path: string, message: string): InputError {
  return new InputError({ code: "unknown-revision", message: `${path} ${message}` });
}

/** Where Git would look for a repository of this name. */
function findGitFolders(folder: string): GitFolders | undefined {
  for (const base of [folder, `${folder}.git`]) {
    for (const path of [join(base, ".git"), base]) {
      const own = existsSync(path) && statSync(path).isFile() ? linkedFolder(path) : path;
      const common = own === undefined ? undefined : commonFolder(own);
      if (own === undefined || common === undefined) continue;
      if (existsSync(join(own, "HEAD")) && existsSync(join(common, "objects")) && existsSync(join(common, "refs")))
        return { workTree: path === base ? undefined : base, own, common };
    }
  }
  return undefined;
}

/** The `.git` of a worktree or a submodule is a file that names the folder. */
function linkedFolder(file: string): string | undefined {
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(file, "utf8"))?.[1];
  return named === undefined ? undefined : resolve(file, "..", named);
}

function commonFolder(own: string): string {
  const file = join(own, "commondir");
  return existsSync(file) ? resolve(own, readFileSync(file, "utf8").trim()) : own;
}

/**
 * As Git has it: also root is not led by a repository of somebody else, unless it is root by way of that user's sudo.
 */
function isForeign(path: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  const { uid } = statSync(path);
  return uid !== user && !(user === 0 && env.SUDO_UID !== undefined && uid === Number(env.SUDO_UID));
}

function fillView(gitDir: string, { own, common }: GitFolders): void {
  writeFileSync(join(gitDir, "config"), formatConfig(join(common, "config")));
  writeFileSync(join(gitDir, "HEAD"), headText(join(own, "HEAD")));
  mkdirSync(join(gitDir, "objects/info"), { recursive: true });
  writeFileSync(
    join(gitDir, "objects/info/alternates"),
    objectFolders(join(common, "objects"))
      .map((path) => `${path}\n`)
      .join(""),
  );
  mkdirSync(join(gitDir, "info"));
  const shared = ["refs", "packed-refs", "reftable", "shallow", "info/exclude"].map((name) => [common, name] as const);
  const split = readdirSync(own).filter((name) => name.startsWith("sharedindex."));
  for (const [folder, name] of [...shared, ...split.map((name) => [own, name] as const)])
    if (existsSync(join(folder, name))) symlinkSync(join(folder, name), join(gitDir, name));
}

/** The two settings without which Git can't read what is stored: how objects are named, and how branches are kept. */
function formatConfig(file: string): string {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const extensions = [
    /^\s*objectformat\s*=\s*"?sha256"?\s*$/im.test(text) ? "\tobjectFormat = sha256\n" : "",
    /^\s*refstorage\s*=\s*"?reftable"?\s*$/im.test(text) ? "\trefStorage = reftable\n" : "",
  ].join("");
  const version = extensions === "" ? 0 : 1;
  return `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n[extensions]\n${extensions}`;
}

/** Old repositories have a symbolic link for a HEAD. */
function headText(file: string): string {
  return lstatSync(file).isSymbolicLink() ? `ref: ${readlinkSync(file)}\n` : readFileSync(file, "utf8");
}

/** The repository's objects, and those of others that it borrows from. */
function objectFolders(objects: string): string[] {
  const file = join(objects, "info/alternates");
  const borrowed = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const named = borrowed.filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith('"'));
  return [objects, ...named.map((line) => (isAbsolute(line) ? line : join(objects, line)))];
}
