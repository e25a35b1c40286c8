import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { runProgram } from "../../system/run-program.ts";
import { type Git, type GitOptions, git } from "./git.ts";

/** Whose signature a commit must bear. Both given: either will do. Neither: none is asked for. */
export interface Trust {
  /** ssh's allowed_signers file. */
  readonly allowedSigners: string | undefined;
  /** Public OpenPGP keys. */
  readonly keyring: string | undefined;
}

export type Signature =
  | { readonly kind: "not-asked" }
  | { readonly kind: "good"; readonly signer: string }
  | { readonly kind: "bad"; readonly message: string };

export function asksForSignature({ allowedSigners, keyring }: Trust): boolean {
  return allowedSigners !== undefined || keyring !== undefined;
}

export async function checkSignature(options: GitOptions, commit: string, trust: Trust): Promise<Signature> {
  if (!asksForSignature(trust)) return { kind: "not-asked" };
  // To a list that is not there every key is a stranger's: true, and no help.
  for (const file of [trust.allowedSigners, trust.keyring])
    if (file !== undefined && !existsSync(file)) throw new InputError({ code: "unreadable-file", message: "no such file", file });
  const home = mkdtempSync(join(tmpdir(), "stet-gnupg-"));
  try {
    if (trust.keyring !== undefined) await importKeys(trust.keyring, home, options);
    // Only keys that were given count: neither the user's own keyring nor any other list of signers.
    const config = { ...options.config, "gpg.ssh.allowedSignersFile": trust.allowedSigners ?? "/dev/null" };
    return await readSignature(git({ ...options, config, extra: { ...options.extra, GNUPGHOME: home } }), commit);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function importKeys(keyring: string, home: string, { env }: GitOptions): Promise<void> {
  await runProgram("gpg", {
    args: ["--batch", "--quiet", "--import", "--", keyring],
    env: { PATH: env.PATH, GNUPGHOME: home },
    timeoutMs: 30_000,
  });
}

async function readSignature(repository: Git, commit: string): Promise<Signature> {
  const verified = await repository.run(["verify-commit", "--end-of-options", commit]);
  const shown = await repository.run(["log", "-1", "--format=%G?%x00%GS%x00%GF", "--end-of-options", commit]);
  const [status = "N", signer = "", fingerprint = ""] = shown.kind === "done" ? shown.stdout.toString("utf8").trim().split("\0") : [];
  // U: a good signature by a key of the keyring, which nobody has certified. For ssh it would be a key that no list names.
  const isListed = status === "G" || (status === "U" && !fingerprint.startsWith("SHA256:"));
  if (verified.kind === "done" && isListed) return { kind: "good", signer: signer || fingerprint };
  const why =
    status === "N" ? "is not signed" : status === "B" ? "has a signature that does not match it" : "is signed by a key that is not allowed";
  return { kind: "bad", message: `commit ${commit.slice(0, 12)} ${why}` };
}

/** Where we note the commit that was last applied from a branch: a branch that no longer contains it was rewound. */
export function appliedRef(owner: string, branch: string): string {
  return `refs/stet/applied/${owner}/${branch}`;
}

export async function isRewound(repository: Git, ref: string, commit: string): Promise<boolean> {
  const applied = await repository.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  if (applied.kind === "failed") return false;
  const before = applied.stdout.toString("utf8").trim();
  return (await repository.run(["merge-base", "--is-ancestor", before, commit])).kind === "failed";
}

export async function noteApplied(repository: Git, ref: string, commit: string): Promise<void> {
  const known = await repository.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  if (known.kind === "done" && known.stdout.toString("utf8").trim() === commit) return;
  await repository.run(["update-ref", ref, commit]);
}
