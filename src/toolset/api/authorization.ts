import { readFile } from "node:fs/promises";
import { ConnectionError } from "./api.ts";
import { type ExecCredential, runExecPlugin } from "./exec-credential.ts";
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
