import { ask, type Git } from "./git.ts";

/**
 * What was last applied from a remote, noted in its mirror. It is kept per owner, whatever the branch was called: a
 * remote that chooses another branch could otherwise bring back any commit it ever had.
 */
export interface Applied {
  readonly commit: string;
  /** The remote's default branch then: null for none, undefined where a revision was asked for. */
  readonly defaultBranch: string | null | undefined;
}

const commitRef = (owner: string): string => `refs/stet/last/${owner}`;
const branchRef = (owner: string): string => `refs/stet/default/${owner}`;
/** Earlier releases noted a commit for each branch. */
const earlierRefs = (owner: string): string => `refs/stet/applied/${owner}/`;
const [branches, noBranch] = ["refs/heads/", "refs/stet/none"];

export async function readApplied(git: Git, owner: string): Promise<Applied | undefined> {
  const newest = ["--sort=-committerdate", "--format=%(refname) %(objectname)"];
  const listed = (await ask(git, ["for-each-ref", ...newest, commitRef(owner), earlierRefs(owner)]))?.split("\n") ?? [];
  // Of several branches, the one that is furthest on.
  const noted = listed.find((line) => line.startsWith(`${commitRef(owner)} `)) ?? listed[0];
  if (noted === undefined) return undefined;
  const branch = await ask(git, ["symbolic-ref", "--quiet", branchRef(owner)]);
  return {
    commit: noted.slice(noted.indexOf(" ") + 1),
    defaultBranch: branch?.startsWith(branches) ? branch.slice(branches.length) : branch && null,
  };
}

export async function noteApplied(git: Git, owner: string, { commit, defaultBranch }: Applied): Promise<void> {
  const before = await readApplied(git, owner);
  if (before?.commit !== commit) await git.run(["update-ref", commitRef(owner), commit]);
  if (defaultBranch === undefined || before?.defaultBranch === defaultBranch) return;
  await git.run(["symbolic-ref", branchRef(owner), defaultBranch === null ? noBranch : branches + defaultBranch]);
}

/** Whether a commit contains another. One that can't be found any more is not contained. */
export async function contains(git: Git, commit: string, earlier: string): Promise<boolean> {
  return commit === earlier || (await git.run(["merge-base", "--is-ancestor", earlier, commit])).kind === "done";
}
