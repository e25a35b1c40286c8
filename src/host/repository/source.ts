import { createHash } from "node:crypto";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import type { Gate } from "../../store/gate/gate.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import { contentHash, contentMode } from "../evaluate/evaluation-document.ts";
import { folderRevision } from "./folder-revision.ts";
import { type Git, type GitOptions, git } from "./git.ts";
import { readCommit } from "./git-tree.ts";
import { appliedRef, asksForSignature, checkSignature, isRewound, noteApplied, type Trust } from "./git-trust.ts";
import { openMirror, type ResolvedRevision, resolveRevision } from "./mirror.ts";
import { readFolder } from "./read-folder.ts";
import { isRemote, type RemoteAccess } from "./remote-access.ts";
import type { RepositoryTree } from "./tree.ts";

export interface SourceOptions {
  /** A folder, or a Git remote. */
  readonly repo: string;
  readonly rev: string | undefined;
  readonly access: RemoteAccess;
  readonly trust: Trust;
  /** Follow a branch although it no longer contains what was applied from it. */
  readonly allowRewind: boolean;
  /** Whose last commit counts when a branch is looked at for rewinding. */
  readonly owner: string;
  readonly mirrors: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gate: Gate;
  readonly timeoutMs: number;
}

/** A repository to evaluate, and where it stands. */
export interface Source {
  readonly tree: RepositoryTree;
  /** The commit, `-dirty` where a folder differs from it; undefined without Git. */
  readonly rev: string | undefined;
  readonly signer: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Remembers that this commit was applied. */
  noteApplied(): Promise<void>;
}

export function openSource(options: SourceOptions): Promise<Source> {
  if (isRemote(options.repo)) return openRemote(options);
  return options.rev === undefined ? openFolder(options) : openFolderCommit(options, options.rev);
}

/** A folder as it is. Git is only asked what commit it is at, and need not be there. */
async function openFolder(options: SourceOptions): Promise<Source> {
  if (asksForSignature(options.trust)) {
    const message = `${options.repo} is a folder, and files as they lie there bear no signature: give --rev to take a commit of it; it is not applied`;
    throw new InputError({ code: "untrusted-commit", message });
  }
  const tree = readFolder(options.gate, options.repo);
  return {
    tree,
    rev: await folderRevision(gitPlace(options, options.repo)),
    signer: undefined,
    diagnostics: [],
    noteApplied: async () => {},
  };
}

/** A commit of a local repository, whatever is checked out. */
async function openFolderCommit(options: SourceOptions, rev: string): Promise<Source> {
  const place = gitPlace(options, options.repo);
  const resolved = await resolveRevision(git(place), rev);
  if (resolved === undefined) throw await whyUnknown(place, rev);
  return openCommit(options, place, resolved, []);
}

async function openRemote(options: SourceOptions): Promise<Source> {
  const mirror = await openMirror({ ...options, url: options.repo, folder: options.mirrors });
  const updated = await mirror.update();
  const resolved = await resolveRevision(mirror.git, options.rev);
  if (resolved === undefined) {
    if (updated.kind === "offline")
      throw new InputError({ code: "remote-unreachable", message: `${updated.message}, and nothing was fetched before` });
    throw unknownRevision(options.repo, options.rev ?? "HEAD");
  }
  const message =
    updated.kind === "offline" ? `${updated.message}; going on with what was fetched last, ${resolved.commit.slice(0, 12)}` : "";
  const warnings: Diagnostic[] = updated.kind === "offline" ? [{ code: "remote-unreachable", severity: "warning", message }] : [];
  const place = gitPlace(options, mirror.folder);
  return openCommit(options, place, resolved, warnings);
}

async function openCommit(
  options: SourceOptions,
  place: GitOptions,
  { commit, branch }: ResolvedRevision,
  diagnostics: readonly Diagnostic[],
): Promise<Source> {
  const repository: Git = git(place);
  const signature = await checkSignature(place, commit, options.trust);
  if (signature.kind === "bad") throw new InputError({ code: "untrusted-commit", message: `${signature.message}; it is not applied` });
  const ref = branch === undefined || !isRemote(options.repo) ? undefined : appliedRef(options.owner, branch);
  if (ref !== undefined && !options.allowRewind && (await isRewound(repository, ref, commit))) {
    const message = `branch ${branch} was rewound: ${commit.slice(0, 12)} does not contain what was applied from it; --allow-rewind follows it`;
    throw new InputError({ code: "rewound-branch", message });
  }
  return {
    tree: await readCommit(repository, commit),
    rev: commit,
    signer: signature.kind === "good" ? signature.signer : undefined,
    diagnostics,
    noteApplied: async () => {
      if (ref !== undefined) await noteApplied(repository, ref, commit);
    },
  };
}

function gitPlace({ env, timeoutMs }: SourceOptions, folder: string): GitOptions {
  return { folder, env, timeoutMs };
}

/** A folder may have no such commit, or be none of Git's, or belong to somebody else: then Git does not touch it, and says so. */
async function whyUnknown(place: GitOptions, rev: string): Promise<InputError> {
  const looked = await git(place).run(["rev-parse", "--git-dir"]);
  return looked.kind === "done"
    ? unknownRevision(place.folder, rev)
    : new InputError({ code: "unknown-revision", message: `${place.folder}: ${looked.message}` });
}

function unknownRevision(repo: string, rev: string): InputError {
  return new InputError({ code: "unknown-revision", message: `${repo} has no branch, tag or commit ${JSON.stringify(rev)}` });
}

/** What a state is known by: its commit, or for files that are in none, what they hold. */
export function versionOf(rev: string | undefined, evaluation: Evaluation): string {
  if (rev !== undefined && !rev.endsWith("-dirty")) return rev;
  const hash = createHash("sha256");
  for (const file of evaluation.files) hash.update(`${file.path}\0${contentMode(file.content)}\0${contentHash(file.content)}\n`);
  return `${rev ?? "folder"}+${hash.digest("hex").slice(0, 12)}`;
}
