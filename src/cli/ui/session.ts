import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Why a request is not answered; undefined where it is. */
export type Refusal = { readonly status: number; readonly message: string } | undefined;

/**
 * Who may ask. The address in the terminal holds a token that works once; it is exchanged for a cookie that only this
 * page sends. A page of another origin, or a name that was pointed at this machine, gets nothing.
 */
export class Session {
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
