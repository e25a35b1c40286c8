import { readFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { Agent, request as secureRequest } from "node:https";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { InputError } from "../../core/diagnostic.ts";
import { apiError, type Call, ConnectionError, type KubeApi } from "./api.ts";
import { type Authorization, authorizationFor } from "./authorization.ts";
import { runExecPlugin } from "./exec-credential.ts";
import type { ClusterAccess, Material } from "./kubeconfig.ts";

/** A request that takes longer than this is given up, and one that hears nothing at all much sooner; a watch has limits of its own. */
const requestLimit = 60_000;
const silenceLimit = 10_000;

/** The real cluster, over node:https with kept-alive connections. */
export async function connect(access: ClusterAccess, env: NodeJS.ProcessEnv): Promise<KubeApi & { close(): void }> {
  const agent = new Agent({ keepAlive: true, ...(await tlsOptions(access, env)) });
  const connection: Connection = {
    server: new URL(access.server),
    agent,
    authorization: authorizationFor(access.credentials, env, Date.now),
  };
  return {
    request: (call, signal) => request(connection, call, signal),
    stream: (call, signal) => stream(connection, call, signal),
    close: () => agent.destroy(),
  };
}

interface Connection {
  readonly server: URL;
  readonly agent: Agent;
  readonly authorization: Authorization;
}

async function tlsOptions(access: ClusterAccess, env: NodeJS.ProcessEnv): Promise<SecureContextOptions> {
  const [ca, cert, key] = await Promise.all([access.authority, access.certificate, access.key].map(read));
  const plugin = access.credentials.kind === "exec" && cert === undefined ? await runExecPlugin(access.credentials.plugin, env) : undefined;
  const options = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(plugin?.certificate === undefined ? {} : { cert: plugin.certificate, key: plugin.key }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
    rejectUnauthorized: !access.insecure,
  };
  refuseUnusable(options);
  return options;
}

/** Now rather than with the first request, which would end the process. What the library says of it may repeat it, so it is not passed on. */
function refuseUnusable(options: SecureContextOptions): void {
  try {
    createSecureContext(options);
  } catch {
    throw new InputError({ code: "no-credentials", message: "the client certificate or key can't be used; see to the kubeconfig's user" });
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
    return JSON.parse(await bodyText(response)) as unknown;
  } catch (error) {
    if (error instanceof ConnectionError) dropIdle(connection);
    throw error;
  }
}

/** What broke one connection has most likely broken the others that wait to be used again: start afresh. */
function dropIdle({ agent }: Connection): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

async function* stream(connection: Connection, call: Call, signal: AbortSignal): AsyncGenerator<unknown> {
  const response = await send(connection, call, signal, undefined);
  let rest = "";
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) {
      const lines = (rest + (chunk as string)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line);
    }
  } catch (error) {
    dropIdle(connection);
    if (signal.aborted) return;
    throw new ConnectionError(`the watch broke off: ${(error as Error).message}`);
  } finally {
    response.destroy();
  }
}

/** The response, once its head is there and says yes. */
async function send(connection: Connection, call: Call, signal: AbortSignal, silence: number | undefined): Promise<IncomingMessage> {
  const header = await connection.authorization.header();
  if (header !== undefined && !/^[ -~]+$/.test(header))
    throw new ConnectionError("the token for the API server holds signs that no token has");
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const response = await respond(start(connection, call, { header, body, signal }), body, silence);
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return response;
  if (status === 401) connection.authorization.forget();
  throw apiError(status, await bodyText(response));
}

function start(
  { server, agent }: Connection,
  call: Call,
  { header, body, signal }: { header: string | undefined; body: string | undefined; signal: AbortSignal },
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
      ...(header === undefined ? {} : { authorization: header }),
      ...(body === undefined ? {} : { "content-type": call.contentType ?? "application/json", "content-length": Buffer.byteLength(body) }),
    },
  };
  return server.protocol === "http:" ? plainRequest(options) : secureRequest({ ...options, agent });
}

function respond(outgoing: ClientRequest, body: string | undefined, silence: number | undefined): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    if (silence !== undefined) outgoing.setTimeout(silence, () => outgoing.destroy(new Error(`no answer in ${silence / 1000} s`)));
    outgoing.once("response", done);
    // Stays: a connection may break after the head, too, and an error nobody listens to ends the process.
    outgoing.on("error", (error: NodeJS.ErrnoException) => fail(new ConnectionError(`cannot reach the API server: ${reasonOf(error)}`)));
    // A peer that is gone without a word is noticed by the system, not by us.
    outgoing.once("socket", (socket) => socket.setKeepAlive(true, 15_000));
    outgoing.end(body);
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.name === "AbortError" || error.name === "TimeoutError" ? "no answer in time" : error.message || (error.code ?? "unknown");
}

async function bodyText(response: IncomingMessage): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    throw new ConnectionError(`the API server's answer broke off: ${(error as Error).message}`);
  }
}
