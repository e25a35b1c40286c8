import { get as plainGet } from "node:http";
import { get as secureGet } from "node:https";
import type { Discovery } from "../discover/discover.ts";
import { refText } from "../tool.ts";
import { pause } from "./pause.ts";

/** Whether an address answers as a healthy service does. Never rejects. */
export type Probe = (address: string, timeLimit: number) => Promise<boolean>;

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

  /** A tool that was there when we started was found well by somebody: it gets the same patience as one we saw ourselves. */
  assumeWell(source: string): void {
    const { address = "", healthy = false, lastWell = this.#now() } = this.#conditions.get(source) ?? {};
    this.#conditions.set(source, { address, healthy, lastWell });
  }

  accepts(discovery: Discovery): boolean {
    const condition = this.#conditions.get(refText(discovery.source));
    if (condition === undefined) return false;
    return condition.healthy || (condition.lastWell !== undefined && this.#now() - condition.lastWell < this.#timing.grace);
  }

  unhealthy(): number {
    return [...this.#conditions.values()].filter((condition) => condition.address !== "" && !condition.healthy).length;
  }

  /** Ask those never asked under this address. Calls `onChange` as soon as an answer changes what is accepted. */
  async checkNew(discoveries: readonly Discovery[], onChange: () => void): Promise<void> {
    const isNew = ({ source, healthAddress }: Discovery): boolean => this.#conditions.get(refText(source))?.address !== healthAddress;
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
    const queue = [...discoveries];
    const next = async (): Promise<void> => {
      for (let discovery = queue.pop(); discovery !== undefined; discovery = queue.pop()) {
        const before = this.accepts(discovery);
        this.#record(discovery, await this.#probe(discovery.healthAddress, this.#timing.timeLimit));
        this.#asking.delete(question(discovery));
        if (this.accepts(discovery) !== before) onChange();
      }
    };
    await Promise.all(Array.from({ length: Math.min(width, queue.length) }, next));
  }

  #record({ source, healthAddress: address }: Discovery, healthy: boolean): void {
    const lastWell = healthy ? this.#now() : this.#conditions.get(refText(source))?.lastWell;
    this.#conditions.set(refText(source), { address, healthy, lastWell });
  }
}

function question({ source, healthAddress }: Discovery): string {
  return `${refText(source)} ${healthAddress}`;
}

/** Healthy is 200 or 204 within the time limit. Certificates inside a cluster are rarely signed by anybody we know, and nothing secret is sent. */
export const httpProbe: Probe = (address, timeLimit) =>
  new Promise((done) => {
    if (!URL.canParse(address)) {
      done(false);
      return;
    }
    const signal = AbortSignal.timeout(timeLimit);
    const options = { signal, agent: false as const, headers: { "user-agent": "stet" } };
    const request = address.startsWith("https:")
      ? secureGet(address, { ...options, rejectUnauthorized: false })
      : plainGet(address, options);
    request.once("response", (response) => {
      response.destroy();
      done(response.statusCode === 200 || response.statusCode === 204);
    });
    request.on("error", () => done(false));
  });
