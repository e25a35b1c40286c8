import { get as plainGet } from "node:http";
import { get as secureGet } from "node:https";
import { createConnection } from "node:net";
import { pause } from "../../system/pause.ts";
import type { Discovery } from "../discover/discover.ts";
import { refText } from "../tool.ts";

/** How a Service is: `unknown` where its name means nothing from here, as outside of the cluster. */
export type Health = "well" | "unwell" | "unknown";

/** Ask an address. Never rejects. */
export type Probe = (address: string, timeLimit: number) => Promise<Health>;

export interface HealthTiming {
  readonly interval: number;
  readonly timeLimit: number;
  /** A Service that was well keeps its tool for this long while it is not. */
  readonly grace: number;
}

/** How many are asked at a time: enough that slow ones do not hold up the rest, few enough for any machine. */
const width = 50;

interface Condition {
  readonly address: string;
  readonly healthy: boolean;
  /** When it was last seen well; undefined: never. */
  readonly lastWell: number | undefined;
}

/** Keeps track of which Services are well, with patience for those that were. */
export class HealthTracker {
  readonly #probe: Probe;
  readonly #timing: HealthTiming;
  readonly #now: () => number;
  readonly #conditions = new Map<string, Condition>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(probe: Probe, timing: HealthTiming, now: () => number) {
    this.#probe = probe;
    this.#timing = timing;
    this.#now = now;
  }

  /**
   * A tool that was there when we started was found well by somebody: it gets the same patience as one we saw
   * ourselves.
   */
  assumeWell(source: string): void {
    const { address = "", healthy = false, lastWell = this.#now() } = this.#conditions.get(source) ?? {};
    this.#conditions.set(source, { address, healthy, lastWell });
  }

  accepts(discovery: Discovery): boolean {
    const condition = this.#conditions.get(refText(discovery.source));
    if (condition === undefined) return false;
    return (
      condition.healthy || (condition.lastWell !== undefined && this.#now() - condition.lastWell < this.#timing.grace)
    );
  }

  unhealthy(): number {
    return [...this.#conditions.values()].filter((condition) => condition.address !== "" && !condition.healthy).length;
  }

  /** Ask those never asked under this address. Calls `onChange` as soon as an answer changes what is accepted. */
  async checkNew(discoveries: readonly Discovery[], onChange: () => void): Promise<void> {
    const isNew = ({ source, healthAddress }: Discovery): boolean =>
      this.#conditions.get(refText(source))?.address !== healthAddress;
    await this.#ask(discoveries.filter(isNew), onChange);
  }

  /** Ask all of them, and forget those that are gone. */
  async checkAll(discoveries: readonly Discovery[], onChange: () => void): Promise<void> {
    const known = new Set(discoveries.map(({ source }) => refText(source)));
    for (const source of this.#conditions.keys()) if (!known.has(source)) this.#conditions.delete(source);
    await this.#ask(discoveries, onChange);
    // Patience may have run out for one that no answer came from.
    onChange();
  }

  /** When everybody who is being asked right now has answered, or a little longer than an answer may take. */
  async answered(): Promise<void> {
    const enough = new AbortController();
    await Promise.race([Promise.all(this.#asking.values()), pause(2 * this.#timing.timeLimit, enough.signal)]);
    enough.abort();
  }

  async #ask(discoveries: readonly Discovery[], onChange: () => void): Promise<void> {
    const waiting = discoveries.filter((discovery) => !this.#asking.has(question(discovery)));
    const asked = this.#askInTurn(waiting, onChange);
    for (const discovery of waiting) this.#asking.set(question(discovery), asked);
    await asked;
  }

  async #askInTurn(discoveries: readonly Discovery[], onChange: () => void): Promise<void> {
    await someAtATime(discoveries, async (discovery) => {
      const before = this.accepts(discovery);
      const health = await this.#probe(discovery.healthAddress, this.#timing.timeLimit);
      this.#record(discovery, health === "well");
      this.#asking.delete(question(discovery));
      if (this.accepts(discovery) !== before) onChange();
    });
  }

  #record({ source, healthAddress: address }: Discovery, healthy: boolean): void {
    const lastWell = healthy ? this.#now() : this.#conditions.get(refText(source))?.lastWell;
    this.#conditions.set(refText(source), { address, healthy, lastWell });
  }
}

function question({ source, healthAddress }: Discovery): string {
  return `${refText(source)} ${healthAddress}`;
}

/**
 * Well is 200 or 204 within the time limit, or the question for a login: credentials are HolmesGPT's, we have and send
 * none. Certificates inside a cluster are rarely signed by anybody we know. What does not speak HTTP is well when it
 * can be connected to.
 */
export const probeAddress: Probe = (address, timeLimit) => {
  if (!URL.canParse(address)) return Promise.resolve("unwell");
  const url = new URL(address);
  return url.protocol === "http:" || url.protocol === "https:" ? askOverHttp(url, timeLimit) : connects(url, timeLimit);
};

function askOverHttp(url: URL, timeLimit: number): Promise<Health> {
  return new Promise((done) => {
    const signal = AbortSignal.timeout(timeLimit);
    const options = { signal, agent: false, headers: { "user-agent": "stet" } } as const;
    const request =
      url.protocol === "https:" ? secureGet(url, { ...options, rejectUnauthorized: false }) : plainGet(url, options);
    request.once("response", (response) => {
      response.destroy();
      done(isWell(response.statusCode ?? 0, response.headers.location) ? "well" : "unwell");
    });
    request.on("error", (error: NodeJS.ErrnoException) => done(afterError(error)));
  });
}

const loginPage = /\/(login|signin|sign-in|sign_in|auth|oauth2?|sso|dex|saml)(\/|\?|$)/i;

function isWell(status: number, location: string | undefined): boolean {
  if (status >= 300 && status < 400) return location !== undefined && loginPage.test(location);
  return [200, 204, 401, 403].includes(status);
}

function afterError({ code }: NodeJS.ErrnoException): Health {
  return code === "ENOTFOUND" || code === "EAI_AGAIN" ? "unknown" : "unwell";
}

function connects({ hostname, port }: URL, timeLimit: number): Promise<Health> {
  return new Promise((done) => {
    const socket = createConnection({ host: hostname, port: Number(port), timeout: timeLimit });
    const end = (health: Health): void => {
      socket.destroy();
      done(health);
    };
    socket.once("connect", () => end("well"));
    socket.once("timeout", () => end("unwell"));
    socket.once("error", (error: NodeJS.ErrnoException) => end(afterError(error)));
  });
}

/** The health of all of them, asked once and in parallel, by `namespace/name`. */
export async function askAll(
  discoveries: readonly Discovery[],
  probe: Probe,
  timeLimit: number,
): Promise<Map<string, Health>> {
  const answers = new Map<string, Health>();
  await someAtATime(discoveries, async ({ source, healthAddress }) => {
    answers.set(refText(source), await probe(healthAddress, timeLimit));
  });
  return answers;
}

async function someAtATime(all: readonly Discovery[], ask: (discovery: Discovery) => Promise<void>): Promise<void> {
  const queue = [...all];
  const next = async (): Promise<void> => {
    for (let each = queue.pop(); each !== undefined; each = queue.pop()) await ask(each);
  };
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, next));
}
