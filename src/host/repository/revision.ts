import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { runProgram } from "../../system/run-program.ts";
import { askGit, type Git, type GitOptions, git, noProgram } from "./git.ts";

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
    message: `${commits.length} commits have a hash that begins with ${digits}; give more digits`,
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

/** Whose signature a commit must bear. Both given: either will do. Neither: none is asked for. */
export interface Trust {
  /** ssh's allowed_signers file. */
  readonly allowedSigners: string | undefined;
  /** Public OpenPGP keys. */
  readonly keyring: string | undefined;
}

type Signature =
  | { readonly kind: "not-asked" }
  | { readonly kind: "good"; readonly signer: string }
  | { readonly kind: "bad"; readonly message: string };

export function asksForSignature({ allowedSigners, keyring }: Trust): boolean {
  return allowedSigners !== undefined || keyring !== undefined;
}

export async function checkSignature(options: GitOptions, commit: string, trust: Trust): Promise<Signature> {
  if (!asksForSignature(trust)) return { kind: "not-asked" };
  // Without its list every key would be refused, which does not say what is wrong.
  for (const file of [trust.allowedSigners, trust.keyring])
    if (file !== undefined && !existsSync(file))
      throw new InputError({ code: "unreadable-file", message: "no such file", file });
  const home = mkdtempSync(join(tmpdir(), "stet-gnupg-"));
  try {
    if (trust.keyring !== undefined) await importKeys(trust.keyring, home, options);
    const config = { ...options.config, ...checkers(trust) };
    return await readSignature(git({ ...options, config, extra: { ...options.extra, GNUPGHOME: home } }), commit);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Only a program that reads a list we were given is ever asked: gpgsm would believe the certificates that the machine
 * trusts.
 */
function checkers({ allowedSigners, keyring }: Trust): Record<string, string> {
  const gpg = keyring === undefined ? noProgram : "gpg";
  return {
    "gpg.program": gpg,
    "gpg.openpgp.program": gpg,
    "gpg.ssh.program": allowedSigners === undefined ? noProgram : "ssh-keygen",
    "gpg.ssh.allowedSignersFile": allowedSigners ?? "/dev/null",
  };
}

async function importKeys(keyring: string, home: string, { env }: GitOptions): Promise<void> {
  // The machine's own gpg.conf may tell gpg to fetch keys that it does not have.
  writeFileSync(join(home, "gpg.conf"), "no-auto-key-retrieve\n");
  await runProgram("gpg", {
    args: ["--batch", "--quiet", "--import", "--", keyring],
    env: { PATH: env.PATH, GNUPGHOME: home },
    timeoutMs: 30_000,
  });
}

async function readSignature(repository: Git, commit: string): Promise<Signature> {
  const verified = await repository.run(["verify-commit", "--end-of-options", commit]);
  const shown = await askGit(repository, ["log", "-1", "--format=%G?%x00%GS%x00%GF", "--end-of-options", commit]);
  const [status = "N", signer = "", fingerprint = ""] = shown?.split("\0") ?? [];
  // U: a good signature by a key of the keyring, which nobody has certified. For ssh it would be a key that no list
  // names.
  const isListed = status === "G" || (status === "U" && !fingerprint.startsWith("SHA256:"));
  if (verified.kind === "done" && isListed) return { kind: "good", signer: signer || fingerprint };
  const bytes = await askGit(repository, ["cat-file", "commit", commit]);
  return { kind: "bad", message: `commit ${commit.slice(0, 12)} ${whyBad(status, bytes ?? "")}` };
}

function whyBad(status: string, commit: string): string {
  const [header = ""] = commit.split("\n\n", 1);
  if (!/^gpgsig(-sha256)? /m.test(header)) return "is not signed";
  if (/^gpgsig(-sha256)? -----BEGIN SIGNED MESSAGE-----/m.test(header))
    return "is signed with an X.509 certificate: only keys in --allowed-signers or --keyring count";
  return status === "B" ? "has a signature that does not match it" : "is signed by a key that is not allowed";
}
