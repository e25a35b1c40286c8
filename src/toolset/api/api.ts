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
  /** The answer's JSON. Rejects with `ApiError` when the server refuses, and with `ConnectionError` when it can't be reached. */
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

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** From the `Status` object the server sends with every refusal. */
export function apiError(status: number, body: string): ApiError {
  try {
    const { reason, message } = JSON.parse(body) as { reason?: string; message?: string };
    return new ApiError(status, reason ?? "", message ?? `the API server answered ${status}`);
  } catch {
    return new ApiError(status, "", `the API server answered ${status}${body === "" ? "" : `: ${body.slice(0, 200)}`}`);
  }
}
