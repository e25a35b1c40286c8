import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { contentHash, contentMode, type EvaluatedHost } from "../evaluate/evaluation.ts";
import { askGit, type Git, type GitOptions, git, readCommit } from "./git.ts";
import { isRemote, openMirror, type RemoteAccess } from "./mirror.ts";
import { withView } from "./repository-view.ts";
import { asksForSignature, checkSignature, type ResolvedRevision, resolveRevision, type Trust } from "./revision.ts";
import { hostsFolder, type RepositoryTree, readFolder, servicesFolder } from "./tree.ts";

/**
 * What was last applied from a remote, noted in its mirror. It is kept per owner, whatever the branch was called: a
 * remote that chooses another branch could otherwise bring back any commit it ever had.
 */
interface Applied {
  readonly commit: string;
  /** The remote's default branch then: null for none, undefined where a revision was asked for. */
  readonly defaultBranch: string | null | undefined;
}

const commitRef = (owner: string): string => `refs/stet/last/${owner}`;
const branchRef = (owner: string): string => `refs/stet/default/${owner}`;
/** Earlier releases noted a commit for each branch. */
const earlierRefs = (owner: string): string => `refs/stet/applied/${owner}/`;
const [branches, noBranch] = ["refs/heads/", "refs/stet/none"];

async function readApplied(git: Git, owner: string): Promise<Applied | undefined> {
  const newest = ["--sort=-committerdate", "--format=%(refname) %(objectname)"];
  const listed =
    (await askGit(git, ["for-each-ref", ...newest, commitRef(owner), earlierRefs(owner)]))?.split("\n") ?? [];
  // Of several branches, the one that is furthest on.
  const noted = listed.find((line) => line.startsWith(`${commitRef(owner)} `)) ?? listed[0];
  if (noted === undefined) return undefined;
  const branch = await askGit(git, ["symbolic-ref", "--quiet", branchRef(owner)]);
  return {
    commit: noted.slice(noted.indexOf(" ") + 1),
    defaultBranch: branch?.startsWith(branches) ? branch.slice(branches.length) : branch && null,
  };
}

async function noteApplied(git: Git, owner: string, { commit, defaultBranch }: Applied): Promise<void> {
  const before = await readApplied(git, owner);
  if (before?.commit !== commit) await git.run(["update-ref", commitRef(owner), commit]);
  if (defaultBranch === undefined || before?.defaultBranch === defaultBranch) return;
  await git.run(["symbolic-ref", branchRef(owner), defaultBranch === null ? noBranch : branches + defaultBranch]);
}

/** Whether a commit contains another. One that can't be found any more is not contained. */
async function contains(git: Git, commit: string, earlier: string): Promise<boolean> {
  return commit === earlier || (await git.run(["merge-base", "--is-ancestor", earlier, commit])).kind === "done";
}

export interface SourceOptions {
  /** A folder, or a Git remote. */
  readonly repo: string;
  readonly rev: string | undefined;
  readonly access: RemoteAccess;
  readonly trust: Trust;
  /** Take a commit although it does not contain what was applied last. */
  readonly allowRewind: boolean;
  /** Whose last commit a new one has to contain. */
  readonly owner: string;
  readonly mirrors: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gate: Gate;
  readonly timeoutMs: number;
}

/** A repository to evaluate, and where it stands. */
export interface RepositorySource {
  readonly tree: RepositoryTree;
  /** The commit, `-dirty` where a folder differs from it; undefined without Git. */
  readonly rev: string | undefined;
  readonly signer: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Remembers that this commit was applied. */
  noteApplied(): Promise<void>;
}

export function openSource(options: SourceOptions): Promise<RepositorySource> {
  if (isRemote(options.repo)) return openRemote(options);
  return options.rev === undefined ? openFolder(options) : openFolderCommit(options, options.rev);
}

/** A folder as it is. Git is only asked what commit it is at, and need not be there. */
async function openFolder(options: SourceOptions): Promise<RepositorySource> {
  if (asksForSignature(options.trust)) {
    const message = `${options.repo} is a folder, and files in a folder carry no signature, so it is not applied; give --rev to use a commit of it`;
    throw new InputError({ code: "untrusted-commit", message });
  }
  const tree = readFolder(options.gate, options.repo);
  return { tree, rev: await folderRevision(options), signer: undefined, diagnostics: [], noteApplied: async () => {} };
}

/**
 * The commit that a folder is at, `-dirty` where it differs; undefined without Git, also on a machine that has none.
 */
