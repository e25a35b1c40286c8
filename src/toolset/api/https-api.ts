import { readFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { Agent, request as secureRequest } from "node:https";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { InputError } from "../../core/diagnostic.ts";
import { defined } from "../../core/value.ts";
import {
  type AnswerLimits,
  apiError,
  bodyLines,
  bodyText,
  type Call,
  ConnectionError,
  type KubeApi,
  parseAnswer,
  usualAnswerLimits,
} from "./api.ts";
import { type Authorization, authorizationFor, type Proof } from "./authorization.ts";
import type { ClusterAccess, Material } from "./kubeconfig.ts";

/**
 * A request that takes longer than this is given up, and one that hears nothing at all much sooner; a watch has limits
 * of its own.
 */
const requestLimit = 60_000;
const silenceLimit = 10_000;

/** The real cluster, over node:https with kept-alive connections. */
export async function connect(
  access: ClusterAccess,
  env: NodeJS.ProcessEnv,
  limits: AnswerLimits = usualAnswerLimits,
  now: () => number = Date.now,
): Promise<KubeApi & { close(): void }> {
  const authorization = authorizationFor(access.credentials, env, now);
  const agents = new Agents(await tlsOptions(access));
  // Now rather than with the first request: what the kubeconfig names must be usable.
  agents.for(access.credentials.kind === "exec" ? await authorization.proof() : undefined);
  const connection: Connection = { server: new URL(access.server), agents, authorization, limits };
  return {
    request: (call, signal) => request(connection, call, signal),
    stream: (call, signal) => stream(connection, call, signal),
    close: () => agents.close(),
  };
}

interface Connection {
  readonly server: URL;
  readonly agents: Agents;
  readonly authorization: Authorization;
  readonly limits: AnswerLimits;
}

/**
 * The pool of connections. A renewed client certificate needs a pool of its own; requests under way end on the old one.
 */
class Agents {
  readonly #tls: SecureContextOptions;
  #agent: Agent | undefined;
  #certificate: string | undefined;

  constructor(tls: SecureContextOptions) {
    this.#tls = tls;
  }

  for(proof: Proof | undefined): Agent {
    const { certificate, key } = proof ?? { certificate: this.#certificate, key: undefined };
    if (this.#agent !== undefined && certificate === this.#certificate) return this.#agent;
    const tls =
      certificate === undefined || this.#tls.cert !== undefined ? this.#tls : { ...this.#tls, cert: certificate, key };
    refuseUnusable(tls);
    this.dropIdle();
    this.#certificate = certificate;
    this.#agent = new Agent({ keepAlive: true, ...tls });
    return this.#agent;
  }

  /** What broke one connection has most likely broken the others that wait to be used again: start afresh. */
  dropIdle(): void {
    for (const sockets of Object.values(this.#agent?.freeSockets ?? {}))
      for (const socket of sockets ?? []) socket.destroy();
  }

  close(): void {
    this.#agent?.destroy();
  }
}

async function tlsOptions(access: ClusterAccess): Promise<SecureContextOptions> {
  const [ca, cert, key] = await Promise.all([access.authority, access.certificate, access.key].map(read));
  const { serverName: servername, insecure } = access;
  return { ...defined({ ca, cert, key, servername }), rejectUnauthorized: !insecure } as SecureContextOptions;
}

/**
 * A certificate that can't be used would end the process with the first request. The library's words may repeat it, so
 * they are dropped.
 */
function refuseUnusable(options: SecureContextOptions): void {
  try {
    createSecureContext(options);
  } catch {
    throw new InputError({
      code: "no-credentials",
      message: "the client certificate or key can't be used; check the user in the kubeconfig",
    });
  }
}

async function read(material: Material | undefined): Promise<Buffer | undefined> {
  if (material === undefined) return undefined;
  if (material.kind === "inline") return Buffer.from(material.base64, "base64");
  return readFile(material.path).catch((error: NodeJS.ErrnoException) => {
    throw new ConnectionError(`${material.path}: cannot be read (${error.code})`);
  });
}

async function request(connection: Connection, call: Call, signal: AbortSignal | undefined): Promise<unknown> {
  const limit = AbortSignal.timeout(requestLimit);
  try {
    const response = await send(connection, call, signal ? AbortSignal.any([signal, limit]) : limit, silenceLimit);
    return parseAnswer(await bodyText(response, connection.limits), connection.limits);
  } catch (error) {
    if (error instanceof ConnectionError) connection.agents.dropIdle();
    throw error;
  }
}

async function* stream(connection: Connection, call: Call, signal: AbortSignal): AsyncGenerator<unknown> {
  const response = await send(connection, call, signal, undefined);
  try {
    for await (const line of bodyLines(response, connection.limits)) yield parseAnswer(line, connection.limits);
  } catch (error) {
    connection.agents.dropIdle();
    if (signal.aborted) return;
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError(`the watch broke off: ${(error as Error).message}`);
  } finally {
    response.destroy();
  }
}

/** The response, once its head is there and says yes. */
async function send(
  connection: Connection,
  call: Call,
  signal: AbortSignal,
  silence: number | undefined,
): Promise<IncomingMessage> {
  const { authorization, limits } = connection;
  const proof = await orAborted(authorization.proof(), signal);
  if (proof.header !== undefined && !/^[ -~]+$/.test(proof.header))
    throw new ConnectionError("the token for the API server contains characters that no token has");
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const response = await respond(start(connection, call, { proof, body, signal }), body, silence);
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return response;
  if (status === 401) authorization.refused(proof);
  throw apiError(status, await bodyText(response, limits));
}

/** A credential plugin may take its time, but not longer than the request has. */
async function orAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = (): ConnectionError => new ConnectionError("cannot reach the API server: no credentials in time");
  if (signal.aborted) throw late();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(late());
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function start(
  { server, agents }: Connection,
  call: Call,
  { proof, body, signal }: { proof: Proof; body: string | undefined; signal: AbortSignal },
): ClientRequest {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, value);
  const path = server.pathname.replace(/\/$/, "") + call.path + (query.size === 0 ? "" : `?${query}`);
  const options: RequestOptions = {
    method: call.method,
    host: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port,
    path,
    signal,
    headers: {
      accept: "application/json",
      "user-agent": "stet",
      ...(proof.header === undefined ? {} : { authorization: proof.header }),
      ...(body === undefined
        ? {}
        : { "content-type": call.contentType ?? "application/json", "content-length": Buffer.byteLength(body) }),
    },
  };
  return server.protocol === "http:" ? plainRequest(options) : secureRequest({ ...options, agent: agents.for(proof) });
}

function respond(
  outgoing: ClientRequest,
  body: string | undefined,
  silence: number | undefined,
): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    if (silence !== undefined)
      outgoing.setTimeout(silence, () => outgoing.destroy(new Error(`no answer in ${silence / 1000} s`)));
    outgoing.once("response", done);
    // Stays: a connection may break after the head, too, and an error nobody listens to ends the process.
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      fail(new ConnectionError(`cannot reach the API server: ${reasonOf(error)}`)),
    );
    // A peer that is gone without a word is noticed by the system, not by us.
    outgoing.once("socket", (socket) => socket.setKeepAlive(true, 15_000));
    outgoing.end(body);
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.name === "AbortError" || error.name === "TimeoutError"
    ? "no answer in time"
    : error.message || (error.code ?? "unknown");
}
