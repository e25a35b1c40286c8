import { InputError } from "../../core/diagnostic.ts";
import { outputLimit, type ProgramResult, runProgram } from "../../system/run-program.ts";

/** How Git is run: the system's, with nothing of the user's configuration, and never a question to a terminal. */
export interface Git {
  run(args: readonly string[], options?: { readonly input?: string; readonly timeoutMs?: number }): Promise<GitResult>;
}

export type GitResult =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "failed"; readonly message: string };

export interface GitOptions {
  /** A Git folder of ours: a mirror, or a view of somebody's repository. Its configuration is ours, too. */
  readonly gitDir: string;
  /** Checked-out files, and the index that belongs to them. */
  readonly files?: { readonly workTree: string; readonly index: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** More variables, among them secrets: those never appear in arguments or messages. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Configuration for this run only. */
  readonly config?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Stands for a program that must not be run: no system has one of this name, and Git counts it as failed. */
export const noProgram = "/dev/null/none";

/** Whatever a remote sends, none of it makes Git run a program. These also win over the configuration of a mirror. */
const safety: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.attributesFile": "/dev/null",
  "gpg.program": noProgram,
  "gpg.openpgp.program": noProgram,
  "gpg.x509.program": noProgram,
  "gpg.ssh.program": noProgram,
  "gc.auto": "0",
  "submodule.recurse": "false",
  "fetch.recurseSubmodules": "false",
  "protocol.ext.allow": "never",
  "transfer.credentialsInUrl": "die",
  "credential.helper": "",
};

export function git(options: GitOptions): Git {
  const env = gitEnvironment(options);
  return {
    async run(args, { input, timeoutMs = options.timeoutMs } = {}) {
      const result = await runProgram("git", { args: [...args], cwd: options.gitDir, env, timeoutMs, input });
      return readResult(result, args[0] ?? "");
    },
  };
}

function gitEnvironment({
  gitDir,
  files,
  env,
  extra = {},
  config = {},
}: GitOptions): Record<string, string | undefined> {
  const pairs = Object.entries({ ...safety, ...config });
  const settings = Object.fromEntries(
    pairs.flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  );
  return {
    // Named outright, so that Git looks for no other repository.
    GIT_DIR: gitDir,
    GIT_WORK_TREE: files?.workTree,
    GIT_INDEX_FILE: files?.index,
    PATH: env.PATH,
    HOME: env.HOME,
    LANG: "C",
    LC_ALL: "C",
    SSH_AUTH_SOCK: env.SSH_AUTH_SOCK,
    // Whose certificates count is for the machine's owner to say; that none need count is not passed on.
    GIT_SSL_CAINFO: env.GIT_SSL_CAINFO,
    GIT_SSL_CAPATH: env.GIT_SSL_CAPATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    // Nothing is fetched unless we mean to: a repository whose objects are missing may name a program that would bring
    // them.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    ...settings,
    GIT_CONFIG_COUNT: String(pairs.length),
    ...extra,
  };
}

function readResult(result: ProgramResult, what: string): GitResult {
  if (result.kind === "missing")
    throw new InputError({ code: "no-git", message: "git is not installed: install it, or give --repo a folder" });
  if (result.kind === "timeout") return { kind: "failed", message: `git ${what} took too long and was ended` };
  if (result.kind === "too-much") {
    const message = `git ${what} answers with more than ${outputLimit / 1024 ** 2} MiB; keep only configuration in services/ and hosts/`;
    return { kind: "failed", message };
  }
  if (result.status === 0) return { kind: "done", stdout: result.stdout };
  const lines = result.stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // The last complaint of Git itself says most; what the other side prints comes with a "remote:" in front.
  const told = lines.findLast((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? `exit ${result.status}`;
  const context = lines.find((line) =>
    /host key verification failed|permission denied|could not resolve|connection (refused|timed out)/i.test(line),
  );
  return { kind: "failed", message: withoutCredentials(`git ${what}: ${context ?? told}`) };
}

/** What Git answers, without the last line end; undefined where it fails or has nothing to say. */
export async function askGit(git: Git, args: readonly string[]): Promise<string | undefined> {
  const result = await git.run(args);
  const text = result.kind === "done" ? result.stdout.toString("utf8").trimEnd() : "";
  return text === "" ? undefined : text;
}

/** Should a remote's message repeat an address with a password in it, the password does not go further. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/@]+@/g, "$1***@");
}
