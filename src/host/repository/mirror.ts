import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { withStateLock } from "../../store/transaction/lock.ts";
import { type Git, git, withoutCredentials } from "./git.ts";
import { accessConfig, accessEnvironment, checkRemote, explainRefusal, type RemoteAccess } from "./remote-access.ts";

/** A copy of a remote that stays on this machine: what can't be fetched now was fetched before. */
export interface Mirror {
  readonly git: Git;
  readonly url: string;
  readonly folder: string;
  /** Brings the copy up to date; why not, where the remote can't be reached. */
  update(): Promise<{ readonly kind: "updated" } | { readonly kind: "offline"; readonly message: string }>;
}

export interface MirrorOptions {
  readonly url: string;
  readonly access: RemoteAccess;
  /** Where mirrors are kept. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gate: Gate;
  readonly timeoutMs: number;
}

const lockWaitMs = 120_000;

export async function openMirror(options: MirrorOptions): Promise<Mirror> {
  const { url } = options;
  checkRemote(url);
  const folder = join(options.folder, createHash("sha256").update(url).digest("hex").slice(0, 16));
  const local: Omit<Parameters<typeof git>[0], "folder"> = { env: options.env, timeoutMs: options.timeoutMs };
  const remote = git({ ...local, folder, extra: accessEnvironment(options.access), config: accessConfig(options.access, url) });
  return {
    url,
    folder,
    git: git({ ...local, folder }),
    update: () =>
      withStateLock(options.gate, options.folder, lockWaitMs, async () => {
        await prepare(folder, git({ ...local, folder }));
        return fetchAll(remote, url, options.access);
      }),
  };
}

async function prepare(folder: string, local: Git): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, "HEAD"))) {
    const made = await local.run(["init", "--bare", "--quiet", "."]);
    if (made.kind === "failed") throw new InputError({ code: "no-mirror", message: made.message });
  }
  // We hold the only lock that counts, so these were left behind by a run that was killed.
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".lock") && !name.startsWith("objects")) rmSync(join(folder, name), { force: true });
  }
}

/** Branches and tags as the remote has them, and which branch is its head. */
async function fetchAll(remote: Git, url: string, access: RemoteAccess): ReturnType<Mirror["update"]> {
  const offline = (message: string) => ({
    kind: "offline" as const,
    message: `${withoutCredentials(url)} can't be reached (${explainRefusal(message, access)})`,
  });
  const head = await remote.run(["ls-remote", "--symref", "--", url, "HEAD"], { timeoutMs: 60_000 });
  if (head.kind === "failed") return offline(head.message);
  const refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  const fetched = await remote.run(["fetch", "--quiet", "--prune", "--force", "--no-tags", "--no-write-fetch-head", "--", url, ...refs]);
  if (fetched.kind === "failed") return offline(fetched.message);
  const branch = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(head.stdout.toString("utf8"))?.[1];
  if (branch !== undefined) await remote.run(["symbolic-ref", "HEAD", branch]);
  return { kind: "updated" };
}

export interface ResolvedRevision {
  readonly commit: string;
  /** The branch that is followed; undefined for a tag or a commit, which do not move. */
  readonly branch: string | undefined;
}

/** A branch, a tag, or a commit by as many digits as make it unique. Without a name: the remote's head. */
export async function resolveRevision(repository: Git, rev: string | undefined): Promise<ResolvedRevision | undefined> {
  const commitOf = async (name: string): Promise<string | undefined> => {
    const found = await repository.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
    const commit = found.kind === "done" ? found.stdout.toString("utf8").trim() : "";
    return /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
  };
  const branch = rev === undefined ? await headBranch(repository) : rev;
  const onBranch = branch === undefined ? undefined : await commitOf(`refs/heads/${branch}`);
  if (onBranch !== undefined) return { commit: onBranch, branch };
  const commit = rev === undefined ? await commitOf("HEAD") : ((await commitOf(`refs/tags/${rev}`)) ?? (await commitOf(rev)));
  return commit === undefined ? undefined : { commit, branch: undefined };
}

async function headBranch(repository: Git): Promise<string | undefined> {
  const head = await repository.run(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return head.kind === "done" ? head.stdout.toString("utf8").trim() : undefined;
}
