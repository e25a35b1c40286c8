import { readFile } from "node:fs/promises";
import { ConnectionError } from "./api.ts";
import { type ExecCredential, runExecPlugin } from "./exec-credential.ts";
import type { Credentials, ExecPlugin } from "./kubeconfig.ts";

/** Where the `Authorization` header of each request comes from, and what the plugin gave for TLS. */
export interface Authorization {
  header(): Promise<string | undefined>;
  /** Credentials were refused: ask anew next time. */
  forget(): void;
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
      return fromTokenFile(credentials.path, now);
    case "exec":
      return fromPlugin(credentials.plugin, env, now);
  }
}

function constant(header: string | undefined): Authorization {
  return { header: async () => header, forget: () => {} };
}

function fromTokenFile(path: string, now: () => number): Authorization {
  let kept: { header: string; read: number } | undefined;
  return {
    async header() {
      if (kept === undefined || now() - kept.read > tokenFileAge)
        kept = { header: `Bearer ${(await readToken(path)).trim()}`, read: now() };
      return kept.header;
    },
    forget() {
      kept = undefined;
    },
  };
}

function readToken(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConnectionError(`${path}: the token cannot be read (${error.code})`);
  });
}

function fromPlugin(plugin: ExecPlugin, env: NodeJS.ProcessEnv, now: () => number): Authorization {
  let kept: Promise<ExecCredential> | undefined;
  return {
    async header() {
      kept ??= runExecPlugin(plugin, env);
      const { expires, token } = await kept.catch((error: unknown) => {
        kept = undefined;
        throw error;
      });
      if (expires !== undefined && expires - renewalMargin < now()) kept = undefined;
      return token === undefined ? undefined : `Bearer ${token}`;
    },
    forget() {
      kept = undefined;
    },
  };
}
