import { pause } from "../../system/pause.ts";
import type { KubeApi } from "../api/api.ts";
import { reloadHolmes, restartDeployment } from "./effects.ts";
import { errorText, type Log } from "./log.ts";

/**
 * How HolmesGPT learns of a change: by its own endpoint where its release has one, else by a restart. Both undefined:
 * not at all.
 */
export interface HolmesNotice {
  /** Where its API is, and how long a change takes until it stands in the mounted file. */
  readonly reload: { readonly address: string; readonly delay: number } | undefined;
  /** The Deployment to restart, and how long it is left alone after that. */
  readonly restart: { readonly deployment: string; readonly interval: number } | undefined;
}

export interface TellerContext {
  readonly namespace: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  now(): number;
  /** Come back later. */
  again(): void;
}

const reloadLimit = 60_000;

const answers = {
  reloaded: "HolmesGPT reloaded",
  absent: "HolmesGPT has no reload endpoint: releases after 0.31 have one, with ENABLE_ADMIN_API=true",
  locked: "HolmesGPT asks for its API key to reload, which the controller does not have",
} as const;

/** Tells HolmesGPT of a changed file, once for each change, and not more often than it can bear. */
export class HolmesTeller {
  readonly #api: KubeApi;
  readonly #notice: HolmesNotice;
  readonly #context: TellerContext;
  /** Whether this HolmesGPT turned out to have no endpoint, or none for us. */
  #hasNoEndpoint = false;
  /** The file it was told of last, or is about to be. */
  #told: string | undefined;
  #restarted = Number.NEGATIVE_INFINITY;
  /** Whether somebody waits until the Deployment may be restarted again: one is enough. */
  #waits = false;

  constructor(api: KubeApi, notice: HolmesNotice, context: TellerContext) {
    this.#api = api;
    this.#notice = notice;
    this.#context = context;
  }

  async tell(checksum: string): Promise<void> {
    const { reload, restart } = this.#notice;
    if (reload !== undefined && !this.#hasNoEndpoint) this.#reloadSoon(reload, checksum);
    else if (restart !== undefined) await this.#restart(restart, checksum);
  }

  /** The file in HolmesGPT's pod changes some time after the ConfigMap: asking earlier would read the old one again. */
  #reloadSoon({ address, delay }: { readonly address: string; readonly delay: number }, checksum: string): void {
    const { log, signal, again } = this.#context;
    if (this.#told === checksum) return;
    this.#told = checksum;
    void pause(delay, signal).then(async () => {
      if (signal.aborted || this.#told !== checksum) return;
      try {
        const answer = await reloadHolmes(address, reloadLimit);
        this.#hasNoEndpoint = answer !== "reloaded";
        log[answer === "reloaded" ? "info" : "warn"](answers[answer], { address, checksum });
        if (this.#hasNoEndpoint) again();
      } catch (error) {
        this.#told = undefined;
        log.warn("HolmesGPT could not be reloaded", { address, error: errorText(error) });
        again();
      }
    });
  }

  /** A cluster in turmoil must not keep HolmesGPT from ever getting up: soon after a restart, the next one waits. */
  async #restart(
    { deployment, interval }: { readonly deployment: string; readonly interval: number },
    checksum: string,
  ): Promise<void> {
    const { log, signal, now, namespace, again } = this.#context;
    const wait = this.#restarted + interval - now();
    if (this.#waits) return;
    if (wait > 0) {
      this.#waits = true;
      void pause(wait, signal).then(() => {
        this.#waits = false;
        again();
      });
      return;
    }
    if (!(await restartDeployment(this.#api, namespace, deployment, checksum))) return;
    this.#restarted = now();
    log.info("Deployment restarted", { deployment, checksum });
  }
}
