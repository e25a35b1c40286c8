/** One request to the API server. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** The narrow gate to a cluster: everything the toolset domain does there goes through these two. */
export interface KubeApi {
  /**
   * The answer's JSON. Rejects with `ApiError` when the server refuses, and with `ConnectionError` when it can't be
   * reached.
   */
  request(call: Call, signal?: AbortSignal): Promise<unknown>;
  /** The lines of a watch, each a JSON document, until the server ends it. */
  stream(call: Call, signal: AbortSignal): AsyncIterable<unknown>;
}

/** The API server said no. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.reason = reason;
  }
}

/** The API server could not be asked, or broke off. */
export class ConnectionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConnectionError";
  }
}

/** The answer is larger than we are willing to hold. Asking for less may help. */
export class TooLargeError extends ConnectionError {
  constructor(message: string) {
    super(message);
    this.name = "TooLargeError";
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** From the `Status` object the server sends with every refusal. */
export function apiError(status: number, body: string): ApiError {
  const { reason, message } = statusOf(body);
  if (typeof message === "string")
    return new ApiError(status, typeof reason === "string" ? reason : "", message.slice(0, 1000));
  const isPage = /^\s*</.test(body);
  const said =
    body === "" ? "" : isPage ? " with a web page; is this a Kubernetes API server?" : `: ${body.slice(0, 200)}`;
  return new ApiError(status, "", `the API server answered ${status}${said}`);
}

function statusOf(body: string): { readonly reason?: unknown; readonly message?: unknown } {
  try {
    return (JSON.parse(body) as object | null) ?? {};
  } catch {
    return {};
  }
}
