import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";

/** What the server saw of one request, while the programs that sent it were waiting for its answer. */
interface SeenRequest {
  readonly path: string;
  readonly login: string | undefined;
  /** The arguments of every process of the machine. */
  readonly processes: readonly string[];
}

export interface HttpsRemoteOptions {
  /** The folder that holds the repositories. */
  readonly root: string;
  /** An empty folder for the key and its certificate. */
  readonly keys: string;
  /** `user:password`, without which nothing is served. */
  readonly login: string;
}

/**
 * Git's own CGI program behind https on loopback, with a certificate that nobody knows. What begins with /moved/ is
 * sent on to /there/.
 */
export class HttpsRemote {
  readonly certificate: string;
  readonly seen: SeenRequest[] = [];
  readonly connections: Socket[] = [];
  private readonly options: HttpsRemoteOptions;
  private readonly server: Server;

  constructor(options: HttpsRemoteOptions) {
    this.options = options;
    const key = join(options.keys, "server.key");
    this.certificate = join(options.keys, "server.crt");
    const name = ["-subj", "/CN=stet test", "-addext", "subjectAltName=IP:127.0.0.1"];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    execFileSync("openssl", ["req", ...kind, ...name, "-keyout", key, "-out", this.certificate], { stdio: "ignore" });
    this.server = createServer({ key: readFileSync(key), cert: readFileSync(this.certificate) }, (request, response) =>
      this.answer(request, response),
    );
    this.server.on("connection", (socket: Socket) => this.connections.push(socket));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What went over the wire, in both directions, encryption included. */
  get bytes(): number {
    return this.connections.reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0);
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { authorization } = request.headers;
    const login = authorization?.startsWith("Basic ")
      ? Buffer.from(authorization.slice(6), "base64").toString("utf8")
      : undefined;
    const path = request.url ?? "";
    this.seen.push({ path, login, processes: processArguments() });
    if (path.startsWith("/moved/"))
      response.writeHead(302, { Location: `${this.origin}/there/${path.slice(7)}` }).end();
    else if (login !== this.options.login)
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="stet test"' }).end();
    else serve(request, response, this.options.root);
  }
}

function processArguments(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        // Ended since the folder was listed.
        return [];
      }
    });
}

/**
 * One request to git-http-backend, by the rules of CGI: headers as variables, the answer's on its output before the
 * body.
 */
function serve(request: IncomingMessage, response: ServerResponse, root: string): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "https://127.0.0.1");
  const env = {
    PATH: process.env.PATH,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname,
    QUERY_STRING: searchParams.toString(),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers["content-type"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
  };
  const backend = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  const output: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  backend.on("close", () => passOn(Buffer.concat(output), response));
  request.pipe(backend.stdin);
}

function passOn(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf("\r\n\r\n");
  const lines = output.toString("latin1", 0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== "Status")));
  response.end(output.subarray(end + 4));
}
