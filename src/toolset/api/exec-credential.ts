import { type ExecFileException, execFile } from "node:child_process";
import { isAbsolute, resolve } from "node:path";
import * as v from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import type { ExecPlugin } from "./kubeconfig.ts";

/** What a credential plugin handed out. */
export interface ExecCredential {
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
export async function runExecPlugin(plugin: ExecPlugin, env: NodeJS.ProcessEnv): Promise<ExecCredential> {
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
