import { InputError } from "../../core/diagnostic.ts";
import { askGit, type Git } from "./git.ts";

export interface ResolvedRevision {
  readonly commit: string;
  /** The branch that the remote's HEAD names, where no revision was asked for; null for a HEAD that is a commit. */
  readonly defaultBranch: string | null | undefined;
}

const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * The commit that a name means: a branch, a tag, or a commit by its hash or the beginning of one, with `~2` or `^`
 * behind it for its ancestors. Without a name: HEAD. A name that means two things is refused: whoever makes branches
 * would choose between them.
 */
export async function resolveRevision(git: Git, rev: string | undefined): Promise<ResolvedRevision | undefined> {
  if (rev === undefined) return resolveHead(git);
  const [, name = "", steps = ""] = /^(.*?)((?:[~^]\d*)*)$/s.exec(rev) ?? [];
  const found = fullHash.test(name) ? await byFullHash(git, name) : await byName(git, name);
  const commit = found && (await peel(git, found + steps));
  return commit === undefined ? undefined : { commit, defaultBranch: undefined };
}

async function resolveHead(git: Git): Promise<ResolvedRevision | undefined> {
  const head = await askGit(git, ["symbolic-ref", "--quiet", "HEAD"]);
  const branch = head?.startsWith("refs/heads/") ? head.slice("refs/heads/".length) : null;
  const target = await (head === undefined
    ? askGit(git, ["rev-parse", "--verify", "--quiet", "HEAD"])
    : byReference(git, head));
  const commit = target && (await peel(git, target));
  return commit === undefined ? undefined : { commit, defaultBranch: branch };
}

/** The object itself: a branch may bear any name, also one that looks like a hash. */
async function byFullHash(git: Git, hash: string): Promise<string | undefined> {
  const object = await askGit(git, ["rev-parse", "--verify", "--quiet", "--end-of-options", hash]);
  return object === hash.toLowerCase() ? object : undefined;
}

async function byName(git: Git, name: string): Promise<string | undefined> {
  if (name === "HEAD") return (await resolveHead(git))?.commit;
  if (!isReferenceName(name)) return undefined;
  const places = name.startsWith("refs/")
    ? [name]
    : ["refs/heads/", "refs/tags/", "refs/remotes/"].map((folder) => folder + name);
  const meanings: { readonly what: string; readonly object: string }[] = [];
  for (const place of places) {
    const object = await byReference(git, place);
    if (object !== undefined) meanings.push({ what: place, object });
  }
  if (/^[0-9a-f]{4,}$/i.test(name)) {
    const object = await byShortHash(git, name);
    if (object !== undefined) meanings.push({ what: `commit ${object}`, object });
  }
  if (meanings.length < 2) return meanings[0]?.object;
  const message = `${JSON.stringify(name)} is ambiguous: it is ${meanings.map(({ what }) => what).join(" and ")}; give one of these in full`;
  throw new InputError({ code: "ambiguous-revision", message });
}

/** The reference of exactly this name. Elsewhere Git would try other places for a name that it does not find. */
async function byReference(git: Git, reference: string): Promise<string | undefined> {
  return askGit(git, ["show-ref", "--verify", "--hash", "--", reference]);
}

async function byShortHash(git: Git, digits: string): Promise<string | undefined> {
  const listed = await askGit(git, ["rev-parse", `--disambiguate=${digits.toLowerCase()}`]);
  const commits: string[] = [];
  for (const object of listed?.split("\n") ?? [])
    if ((await askGit(git, ["cat-file", "-t", object])) === "commit") commits.push(object);
  if (commits.length < 2) return commits[0];
  throw new InputError({
    code: "ambiguous-revision",
    message: `${digits} begins the hash of ${commits.length} commits: give more digits`,
  });
}

/** What `git check-ref-format` allows: no operators of revision syntax among it. */
function isReferenceName(name: string): boolean {
  const parts = name.split("/");
  return (
    !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(name) &&
    name !== "@" &&
    parts.every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".") && !part.endsWith(".lock"))
  );
}

async function peel(git: Git, object: string): Promise<string | undefined> {
  const commit = await askGit(git, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${object}^{commit}`]);
  return commit !== undefined && fullHash.test(commit) ? commit : undefined;
}
