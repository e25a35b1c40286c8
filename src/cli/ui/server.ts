import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { InputError } from "../../core/diagnostic.ts";
import type { Api } from "./api.ts";
import type { Assets } from "./assets.ts";

/** Why a request is not answered; undefined where it is. */
type Refusal = { readonly status: number; readonly message: string } | undefined;

/**
 * Who may ask. The address in the terminal holds a token that works once; it is exchanged for a cookie that only this
 * page sends. A page of another origin, or a name that was pointed at this machine, gets nothing.
 */
class Session {
  readonly token = randomBytes(24).toString("base64url");
  readonly #cookie = randomBytes(24).toString("base64url");
  readonly #port: number;
  #used = false;

  constructor(port: number) {
    this.#port = port;
  }

  /** The cookie to set for a token that was not used before. */
  exchange(token: string | null): string | undefined {
    if (token === null || this.#used || !same(token, this.token)) return undefined;
    this.#used = true;
    return `${this.#name}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Another program on another port of this machine has cookies, too. */
  get #name(): string {
    return `stet-${this.#port}`;
  }

  refusal({ headers, method }: IncomingMessage): Refusal {
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    if (!hosts.includes(headers.host ?? "")) return { status: 403, message: "this name is not this machine's" };
    const { origin } = headers;
    if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
      return { status: 403, message: "another page asked for this" };
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return { status: 403, message: "another page asked for this" };
    if (method !== "GET" && (origin === undefined || headers["content-type"] !== "application/json"))
      return { status: 403, message: "only the page itself may write" };
    return undefined;
  }

  knows({ headers }: IncomingMessage): boolean {
    const given = (headers.cookie ?? "").split(/;\s*/).find((each) => each.startsWith(`${this.#name}=`));
    return given !== undefined && same(given.slice(this.#name.length + 1), this.#cookie);
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export interface UiServer {
  /** Where to go, once. */
  readonly address: string;
  /** Tells every page that something changed. */
  tell(): void;
  close(): Promise<void>;
}

/** Nothing from elsewhere, nothing inline, in no frame. */
const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

const maxBody = 4 << 20;

export async function serveUi(api: Api, assets: Assets, port: number): Promise<UiServer> {
  const pages = new Set<ServerResponse>();
  const server = createServer();
  await listening(server, port);
  const bound = (server.address() as AddressInfo).port;
  const session = new Session(bound);
  server.on("request", (request, response) => {
    answer(request, response, { api, assets, session, pages }).catch((error: unknown) => fail(response, error));
  });
  return {
    address: `http://127.0.0.1:${bound}/?token=${session.token}`,
    tell: () => {
      for (const page of pages) page.write("event: changed\ndata: {}\n\n");
    },
    close: () =>
      new Promise((resolve) => {
        for (const page of pages) page.end();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new InputError({
          code: "usage",
          message: `can't listen on port ${port} (${error.code}); name another with --port`,
        }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}

interface Context {
  readonly api: Api;
  readonly assets: Assets;
  readonly session: Session;
  readonly pages: Set<ServerResponse>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { api, assets, session, pages }: Context,
): Promise<void> {
  const refusal = session.refusal(request);
  if (refusal !== undefined) return send(response, refusal.status, "text/plain", refusal.message);
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const cookie = session.exchange(url.searchParams.get("token"));
  // The token leaves the address at once: no history, no bookmark and no referrer holds it.
  if (cookie !== undefined)
    return void response.writeHead(303, { ...headers, "Set-Cookie": cookie, Location: "/" }).end();
  if (!session.knows(request)) {
    const message =
      "This address works once, and only in the browser that opened it. Start stet ui again for another.\n";
    return send(response, 403, "text/plain", message);
  }
  const path = url.pathname;
  if (request.method === "GET" && path === "/") return send(response, 200, "text/html; charset=utf-8", assets.html);
  if (request.method === "GET" && path === "/app.js")
    return send(response, 200, "text/javascript; charset=utf-8", assets.script);
  if (request.method === "GET" && path === "/app.css")
    return send(response, 200, "text/css; charset=utf-8", assets.style);
  if (request.method === "GET" && path === "/api/events") return follow(response, pages);
  if (!path.startsWith("/api/")) return send(response, 404, "text/plain", "there is nothing here");
  const name = path.slice("/api/".length);
  if (request.method === "GET") return sendJson(response, 200, await api.get(name, url.searchParams));
  if (request.method === "POST") return sendJson(response, 200, await api.post(name, await bodyOf(request)));
  send(response, 405, "text/plain", "not here");
}

function follow(response: ServerResponse, pages: Set<ServerResponse>): void {
  response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
  response.write("event: hello\ndata: {}\n\n");
  pages.add(response);
  response.on("close", () => pages.delete(response));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > maxBody) throw new InputError({ code: "usage", message: "that is too much at once" });
    parts.push(part as Buffer);
  }
  const body: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new InputError({ code: "usage", message: "not an object" });
  return body as Record<string, unknown>;
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...headers, "Content-Type": type }).end(text);
}

function sendJson(response: ServerResponse, status: number, document: unknown): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(document));
}

function fail(response: ServerResponse, error: unknown): void {
  const [status, code] = error instanceof InputError ? [409, error.diagnostic.code] : [500, "internal-error"];
  const message = error instanceof Error ? error.message : String(error);
  if (response.headersSent) response.end();
  else sendJson(response, status, { code, message });
}
