import { type ExecFileException, execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import * as v from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import { ConnectionError } from "./api.ts";
import type { Credentials, ExecPlugin } from "./kubeconfig.ts";

/** What one request proves its identity with. */
export interface Proof {
  /** The `Authorization` header; undefined: none. */
  readonly header: string | undefined;
  /**
   * A client certificate that a plugin handed out, and its key, both as PEM; undefined: the kubeconfig's own, if any.
   */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export interface Authorization {
  /** Valid now: what has expired, or is about to, is renewed first. */
  proof(): Promise<Proof>;
  /** The server refused this proof: ask anew next time. One that was renewed meanwhile stays. */
  refused(proof: Proof): void;
}

/** Kubernetes renews a pod's token file long before it ends; reading it once a minute is what its own clients do. */
const tokenFileAge = 60_000;
/** Renewed a little early, so that no request travels with a token that ends on the way. */
const renewalMargin = 30_000;

export function authorizationFor(credentials: Credentials, env: NodeJS.ProcessEnv, now: () => number): Authorization {
  switch (credentials.kind) {
    case "none":
      return constant(undefined);
    case "token":
      return constant(`Bearer ${credentials.token}`);
    case "basic":
      return constant(`Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`);
    case "token-file":
      return renewed(() => fromTokenFile(credentials.path, now), now);
    case "exec":
      return renewed(() => fromPlugin(credentials.plugin, env), now);
  }
}

function constant(header: string | undefined): Authorization {
  const proof = headerOnly(header);
  return { proof: async () => proof, refused: () => {} };
}

function headerOnly(header: string | undefined): Proof {
  return { header, certificate: undefined, key: undefined };
}

/** A proof with the time from which it must not be sent any more. */
interface TimedProof {
  readonly proof: Proof;
  readonly until: number;
}

/** Keeps a proof while it is valid. Requests that need a new one at the same time wait for the same renewal. */
function renewed(renew: () => Promise<TimedProof>, now: () => number): Authorization {
  let kept: TimedProof | undefined;
  let renewing: Promise<TimedProof> | undefined;
  const renewOnce = (): Promise<TimedProof> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return {
    async proof() {
      if (kept === undefined || kept.until <= now()) kept = await renewOnce();
      return kept.proof;
    },
    refused(proof) {
      if (kept?.proof === proof) kept = undefined;
    },
  };
}

async function fromTokenFile(path: string, now: () => number): Promise<TimedProof> {
  const token = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConnectionError(`${path}: the token cannot be read (${error.code})`);
  });
  return { proof: headerOnly(`Bearer ${token.trim()}`), until: now() + tokenFileAge };
}

async function fromPlugin(plugin: ExecPlugin, env: NodeJS.ProcessEnv): Promise<TimedProof> {
  const { token, certificate, key, expires }: ExecCredential = await runExecPlugin(plugin, env);
  const header = token === undefined ? undefined : `Bearer ${token}`;
  return {
    proof: { header, certificate, key },
    until: expires === undefined ? Number.POSITIVE_INFINITY : expires - renewalMargin,
  };
}

/** What a credential plugin handed out. */
interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** In milliseconds since 1970; undefined: as long as the server takes it. */
  readonly expires: number | undefined;
}

const timeLimit = 60_000;

/**
 * Run a client-go credential plugin (`aws eks get-token`, `gke-gcloud-auth-plugin`, …). It never talks to a terminal.
 */
async function runExecPlugin(plugin: ExecPlugin, env: NodeJS.ProcessEnv): Promise<ExecCredential> {
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  const answer = await output(plugin, { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info });
  const status = statusOf(answer);
  if (status === undefined) throw failed(plugin, "it did not print an ExecCredential");
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !(certificate && key)) throw failed(plugin, "it gave neither a token nor a certificate with its key");
  const expires = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expires)) throw failed(plugin, "its expirationTimestamp is not a time");
  return { token: token || undefined, certificate: certificate || undefined, key: key || undefined, expires };
}

const text = v.optional(v.nullable(v.string()));
const answerSchema = v.object({
  status: v.object({ token: text, clientCertificateData: text, clientKeyData: text, expirationTimestamp: text }),
});

function statusOf(answer: string): v.InferOutput<typeof answerSchema>["status"] | undefined {
  try {
    const parsed = v.safeParse(answerSchema, JSON.parse(answer));
    return parsed.success ? parsed.output.status : undefined;
  } catch {
    return undefined;
  }
}

function output(plugin: ExecPlugin, env: NodeJS.ProcessEnv): Promise<string> {
  // A name with a slash in it is a path, relative to the kubeconfig; a plain one is looked for in PATH.
  const isPath = !isAbsolute(plugin.command) && /[/\\]/.test(plugin.command);
  const command = isPath ? resolve(plugin.folder, plugin.command) : plugin.command;
  return new Promise((done, fail) => {
    const child = execFile(
      command,
      plugin.args,
      { env, timeout: timeLimit, killSignal: "SIGKILL", windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) done(stdout);
        else fail(failed(plugin, stderr.trim().split("\n").at(-1) || endOf(error)));
      },
    );
    child.stdin?.end();
  });
}

/** Not the error's own words: they repeat the arguments, and a secret may be among them. */
function endOf({ code, killed, signal }: ExecFileException): string {
  if (killed === true) return `it did not end within ${timeLimit / 1000} s`;
  if (typeof code === "number") return `it ended with ${code}, and gave no reason`;
  return code === "ENOENT" ? "there is no such program" : `it can't be run (${signal ?? code})`;
}

function failed(plugin: ExecPlugin, why: string): InputError {
  return new InputError({
    code: "no-credentials",
    message: `the credential plugin '${plugin.command}' failed: ${why}`,
  });
}
