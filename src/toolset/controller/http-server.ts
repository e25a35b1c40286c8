import { createServer, type Server } from "node:http";
import { InputError } from "../../core/diagnostic.ts";

export interface ServedState {
  /** Whether the process is alive and its loop is not stuck. */
  healthy(): boolean;
  /** Why it is not ready; undefined: it is. */
  notReady(): string | undefined;
  metrics(): string;
}

/** `/health`, `/ready` and `/metrics`, nothing else. `port` is the real one, also when 0 was asked for. */
export async function serve(
  listen: string,
  state: ServedState,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { host, port } = parseAddress(listen);
  const server = createServer((request, response) => {
    const { status, type, body } = answer(request.url ?? "/", state);
    response
      .writeHead(request.method === "GET" || request.method === "HEAD" ? status : 405, { "content-type": type })
      .end(body);
  });
  await listening(server, host, port, listen);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answer(url: string, state: ServedState): { status: number; type: string; body: string } {
  const type = "text/plain; charset=utf-8";
  switch (url.split("?", 1)[0]) {
    case "/health":
      return state.healthy() ? { status: 200, type, body: "ok\n" } : { status: 503, type, body: "stuck\n" };
    case "/ready": {
      const why = state.notReady();
      return why === undefined ? { status: 200, type, body: "ok\n" } : { status: 503, type, body: `${why}\n` };
    }
    case "/metrics":
      return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: state.metrics() };
    default:
      return { status: 404, type, body: "there are /health, /ready and /metrics\n" };
  }
}

/** `8080`, `:8080`, `127.0.0.1:8080` or `[::1]:8080`. */
function parseAddress(listen: string): { host: string; port: number } {
  const at = listen.lastIndexOf(":");
  const host = at <= 0 ? "0.0.0.0" : listen.slice(0, at).replace(/^\[|\]$/g, "");
  const digits = listen.slice(at + 1);
  const port = Number(digits);
  if (/^\d{1,5}$/.test(digits) && port <= 65_535) return { host, port };
  throw new InputError({ code: "usage", message: `--listen: '${listen}' is not an address such as 0.0.0.0:8080` });
}

function listening(server: Server, host: string, port: number, listen: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", (error) =>
      fail(new InputError({ code: "cannot-listen", message: `cannot listen on ${listen}: ${error.message}` })),
    );
    server.listen(port, host, () => done());
  });
}
