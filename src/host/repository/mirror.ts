import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { withStateLock } from "../../store/transaction/lock.ts";
import { compareBytes } from "../units/byte-order.ts";
import { askGit, type Git, type GitOptions, git, withoutCredentials } from "./git.ts";
import { accessConfig, accessEnvironment, checkRemote, explainRefusal, type RemoteAccess } from "./remote-access.ts";
import { withView } from "./repository-view.ts";

/** A copy of a remote that stays on this machine: what can't be fetched now was fetched before. */
export interface Mirror {
  readonly git: Git;
  readonly url: string;
  readonly place: GitOptions;
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
  const place: GitOptions = { gitDir: folder, env: options.env, timeoutMs: options.timeoutMs };
  const remote = git({ ...place, extra: accessEnvironment(options.access), config: accessConfig(options.access, url) });
  return {
    url,
    place,
    git: git(place),
    update: () =>
      withStateLock(options.gate, options.folder, lockWaitMs, async () => {
        await prepare(folder, git(place));
        return isLocal(url) ? fetchLocal(remote, options) : fetchAll(remote, url, options);
      }),
  };
}

function isLocal(url: string): boolean {
  return /^file:/i.test(url);
}

/** To serve a folder, Git reads the configuration there: it gets our view of the folder instead. */
async function fetchLocal(remote: Git, options: MirrorOptions): ReturnType<Mirror["update"]> {
  const path = decodeURIComponent(new URL(options.url).pathname);
  try {
    return await withView(path, options.env, (view) => fetchAll(remote, `file://${view.gitDir}`, options));
  } catch (error) {
    if (error instanceof InputError) return offline(error.message, options);
    throw error;
  }
}

function offline(
  message: string,
  { url, access }: MirrorOptions,
): { readonly kind: "offline"; readonly message: string } {
  return {
    kind: "offline",
    message: `${withoutCredentials(url)} can't be reached (${explainRefusal(message, access)})`,
  };
}

async function prepare(folder: string, local: Git): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, "HEAD"))) {
    const made = await local.run(["init", "--bare", "--quiet", "--template="]);
    if (made.kind === "failed") throw new InputError({ code: "no-mirror", message: made.message });
  }
  // We hold the only lock that counts, so these were left behind by a run that was killed.
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".lock") && !name.startsWith("objects")) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Branches and tags as the remote has them, and its HEAD: a branch, or a commit. `from` is where they are fetched from.
 */
async function fetchAll(remote: Git, from: string, options: MirrorOptions): ReturnType<Mirror["update"]> {
  const listed = await remote.run(["ls-remote", "--symref", "--", from, "HEAD", "refs/heads/*", "refs/tags/*"], {
    timeoutMs: 60_000,
  });
  if (listed.kind === "failed") return offline(listed.message, options);
  const answer = listed.stdout.toString("utf8");
  const head = readHead(answer);
  // Most looks find nothing new: the server is spared the second question then.
  if (head.kind === "branch" && (await isUpToDate(remote, head.branch, answer))) return { kind: "updated" };
  const refs = [
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    ...(head.kind === "commit" ? [`+HEAD:${detachedHead}`] : []),
  ];
  const quietly = ["--quiet", "--prune", "--force", "--no-tags", "--no-write-fetch-head"];
  const fetched = await remote.run(["fetch", ...quietly, "--", from, ...refs]);
  if (fetched.kind === "failed") return offline(fetched.message, options);
  await remote.run([
    "symbolic-ref",
    "HEAD",
    head.kind === "branch" ? head.branch : head.kind === "commit" ? detachedHead : noHead,
  ]);
  return { kind: "updated" };
}

/** Whether every branch and tag of the remote, and its HEAD, is here already. */
async function isUpToDate(mirror: Git, head: string, listed: string): Promise<boolean> {
  const there = listed.split("\n").filter((line) => /^[0-9a-f]{40,64}\trefs\/(heads|tags)\/[^^]+$/.test(line));
  const here = await askGit(mirror, ["for-each-ref", "--format=%(objectname)\t%(refname)", "refs/heads", "refs/tags"]);
  if (there.length === 0 || here !== there.sort(byName).join("\n")) return false;
  return (await askGit(mirror, ["symbolic-ref", "HEAD"])) === head;
}

function byName(a: string, b: string): number {
  return compareBytes(a.slice(a.indexOf("\t")), b.slice(b.indexOf("\t")));
}

type RemoteHead =
  | { readonly kind: "branch"; readonly branch: string }
  | { readonly kind: "commit" }
  | { readonly kind: "none" };

const [detachedHead, noHead] = ["refs/stet/detached", "refs/stet/none"];

function readHead(listed: string): RemoteHead {
  const branch = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(listed)?.[1];
  if (branch !== undefined) return { kind: "branch", branch };
  return /^[0-9a-f]{40,64}\tHEAD$/m.test(listed) ? { kind: "commit" } : { kind: "none" };
}
