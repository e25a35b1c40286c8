import type { IncomingMessage } from "node:http";
import { endOfString } from "../../core/value.ts";

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

/** What the API server must never answer. */
export function serverMistake(what: string): ConnectionError {
  return new ConnectionError(`the API server made a mistake: ${what}`);
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

/**
 * The most that one answer may hold. A page of 500 Services has a few megabytes; one object of etcd has less than two.
 */
export interface AnswerLimits {
  readonly bytes: number;
  readonly lineBytes: number;
  readonly depth: number;
  readonly values: number;
}

export const usualAnswerLimits: AnswerLimits = {
  bytes: 32 * 1024 ** 2,
  lineBytes: 8 * 1024 ** 2,
  depth: 200,
  values: 2_000_000,
};

/** The whole body of an answer as text. */
export async function bodyText(response: IncomingMessage, { bytes: limit }: AnswerLimits): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError(`the API server's answer was cut short: ${(error as Error).message}`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The lines of a watch that never ends. */
export async function* bodyLines(
  response: IncomingMessage,
  { lineBytes: limit }: AnswerLimits,
): AsyncGenerator<string> {
  let rest: string[] = [];
  let size = 0;
  response.setEncoding("utf8");
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = chunk.split("\n");
    for (const [i, line] of lines.entries()) {
      size += line.length;
      if (size > limit) throw tooLarge(limit);
      rest.push(line);
      if (i === lines.length - 1) continue;
      const whole = rest.join("");
      [rest, size] = [[], 0];
      if (whole !== "") yield whole;
    }
  }
}

/**
 * The JSON of an answer. Depth and number of values are counted first: running out of memory or stack can't be refused.
 */
export function parseAnswer(text: string, limits: AnswerLimits): unknown {
  checkNesting(text, limits);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const what = /^\s*</.test(text) ? "a web page" : text.trim() === "" ? "nothing" : "something that is not JSON";
    throw new ConnectionError(`the API server answered with ${what}; is this the address of a Kubernetes API server?`);
  }
}

const [quote, comma, openList, closeList, openMap, closeMap] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

function checkNesting(text: string, limits: AnswerLimits): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at);
    else if (sign === comma) values++;
    else if (sign === closeList || sign === closeMap) depth--;
    else if (sign === openList || sign === openMap) {
      values++;
      if (++depth > limits.depth)
        throw new ConnectionError(`the API server's answer is nested more than ${limits.depth} levels deep`);
    }
    if (values > limits.values)
      throw new TooLargeError(`the API server's answer has more than ${limits.values} values`);
  }
}

function tooLarge(limit: number): TooLargeError {
  return new TooLargeError(`the API server's answer has more than ${limit / 1024 ** 2} MiB`);
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The answer as an object, or the server's mistake. */
export function objectAnswer(value: unknown, what: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw serverMistake(`${what} is not an object`);
}

/** An object of Kubernetes: it has a name. */
export function kubeObject(value: unknown, what: string): JsonObject {
  const object = objectAnswer(value, what);
  const metadata = objectAnswer(object.metadata, `the metadata of ${what}`);
  if (typeof metadata.name === "string" && metadata.name !== "") return object;
  throw serverMistake(`${what} has no name`);
}
