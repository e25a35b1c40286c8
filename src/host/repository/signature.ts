import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { runProgram } from "../../system/run-program.ts";
import { askGit, type Git, type GitOptions, git, noProgram } from "./git.ts";

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