async function folderRevision({ repo, env, timeoutMs }: SourceOptions): Promise<string | undefined> {
  if (!existsSync(join(repo, ".git"))) return undefined;
  try {
    return await withView(repo, env, async ({ gitDir, workTree, index }) => {
      const head = await askGit(git({ gitDir, env, timeoutMs }), ["rev-parse", "--verify", "--quiet", "HEAD"]);
      if (head === undefined || workTree === undefined) return undefined;
      // Nobody looks into a submodule: it is never delivered, and has a configuration of its own.
      const look = ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all"];
      // What Git ignores is delivered like anything else.
      const lookAtIgnored = [
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
        "--",
        servicesFolder,
        hostsFolder,
      ];
      for (const asked of [look, lookAtIgnored]) {
        const differences = await git({ gitDir, env, timeoutMs, files: { workTree, index } }).run(asked);
        if (differences.kind === "failed" || differences.stdout.length > 0) return `${head}-dirty`;
      }
      return head;
    });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** A commit of a local repository, whatever is checked out. */
function openFolderCommit(options: SourceOptions, rev: string): Promise<RepositorySource> {
  const { repo, env, timeoutMs } = options;
  return withView(repo, env, async ({ gitDir }) => {
    const place: GitOptions = { gitDir, env, timeoutMs };
    const resolved = await resolveRevision(git(place), rev);
    if (resolved === undefined) throw unknownRevision(repo, rev);
    const read = await readTrusted(place, resolved.commit, options.trust);
    return { ...read, diagnostics: [], noteApplied: async () => {} };
  });
}

async function openRemote(options: SourceOptions): Promise<RepositorySource> {
  const mirror = await openMirror({ ...options, url: options.repo, folder: options.mirrors });
  const updated = await mirror.update();
  const resolved = await resolveRevision(mirror.git, options.rev);
  if (resolved === undefined) {
    if (updated.kind === "offline")
      throw new InputError({
        code: "remote-unreachable",
        message: `${updated.message}, and nothing was fetched before`,
      });
    throw options.rev === undefined ? noHead(options.repo) : unknownRevision(options.repo, options.rev);
  }
  const { commit, defaultBranch } = resolved;
  const diagnostics: Diagnostic[] = [];
  if (updated.kind === "offline") {
    const message = `${updated.message}; going on with what was fetched last, ${commit.slice(0, 12)}`;
    diagnostics.push({ code: "remote-unreachable", severity: "warning", message });
  }
  const read = await readTrusted(mirror.place, commit, options.trust);
  const applied = await readApplied(mirror.git, options.owner);
  if (applied !== undefined) diagnostics.push(...(await compareWithApplied(options, mirror.git, resolved, applied)));
  return { ...read, diagnostics, noteApplied: () => noteApplied(mirror.git, options.owner, { commit, defaultBranch }) };
}

/** Refuses to go anywhere that does not contain what was applied, and says where the remote chose another branch. */
async function compareWithApplied(
  { repo, allowRewind }: SourceOptions,
  mirror: Git,
  { commit, defaultBranch }: ResolvedRevision,
  applied: Applied,
): Promise<Diagnostic[]> {
  const [was, is] = [nameOfHead(applied.defaultBranch), nameOfHead(defaultBranch)];
  const moved =
    was !== undefined && is !== undefined && was !== is ? `the HEAD of ${repo} was ${was} and is now ${is}` : undefined;
  if (!allowRewind && !(await contains(mirror, commit, applied.commit))) {
    const message = `${commit.slice(0, 12)} does not contain ${applied.commit.slice(0, 12)}, which was applied from ${repo} last${
      moved === undefined ? "" : ` (${moved})`
    }; if you mean that, pass --allow-rewind`;
    throw new InputError({ code: "rewound-branch", message });
  }
  if (moved === undefined) return [];
  return [
    { code: "default-branch-changed", severity: "warning", message: `${moved}; --rev follows a branch by its name` },
  ];
}

function nameOfHead(branch: string | null | undefined): string | undefined {
  return branch === null ? "a commit without a branch" : branch && `branch ${branch}`;
}

async function readTrusted(
  place: GitOptions,
  commit: string,
  trust: Trust,
): Promise<Pick<RepositorySource, "tree" | "rev" | "signer">> {
  const signature = await checkSignature(place, commit, trust);
  if (signature.kind === "bad")
    throw new InputError({ code: "untrusted-commit", message: `${signature.message}; it is not applied` });
  const signer = signature.kind === "good" ? signature.signer : undefined;
  return { tree: await readCommit(git(place), commit), rev: commit, signer };
}

function unknownRevision(repo: string, rev: string): InputError {
  return new InputError({
    code: "unknown-revision",
    message: `${repo} has no branch, tag or commit ${JSON.stringify(rev)}`,
  });
}

function noHead(repo: string): InputError {
  return new InputError({ code: "unknown-revision", message: `the HEAD of ${repo} names no commit; give --rev` });
}

/** What a state is known by: its commit, or for files that are in none, what they hold. */
export function versionOf(rev: string | undefined, evaluation: EvaluatedHost): string {
  if (rev !== undefined && !rev.endsWith("-dirty")) return rev;
  const hash = createHash("sha256");
  for (const file of evaluation.files)
    hash.update(`${file.path}\0${contentMode(file.content)}\0${contentHash(file.content)}\n`);
  return `${rev ?? "folder"}+${hash.digest("hex").slice(0, 12)}`;
}
