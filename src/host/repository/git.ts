import { InputError } from "../../core/diagnostic.ts";
import { groupBy } from "../../core/lists.ts";
import { outputLimit, type ProgramResult, runProgram } from "../../system/run-program.ts";
import {
  hostsFolder,
  linkedFolders,
  type RepositoryTree,
  repositoryTree,
  servicesFolder,
  type TreeEntry,
} from "./tree.ts";

/** How Git is run: the system's, with nothing of the user's configuration, and never a question to a terminal. */
export interface Git {
  run(args: readonly string[], options?: { readonly input?: string; readonly timeoutMs?: number }): Promise<GitResult>;
}

export type GitResult =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "failed"; readonly message: string };

export interface GitOptions {
  /** A Git folder of ours: a mirror, or a view of somebody's repository. Its configuration is ours, too. */
  readonly gitDir: string;
  /** Checked-out files, and the index that belongs to them. */
  readonly files?: { readonly workTree: string; readonly index: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** More variables, among them secrets: those never appear in arguments or messages. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Configuration for this run only. */
  readonly config?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Stands for a program that must not be run: no system has one of this name, and Git counts it as failed. */
export const noProgram = "/dev/null/none";

/** Whatever a remote sends, none of it makes Git run a program. These also win over the configuration of a mirror. */
const safety: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.attributesFile": "/dev/null",
  "gpg.program": noProgram,
  "gpg.openpgp.program": noProgram,
  "gpg.x509.program": noProgram,
  "gpg.ssh.program": noProgram,
  "gc.auto": "0",
  "submodule.recurse": "false",
  "fetch.recurseSubmodules": "false",
  "protocol.ext.allow": "never",
  "transfer.credentialsInUrl": "die",
  "credential.helper": "",
};

export function git(options: GitOptions): Git {
  const env = gitEnvironment(options);
  return {
    async run(args, { input, timeoutMs = options.timeoutMs } = {}) {
      const result = await runProgram("git", { args: [...args], cwd: options.gitDir, env, timeoutMs, input });
      return readResult(result, args[0] ?? "");
    },
  };
}

function gitEnvironment({
  gitDir,
  files,
  env,
  extra = {},
  config = {},
}: GitOptions): Record<string, string | undefined> {
  const pairs = Object.entries({ ...safety, ...config });
  const settings = Object.fromEntries(
    pairs.flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  );
  return {
    // Named outright, so that Git looks for no other repository.
    GIT_DIR: gitDir,
    GIT_WORK_TREE: files?.workTree,
    GIT_INDEX_FILE: files?.index,
    PATH: env.PATH,
    HOME: env.HOME,
    LANG: "C",
    LC_ALL: "C",
    SSH_AUTH_SOCK: env.SSH_AUTH_SOCK,
    // Whose certificates count is for the machine's owner to say; that none need count is not passed on.
    GIT_SSL_CAINFO: env.GIT_SSL_CAINFO,
    GIT_SSL_CAPATH: env.GIT_SSL_CAPATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    // Nothing is fetched unless we mean to: a repository whose objects are missing may name a program that would bring
    // them.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    ...settings,
    GIT_CONFIG_COUNT: String(pairs.length),
    ...extra,
  };
}

function readResult(result: ProgramResult, what: string): GitResult {
  if (result.kind === "missing")
    throw new InputError({ code: "no-git", message: "git is not installed; install it, or give --repo a folder" });
  if (result.kind === "timeout")
    return { kind: "failed", message: `git ${what} took too long and was stopped; --git-timeout gives it longer` };
  if (result.kind === "too-much") {
    const message = `git ${what} answers with more than ${outputLimit / 1024 ** 2} MiB; keep only configuration in services/ and hosts/`;
    return { kind: "failed", message };
  }
  if (result.status === 0) return { kind: "done", stdout: result.stdout };
  const lines = result.stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // The last complaint of Git itself says most; what the other side prints comes with a "remote:" in front.
  const told = lines.findLast((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? `exit ${result.status}`;
  const context = lines.find((line) =>
    /host key verification failed|permission denied|could not resolve|connection (refused|timed out)/i.test(line),
  );
  return { kind: "failed", message: withoutCredentials(`git ${what}: ${context ?? told}`) };
}

/** What Git answers, without the last line end; undefined where it fails or has nothing to say. */
export async function askGit(git: Git, args: readonly string[]): Promise<string | undefined> {
  const result = await git.run(args);
  const text = result.kind === "done" ? result.stdout.toString("utf8").trimEnd() : "";
  return text === "" ? undefined : text;
}

/** Should a remote's message repeat an address with a password in it, the password does not go further. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/@]+@/g, "$1***@");
}

interface Listed {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

/** A commit as a tree in memory, straight from Git's objects: nothing is checked out, so no hook or filter can run. */
export async function readCommit(git: Git, commit: string): Promise<RepositoryTree> {
  const byTop = groupBy(await list(git, commit), ({ path }) => path.split("/", 1)[0]!);
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
