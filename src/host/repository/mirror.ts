import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { shellQuoted } from "../../core/messages.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { withStateLock } from "../../store/transaction/lock.ts";
import { compareBytes } from "../units/unit-kind.ts";
import { askGit, type Git, type GitOptions, git, withoutCredentials } from "./git.ts";
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
  // Of a remote with a shortened history Git otherwise takes nothing, without a word.
  const asItIs = ["--prune", "--force", "--no-tags", "--update-shallow"];
  const fetched = await remote.run(["fetch", "--quiet", "--no-write-fetch-head", ...asItIs, "--", from, ...refs]);
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

/** How to get into a remote: all of it from files, none of it ever in an argument or a log. */
export interface RemoteAccess {
  readonly sshKey: string | undefined;
  readonly knownHosts: string | undefined;
  readonly tokenFile: string | undefined;
}

/** `ssh://-oProxyCommand=…`, `-o@host:x`, `git@host:-x`. */
const dashed = /^(?:[a-z][a-z0-9+.-]*:\/\/)?-|^[^/]*:-/i;
const scpLike = /^[\w.-]+@[\w.-]+:(?!\/\/)\S+$/;

/** Whether `--repo` names a remote rather than a folder. */
export function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || scpLike.test(repo) || /^[a-z]+::/.test(repo);
}

/** Only ssh, https and file, and no password inside: an address ends up in process lists. */
export function checkRemote(url: string): void {
  const refuse = (message: string) =>
    new InputError({ code: "invalid-remote", message: `${withoutCredentials(url)}: ${message}` });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // Git and ssh would take it for an option.
  if (dashed.test(url)) throw refuse("begins with a dash where a user, a host or a path should stand");
  if (scpLike.test(url)) return;
  if (parsed === undefined || !["ssh:", "https:", "file:"].includes(parsed.protocol))
    throw refuse("a remote is ssh://, https://, file:// or user@host:path");
  if (parsed.password !== "" || (parsed.protocol === "https:" && parsed.username !== "")) {
    throw refuse("holds a user name or password; keep them out of the address and give --token-file");
  }
}

/** Variables for Git's environment, which other users can't read. */
export function accessEnvironment(access: RemoteAccess): Record<string, string> {
  const words = ["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=15"];
  if (access.sshKey !== undefined) words.push("-F", "/dev/null", "-i", access.sshKey, "-o", "IdentitiesOnly=yes");
  if (access.knownHosts !== undefined)
    words.push("-o", `UserKnownHostsFile=${sshQuoted(access.knownHosts)}`, "-o", "GlobalKnownHostsFile=/dev/null");
  return {
    GIT_SSH_COMMAND: words.map(shellQuoted).join(" "),
    GIT_SSH_VARIANT: "ssh",
    GIT_ALLOW_PROTOCOL: "ssh:https:file",
  };
}

/** Configuration that carries the token, for this remote's address only and not beyond a redirect. */
export function accessConfig(access: RemoteAccess, url: string): Record<string, string> {
  if (access.tokenFile === undefined || !url.startsWith("https://")) return {};
  const token = readToken(access.tokenFile);
  const login = token.includes(":") ? token : `x-access-token:${token}`;
  const header = `Authorization: Basic ${Buffer.from(login).toString("base64")}`;
  return { [`http.${new URL(url).origin}/.extraHeader`]: header, "http.followRedirects": "false" };
}

/**
 * Git, refused by a server, tries to ask for a name and says that it may not. What a person has to do is another thing.
 */
function explainRefusal(message: string, { tokenFile }: RemoteAccess): string {
  if (!/could not read (Username|Password)/.test(message)) return message;
  return tokenFile === undefined
    ? "it asks for a login: give --token-file"
    : `it does not accept the token in ${tokenFile}`;
}

function readToken(file: string): string {
  try {
    const token = readFileSync(file, "utf8").trim();
    if (token !== "" && !/\s/.test(token)) return token;
  } catch (error) {
    throw new InputError({
      code: "unreadable-file",
      file,
      message: `the token can't be read (${(error as NodeJS.ErrnoException).code})`,
    });
  }
  throw new InputError({
    code: "unreadable-file",
    file,
    message: "must hold one token, or user:token, and nothing else",
  });
}

/** ssh splits a list of files at blanks, and knows double quotes. */
function sshQuoted(path: string): string {
  return /[\s"]/.test(path) ? `"${path.replaceAll('"', '\\"')}"` : path;
}
